package host

import (
	"container/heap"
	"errors"
	"math"

	"stackscope/vm"
	"stackscope/wasm"
)

// Loop is the event loop of the module async. Time is virtual: a number of ticks that starts at
// zero and moves only when a program waits, so that a program has the same history in every run.
//
//	request [i32 delay, i32 value] -> [i32 id]   starts a request, due after delay ticks
//	poll    [] -> [i32 id, i32 value]            takes the first request that is due by now
//	wait    [] -> [i32 id, i32 value]            moves the clock to the first request and takes it
//
// A negative delay counts as zero. Ids count from 0 and are never used twice; the id after 2^31-1
// is a trap. Requests complete in the order of their due times, ties in the order of the requests;
// each is taken once. When there is nothing to take (poll: nothing is due by now; wait: nothing is
// pending) the id is -1 and the value 0, and the clock does not move. wait takes what is already
// due without moving the clock. The clock is 64 bits wide and does not wrap.
//
// The zero Loop is ready for use. It serves one machine.
type Loop struct {
	now     uint64
	next    uint32
	pending requests
	events
	suspending map[[2]string]bool // imports, see Suspending
	errors     map[wasm.Canon]*vm.Tag
	// Calling, if it is not nil, is called before a host calls the program in a job that does not say
	// so (see Job.Calls), while no code of the program runs.
	Calling func()
}

// Request is a pending request.
type Request struct {
	ID    int32
	Due   uint64 // in ticks
	Value int32
}

// Now returns the time in ticks.
func (l *Loop) Now() uint64 { return l.now }

// Pending returns the pending requests in the order in which they will complete.
func (l *Loop) Pending() []Request {
	rest := append(requests(nil), l.pending...)
	out := make([]Request, 0, len(rest))
	for len(rest) > 0 {
		out = append(out, heap.Pop(&rest).(Request))
	}
	return out
}

// Module makes the module async for a machine.
func (l *Loop) Module(m *vm.Machine) Module {
	take := func(c *vm.Call, until uint64) {
		if len(l.pending) == 0 || l.pending[0].Due > until {
			c.ReturnI32(0, -1)
			c.ReturnI32(1, 0)
			return
		}
		r := heap.Pop(&l.pending).(Request)
		l.now = max(l.now, r.Due)
		c.ReturnI32(0, r.ID)
		c.ReturnI32(1, r.Value)
	}
	return Module{
		"request": m.NewFunc("async.request", types("ii"), types("i"), func(c *vm.Call) error {
			delay, value := c.I32(0), c.I32(1)
			if l.next > math.MaxInt32 {
				return errors.New("async: more requests than there are ids")
			}
			r := Request{ID: int32(l.next), Due: l.now, Value: value}
			if delay > 0 {
				r.Due = min(l.now, math.MaxUint64-uint64(delay)) + uint64(delay)
			}
			l.next++
			heap.Push(&l.pending, r)
			c.ReturnI32(0, r.ID)
			return nil
		}),
		"poll": m.NewFunc("async.poll", nil, types("ii"), func(c *vm.Call) error {
			take(c, l.now)
			return nil
		}),
		"wait": m.NewFunc("async.wait", nil, types("ii"), func(c *vm.Call) error {
			take(c, math.MaxUint64)
			return nil
		}),
	}
}

// requests is a heap by due time, then id.
type requests []Request

func (r requests) Len() int { return len(r) }
func (r requests) Less(i, j int) bool {
	return r[i].Due < r[j].Due || r[i].Due == r[j].Due && r[i].ID < r[j].ID
}
func (r requests) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r *requests) Push(x any)   { *r = append(*r, x.(Request)) }
func (r *requests) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
