1	run:15	k=1
2	run:16	by=3	k=1
3	run:20	add={_ref__by=3}	by=3	k=1
4	{closure_env#0}>:8	f={_ref__by=3}	n=10
5	{closure#0}:17	n=10	by=3
6	{closure#0}:19	n=10	by=3
7	{closure_env#0}>:9	once=13	f={_ref__by=3}	n=10
8	{closure#0}:17	n=13	by=3
9	{closure#0}:19	n=13	by=3
10	{closure_env#0}>:11	f={_ref__by=3}	n=10
11	run:21	a=16	add={_ref__by=3}	by=3	k=1
12	run:22	count=0	a=16	add={_ref__by=3}	by=3	k=1
13	run:26	tick={_ref__count=0}	count=0	a=16	add={_ref__by=3}	by=3	k=1
14	{closure#1}:23	count=0
15	{closure#1}:24	count=1
16	{closure#1}:25	count=1
17	run:27	one=1	tick={_ref__count=1}	count=1	a=16	add={_ref__by=3}	by=3	k=1
18	{closure#1}:23	count=1
19	{closure#1}:24	count=2
20	{closure#1}:25	count=2
21	run:28	two=2	one=1	tick={_ref__count=2}	count=2	a=16	add={_ref__by=3}	by=3	k=1
22	run:29	k=1
