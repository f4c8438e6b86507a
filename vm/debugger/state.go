package debugger

import (
	"sync/atomic"

	"stackscope/vm"
	"stackscope/vm/debugger/step"
	"stackscope/vm/debugger/watch"
)

// run is what the goroutine of the program shares with its parts: what the program is doing.
type run struct {
	mach *vm.Machine

	// Of any goroutine.
	want    atomic.Int32 // how many calls are on their way while it runs
	pausing atomic.Bool
	killed  atomic.Bool
	stopped atomic.Bool
	started atomic.Bool

	// Of the running goroutine.
	event     string // what has just happened: stop at the next instruction
	entry     bool   // stop at the next instruction
	into      bool   // stop at the first instruction: a step into a command of the script
	binding   bool   // a unit with a start function is being instantiated
	plan      *step.Plan
	planStack *vm.Stack
	hurried   bool // see Stepper.runFast
	goOn      bool
	at        Stop           // where it is stopped, while it is
	quiet     int            // >0: an evaluation is running, the probe is silent
	access    *watch.Touched // what the instruction that is being executed touches of what is watched
}

// setStepping switches the machine's stepping on or off as is needed.
func (rn *run) setStepping() {
	rn.mach.SetStepping(
		rn.entry || rn.into || rn.binding || rn.event != "" || rn.access != nil || rn.plan != nil && !rn.hurried,
	)
}
