1	run:27	k=1
2	run:28	name="Ada"	k=1
3	run:29	name="Ada L."	k=1
4	run:30	scores=[]	name="Ada L."	k=1
5	run:31	scores=[10]	name="Ada L."	k=1
6	run:32	scores=[10, 30]	name="Ada L."	k=1
7	run:33	scores=[10, 30, 20]	name="Ada L."	k=1
8	run:34	person=Person{name="Ada L.", scores=[10, 30, 20]}	scores=[10, 30, 20]	name="Ada L."	k=1
9	best:16	p=Person{name="Ada L.", scores=[10, 30, 20]}
10	best:17	max=0	p=Person{name="Ada L.", scores=[10, 30, 20]}
10	best:17	iter=Iter{ptr=10, end=0, _marker=PhantomData}	max=0	p=Person{name="Ada L.", scores=[10, 30, 20]}
10	best:17	iter=Iter{ptr=30, end=0, _marker=PhantomData}	max=0	p=Person{name="Ada L.", scores=[10, 30, 20]}
11	best:18	s=10	iter=Iter{ptr=30, end=0, _marker=PhantomData}	max=0	p=Person{name="Ada L.", scores=[10, 30, 20]}
12	best:19	s=10	iter=Iter{ptr=30, end=0, _marker=PhantomData}	max=0	p=Person{name="Ada L.", scores=[10, 30, 20]}
13	best:18	s=10	iter=Iter{ptr=30, end=0, _marker=PhantomData}	max=10	p=Person{name="Ada L.", scores=[10, 30, 20]}
14	best:17	iter=Iter{ptr=30, end=0, _marker=PhantomData}	max=10	p=Person{name="Ada L.", scores=[10, 30, 20]}
14	best:17	iter=Iter{ptr=20, end=0, _marker=PhantomData}	max=10	p=Person{name="Ada L.", scores=[10, 30, 20]}
15	best:18	s=30	iter=Iter{ptr=20, end=0, _marker=PhantomData}	max=10	p=Person{name="Ada L.", scores=[10, 30, 20]}
16	best:19	s=30	iter=Iter{ptr=20, end=0, _marker=PhantomData}	max=10	p=Person{name="Ada L.", scores=[10, 30, 20]}
17	best:18	s=30	iter=Iter{ptr=20, end=0, _marker=PhantomData}	max=30	p=Person{name="Ada L.", scores=[10, 30, 20]}
18	best:17	iter=Iter{ptr=20, end=0, _marker=PhantomData}	max=30	p=Person{name="Ada L.", scores=[10, 30, 20]}
18	best:17	iter=Iter{ptr=0, end=0, _marker=PhantomData}	max=30	p=Person{name="Ada L.", scores=[10, 30, 20]}
19	best:18	s=20	iter=Iter{ptr=0, end=0, _marker=PhantomData}	max=30	p=Person{name="Ada L.", scores=[10, 30, 20]}
20	best:17	iter=Iter{ptr=0, end=0, _marker=PhantomData}	max=30	p=Person{name="Ada L.", scores=[10, 30, 20]}
21	best:23	p=Person{name="Ada L.", scores=[10, 30, 20]}
22	run:35	top=30	person=Person{name="Ada L.", scores=[10, 30, 20]}	scores=[10, 30, 20]	name="Ada L."	k=1
23	run:36	names=["a", "bc"]	top=30	person=Person{name="Ada L.", scores=[10, 30, 20]}	scores=[10, 30, 20]	name="Ada L."	k=1
24	run:37	length=8	names=["a", "bc"]	top=30	person=Person{name="Ada L.", scores=[10, 30, 20]}	scores=[10, 30, 20]	name="Ada L."	k=1
25	run:38	top=30	person=Person{name="Ada L.", scores=[10, 30, 20]}	scores=[10, 30, 20]	name="Ada L."	k=1
25	run:38	scores=[10, 30, 20]	name="Ada L."	k=1
25	run:38	k=1
