1	run:14	k=1	numbers=[?, ?, ?, ?, ?]	grid=[[?, ?, ?], [?, ?, ?]]	pairs=[{key=?, value=?}, {key=?, value=?}]	text=[?, ?, ?, ?, ?, ?, ?, ?]	n=?
1	run:14	k=1	numbers=[5, 4, 3, 2, ?]	grid=[[?, ?, ?], [?, ?, ?]]	pairs=[{key=?, value=?}, {key=?, value=?}]	text=[?, ?, ?, ?, ?, ?, ?, ?]	n=?
2	run:15	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[?, ?, ?], [?, ?, ?]]	pairs=[{key=?, value=?}, {key=?, value=?}]	text=[?, ?, ?, ?, ?, ?, ?, ?]	n=?
2	run:15	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [?, ?, ?]]	pairs=[{key=?, value=?}, {key=?, value=?}]	text=[?, ?, ?, ?, ?, ?, ?, ?]	n=?
2	run:15	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, ?]]	pairs=[{key=?, value=?}, {key=?, value=?}]	text=[?, ?, ?, ?, ?, ?, ?, ?]	n=?
3	run:16	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=?, value=?}, {key=?, value=?}]	text=[?, ?, ?, ?, ?, ?, ?, ?]	n=?
4	run:17	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[?, ?, ?, ?, ?, ?, ?, ?]	n=?
5	run:18	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=?
6	total:7	values=&5	n=3	sum=?
7	total:8	i=?	values=&5	n=3	sum=0
7	total:8	i=0	values=&5	n=3	sum=0
8	total:9	i=0	values=&5	n=3	sum=0
9	total:8	i=0	values=&5	n=3	sum=5
9	total:8	i=1	values=&5	n=3	sum=5
10	total:9	i=1	values=&5	n=3	sum=5
11	total:8	i=1	values=&5	n=3	sum=9
11	total:8	i=2	values=&5	n=3	sum=9
12	total:9	i=2	values=&5	n=3	sum=9
13	total:8	i=2	values=&5	n=3	sum=12
13	total:8	i=3	values=&5	n=3	sum=12
14	total:10	values=&5	n=3	sum=12
5	run:18	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=?
15	run:19	row=?	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
15	run:19	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
16	run:20	max=?	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
17	run:21	col=?	max=1	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
17	run:21	col=1	max=1	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
18	run:22	col=1	max=1	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
19	run:23	col=1	max=1	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
20	run:22	col=1	max=2	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
21	run:21	col=1	max=2	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
21	run:21	col=2	max=2	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
22	run:22	col=2	max=2	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
23	run:23	col=2	max=2	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
24	run:22	col=2	max=3	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
25	run:21	col=2	max=3	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
25	run:21	col=3	max=3	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
26	run:24	max=3	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=12
27	run:19	row=0	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
27	run:19	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
28	run:20	max=3	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
29	run:21	col=3	max=4	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
29	run:21	col=1	max=4	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
30	run:22	col=1	max=4	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
31	run:23	col=1	max=4	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
32	run:22	col=1	max=5	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
33	run:21	col=1	max=5	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
33	run:21	col=2	max=5	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
34	run:22	col=2	max=5	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
35	run:23	col=2	max=5	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
36	run:22	col=2	max=6	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
37	run:21	col=2	max=6	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
37	run:21	col=3	max=6	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
38	run:24	max=6	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=15
39	run:19	row=1	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=21
39	run:19	row=2	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=21
40	run:26	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=200}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=21
41	run:27	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=21}]	text=[104, 101, 108, 108, 111, 0, 0, 0]	n=21
42	run:28	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=21}]	text=[106, 101, 108, 108, 111, 0, 0, 0]	n=21
43	run:29	k=1	numbers=[5, 4, 3, 2, 1]	grid=[[1, 2, 3], [4, 5, 6]]	pairs=[{key=1, value=100}, {key=2, value=21}]	text=[106, 101, 108, 108, 111, 0, 0, 0]	n=21
