package host

import (
	"container/heap"
	"context"
	"errors"
	"math"

	"stackscope/vm"
	"stackscope/wasm"
)

// Job is something that the event loop does when no code runs: it calls back into the program.
type Job struct {
	Title string // for people
	// Origin is what an embedder has set with SetOrigin when the job was made, or when what it
	// continues began.
	Origin int
	Calls  bool // it calls the program, or continues a call
	// Run does it. An error ends the program.
	Run func(ctx context.Context) error
}

// timer is a job for a time.
type timer struct {
	due, seq uint64
	job      Job
}

// timers is a heap by due time, then order.
type timers []timer

func (t timers) Len() int { return len(t) }
func (t timers) Less(i, j int) bool {
	return t[i].due < t[j].due || t[i].due == t[j].due && t[i].seq < t[j].seq
}
func (t timers) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t *timers) Push(x any)   { *t = append(*t, x.(timer)) }
func (t *timers) Pop() any {
	last := (*t)[len(*t)-1]
	(*t)[len(*t)-1] = timer{}
	*t = (*t)[:len(*t)-1]
	return last
}

// maxJobs bounds the jobs that wait, and the promises that are pending.
const maxJobs = 1 << 20

var errJobs = errors.New("more than 1,048,576 promises and timers are pending")

// events is the part of a Loop that calls back: what is to be done soon, and at which time.
type events struct {
	soon      []Job
	timers    timers
	seq       uint64
	origin    int
	count     int // pending promises
	lastID    uint64
	bad       []*Promise // rejected, and nobody has asked yet
	reactions int        // that wait for a promise, or are to be done soon
}

// SetOrigin sets the Origin of the jobs that are made from now on.
func (l *Loop) SetOrigin(o int) { l.origin = o }

// Origin returns what SetOrigin has set.
func (l *Loop) Origin() int { return l.origin }

// Soon adds a job for as soon as no code runs, after those that were added before.
func (l *Loop) Soon(title string, run func(context.Context) error) {
	l.reactions++
	l.soon = append(l.soon, Job{title, l.origin, false, run})
}

// At adds a job for a time, at once if that has passed. Jobs of one time are done in the order in
// which they were added.
func (l *Loop) At(tick uint64, title string, run func(context.Context) error) error {
	if len(l.timers) >= maxJobs {
		return errJobs
	}
	l.seq++
	heap.Push(&l.timers, timer{max(tick, l.now), l.seq, Job{title, l.origin, false, run}})
	return nil
}

// After is At for a number of ticks from now.
func (l *Loop) After(ticks uint64, title string, run func(context.Context) error) error {
	return l.At(l.Later(ticks), title, run)
}

// Later returns the time so many ticks from now; the clock does not wrap.
func (l *Loop) Later(ticks uint64) uint64 { return min(l.now, math.MaxUint64-ticks) + ticks }

// Next takes the job that is next: the first of those for soon, else, if it is due by then, the
// first of those for a time, to which the clock moves. ok is false if there is none.
func (l *Loop) Next(until uint64) (j Job, ok bool) {
	if len(l.soon) > 0 {
		j = l.soon[0]
		l.soon[0] = Job{}
		l.reactions--
		if l.soon = l.soon[1:]; len(l.soon) == 0 {
			l.soon = nil
		}
		return j, true
	}
	if len(l.timers) == 0 || l.timers[0].due > until {
		return Job{}, false
	}
	t := heap.Pop(&l.timers).(timer)
	l.now = max(l.now, t.due)
	return t.job, true
}

// NextSoon takes the first of the jobs for soon.
func (l *Loop) NextSoon() (j Job, ok bool) {
	if len(l.soon) == 0 {
		return Job{}, false
	}
	return l.Next(0)
}

// Wait moves the clock to a time, if it is to come.
func (l *Loop) Wait(until uint64) { l.now = max(l.now, until) }

// Unhandled takes the promises that were rejected and that nobody has asked for yet, in order.
func (l *Loop) Unhandled() []*Promise {
	var out []*Promise
	for _, p := range l.bad {
		if !p.handled {
			p.handled = true
			out = append(out, p)
		}
	}
	l.bad = nil
	return out
}

// Call calls a function as a promising export. The promise is settled with its outcome, now or when
// the call has continued. The error ends the program: it has exited, was interrupted, or the VM has
// failed.
func (l *Loop) Call(
	ctx context.Context, m *vm.Machine, fn *vm.Func, title string, args ...vm.Value,
) (*Promise, error) {
	p, err := l.New(title)
	if err != nil {
		return nil, err
	}
	vs, parked, err := m.CallPromising(ctx, fn, args...)
	return p, l.called(p, title, vs, parked, err)
}

// called settles the promise of a call, or continues it when what it waits for is settled.
func (l *Loop) called(p *Promise, title string, vs []vm.Value, parked *vm.Parked, err error) error {
	switch {
	case err != nil:
		if Fatal(err) {
			return err
		}
		p.Reject(Reason{Err: err})
	case parked == nil:
		p.Resolve(vs...)
	default:
		on, ok := parked.On().(*Promise)
		if !ok {
			return errors.New("a call was suspended by another host")
		}
		origin := l.origin
		on.then("continue "+title, origin, true, func(ctx context.Context) error {
			vs, again, err := parked.Continue(ctx, on.answer())
			return l.called(p, title, vs, again, err)
		})
	}
	return nil
}

// Fatal reports whether an error of a call ends the program, whoever waits for the call.
func Fatal(err error) bool {
	var exit *vm.Exit
	var crash *vm.Crash
	var trap *vm.Trap
	switch {
	case errors.As(err, &exit), errors.As(err, &crash):
		return true
	case errors.As(err, &trap):
		return trap.Kind == wasm.TrapInterrupted || trap.Kind == wasm.TrapOutOfFuel
	}
	return false
}
