package valid

import (
	"fmt"

	"stackscope/wasm"
)

func tableRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpTableGet: func(t *Typer, in *wasm.Instr) {
			el, at := t.table(in.A, 0)
			t.take(in, t.wants(at))
			t.push(el)
		},
		wasm.OpTableSet: func(t *Typer, in *wasm.Instr) {
			el, at := t.table(in.A, 0)
			t.take(in, t.wants(at, el))
		},
		wasm.OpTableSize: func(t *Typer, in *wasm.Instr) {
			_, at := t.table(in.A, 0)
			t.push(at)
		},
		wasm.OpTableGrow: func(t *Typer, in *wasm.Instr) {
			el, at := t.table(in.A, 0)
			t.take(in, t.wants(el, at))
			t.push(at)
		},
		wasm.OpTableFill: func(t *Typer, in *wasm.Instr) {
			el, at := t.table(in.A, 0)
			t.take(in, t.wants(at, el, at))
		},
		wasm.OpTableCopy: typeTableCopy,
		wasm.OpTableInit: typeTableInit,
		wasm.OpElemDrop:  func(t *Typer, in *wasm.Instr) { t.elemOf(in.A, 0) },
	}
}

// table returns a table's element and address types; Unknown if there is no such table, which is
// reported.
func (s *scope) table(i uint32, imm int) (el, at wasm.ValType) {
	tb := s.tableOf(i, imm)
	if tb == nil {
		return wasm.Unknown, wasm.Unknown
	}
	return tb.Type, addrType(&tb.Limits)
}

// lesser returns the address type of a length that must fit both: i32 if either is.
func lesser(a, b wasm.ValType) wasm.ValType {
	if a == wasm.I32 || b == wasm.I32 {
		return wasm.I32
	}
	return a
}

func typeTableCopy(t *Typer, in *wasm.Instr) {
	dst, at := t.table(in.A, 0)
	src, from := dst, at
	if in.B != in.A {
		src, from = t.table(in.B, 1)
	}
	if !t.e.Match(src, dst) {
		t.labelMismatch(
			1,
			[]wasm.ValType{dst},
			[]wasm.ValType{src},
			fmt.Sprintf("type mismatch: table %s has elements of type %s, but table %s has %s",
				t.e.m.Names.Table(in.A), t.e.FormatType(dst), t.e.m.Names.Table(in.B), t.e.FormatType(src)),
		)
	}
	t.take(in, t.wants(at, from, lesser(at, from)))
}

func typeTableInit(t *Typer, in *wasm.Instr) {
	el, at := t.table(in.A, 0)
	if seg := t.elemOf(in.B, 1); seg != nil && !t.e.Match(seg.Type, el) {
		t.labelMismatch(
			1,
			[]wasm.ValType{el},
			[]wasm.ValType{seg.Type},
			fmt.Sprintf("type mismatch: table %s has elements of type %s, but the segment has %s",
				t.e.m.Names.Table(in.A), t.e.FormatType(el), t.e.FormatType(seg.Type)),
		)
	}
	t.take(in, t.wants(at, wasm.I32, wasm.I32))
}
