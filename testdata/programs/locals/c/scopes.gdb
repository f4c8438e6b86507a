1	run:31	k=1	a=?
2	shadow:7	level=1	sum=?
3	shadow:9	level=?	level=1	sum=1
4	shadow:10	level=20	level=1	sum=1
5	shadow:12	level=?	sum=?	level=20	level=1	sum=21
5	shadow:12	level=30	sum=?	level=20	level=1	sum=21
6	shadow:13	level=30	sum=5	level=20	level=1	sum=21
7	shadow:15	level=?	level=20	level=1	sum=21
7	shadow:15	level=0	level=20	level=1	sum=21
8	shadow:16	inner=?	level=0	level=20	level=1	sum=21
9	shadow:17	inner=0	level=0	level=20	level=1	sum=21
10	shadow:15	level=0	level=20	level=1	sum=21
10	shadow:15	level=1	level=20	level=1	sum=21
11	shadow:16	inner=0	level=1	level=20	level=1	sum=21
12	shadow:17	inner=10	level=1	level=20	level=1	sum=21
13	shadow:15	level=1	level=20	level=1	sum=31
13	shadow:15	level=2	level=20	level=1	sum=31
14	shadow:20	level=1	sum=31
15	shadow:21	only=?	level=1	sum=31
16	shadow:22	only=21	level=1	sum=31
17	shadow:23	only=21	level=1	sum=52
18	shadow:27	level=1	sum=52
1	run:31	k=1	a=?
19	run:33	a=?	k=1	a=52
20	run:34	a=7	k=1	a=52
21	run:36	k=1	a=52
