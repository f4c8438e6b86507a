package debugger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stackscope/vm"
)

// evaluationTime bounds one evaluation.
const evaluationTime = 2 * time.Second

// evalName is the name of the instances that evaluations make; tools leave them out.
const evalName = "(evaluation)"

// caller runs code for evaluations: on top of the running chain, silently, within a limited time.
type caller struct {
	mach       *vm.Machine
	silence    func() (end func()) // lets nothing stop and nothing be recorded until end is called
	forbidden  Effects             // of the evaluation that is under way
	asked      context.Context     // of the request that is being served; nil: none can be cancelled
	evaluating context.Context     // of the evaluation that is under way; nil: there is none
}

// silence lets nothing stop, and nothing be recorded, until what it returns is called.
func (e *Engine) silence() (end func()) {
	e.run.quiet++
	e.mach.SetRecorder(nil)
	return func() {
		e.Stacks.forget()
		if e.run.quiet--; e.run.quiet == 0 {
			e.History.watch()
		}
	}
}

// bounded limits the time of an evaluation, until the function that it returns is called. All parts
// of one evaluation share the time.
func (cl *caller) bounded() (end func()) {
	if cl.evaluating != nil {
		return func() {}
	}
	from := cl.asked
	if from == nil {
		from = context.Background()
	}
	ctx, cancel := context.WithTimeout(from, evaluationTime)
	cl.evaluating = ctx
	return func() {
		cl.evaluating = nil
		cancel()
	}
}

// gaveUp returns the error of an evaluation that has been cut short, or else err.
func (cl *caller) gaveUp(err error) error {
	switch {
	case err == nil || cl.evaluating.Err() == nil:
		return err
	case errors.Is(cl.evaluating.Err(), context.Canceled):
		return ErrCancelled
	}
	return fmt.Errorf("it takes longer than %v: given up", evaluationTime)
}

// Interruptible lets evaluations end with ErrCancelled when a context ends, until the function that
// it returns is called. It must be called inside Do.
func (e *Engine) Interruptible(ctx context.Context) (end func()) {
	before := e.caller.asked
	e.caller.asked = ctx
	return func() { e.caller.asked = before }
}

// quietly calls a function on top of the running chain: nothing stops in it, and it has limited
// time.
func (cl *caller) quietly(fn *vm.Func, args []vm.Value) ([]vm.Value, error) {
	defer cl.silence()()
	defer cl.bounded()()
	out, err := cl.mach.CallTrusted(cl.evaluating, fn, args...)
	return out, cl.gaveUp(err)
}
