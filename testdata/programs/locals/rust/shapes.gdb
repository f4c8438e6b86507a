1	run:29	k=1
2	run:30	dot=Dot	k=1
3	run:31	circle=Circle{0=2}	dot=Dot	k=1
4	run:32	rect=Rect{w=3, h=4}	circle=Circle{0=2}	dot=Dot	k=1
5	area:14	s=Dot
6	area:15	s=Dot
7	area:25	s=Dot
8	run:33	sum=0	rect=Rect{w=3, h=4}	circle=Circle{0=2}	dot=Dot	k=1
9	area:14	s=Circle{0=2}
10	area:16	s=Circle{0=2}
11	area:17	r=2	s=Circle{0=2}
12	area:18	square=4	r=2	s=Circle{0=2}
13	area:19	s=Circle{0=2}
14	area:25	s=Circle{0=2}
15	run:33	sum=0	rect=Rect{w=3, h=4}	circle=Circle{0=2}	dot=Dot	k=1
16	run:34	sum=12	rect=Rect{w=3, h=4}	circle=Circle{0=2}	dot=Dot	k=1
17	area:14	s=Rect{w=3, h=4}
18	area:20	s=Rect{w=3, h=4}
19	area:21	w=3	h=4	s=Rect{w=3, h=4}
20	area:22	product=12	w=3	h=4	s=Rect{w=3, h=4}
21	area:25	s=Rect{w=3, h=4}
22	run:34	sum=12	rect=Rect{w=3, h=4}	circle=Circle{0=2}	dot=Dot	k=1
23	run:36	k=1
