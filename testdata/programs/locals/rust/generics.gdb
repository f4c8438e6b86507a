1	run:44	k=1
2	run:45	p=Pair{first=5, second=true}	k=1
3	total<i32, bool>:31	p=Pair{first=5, second=true}
4	size:17	self=5
5	size:19	self=5
6	total<i32, bool>:32	a=5	p=Pair{first=5, second=true}
7	size:24	self=true
8	size:26	self=true
9	total<i32, bool>:33	b=1	a=5	p=Pair{first=5, second=true}
10	total<i32, bool>:34	p=Pair{first=5, second=true}
11	run:46	t=6	p=Pair{first=5, second=true}	k=1
12	swap<i32, bool>:38	p=Pair{first=5, second=true}
13	swap<i32, bool>:40	p=Pair{first=5, second=true}
14	run:47	q=Pair{first=true, second=5}	t=6	p=Pair{first=5, second=true}	k=1
15	total<bool, i32>:31	p=Pair{first=true, second=5}
16	size:24	self=true
17	size:26	self=true
18	total<bool, i32>:32	a=1	p=Pair{first=true, second=5}
19	size:17	self=5
20	size:19	self=5
21	total<bool, i32>:33	b=5	a=1	p=Pair{first=true, second=5}
22	total<bool, i32>:34	p=Pair{first=true, second=5}
23	run:48	u=6	q=Pair{first=true, second=5}	t=6	p=Pair{first=5, second=true}	k=1
24	run:49	f=Pair{first=f3ff8000000000000, second=f4004000000000000}	u=6	q=Pair{first=true, second=5}	t=6	p=Pair{first=5, second=true}	k=1
25	run:50	k=1
