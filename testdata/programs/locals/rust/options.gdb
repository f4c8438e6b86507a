1	run:34	k=1
2	quarter:18	n=16
3	half:8	n=16
4	half:9	n=16
5	half:10	h=8	n=16
6	half:8	n=16
7	half:14	n=16
8	quarter:18	n=16
8	quarter:18	val=8	n=16
9	quarter:19	h=8	n=16
10	half:8	n=8
11	half:9	n=8
12	half:10	h=4	n=8
13	half:8	n=8
14	half:14	n=8
15	quarter:19	h=8	n=16
15	quarter:19	val=4	h=8	n=16
16	quarter:20	q=4	h=8	n=16
17	quarter:21	n=16
18	run:35	four=Some{0=4}	k=1
19	quarter:18	n=6
20	half:8	n=6
21	half:9	n=6
22	half:10	h=3	n=6
23	half:8	n=6
24	half:14	n=6
25	quarter:18	n=6
25	quarter:18	val=3	n=6
26	quarter:19	h=3	n=6
27	half:8	n=3
28	half:12	n=3
29	half:14	n=3
30	quarter:19	h=3	n=6
30	quarter:19	residual=Some{0=Infallible}	h=3	n=6
31	quarter:21	n=6
32	run:36	none=None	four=Some{0=4}	k=1
33	run:37	number=7	none=None	four=Some{0=4}	k=1
34	run:38	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
35	run:39	gone=None	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
36	check:25	n=7
37	check:26	n=7
38	check:30	n=7
39	run:40	good=Ok{0=7}	gone=None	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
40	check:25	n=1000
41	check:28	n=1000
42	check:25	n=1000
43	check:30	n=1000
44	run:41	bad=Err{0=-1000}	good=Ok{0=7}	gone=None	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
45	run:42	n=?	sum=5	bad=Err{0=-1000}	good=Ok{0=7}	gone=None	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
46	run:43	n=7	sum=5	bad=Err{0=-1000}	good=Ok{0=7}	gone=None	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
47	run:44	n=7	sum=12	bad=Err{0=-1000}	good=Ok{0=7}	gone=None	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
48	run:42	sum=12	bad=Err{0=-1000}	good=Ok{0=7}	gone=Some{0=7}	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
49	run:46	b=?	sum=12	bad=Err{0=-1000}	good=Ok{0=7}	gone=Some{0=7}	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
50	run:47	b=7	sum=12	bad=Err{0=-1000}	good=Ok{0=7}	gone=Some{0=7}	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
51	run:46	sum=19	bad=Err{0=-1000}	good=Ok{0=7}	gone=Some{0=7}	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
52	run:49	e=0	sum=19	bad=Err{0=-1000}	good=Ok{0=7}	gone=Some{0=7}	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
53	run:50	e=-1000	sum=19	bad=Err{0=-1000}	good=Ok{0=7}	gone=Some{0=7}	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
54	run:49	sum=-981	bad=Err{0=-1000}	good=Ok{0=7}	gone=Some{0=7}	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
55	run:52	sum=-981	bad=Err{0=-1000}	good=Ok{0=7}	gone=Some{0=7}	there=Some{0=7}	number=7	none=None	four=Some{0=4}	k=1
56	run:53	k=1
