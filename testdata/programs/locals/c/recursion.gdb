1	run:23	k=1	f=?	e=?
2	fact:5	n=4	below=?	result=?
3	fact:6	n=4	below=1	result=?
4	fact:7	n=4	below=1	result=?
5	fact:5	n=3	below=?	result=?
6	fact:6	n=3	below=1	result=?
7	fact:7	n=3	below=1	result=?
8	fact:5	n=2	below=?	result=?
9	fact:6	n=2	below=1	result=?
10	fact:7	n=2	below=1	result=?
11	fact:5	n=1	below=?	result=?
12	fact:6	n=1	below=1	result=?
13	fact:8	n=1	below=1	result=?
14	fact:9	n=1	below=1	result=1
10	fact:7	n=2	below=1	result=?
15	fact:8	n=2	below=1	result=?
16	fact:9	n=2	below=1	result=2
7	fact:7	n=3	below=1	result=?
17	fact:8	n=3	below=2	result=?
18	fact:9	n=3	below=2	result=6
4	fact:7	n=4	below=1	result=?
19	fact:8	n=4	below=6	result=?
20	fact:9	n=4	below=6	result=24
1	run:23	k=1	f=?	e=?
21	run:24	k=1	f=24	e=?
22	even:14	n=3	less=?
23	even:15	n=3	less=2
24	odd:18	n=2	less=?
25	odd:19	n=2	less=1
26	even:14	n=1	less=?
27	even:15	n=1	less=0
28	odd:18	n=0	less=?
29	odd:19	n=0	less=4294967295
27	even:15	n=1	less=0
25	odd:19	n=2	less=1
23	even:15	n=3	less=2
21	run:24	k=1	f=24	e=?
30	run:25	k=1	f=24	e=0
