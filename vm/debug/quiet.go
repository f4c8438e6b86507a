package debug

import (
	"context"
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

// quietly calls a function on top of the running chain: nothing stops in it, and it has limited time.
func (e *Engine) quietly(fn *vm.Func, args []vm.Value) ([]vm.Value, error) {
	defer e.hush()()
	ctx, cancel := context.WithTimeout(context.Background(), evaluationTime)
	defer cancel()
	out, err := e.mach.CallTrusted(ctx, fn, args...)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("it takes longer than %v: given up", evaluationTime)
	}
	return out, err
}
