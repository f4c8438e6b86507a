1	run:26	k=1
2	run:27	x=1	k=1
3	run:28	x=2	x=1	k=1
4	run:30	sum=0	x=2	x=1	k=1
5	run:31	x=200	sum=0	x=2	x=1	k=1
6	run:33	sum=200	x=2	x=1	k=1
7	run:34	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
8	run:35	i=0	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
9	run:36	i=0	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
10	run:37	c=Red	i=0	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
11	run:40	c=Red	i=0	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
12	run:35	i=1	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
13	run:36	i=1	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
14	run:37	c=Green	i=1	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
15	run:38	c=Green	i=1	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
16	run:42	found=5	i=1	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
17	grade:16	n=-5
18	grade:22	n=-5
19	run:42	found=5	i=1	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
20	grade:16	n=0
21	grade:15	n=0
22	grade:17	n=0
23	grade:22	n=0
24	run:42	found=5	i=1	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
25	grade:16	n=2
26	grade:15	n=2
27	grade:18	n=2
28	grade:19	n=2
29	grade:22	n=2
30	run:42	found=5	i=1	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
31	run:43	letters={0=c6e, 1=c7a, 2=c73}	found=5	i=1	colors=[Red, Green, Blue]	sum=200	x=2	x=1	k=1
32	run:44	k=1
