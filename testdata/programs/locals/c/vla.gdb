1	run:13	k=1	a=?	b=?	literal=?
2	fill:5	n=3	last=?	squares=<optimized out>
3	fill:6	i=?	n=3	last=?	squares=[?, ?, ?]
3	fill:6	i=0	n=3	last=?	squares=[?, ?, ?]
4	fill:7	i=0	n=3	last=?	squares=[?, ?, ?]
5	fill:6	i=0	n=3	last=?	squares=[0, ?, ?]
5	fill:6	i=1	n=3	last=?	squares=[0, ?, ?]
6	fill:7	i=1	n=3	last=?	squares=[0, ?, ?]
7	fill:6	i=1	n=3	last=?	squares=[0, 1, ?]
7	fill:6	i=2	n=3	last=?	squares=[0, 1, ?]
8	fill:7	i=2	n=3	last=?	squares=[0, 1, ?]
9	fill:6	i=2	n=3	last=?	squares=[0, 1, 4]
9	fill:6	i=3	n=3	last=?	squares=[0, 1, 4]
10	fill:8	n=3	last=?	squares=[0, 1, 4]
11	fill:9	n=3	last=&4	squares=[0, 1, 4]
12	fill:10	n=3	last=&4	squares=[0, 1, 4]
1	run:13	k=1	a=?	b=?	literal=?
13	run:14	k=1	a=4	b=?	literal=?
14	fill:5	n=4	last=?	squares=<optimized out>
15	fill:6	i=?	n=4	last=?	squares=[?, ?, ?, ?]
15	fill:6	i=0	n=4	last=?	squares=[?, ?, ?, ?]
16	fill:7	i=0	n=4	last=?	squares=[?, ?, ?, ?]
17	fill:6	i=0	n=4	last=?	squares=[0, ?, ?, ?]
17	fill:6	i=1	n=4	last=?	squares=[0, ?, ?, ?]
18	fill:7	i=1	n=4	last=?	squares=[0, ?, ?, ?]
19	fill:6	i=1	n=4	last=?	squares=[0, 1, ?, ?]
19	fill:6	i=2	n=4	last=?	squares=[0, 1, ?, ?]
20	fill:7	i=2	n=4	last=?	squares=[0, 1, ?, ?]
21	fill:6	i=2	n=4	last=?	squares=[0, 1, 4, ?]
21	fill:6	i=3	n=4	last=?	squares=[0, 1, 4, ?]
22	fill:7	i=3	n=4	last=?	squares=[0, 1, 4, ?]
23	fill:6	i=3	n=4	last=?	squares=[0, 1, 4, 9]
23	fill:6	i=4	n=4	last=?	squares=[0, 1, 4, 9]
24	fill:8	n=4	last=?	squares=[0, 1, 4, 9]
25	fill:9	n=4	last=&9	squares=[0, 1, 4, 9]
26	fill:10	n=4	last=&9	squares=[0, 1, 4, 9]
13	run:14	k=1	a=4	b=?	literal=?
27	run:15	k=1	a=4	b=9	literal=?
28	run:16	k=1	a=4	b=9	literal=&4
