1	run:27	xs=[9, 2, 3, 1]	k=1	at=?	again=?
2	closest:14	xs=&9	n=4	best=?	least=?
2	closest:14	xs=&9	n=4	best=0	least=?
3	closest:15	i=?	xs=&9	n=4	best=0	least=1073741824
3	closest:15	i=0	xs=&9	n=4	best=0	least=1073741824
4	closest:16	d=?	i=0	xs=&9	n=4	best=0	least=1073741824
5	norm:9	x=9	y=0	xx=?	yy=?
6	square:5	n=9	r=?
7	square:6	n=9	r=81
5	norm:9	x=9	y=0	xx=?	yy=?
8	norm:10	x=9	y=0	xx=81	yy=?
9	square:5	n=0	r=?
10	square:6	n=0	r=0
8	norm:10	x=9	y=0	xx=81	yy=?
11	norm:11	x=9	y=0	xx=81	yy=0
4	closest:16	d=?	i=0	xs=&9	n=4	best=0	least=1073741824
12	closest:17	d=81	i=0	xs=&9	n=4	best=0	least=1073741824
13	closest:18	d=81	i=0	xs=&9	n=4	best=0	least=1073741824
14	closest:19	d=81	i=0	xs=&9	n=4	best=0	least=81
15	closest:21	d=81	i=0	xs=&9	n=4	best=0	least=81
16	closest:15	i=0	xs=&9	n=4	best=0	least=81
16	closest:15	i=1	xs=&9	n=4	best=0	least=81
17	closest:16	d=81	i=1	xs=&9	n=4	best=0	least=81
18	norm:9	x=2	y=1	xx=?	yy=?
19	square:5	n=2	r=?
20	square:6	n=2	r=4
18	norm:9	x=2	y=1	xx=?	yy=?
21	norm:10	x=2	y=1	xx=4	yy=?
22	square:5	n=1	r=?
23	square:6	n=1	r=1
21	norm:10	x=2	y=1	xx=4	yy=?
24	norm:11	x=2	y=1	xx=4	yy=1
17	closest:16	d=81	i=1	xs=&9	n=4	best=0	least=81
25	closest:17	d=5	i=1	xs=&9	n=4	best=0	least=81
26	closest:18	d=5	i=1	xs=&9	n=4	best=0	least=81
27	closest:19	d=5	i=1	xs=&9	n=4	best=0	least=5
28	closest:21	d=5	i=1	xs=&9	n=4	best=1	least=5
29	closest:15	i=1	xs=&9	n=4	best=1	least=5
29	closest:15	i=2	xs=&9	n=4	best=1	least=5
30	closest:16	d=5	i=2	xs=&9	n=4	best=1	least=5
31	norm:9	x=3	y=2	xx=?	yy=?
32	square:5	n=3	r=?
33	square:6	n=3	r=9
31	norm:9	x=3	y=2	xx=?	yy=?
34	norm:10	x=3	y=2	xx=9	yy=?
35	square:5	n=2	r=?
36	square:6	n=2	r=4
34	norm:10	x=3	y=2	xx=9	yy=?
37	norm:11	x=3	y=2	xx=9	yy=4
30	closest:16	d=5	i=2	xs=&9	n=4	best=1	least=5
38	closest:17	d=13	i=2	xs=&9	n=4	best=1	least=5
39	closest:21	d=13	i=2	xs=&9	n=4	best=1	least=5
40	closest:15	i=2	xs=&9	n=4	best=1	least=5
40	closest:15	i=3	xs=&9	n=4	best=1	least=5
41	closest:16	d=13	i=3	xs=&9	n=4	best=1	least=5
42	norm:9	x=1	y=3	xx=?	yy=?
43	square:5	n=1	r=?
44	square:6	n=1	r=1
42	norm:9	x=1	y=3	xx=?	yy=?
45	norm:10	x=1	y=3	xx=1	yy=?
46	square:5	n=3	r=?
47	square:6	n=3	r=9
45	norm:10	x=1	y=3	xx=1	yy=?
48	norm:11	x=1	y=3	xx=1	yy=9
41	closest:16	d=13	i=3	xs=&9	n=4	best=1	least=5
49	closest:17	d=10	i=3	xs=&9	n=4	best=1	least=5
50	closest:21	d=10	i=3	xs=&9	n=4	best=1	least=5
51	closest:15	i=3	xs=&9	n=4	best=1	least=5
51	closest:15	i=4	xs=&9	n=4	best=1	least=5
52	closest:22	xs=&9	n=4	best=1	least=5
1	run:27	xs=[9, 2, 3, 1]	k=1	at=?	again=?
53	run:28	xs=[9, 2, 3, 1]	k=1	at=1	again=?
54	run:29	xs=[9, 10, 3, 1]	k=1	at=1	again=?
55	closest:14	xs=&9	n=4	best=?	least=?
55	closest:14	xs=&9	n=4	best=0	least=?
56	closest:15	i=?	xs=&9	n=4	best=0	least=1073741824
56	closest:15	i=0	xs=&9	n=4	best=0	least=1073741824
57	closest:16	d=?	i=0	xs=&9	n=4	best=0	least=1073741824
58	norm:9	x=9	y=0	xx=?	yy=?
59	square:5	n=9	r=?
60	square:6	n=9	r=81
58	norm:9	x=9	y=0	xx=?	yy=?
61	norm:10	x=9	y=0	xx=81	yy=?
62	square:5	n=0	r=?
63	square:6	n=0	r=0
61	norm:10	x=9	y=0	xx=81	yy=?
64	norm:11	x=9	y=0	xx=81	yy=0
57	closest:16	d=?	i=0	xs=&9	n=4	best=0	least=1073741824
65	closest:17	d=81	i=0	xs=&9	n=4	best=0	least=1073741824
66	closest:18	d=81	i=0	xs=&9	n=4	best=0	least=1073741824
67	closest:19	d=81	i=0	xs=&9	n=4	best=0	least=81
68	closest:21	d=81	i=0	xs=&9	n=4	best=0	least=81
69	closest:15	i=0	xs=&9	n=4	best=0	least=81
69	closest:15	i=1	xs=&9	n=4	best=0	least=81
70	closest:16	d=81	i=1	xs=&9	n=4	best=0	least=81
71	norm:9	x=10	y=1	xx=?	yy=?
72	square:5	n=10	r=?
73	square:6	n=10	r=100
71	norm:9	x=10	y=1	xx=?	yy=?
74	norm:10	x=10	y=1	xx=100	yy=?
75	square:5	n=1	r=?
76	square:6	n=1	r=1
74	norm:10	x=10	y=1	xx=100	yy=?
77	norm:11	x=10	y=1	xx=100	yy=1
70	closest:16	d=81	i=1	xs=&9	n=4	best=0	least=81
78	closest:17	d=101	i=1	xs=&9	n=4	best=0	least=81
79	closest:21	d=101	i=1	xs=&9	n=4	best=0	least=81
80	closest:15	i=1	xs=&9	n=4	best=0	least=81
80	closest:15	i=2	xs=&9	n=4	best=0	least=81
81	closest:16	d=101	i=2	xs=&9	n=4	best=0	least=81
82	norm:9	x=3	y=2	xx=?	yy=?
83	square:5	n=3	r=?
84	square:6	n=3	r=9
82	norm:9	x=3	y=2	xx=?	yy=?
85	norm:10	x=3	y=2	xx=9	yy=?
86	square:5	n=2	r=?
87	square:6	n=2	r=4
85	norm:10	x=3	y=2	xx=9	yy=?
88	norm:11	x=3	y=2	xx=9	yy=4
81	closest:16	d=101	i=2	xs=&9	n=4	best=0	least=81
89	closest:17	d=13	i=2	xs=&9	n=4	best=0	least=81
90	closest:18	d=13	i=2	xs=&9	n=4	best=0	least=81
91	closest:19	d=13	i=2	xs=&9	n=4	best=0	least=13
92	closest:21	d=13	i=2	xs=&9	n=4	best=2	least=13
93	closest:15	i=2	xs=&9	n=4	best=2	least=13
93	closest:15	i=3	xs=&9	n=4	best=2	least=13
94	closest:16	d=13	i=3	xs=&9	n=4	best=2	least=13
95	norm:9	x=1	y=3	xx=?	yy=?
96	square:5	n=1	r=?
97	square:6	n=1	r=1
95	norm:9	x=1	y=3	xx=?	yy=?
98	norm:10	x=1	y=3	xx=1	yy=?
99	square:5	n=3	r=?
100	square:6	n=3	r=9
98	norm:10	x=1	y=3	xx=1	yy=?
101	norm:11	x=1	y=3	xx=1	yy=9
94	closest:16	d=13	i=3	xs=&9	n=4	best=2	least=13
102	closest:17	d=10	i=3	xs=&9	n=4	best=2	least=13
103	closest:18	d=10	i=3	xs=&9	n=4	best=2	least=13
104	closest:19	d=10	i=3	xs=&9	n=4	best=2	least=10
105	closest:21	d=10	i=3	xs=&9	n=4	best=3	least=10
106	closest:15	i=3	xs=&9	n=4	best=3	least=10
106	closest:15	i=4	xs=&9	n=4	best=3	least=10
107	closest:22	xs=&9	n=4	best=3	least=10
54	run:29	xs=[9, 10, 3, 1]	k=1	at=1	again=?
108	run:30	xs=[9, 10, 3, 1]	k=1	at=1	again=3
