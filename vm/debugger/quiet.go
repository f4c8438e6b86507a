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

// hush lets nothing stop, and nothing be recorded, until what it gives is called.
func (e *Engine) hush() (end func()) {
	e.quiet++
	e.mach.SetRecorder(nil)
	return func() {
		e.forget()
		if e.quiet--; e.quiet == 0 {
			e.watchEvents()
		}
	}
}

// bounded limits the time of an evaluation, until the function that it returns is called. All parts
// of one evaluation share the time.
func (e *Engine) bounded() (end func()) {
	if e.evaluating != nil {
		return func() {}
	}
	from := e.asked
	if from == nil {
		from = context.Background()
	}
	ctx, cancel := context.WithTimeout(from, evaluationTime)
	e.evaluating = ctx
	return func() {
		e.evaluating = nil
		cancel()
	}
}

// gaveUp returns the error of an evaluation that has been cut short, or else err.
func (e *Engine) gaveUp(err error) error {
	switch {
	case err == nil || e.evaluating.Err() == nil:
		return err
	case errors.Is(e.evaluating.Err(), context.Canceled):
		return ErrCancelled
	}
	return fmt.Errorf("it takes longer than %v: given up", evaluationTime)
}

// Interruptible lets evaluations end with ErrCancelled when a context ends, until the function that
// it returns is called. It must be called inside Do.
func (e *Engine) Interruptible(ctx context.Context) (end func()) {
	before := e.asked
	e.asked = ctx
	return func() { e.asked = before }
}

// quietly calls a function on top of the running chain: nothing stops in it, and it has limited
// time.
func (e *Engine) quietly(fn *vm.Func, args []vm.Value) ([]vm.Value, error) {
	defer e.hush()()
	defer e.bounded()()
	out, err := e.mach.CallTrusted(e.evaluating, fn, args...)
	return out, e.gaveUp(err)
}
