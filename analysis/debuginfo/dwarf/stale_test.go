package dwarf

import (
	"testing"

	"stackscope/wasm"
)

// A location in a local holds until the local is written, also by the end of a loop.
func TestStale(t *testing.T) {
	in := func(op wasm.Op, a uint32) wasm.Instr { return wasm.Instr{Op: op, A: a} }
	m := &wasm.Module{
		Types: []wasm.SubType{{Kind: wasm.CompFunc, Params: []wasm.ValType{wasm.I32}}},
		Funcs: []wasm.Func{{Import: -1, Locals: []wasm.ValType{wasm.I32, wasm.I32}, Body: []wasm.Instr{
			in(wasm.OpI32Const, 0), // 0
			in(wasm.OpLocalSet, 1), // 1: the frame base, once
			in(wasm.OpLoop, 0),     // 2
			in(wasm.OpNop, 0),      // 3
			in(wasm.OpI32Const, 0), // 4
			in(wasm.OpLocalTee, 0), // 5
			in(wasm.OpDrop, 0),     // 6
			in(wasm.OpEnd, 0),      // 7
			in(wasm.OpNop, 0),      // 8
			in(wasm.OpI32Const, 0), // 9
			in(wasm.OpLocalSet, 2), // 10
			in(wasm.OpI32Const, 0), // 11
			in(wasm.OpLocalSet, 2), // 12
			in(wasm.OpNop, 0),      // 13
			in(wasm.OpEnd, 0),      // 14
		}}},
	}
	c := newCode(m, 0)
	for _, x := range []struct {
		local     uint32
		since, pc int
		want      bool
	}{
		{0, 0, 1, false}, // a parameter that nothing has changed
		{0, 0, 3, true},  // the loop changes it
		{0, 0, 6, true},
		{0, 6, 6, false}, // a location that begins after the change
		{0, 6, 8, false},
		{0, 3, 4, false},  // one that begins in each pass of the loop
		{1, 0, 13, false}, // written once, before all
		{2, 0, 11, false},
		{2, 0, 13, true}, // written again
		{2, 13, 13, false},
	} {
		if got := c.stale(0, x.local, x.since, x.pc); got != x.want {
			t.Errorf("local %d from %d at %d: %v", x.local, x.since, x.pc, got)
		}
	}
}
