1	run:20	k=1	c=?	l=?	f=?	steps=?
2	run:21	k=1	c=RED	l=?	f=?	steps=?
3	run:22	k=1	c=RED	l=LOW	f=?	steps=?
4	run:23	k=1	c=RED	l=LOW	f=READ|EXEC	steps=?
5	run:25	k=1	c=RED	l=LOW	f=READ|EXEC	steps=0
6	next:9	c=RED
7	next:11	c=RED
8	next:17	c=RED
5	run:25	k=1	c=RED	l=LOW	f=READ|EXEC	steps=0
9	run:26	k=1	c=GREEN	l=LOW	f=READ|EXEC	steps=0
10	run:27	k=1	c=GREEN	l=LOW	f=READ|EXEC	steps=1
11	run:25	k=1	c=GREEN	l=LOW	f=READ|EXEC	steps=1
12	next:9	c=GREEN
13	next:13	c=GREEN
14	next:17	c=GREEN
11	run:25	k=1	c=GREEN	l=LOW	f=READ|EXEC	steps=1
15	run:26	k=1	c=BLUE	l=LOW	f=READ|EXEC	steps=1
16	run:27	k=1	c=BLUE	l=LOW	f=READ|EXEC	steps=2
17	run:25	k=1	c=BLUE	l=LOW	f=READ|EXEC	steps=2
18	next:9	c=BLUE
19	next:15	c=BLUE
20	next:17	c=BLUE
17	run:25	k=1	c=BLUE	l=LOW	f=READ|EXEC	steps=2
21	run:26	k=1	c=RED	l=LOW	f=READ|EXEC	steps=2
22	run:27	k=1	c=RED	l=LOW	f=READ|EXEC	steps=3
23	run:28	k=1	c=RED	l=LOW	f=READ|EXEC	steps=3
24	run:29	k=1	c=RED	l=HIGH	f=READ|EXEC	steps=3
25	run:30	k=1	c=RED	l=HIGH	f=READ|WRITE|EXEC	steps=3
