package symbols

import (
	"testing"

	"stackscope/analysis/source"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// TestSearch: an address leads to the instruction there, or to the next one, in a unit with an
// encoding and in one without.
func TestSearch(t *testing.T) {
	end := wasm.Instr{Op: wasm.OpEnd}
	for _, d := range []struct {
		name string
		op   wasm.Op
	}{{"encoded", wasm.OpNop}, {"without an encoding", wasm.OpBarrier}} {
		m := &wasm.Module{
			Types:   []wasm.SubType{{Kind: wasm.CompFunc, Final: true}},
			Recs:    []wasm.RecGroup{{Start: 0, Len: 1}},
			Imports: []wasm.Import{{Module: "m", Name: "f", Kind: wasm.ExternFunc}},
			Funcs: []wasm.Func{
				{Import: 0},
				{Import: -1, Body: []wasm.Instr{{Op: d.op}, {Op: wasm.OpI32Const, Imm: 1000}, {Op: wasm.OpDrop}, end}},
				{Import: -1, Locals: []wasm.ValType{wasm.I32}, Body: []wasm.Instr{end}},
				{Import: -1, Body: []wasm.Instr{{Op: wasm.OpCall}, end}},
			},
			Start: wasm.BadIndex, Names: wasm.NewNames(),
		}
		u := &Unit{Module: m, File: NewSource(source.NewFile("m.wat", ""))}
		y := NewSymbols([]*Unit{u})
		l := y.listingOf(0)
		if (l.code != nil) != (d.op == wasm.OpNop) || l.len() != 7 {
			t.Fatalf("%s: %d instructions, encoded: %v", d.name, l.len(), l.code != nil)
		}
		for off := range l.end(6) + 10 {
			want := 0
			for want < l.len() && l.offset(want) < off {
				want++
			}
			if got := l.search(off); got != want {
				t.Errorf("%s: offset %d leads to instruction %d, want %d", d.name, off, got, want)
			}
		}
		for i := range l.len() {
			fn, pc := l.at(i)
			a := y.Address(snapshot.FuncID{Unit: 0, Func: fn}, pc)
			if unit, j, exact := y.locate(a); unit != 0 || j != i || !exact {
				t.Errorf("%s: instruction %d has the address %#x, which leads to %d %v", d.name, i, a, j, exact)
			}
			if i > 0 && l.offset(i) < l.end(i-1) {
				t.Errorf("%s: instruction %d is inside of another", d.name, i)
			}
		}
		if a := y.Address(snapshot.FuncID{Unit: 0, Func: 0}, 0) | y.Address(snapshot.FuncID{Unit: 0, Func: 2},
			1) | y.Address(snapshot.FuncID{Unit: 0, Func: 9}, 0); a != 0 {
			t.Errorf("%s: what is no instruction has the address %#x", d.name, a)
		}
	}
}
