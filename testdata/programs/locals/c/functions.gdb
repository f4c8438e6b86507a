1	run:23	k=1	values=[?, ?, ?]	ops=[{name=?, apply=?}, {name=?, apply=?}]	chosen=?	sum=?
1	run:23	k=1	values=[2, 3, ?]	ops=[{name=?, apply=?}, {name=?, apply=?}]	chosen=?	sum=?
2	run:24	k=1	values=[2, 3, 4]	ops=[{name=?, apply=?}, {name=?, apply=?}]	chosen=?	sum=?
3	run:25	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=?	sum=?
4	run:26	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=null	sum=?
5	run:27	i=?	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=null	sum=0
5	run:27	i=0	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=null	sum=0
6	run:28	i=0	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=null	sum=0
7	run:29	i=0	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=fn add	sum=0
8	fold:16	f=fn add	v=&2	n=3	acc=?
9	fold:17	i=?	f=fn add	v=&2	n=3	acc=2
9	fold:17	i=1	f=fn add	v=&2	n=3	acc=2
10	fold:18	i=1	f=fn add	v=&2	n=3	acc=2
11	add:8	a=2	b=3	r=?
12	add:9	a=2	b=3	r=5
10	fold:18	i=1	f=fn add	v=&2	n=3	acc=2
13	fold:17	i=1	f=fn add	v=&2	n=3	acc=5
13	fold:17	i=2	f=fn add	v=&2	n=3	acc=5
14	fold:18	i=2	f=fn add	v=&2	n=3	acc=5
15	add:8	a=5	b=4	r=?
16	add:9	a=5	b=4	r=9
14	fold:18	i=2	f=fn add	v=&2	n=3	acc=5
17	fold:17	i=2	f=fn add	v=&2	n=3	acc=9
17	fold:17	i=3	f=fn add	v=&2	n=3	acc=9
18	fold:19	f=fn add	v=&2	n=3	acc=9
7	run:29	i=0	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=fn add	sum=0
19	run:27	i=0	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=fn add	sum=9
19	run:27	i=1	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=fn add	sum=9
20	run:28	i=1	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=fn add	sum=9
21	run:29	i=1	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=fn mul	sum=9
22	fold:16	f=fn mul	v=&2	n=3	acc=?
23	fold:17	i=?	f=fn mul	v=&2	n=3	acc=2
23	fold:17	i=1	f=fn mul	v=&2	n=3	acc=2
24	fold:18	i=1	f=fn mul	v=&2	n=3	acc=2
25	mul:12	a=2	b=3	r=?
26	mul:13	a=2	b=3	r=6
24	fold:18	i=1	f=fn mul	v=&2	n=3	acc=2
27	fold:17	i=1	f=fn mul	v=&2	n=3	acc=6
27	fold:17	i=2	f=fn mul	v=&2	n=3	acc=6
28	fold:18	i=2	f=fn mul	v=&2	n=3	acc=6
29	mul:12	a=6	b=4	r=?
30	mul:13	a=6	b=4	r=24
28	fold:18	i=2	f=fn mul	v=&2	n=3	acc=6
31	fold:17	i=2	f=fn mul	v=&2	n=3	acc=24
31	fold:17	i=3	f=fn mul	v=&2	n=3	acc=24
32	fold:19	f=fn mul	v=&2	n=3	acc=24
21	run:29	i=1	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=fn mul	sum=9
33	run:27	i=1	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=fn mul	sum=33
33	run:27	i=2	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=fn mul	sum=33
34	run:31	k=1	values=[2, 3, 4]	ops=[{name="add", apply=fn add}, {name="mul", apply=fn mul}]	chosen=fn mul	sum=33
