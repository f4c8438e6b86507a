1	run:23	k=1	r={min={x=?, y=?}, max={x=?, y=?}, tag=?, weight=?}	copy={min={x=?, y=?}, max={x=?, y=?}, tag=?, weight=?}	a={x=?, y=?}	b={x=?, y=?}	which=?	sum=?
1	run:23	k=1	r={min={x=1, y=2}, max={x=?, y=?}, tag=?, weight=?}	copy={min={x=?, y=?}, max={x=?, y=?}, tag=?, weight=?}	a={x=?, y=?}	b={x=?, y=?}	which=?	sum=?
1	run:23	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=?, weight=?}	copy={min={x=?, y=?}, max={x=?, y=?}, tag=?, weight=?}	a={x=?, y=?}	b={x=?, y=?}	which=?	sum=?
2	run:24	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	copy={min={x=?, y=?}, max={x=?, y=?}, tag=?, weight=?}	a={x=?, y=?}	b={x=?, y=?}	which=?	sum=?
3	run:25	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	copy={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	a={x=?, y=?}	b={x=?, y=?}	which=?	sum=?
4	grow:15	r=&{min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	by=3
5	grow:16	r=&{min={x=-2, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	by=3
6	grow:17	r=&{min={x=-2, y=-1}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	by=3
7	grow:18	r=&{min={x=-2, y=-1}, max={x=14, y=22}, tag=114, weight=f4000000000000000}	by=3
8	grow:19	r=&{min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4000000000000000}	by=3
9	grow:20	r=&{min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	by=3
10	run:26	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	copy={min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	a={x=?, y=?}	b={x=?, y=?}	which=?	sum=?
11	middle:9	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	m={x=?, y=?}
12	middle:10	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	m={x=6, y=?}
13	middle:11	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	m={x=6, y=12}
14	run:27	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	copy={min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	a={x=6, y=12}	b={x=?, y=?}	which=?	sum=?
15	middle:9	r={min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	m={x=?, y=?}
16	middle:10	r={min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	m={x=6, y=?}
17	middle:11	r={min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	m={x=6, y=12}
18	run:28	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	copy={min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	a={x=6, y=12}	b={x=6, y=12}	which=?	sum=?
19	run:29	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	copy={min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	a={x=6, y=12}	b={x=6, y=12}	which=&{x=6, y=12}	sum=?
20	run:30	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	copy={min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	a={x=6, y=12}	b={x=6, y=12}	which=&{x=6, y=12}	sum=6
21	run:31	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	copy={min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	a={x=6, y=12}	b={x=6, y=12}	which=&{x=6, y=12}	sum=6
22	run:32	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	copy={min={x=-2, y=-1}, max={x=14, y=25}, tag=114, weight=f4008000000000000}	a={x=6, y=12}	b={x=6, y=12}	which=&{x=6, y=12}	sum=18
23	run:33	k=1	r={min={x=1, y=2}, max={x=11, y=22}, tag=114, weight=f4000000000000000}	copy={min={x=-2, y=-1}, max={x=14, y=25}, tag=99, weight=f4008000000000000}	a={x=6, y=12}	b={x=6, y=12}	which=&{x=6, y=12}	sum=18
