package dwarf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// exprUnit returns a unit of a module with a function of two parameters, i32 and i64, and locals f64,
// i32; the second parameter is assigned to.
func exprUnit() (*unit, *frame) {
	m := &wasm.Module{
		Types: []wasm.SubType{{Kind: wasm.CompFunc, Params: []wasm.ValType{wasm.I32, wasm.I64}}},
		Funcs: []wasm.Func{{Import: -1, At: 10, End: 20, Locals: []wasm.ValType{wasm.F64, wasm.I32}, Body: []wasm.Instr{
			{Op: wasm.OpLocalSet, A: 1, At: 12}, {Op: wasm.OpEnd, At: 14}, {Op: wasm.OpEnd, At: 16},
		}}},
		Globals: []wasm.Global{{Type: wasm.I32, Mut: true}},
		Names:   wasm.NewNames(),
	}
	r := &Reader{in: Input{Module: m}, code: newCode(m, 0)}
	r.limit.Store(1 << 20)
	addr := binary.LittleEndian.AppendUint32(nil, 0x1234)
	addr = binary.LittleEndian.AppendUint32(addr, 12)
	addr = binary.LittleEndian.AppendUint32(addr, 16)
	s := &space{r: r, addr: addr}
	u := &unit{s: s, version: 5, asize: 4}
	return u, &frame{fn: 0, u: u, base: []byte{opWASM, 0, 3, opStackValue}}
}

func frameWith() *fake {
	f := &fake{
		locals:  map[uint32]uint64{0: 0xfffffffe, 1: 0xfffffffffffffff0, 2: 0x3ff8000000000000, 3: 5000},
		globals: map[uint32]uint64{0: 7000}, mem: map[uint64]byte{},
	}
	for i := range uint64(8) {
		f.mem[5008+i] = byte(0x80 + i)
	}
	return f
}

// TestExpressions tests the operations of locations.
func TestExpressions(t *testing.T) {
	d := &dumper{}
	tests := []struct {
		name string
		expr []byte
		size int64
		want string // as dumper.where writes it; an error by a part of it
	}{
		{"address", []byte{opAddr, 0, 4, 0, 0}, 4, "mem 1024"},
		{"frame", []byte{opFbreg, 8}, 4, "mem 5008"},
		{"frame, negative", []byte{opFbreg, 0x78}, 4, "mem 4992"},
		{"without the frame base", []byte{opPlusUconst, 12}, 4, "mem 5012"},
		{"local", []byte{opWASM, 0, 0, opStackValue}, 4, "local 0"},
		{"local, narrow", []byte{opWASM, 0, 0, opStackValue}, 1, "local 0"},
		{"local, too wide", []byte{opWASM, 0, 0, opStackValue}, 8, "-"},
		{"local, indirect", []byte{opWASM, 0, 3}, 4, "mem 5000"},
		{"local, none", []byte{opWASM, 0, 9, opStackValue}, 4, "error: local 9"},
		{"global", []byte{opWASM, 1, 0, opStackValue}, 4, "global 0"},
		{"global, fixed", []byte{opWASM, 3, 0, 0, 0, 0, opPlusUconst, 4, opStackValue}, 4, "const 5c1b0000"},
		{"operand", []byte{opWASM, 2, 0, opStackValue}, 4, "-"},
		{"place", []byte{opWASM, 7, 0, opStackValue}, 4, "error: DWARF: malformed location: place 7"},
		{"local i64", []byte{opWASM, 0, 1, opStackValue}, 8, "local 1"},
		{"sum i64", []byte{opWASM, 0, 1, opPlusUconst, 0x20, opStackValue}, 8, "const 1000000000000000"},
		{"sum i32 wraps", []byte{opWASM, 0, 0, opPlusUconst, 3, opStackValue}, 4, "const 01000000"},
		{"sum i32 for 8 bytes", []byte{opWASM, 0, 0, opPlusUconst, 3, opStackValue}, 8, "-"},
		{"constant", []byte{opConsts, 0x7b, opStackValue}, 8, "const fbffffffffffffff"},
		{"constant for 1", []byte{opConsts, 0x7b, opStackValue}, 1, "const fb"},
		{"literal", []byte{opLit0 + 31, opStackValue}, 2, "const 1f00"},
		{"const2s", []byte{0x0b, 0xfe, 0xff, opStackValue}, 4, "const feffffff"},
		{"const8u", []byte{0x0e, 1, 2, 3, 4, 5, 6, 7, 8, opStackValue}, 8, "const 0102030405060708"},
		{"addrx", []byte{opAddrx, 0}, 4, "mem 4660"},
		{"addrx, none", []byte{opAddrx, 9}, 4, "error: DWARF: malformed"},
		{"deref", []byte{opFbreg, 8, opDeref}, 4, fmt.Sprint("mem ", 0x83828180)},
		{"deref_size", []byte{opFbreg, 8, opDerefSize, 2, opStackValue}, 4, "const 80810000"},
		{"minus, neg", []byte{opLit0 + 3, opLit0 + 5, opMinus, opNeg, opStackValue}, 4, "const 02000000"},
		{"abs", []byte{opWASM, 0, 0, opAbs, opStackValue}, 4, "const 02000000"},
		{"div signed", []byte{opWASM, 0, 0, opLit0 + 2, opDiv, opStackValue}, 4, "const ffffffff"},
		{"div by zero", []byte{opLit0 + 2, opLit0, opDiv, opStackValue}, 4, "error: DWARF: the location divides by zero"},
		{"mod unsigned", []byte{opWASM, 0, 0, opLit0 + 16, opMod, opStackValue}, 4, "const 0e000000"},
		{"shr", []byte{opWASM, 0, 0, opLit0 + 28, opShr, opStackValue}, 4, "const 0f000000"},
		{"shra", []byte{opWASM, 0, 0, opLit0 + 28, opShra, opStackValue}, 4, "const ffffffff"},
		{"shl out", []byte{opLit0 + 1, opConstu, 64, opShl, opStackValue}, 8, "const 0000000000000000"},
		{"and, or, xor, not", []byte{opLit0 + 6, opLit0 + 3, opAnd, opLit0 + 8, opOr, opLit0 + 1, opXor, opNot,
			opStackValue}, 1, "const f4"},
		{"mul", []byte{opLit0 + 6, opLit0 + 7, opMul, opStackValue}, 1, "const 2a"},
		{"lt is signed", []byte{opWASM, 0, 0, opLit0, opLt, opStackValue}, 1, "const 01"},
		{"eq, ne, ge, gt, le", []byte{opLit0, opLit0, opEq, opLit0, opNe, opLit0 + 1, opGe, opLit0, opGt, opLit0 + 1,
			opLe, opStackValue}, 1, "const 01"},
		{"dup, swap, over, rot, pick, drop", []byte{opLit0 + 1, opLit0 + 2, opLit0 + 3, opRot, opSwap, opOver, opPick, 3,
			opDup, opDrop, opPlus, opPlus, opPlus, opPlus, opStackValue}, 1, "const 0b"},
		{"skip", []byte{opLit0 + 1, opSkip, 1, 0, opLit0 + 2, opStackValue}, 1, "const 01"},
		{"bra", []byte{opLit0 + 9, opLit0 + 1, opBra, 1, 0, opLit0 + 2, opStackValue}, 1, "const 09"},
		{"endless", []byte{opSkip, 0xfd, 0xff}, 1, "error: DWARF: malformed location: it does not end"},
		{"pushes without end", []byte{opLit0, opSkip, 0xfc, 0xff}, 1, "error: DWARF: malformed location: it pushes"},
		{"jump out", []byte{opSkip, 0, 1}, 1, "error: DWARF: malformed location: a jump"},
		{"underflow", []byte{opPlus}, 1, "error: DWARF: malformed location: an operation has no operand"},
		{"truncated", []byte{opAddr, 1}, 1, "error: DWARF: malformed"},
		{"register", []byte{opReg0 + 1}, 4, "error: DWARF: malformed location: it names a register"},
		{"unknown", []byte{0xff}, 4, "error: DWARF: malformed location: operation 0xff"},
		{"pieces", []byte{opWASM, 0, 0, opStackValue, opPiece, 4, opPiece, 2, opFbreg, 8, opPiece, 2}, 8,
			"local 0:32, -:16, mem 5008:16"},
		{"bit_piece", []byte{opLit0 + 5, opStackValue, opBitPiece, 3, 0, opBitPiece, 5, 0}, 1, "const 05:3, -:5"},
		{"piece without a size", []byte{opPiece, 4, opLit0}, 8, "error: DWARF: malformed location: it ends after"},
		{"implicit_value", []byte{opImplicitValue, 3, 1, 2, 3}, 3, "const 010203"},
		{"implicit_value, short", []byte{opImplicitValue, 2, 1, 2}, 3, "-"},
		{"implicit_pointer", []byte{opImplicitPointer, 1, 0, 0, 0, 0}, 4, "-"},
		{"after the location", []byte{opLit0, opStackValue, opLit0}, 4,
			"error: DWARF: malformed location: an operation after"},
		{"entry_value", []byte{opEntryValue, 3, opWASM, 0, 0, opStackValue}, 4, "local 0"},
		{"entry_value, changed", []byte{opEntryValue, 3, opWASM, 0, 1, opStackValue}, 8, "-"},
		{"entry_value, no parameter", []byte{opEntryValue, 3, opWASM, 0, 2, opStackValue}, 8, "-"},
		{"empty", nil, 4, "-"},
		{"call_frame_cfa", []byte{opCallFrame}, 4, "error: DWARF: operation 0x9c"},
	}
	for _, x := range tests {
		u, f := exprUnit()
		m := machine{u: u, f: f, pc: 1, since: 1, c: frameWith(), size: x.size}
		got := d.where(m.where(x.expr))
		if strings.HasPrefix(x.want, "error") && strings.HasPrefix(got, x.want) {
			continue
		}
		if got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
}

// TestFrameBase tests frame bases: one that is the stack pointer counts in the innermost frame.
func TestFrameBase(t *testing.T) {
	u, f := exprUnit()
	f.base = []byte{opWASM, 3, 0, 0, 0, 0, opStackValue}
	c := frameWith()
	m := machine{u: u, f: f, pc: 1, c: c, size: 4}
	w, err := m.where([]byte{opFbreg, 4})
	if a, _ := w.Address(); err != nil || a != 7004 {
		t.Errorf("%v, %v", w, err)
	}
	c.outer = true
	m = machine{u: u, f: f, pc: 1, c: c, size: 4}
	if w, err = m.where([]byte{opFbreg, 4}); err == nil {
		t.Errorf("the stack pointer of an outer frame: %v", w)
	}
	f.base, f.body = []byte{opWASM, 0, 3}, 2
	m = machine{u: u, f: f, pc: 1, c: c, size: 4}
	if _, err = m.where([]byte{opFbreg, 4}); !errors.Is(err, errPrologue) {
		t.Errorf("in the prologue: %v", err)
	}
}

// TestLocationLists tests all kinds of entries of lists of locations.
func TestLocationLists(t *testing.T) {
	le := binary.LittleEndian
	four := func(xs ...uint32) (b []byte) {
		for _, x := range xs {
			b = le.AppendUint32(b, x)
		}
		return b
	}
	cat := func(bs ...[]byte) (out []byte) {
		for _, b := range bs {
			out = append(out, b...)
		}
		return out
	}
	lit := func(n byte) []byte { return []byte{2, opLit0 + n, opStackValue} }
	short := func(n byte) []byte { return []byte{2, 0, opLit0 + n, opStackValue} }
	tests := []struct {
		name    string
		version uint16
		b       []byte
		want    string // at instructions 0, 1 and 2, which are at 12, 14 and 16
	}{
		{"4", 4, cat(four(12, 14), short(1), four(16, 17), short(2), four(0, 0)), "const 01|-|const 02"},
		{"4, base", 4, cat(four(0xffffffff, 10), four(2, 4), short(1), four(0, 0)), "const 01|-|-"},
		{"4, dropped", 4, cat(four(0xfffffffe, 0xfffffffe), short(3), four(12, 13), short(1), four(0, 0)), "const 01|-|-"},
		{"4, endless", 4, cat(four(12, 14), short(1)), "const 01|error|error"},
		{"start_end", 5, cat([]byte{7}, four(12, 14), lit(1), []byte{0}), "const 01|-|-"},
		{"start_length", 5, cat([]byte{8}, four(14), []byte{2}, lit(1), []byte{0}), "-|const 01|-"},
		{"startx_endx", 5, cat([]byte{2, 1, 2}, lit(1), []byte{0}), "const 01|const 01|-"},
		{"startx_length", 5, cat([]byte{3, 1, 2}, lit(1), []byte{0}), "const 01|-|-"},
		{"offset_pair", 5, cat([]byte{6}, four(10), []byte{4, 2, 3}, lit(1), []byte{0}), "const 01|-|-"},
		{"base_addressx", 5, cat([]byte{1, 1, 4, 2, 3}, lit(1), []byte{0}), "-|const 01|-"},
		{"default", 5, cat([]byte{7}, four(12, 14), lit(1), []byte{5}, lit(2), []byte{0}), "const 01|const 02|const 02"},
		{"view_pair", 5, cat([]byte{9, 0, 1, 7}, four(12, 14), lit(1), []byte{0}), "const 01|-|-"},
		{"dropped", 5, cat([]byte{6}, four(0xffffffff), []byte{4, 12, 14}, lit(1), []byte{0}), "-|-|-"},
		{"unknown", 5, []byte{99}, "error|error|error"},
		{"no such address", 5, []byte{3, 99, 1, 1, 0}, "error|error|error"},
	}
	d := &dumper{}
	for _, x := range tests {
		u, f := exprUnit()
		if u.version = x.version; x.version == 4 {
			u.s.loc = x.b
		} else {
			u.s.locs = x.b
		}
		var got []string
		for pc := range 3 {
			expr, _, err := u.location(f, val{form: formSecOffset}, pc)
			if err == nil {
				m := machine{u: u, f: f, pc: pc, c: frameWith(), size: 1}
				got = append(got, d.where(m.where(expr)))
				continue
			}
			at, _, _ := strings.Cut(d.where(nil, err), ":")
			got = append(got, at)
		}
		if s := strings.Join(got, "|"); s != x.want {
			t.Errorf("%s: %s, want %s", x.name, s, x.want)
		}
	}
}

// TestRangeLists tests lists of ranges, and addresses of dropped code.
func TestRangeLists(t *testing.T) {
	u, _ := exprUnit()
	u.s.rngs = []byte{
		6, 12, 0, 0, 0, 14, 0, 0, 0, // start_end
		7, 16, 0, 0, 0, 1, // start_length
		3, 1, 1, // startx_length
		6, 0, 0, 0, 0, 9, 0, 0, 0, // dropped
		5, 0xfe, 0xff, 0xff, 0xff, 4, 1, 2, // a base that was dropped
		5, 10, 0, 0, 0, 4, 2, 6, 0,
	}
	got, ok := lists{u}.ranges5(u.s.rngs, 0)
	if s := fmt.Sprint(got); !ok || s != "[[12 14] [16 17] [12 13] [12 16]]" {
		t.Errorf("%v %v", s, ok)
	}
	var b []byte
	for _, x := range []uint32{12, 14, 0xffffffff, 10, 2, 4, 0xfffffffe, 0xfffffffe, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	got, ok = lists{u}.ranges4(b, 0)
	if s := fmt.Sprint(got); !ok || s != "[[12 14] [12 14]]" {
		t.Errorf("%v %v", s, ok)
	}
	if _, ok = (lists{u}).ranges4(b[:12], 0); ok {
		t.Error("a list without an end is one")
	}
}

var _ debuginfo.Context = (*fake)(nil)

// TestStoresParams tests rows after the end of the prologue that zig has, which belong to it.
func TestStoresParams(t *testing.T) {
	get := func(i uint32) wasm.Instr { return wasm.Instr{Op: wasm.OpLocalGet, A: i} }
	store, constant := wasm.Instr{Op: wasm.OpI32Store}, wasm.Instr{Op: wasm.OpI32Const}
	for _, x := range []struct {
		body []wasm.Instr
		want bool
	}{
		{[]wasm.Instr{get(2), get(0), store, get(2), get(1), store}, true},
		{[]wasm.Instr{get(2), get(0)}, false},
		{[]wasm.Instr{get(2), constant, store}, false},
		{[]wasm.Instr{get(2), get(2), store}, false},
		{[]wasm.Instr{get(0), get(1), store}, false},
		{[]wasm.Instr{get(2), get(0), store, constant}, false},
	} {
		if got := storesParams(x.body, 2, 2); got != x.want {
			t.Errorf("%v: %v", x.body, got)
		}
	}
}
