1	run:21	k=1	p={version=?, delta=?, id=?, flag=?, kind=?}	before=?	after=?
1	run:21	k=1	p={version=0, delta=0, id=?, flag=?, kind=?}	before=?	after=?
2	run:22	k=1	p={version=5, delta=-7, id=78187493530, flag=1, kind=200}	before=?	after=?
3	decode:13	p=&{version=5, delta=-7, id=78187493530, flag=1, kind=200}	sum=?
4	decode:14	p=&{version=5, delta=-7, id=78187493530, flag=1, kind=200}	sum=5
5	decode:15	p=&{version=5, delta=-7, id=78187493530, flag=1, kind=200}	sum=-2
6	decode:16	p=&{version=5, delta=-7, id=78187493530, flag=1, kind=200}	sum=-2
7	decode:17	p=&{version=5, delta=-7, id=78187493530, flag=1, kind=200}	sum=198
2	run:22	k=1	p={version=5, delta=-7, id=78187493530, flag=1, kind=200}	before=?	after=?
8	run:23	k=1	p={version=5, delta=-7, id=78187493530, flag=1, kind=200}	before=198	after=?
9	run:24	k=1	p={version=7, delta=-7, id=78187493530, flag=1, kind=200}	before=198	after=?
10	run:25	k=1	p={version=7, delta=15, id=78187493530, flag=1, kind=200}	before=198	after=?
11	run:26	k=1	p={version=7, delta=15, id=78187493530, flag=0, kind=200}	before=198	after=?
12	run:27	k=1	p={version=7, delta=15, id=1099511627775, flag=0, kind=200}	before=198	after=?
13	decode:13	p=&{version=7, delta=15, id=1099511627775, flag=0, kind=200}	sum=?
14	decode:14	p=&{version=7, delta=15, id=1099511627775, flag=0, kind=200}	sum=7
15	decode:15	p=&{version=7, delta=15, id=1099511627775, flag=0, kind=200}	sum=22
16	decode:17	p=&{version=7, delta=15, id=1099511627775, flag=0, kind=200}	sum=22
12	run:27	k=1	p={version=7, delta=15, id=1099511627775, flag=0, kind=200}	before=198	after=?
17	run:28	k=1	p={version=7, delta=15, id=1099511627775, flag=0, kind=200}	before=198	after=22
