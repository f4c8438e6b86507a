package debugger

import (
	"sync/atomic"

	"stackscope/vm"
	"stackscope/vm/debugger/step"
	"stackscope/vm/debugger/watch"
)

// A state is what the program is doing. It is one of running, stepping, stopped, evaluating,
// cancelling and ended.
type state interface{ isState() }

type (
	// running: no step is under way, or the program has not started.
	running struct{}

	// stepping: a step is under way.
	stepping struct {
		plan  *step.Plan
		stack *vm.Stack // the stack the step was asked on
		fast  bool      // the machine runs at full speed, see Stepper.runFast
		ended bool      // the stack has ended at full speed: the next instruction is one that control comes to from it
		stops bool      // at full speed: there are breakpoints where the step may end in its own frame
		slow  int       // how many instructions were executed one at a time that the step had to look at
	}

	// stopped: the program waits for a request to resume.
	stopped struct {
		at      Stop
		next    state // what it does after it is resumed: running, stepping or cancelling
		resumed bool
	}

	// evaluating: code of an evaluation runs. Nothing stops, and nothing is recorded.
	evaluating struct{ within state }

	// cancelling: like running, for the cancellations of a batch.
	cancelling struct{ batch *batch }

	// ended: the program has ended.
	ended struct{}
)

func (running) isState()    {}
func (*stepping) isState()  {}
func (*stopped) isState()   {}
func (evaluating) isState() {}
func (cancelling) isState() {}
func (ended) isState()      {}

// due is why the next instruction matters, whatever the state is.
type due struct {
	entry         bool           // stop there: on entry
	into          bool           // stop there: a step into a command of a script
	inlined       bool           // stop at once: a step into a call that is inlined where the program stands
	event         string         // stop there: what has just happened
	instantiating bool           // adopt the instance of a unit whose start function begins
	access        *watch.Touched // compare the watched data that the instruction before touched
}

// run is the state of a run, which the parts of the engine share.
type run struct {
	mach *vm.Machine

	// Any goroutine may use these.
	want    atomic.Int32 // number of calls that wait for a running program, see Engine.Do
	pausing atomic.Bool  // Pause was called
	killed  atomic.Bool  // Kill was called
	stopped atomic.Bool  // the state is stopped, or evaluating within stopped
	started atomic.Bool  // Start was called

	// Only the goroutine of the program may use these.
	state state
	base  state // the state without a step: running, or cancelling
	due   due
}

func newRun(mach *vm.Machine) *run { return &run{mach: mach, state: running{}, base: running{}} }

// silent reports whether an evaluation runs.
func (rn *run) silent() bool {
	_, ok := rn.state.(evaluating)
	return ok
}

// step returns the step that is under way, or that a stopped program continues with; nil if there
// is none.
func (rn *run) step() *stepping {
	switch s := rn.state.(type) {
	case *stepping:
		return s
	case *stopped:
		st, _ := s.next.(*stepping)
		return st
	}
	return nil
}

// plan returns the plan of step, nil if there is none.
func (rn *run) plan() *step.Plan {
	if s := rn.step(); s != nil {
		return s.plan
	}
	return nil
}

// fast reports whether a step runs at full speed.
func (rn *run) fast() bool {
	s := rn.step()
	return s != nil && s.fast
}

// proceed sets what the program does next: at once, or after it is resumed.
func (rn *run) proceed(next state) {
	if s, ok := rn.state.(*stopped); ok {
		s.next = next
		return
	}
	rn.state = next
}

// moved replaces the stop of a stopped program: what runs was moved to another place.
func (rn *run) moved(at Stop) {
	if s, ok := rn.state.(*stopped); ok {
		s.at = at
	}
}

// resume lets a stopped program continue.
func (rn *run) resume() {
	if s, ok := rn.state.(*stopped); ok {
		s.resumed = true
	}
}

// interrupt begins the cancellations of a batch. What was under way continues after the function
// that it returns is called.
func (rn *run) interrupt(b *batch) (end func()) {
	before, base, d := rn.state, rn.base, rn.due
	rn.base = cancelling{b}
	rn.state, rn.due = rn.base, due{into: d.into}
	return func() {
		d.into, d.event = rn.due.into, ""
		rn.state, rn.base, rn.due = before, base, d
	}
}

// setStepping switches the machine's stepping on or off as is needed.
func (rn *run) setStepping() {
	s, d := rn.step(), &rn.due
	rn.mach.SetStepping(
		d.entry || d.into || d.instantiating || d.event != "" || d.access != nil || s != nil && !s.fast,
	)
}
