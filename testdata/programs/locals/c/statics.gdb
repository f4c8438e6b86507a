1	run:17	k=1	first=?	second=?
2	counter:10	count=10	state={calls=0, last=0}	by=1
3	counter:11	count=11	state={calls=0, last=0}	by=1
4	counter:12	count=11	state={calls=1, last=0}	by=1
5	counter:13	count=11	state={calls=1, last=98}	by=1
1	run:17	k=1	first=?	second=?
6	run:18	k=1	first=11	second=?
7	counter:10	count=11	state={calls=1, last=98}	by=3
8	counter:11	count=14	state={calls=1, last=98}	by=3
9	counter:12	count=14	state={calls=2, last=98}	by=3
10	counter:13	count=14	state={calls=2, last=99}	by=3
6	run:18	k=1	first=11	second=?
11	run:19	k=1	first=11	second=14
12	run:20	k=1	first=11	second=14
