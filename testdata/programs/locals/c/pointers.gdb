1	run:20	k=1	x=?	y=?	px=?	ppx=?	none=?	name=?	third={value=?, next=?}	second={value=?, next=?}	first={value=?, next=?}	sum=?
1	run:20	k=1	x=1	y=?	px=?	ppx=?	none=?	name=?	third={value=?, next=?}	second={value=?, next=?}	first={value=?, next=?}	sum=?
2	run:21	k=1	x=1	y=2	px=?	ppx=?	none=?	name=?	third={value=?, next=?}	second={value=?, next=?}	first={value=?, next=?}	sum=?
2	run:21	k=1	x=1	y=2	px=&1	ppx=?	none=?	name=?	third={value=?, next=?}	second={value=?, next=?}	first={value=?, next=?}	sum=?
3	run:22	k=1	x=1	y=2	px=&1	ppx=&&1	none=?	name=?	third={value=?, next=?}	second={value=?, next=?}	first={value=?, next=?}	sum=?
4	run:23	k=1	x=1	y=2	px=&1	ppx=&&1	none=null	name=?	third={value=?, next=?}	second={value=?, next=?}	first={value=?, next=?}	sum=?
5	run:24	k=1	x=1	y=2	px=&1	ppx=&&1	none=null	name="node"	third={value=?, next=?}	second={value=?, next=?}	first={value=?, next=?}	sum=?
6	run:25	k=1	x=1	y=2	px=&1	ppx=&&1	none=null	name="node"	third={value=3, next=null}	second={value=?, next=?}	first={value=?, next=?}	sum=?
7	run:26	k=1	x=1	y=2	px=&1	ppx=&&1	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=?, next=?}	sum=?
8	run:27	k=1	x=1	y=2	px=&1	ppx=&&1	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=?
9	swap:7	a=&1	b=&2	t=?
10	swap:8	a=&1	b=&2	t=1
11	swap:9	a=&2	b=&2	t=1
12	swap:10	a=&2	b=&1	t=1
13	run:28	k=1	x=2	y=1	px=&2	ppx=&&2	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=?
14	run:29	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=?
15	run:30	n=?	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=0
15	run:30	n=&{value=1, next=&{value=2, next=&{value=3, next=null}}}	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=0
16	run:31	n=&{value=1, next=&{value=2, next=&{value=3, next=null}}}	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=0
17	run:30	n=&{value=1, next=&{value=2, next=&{value=3, next=null}}}	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=1
17	run:30	n=&{value=2, next=&{value=3, next=null}}	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=1
18	run:31	n=&{value=2, next=&{value=3, next=null}}	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=1
19	run:30	n=&{value=2, next=&{value=3, next=null}}	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=3
19	run:30	n=&{value=3, next=null}	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=3
20	run:31	n=&{value=3, next=null}	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=3
21	run:30	n=&{value=3, next=null}	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=6
21	run:30	n=null	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=6
22	run:32	k=1	x=7	y=1	px=&7	ppx=&&7	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=6
23	run:33	k=1	x=7	y=1	px=&1	ppx=&&1	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=6
24	length:13	s="node"	p=?
25	length:14	s="node"	p="node"
26	length:15	s="node"	p="node"
27	length:14	s="node"	p="ode"
28	length:15	s="node"	p="ode"
29	length:14	s="node"	p="de"
30	length:15	s="node"	p="de"
31	length:14	s="node"	p="e"
32	length:15	s="node"	p="e"
33	length:14	s="node"	p=""
34	length:16	s="node"	p=""
23	run:33	k=1	x=7	y=1	px=&1	ppx=&&1	none=null	name="node"	third={value=3, next=null}	second={value=2, next=&{value=3, next=null}}	first={value=1, next=&{value=2, next=&{value=3, next=null}}}	sum=6
