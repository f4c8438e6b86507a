package debugger

import (
	"errors"

	"stackscope/wasm"
)

// Effects reports what an evaluation may do.
type Effects uint8

// The effects that an evaluation may have; the constants are bits.
const (
	MayCall Effects = 1 << iota
	MayAssign
)

var (
	errNoAssignment = errors.New("assignments are made in the console")
	errOnlyNames    = errors.New("only names are evaluated here")
	errNoChange     = errors.New("what changes something is evaluated in the console")
)

// limited forbids effects until what it gives is called.
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

// changes reports whether an instruction changes a variable, a memory, a table or an object, or
// does something to a stack.
func changes(op wasm.Op) bool {
	switch op {
	case wasm.OpLocalSet, wasm.OpLocalTee, wasm.OpGlobalSet,
		wasm.OpTableSet, wasm.OpTableGrow, wasm.OpTableFill, wasm.OpTableCopy, wasm.OpTableInit, wasm.OpElemDrop,
		wasm.OpMemoryGrow, wasm.OpMemoryFill, wasm.OpMemoryCopy, wasm.OpMemoryInit, wasm.OpDataDrop,
		wasm.OpStructSet, wasm.OpArraySet, wasm.OpArrayFill, wasm.OpArrayCopy, wasm.OpArrayInitData, wasm.OpArrayInitElem:
		return true
	}
	info := op.Info()
	if len(info.Imms) > 0 && info.Imms[0] == wasm.ImmMemArg && len(info.Results) == 0 {
		return true // a store
	}
	switch info.Effect {
	case wasm.EffectNew,
		wasm.EffectBind,
		wasm.EffectResume,
		wasm.EffectSuspend,
		wasm.EffectSwitch,
		wasm.EffectRetire,
		wasm.EffectRelease:
		return true
	}
	return false
}
