package inspect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stackscope/vm"
	"stackscope/vm/debugger/stacks"
	"stackscope/wasm"
)

// evaluationTime bounds one evaluation.
const evaluationTime = 2 * time.Second

// caller runs code for evaluations: on top of the running chain, silently, within a limited time.
type caller struct {
	mach       *vm.Machine
	silence    func() (end func()) // lets nothing stop and nothing be recorded until end is called
	forbidden  Effects             // of the evaluation that is under way
	asked      context.Context     // of the request that is being served; nil: none can be cancelled
	evaluating context.Context     // of the evaluation that is under way; nil: there is none
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
		return stacks.ErrCancelled
	}
	return fmt.Errorf("the evaluation takes longer than %v", evaluationTime)
}

// quietly calls a function on top of the running chain: nothing stops in it, and it has limited
// time.
func (cl *caller) quietly(fn *vm.Func, args []vm.Value) ([]vm.Value, error) {
	defer cl.silence()()
	defer cl.bounded()()
	out, err := cl.mach.CallTrusted(cl.evaluating, fn, args...)
	return out, cl.gaveUp(err)
}

// limited forbids effects until what it returns is called.
func (cl *caller) limited(may Effects) (end func()) {
	before := cl.forbidden
	cl.forbidden = (MayCall | MayAssign) &^ may
	return func() { cl.forbidden = before }
}

// permits reports whether code may be evaluated now, as far as its own instructions go: a function
// that it calls does what it does.
func (cl *caller) permits(code []wasm.Instr) error {
	for i := range code {
		if cl.forbidden&MayAssign != 0 && changes(code[i].Op) {
			return errNoChange
		}
	}
	return nil
}

// Effects reports what an evaluation may do.
type Effects uint8

// The effects that an evaluation may have; the constants are bits.
const (
	MayCall Effects = 1 << iota
	MayAssign
)

var (
	errNoAssignment = errors.New("assignments are allowed only in the console")
	errOnlyNames    = errors.New("only names can be evaluated here")
	errNoChange     = errors.New("expressions with side effects are allowed only in the console")
)

// changes reports whether an instruction changes a variable, a memory, a table or an object, or
// does something to a stack.
func changes(op wasm.Op) bool {
	switch op {
	case wasm.OpLocalSet, wasm.OpLocalTee, wasm.OpGlobalSet,
		wasm.OpTableSet, wasm.OpTableGrow, wasm.OpTableFill, wasm.OpTableCopy, wasm.OpTableInit, wasm.OpElemDrop,
		wasm.OpMemoryGrow, wasm.OpMemoryFill, wasm.OpMemoryCopy, wasm.OpMemoryInit, wasm.OpDataDrop,
		wasm.OpStructSet, wasm.OpArraySet, wasm.OpArrayFill, wasm.OpArrayCopy, wasm.OpArrayInitData,
		wasm.OpArrayInitElem:
		return true
	}
	info := op.Info()
	if len(info.Imms) > 0 && info.Imms[0] == wasm.ImmMemArg && len(info.Results) == 0 {
		return true // a store
	}
	switch info.Effect {
	case wasm.EffectNew, wasm.EffectBind, wasm.EffectResume, wasm.EffectSuspend, wasm.EffectSwitch,
		wasm.EffectRetire, wasm.EffectRelease:
		return true
	}
	return false
}
