1	run:31	k=1
2	run:32	numbers=[3, 9, 4, 1]	k=1
3	largest:8	values=[3, 9, 4, 1]
4	largest:9	best={0=0, 1=3}	values=[3, 9, 4, 1]
5	largest:10	i=1	best={0=0, 1=3}	values=[3, 9, 4, 1]
6	largest:11	i=1	best={0=0, 1=3}	values=[3, 9, 4, 1]
7	largest:12	i=1	best={0=0, 1=3}	values=[3, 9, 4, 1]
8	largest:11	i=1	best={0=1, 1=9}	values=[3, 9, 4, 1]
9	largest:14	i=1	best={0=1, 1=9}	values=[3, 9, 4, 1]
10	largest:10	i=2	best={0=1, 1=9}	values=[3, 9, 4, 1]
11	largest:11	i=2	best={0=1, 1=9}	values=[3, 9, 4, 1]
12	largest:14	i=2	best={0=1, 1=9}	values=[3, 9, 4, 1]
13	largest:10	i=3	best={0=1, 1=9}	values=[3, 9, 4, 1]
14	largest:11	i=3	best={0=1, 1=9}	values=[3, 9, 4, 1]
15	largest:14	i=3	best={0=1, 1=9}	values=[3, 9, 4, 1]
16	largest:10	i=4	best={0=1, 1=9}	values=[3, 9, 4, 1]
17	largest:17	values=[3, 9, 4, 1]
18	run:33	all={0=1, 1=9}	numbers=[3, 9, 4, 1]	k=1
19	run:34	tail=[4, 1]	all={0=1, 1=9}	numbers=[3, 9, 4, 1]	k=1
20	largest:8	values=[4, 1]
21	largest:9	best={0=0, 1=4}	values=[4, 1]
22	largest:10	i=1	best={0=0, 1=4}	values=[4, 1]
23	largest:11	i=1	best={0=0, 1=4}	values=[4, 1]
24	largest:14	i=1	best={0=0, 1=4}	values=[4, 1]
25	largest:10	i=2	best={0=0, 1=4}	values=[4, 1]
26	largest:17	values=[4, 1]
27	run:35	rest={0=0, 1=4}	tail=[4, 1]	all={0=1, 1=9}	numbers=[3, 9, 4, 1]	k=1
28	run:36	text="to be"	rest={0=0, 1=4}	tail=[4, 1]	all={0=1, 1=9}	numbers=[3, 9, 4, 1]	k=1
29	first_word:21	text="to be"
30	first_word:22	bytes=[116, 111, 32, 98, 101]	text="to be"
31	first_word:23	end=0	bytes=[116, 111, 32, 98, 101]	text="to be"
32	first_word:24	end=0	bytes=[116, 111, 32, 98, 101]	text="to be"
33	first_word:23	end=1	bytes=[116, 111, 32, 98, 101]	text="to be"
34	first_word:24	end=1	bytes=[116, 111, 32, 98, 101]	text="to be"
35	first_word:23	end=2	bytes=[116, 111, 32, 98, 101]	text="to be"
36	first_word:26	end=2	bytes=[116, 111, 32, 98, 101]	text="to be"
37	first_word:27	text="to be"
38	run:37	word="to"	text="to be"	rest={0=0, 1=4}	tail=[4, 1]	all={0=1, 1=9}	numbers=[3, 9, 4, 1]	k=1
39	run:38	letter=c78	word="to"	text="to be"	rest={0=0, 1=4}	tail=[4, 1]	all={0=1, 1=9}	numbers=[3, 9, 4, 1]	k=1
40	run:39	pair={0=2, 1=9}	letter=c78	word="to"	text="to be"	rest={0=0, 1=4}	tail=[4, 1]	all={0=1, 1=9}	numbers=[3, 9, 4, 1]	k=1
41	run:40	grid=[[1, 2], [3, 4]]	pair={0=2, 1=9}	letter=c78	word="to"	text="to be"	rest={0=0, 1=4}	tail=[4, 1]	all={0=1, 1=9}	numbers=[3, 9, 4, 1]	k=1
42	run:41	k=1
