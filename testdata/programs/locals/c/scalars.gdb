1	run:10	k=1	sc=?	uc=?	ch=?	s=?	us=?	i=?	u=?	ll=?	ull=?	yes=?	no=?	f=?	d=?
2	run:11	k=1	sc=-5	uc=?	ch=?	s=?	us=?	i=?	u=?	ll=?	ull=?	yes=?	no=?	f=?	d=?
3	run:12	k=1	sc=-5	uc=250	ch=?	s=?	us=?	i=?	u=?	ll=?	ull=?	yes=?	no=?	f=?	d=?
4	run:13	k=1	sc=-5	uc=250	ch=65	s=?	us=?	i=?	u=?	ll=?	ull=?	yes=?	no=?	f=?	d=?
5	run:14	k=1	sc=-5	uc=250	ch=65	s=-2999	us=?	i=?	u=?	ll=?	ull=?	yes=?	no=?	f=?	d=?
6	run:15	k=1	sc=-5	uc=250	ch=65	s=-2999	us=65000	i=?	u=?	ll=?	ull=?	yes=?	no=?	f=?	d=?
7	run:16	k=1	sc=-5	uc=250	ch=65	s=-2999	us=65000	i=-70000	u=?	ll=?	ull=?	yes=?	no=?	f=?	d=?
8	run:17	k=1	sc=-5	uc=250	ch=65	s=-2999	us=65000	i=-70000	u=4000000001	ll=?	ull=?	yes=?	no=?	f=?	d=?
9	run:18	k=1	sc=-5	uc=250	ch=65	s=-2999	us=65000	i=-70000	u=4000000001	ll=-9000000000001	ull=?	yes=?	no=?	f=?	d=?
10	run:19	k=1	sc=-5	uc=250	ch=65	s=-2999	us=65000	i=-70000	u=4000000001	ll=-9000000000001	ull=18000000000000000000	yes=?	no=?	f=?	d=?
10	run:19	k=1	sc=-5	uc=250	ch=65	s=-2999	us=65000	i=-70000	u=4000000001	ll=-9000000000001	ull=18000000000000000000	yes=true	no=?	f=?	d=?
11	run:20	k=1	sc=-5	uc=250	ch=65	s=-2999	us=65000	i=-70000	u=4000000001	ll=-9000000000001	ull=18000000000000000000	yes=true	no=false	f=?	d=?
12	run:21	k=1	sc=-5	uc=250	ch=65	s=-2999	us=65000	i=-70000	u=4000000001	ll=-9000000000001	ull=18000000000000000000	yes=true	no=false	f=f4004000000000000	d=?
13	run:22	k=1	sc=-5	uc=250	ch=65	s=-2999	us=65000	i=-70000	u=4000000001	ll=-9000000000001	ull=18000000000000000000	yes=true	no=false	f=f4004000000000000	d=fc214f46b04000000
14	run:23	k=1	sc=-5	uc=250	ch=66	s=-2999	us=65000	i=-70000	u=4000000001	ll=-9000000000001	ull=18000000000000000000	yes=true	no=false	f=f4004000000000000	d=fc214f46b04000000
15	run:24	k=1	sc=-5	uc=250	ch=66	s=-5998	us=65000	i=-70000	u=4000000001	ll=-9000000000001	ull=18000000000000000000	yes=true	no=false	f=f4004000000000000	d=fc214f46b04000000
16	run:25	k=1	sc=-5	uc=250	ch=66	s=-5998	us=65000	i=-70000	u=4000000001	ll=-9000000000001	ull=18000000000000000000	yes=true	no=false	f=f3feaaaaaa0000000	d=fc214f46b04000000
17	run:26	k=1	sc=-5	uc=250	ch=66	s=-5998	us=65000	i=-70000	u=4000000001	ll=-9000000000001	ull=18000000000000000000	yes=true	no=false	f=f3feaaaaaa0000000	d=fc21176592703dc54
18	run:27	k=1	sc=-5	uc=250	ch=66	s=-5998	us=65000	i=-70000	u=4000000001	ll=-9000000070001	ull=18000000000000000000	yes=true	no=false	f=f3feaaaaaa0000000	d=fc21176592703dc54
19	run:28	k=1	sc=-5	uc=250	ch=66	s=-5998	us=65000	i=-70000	u=4000000001	ll=-9000000070001	ull=18000000000000000000	yes=false	no=false	f=f3feaaaaaa0000000	d=fc21176592703dc54
20	narrow:5	c=-5	u=250	sum=?
21	narrow:6	c=-5	u=250	sum=-11
19	run:28	k=1	sc=-5	uc=250	ch=66	s=-5998	us=65000	i=-70000	u=4000000001	ll=-9000000070001	ull=18000000000000000000	yes=false	no=false	f=f3feaaaaaa0000000	d=fc21176592703dc54
22	run:29	k=1	sc=-11	uc=250	ch=66	s=-5998	us=65000	i=-70000	u=4000000001	ll=-9000000070001	ull=18000000000000000000	yes=false	no=false	f=f3feaaaaaa0000000	d=fc21176592703dc54
23	run:30	k=1	sc=-11	uc=250	ch=66	s=-5998	us=65000	i=-70000	u=4000000001	ll=-9000000070001	ull=17999739999999935000	yes=false	no=false	f=f3feaaaaaa0000000	d=fc21176592703dc54
