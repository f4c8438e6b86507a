1	run:24	k=1	w={all=?, bytes=[?, ?, ?, ?], halves={low=?, high=?}}	first=?	a={kind=?, i=?, f=?}	b={kind=?, i=?, f=?}	n=?
2	run:25	k=1	w={all=287454020, bytes=[68, 51, 34, 17], halves={low=13124, high=4386}}	first=?	a={kind=?, i=?, f=?}	b={kind=?, i=?, f=?}	n=?
3	run:26	k=1	w={all=287454020, bytes=[68, 51, 34, 17], halves={low=13124, high=4386}}	first=68	a={kind=?, i=?, f=?}	b={kind=?, i=?, f=?}	n=?
4	run:27	k=1	w={all=2882351940, bytes=[68, 51, 205, 171], halves={low=13124, high=43981}}	first=68	a={kind=?, i=?, f=?}	b={kind=?, i=?, f=?}	n=?
4	run:27	k=1	w={all=2882351940, bytes=[68, 51, 205, 171], halves={low=13124, high=43981}}	first=68	a={kind=INT, i=?, f=?}	b={kind=?, i=?, f=?}	n=?
5	run:28	k=1	w={all=2882351940, bytes=[68, 51, 205, 171], halves={low=13124, high=43981}}	first=68	a={kind=INT, i=42, f=f36f5000000000000}	b={kind=?, i=?, f=?}	n=?
6	run:29	k=1	w={all=2882351940, bytes=[68, 51, 205, 171], halves={low=13124, high=43981}}	first=68	a={kind=INT, i=42, f=f36f5000000000000}	b={kind=REAL, i=1089994752, f=f401f000000000000}	n=?
7	to_int:11	v={kind=INT, i=42, f=f36f5000000000000}	result=?
8	to_int:12	v={kind=INT, i=42, f=f36f5000000000000}	result=0
9	to_int:14	v={kind=INT, i=42, f=f36f5000000000000}	result=0
10	to_int:15	v={kind=INT, i=42, f=f36f5000000000000}	result=42
11	to_int:20	v={kind=INT, i=42, f=f36f5000000000000}	result=42
6	run:29	k=1	w={all=2882351940, bytes=[68, 51, 205, 171], halves={low=13124, high=43981}}	first=68	a={kind=INT, i=42, f=f36f5000000000000}	b={kind=REAL, i=1089994752, f=f401f000000000000}	n=?
12	run:30	k=1	w={all=2882351940, bytes=[68, 51, 205, 171], halves={low=13124, high=43981}}	first=68	a={kind=INT, i=42, f=f36f5000000000000}	b={kind=REAL, i=1089994752, f=f401f000000000000}	n=42
13	to_int:11	v={kind=REAL, i=1089994752, f=f401f000000000000}	result=?
14	to_int:12	v={kind=REAL, i=1089994752, f=f401f000000000000}	result=0
15	to_int:17	v={kind=REAL, i=1089994752, f=f401f000000000000}	result=0
16	to_int:20	v={kind=REAL, i=1089994752, f=f401f000000000000}	result=7
12	run:30	k=1	w={all=2882351940, bytes=[68, 51, 205, 171], halves={low=13124, high=43981}}	first=68	a={kind=INT, i=42, f=f36f5000000000000}	b={kind=REAL, i=1089994752, f=f401f000000000000}	n=42
17	run:31	k=1	w={all=2882351940, bytes=[68, 51, 205, 171], halves={low=13124, high=43981}}	first=68	a={kind=INT, i=42, f=f36f5000000000000}	b={kind=REAL, i=1089994752, f=f401f000000000000}	n=49
18	run:32	k=1	w={all=49, bytes=[49, 0, 0, 0], halves={low=49, high=0}}	first=68	a={kind=INT, i=42, f=f36f5000000000000}	b={kind=REAL, i=1089994752, f=f401f000000000000}	n=49
