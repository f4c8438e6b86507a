package text_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"stackscope/wasm"
	"stackscope/wasm/text"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// sample has one of everything that the printer treats by itself.
func sample() *wasm.Module {
	end := wasm.Instr{Op: wasm.OpEnd}
	m := &wasm.Module{
		Dialect: wasm.DialectCont,
		Types: []wasm.SubType{
			{
				Kind: wasm.CompFunc, Final: true, Params: []wasm.ValType{wasm.I32, wasm.I32},
				Results: []wasm.ValType{wasm.I64},
			},
			{Kind: wasm.CompCont, Final: true},
			{Kind: wasm.CompStruct, Fields: []wasm.FieldType{{Type: wasm.I8, Mut: true}, {Type: wasm.Ref(true, 3)}}},
			{Kind: wasm.CompArray, Final: true, Supers: []uint32{3}, Fields: []wasm.FieldType{{Type: wasm.F64}}},
			{Kind: wasm.CompFunc, Final: true, Params: []wasm.ValType{wasm.I32}},
		},
		Recs:    []wasm.RecGroup{{Start: 0, Len: 1}, {Start: 1, Len: 1}, {Start: 2, Len: 2}, {Start: 4, Len: 1}},
		Imports: []wasm.Import{{Module: "spec\"test", Name: "π\n", Kind: wasm.ExternFunc}},
		Exports: []wasm.Export{{Name: "run", Kind: wasm.ExternFunc, Index: 1}},
		Tables:  []wasm.Table{{Type: wasm.FuncRef, Limits: wasm.Limits{Min: 1, Max: 2, HasMax: true}, Import: -1}},
		Mems:    []wasm.Memory{{Limits: wasm.Limits{Min: 1, Is64: true}, Import: -1}, {Import: -1}},
		Globals: []wasm.Global{
			{Type: wasm.F32, Mut: true, Import: -1, Init: []wasm.Instr{{Op: wasm.OpF32Const, Imm: 0x7fa0_0000}, end}},
		},
		Tags: []wasm.Tag{{Type: 4, Import: -1}},
		Elems: []wasm.Elem{
			{
				Type: wasm.Ref(false, wasm.HeapFunc), Mode: wasm.SegmentActive,
				Offset: []wasm.Instr{{Op: wasm.OpI32Const}, end},
				Init:   [][]wasm.Instr{{{Op: wasm.OpRefFunc, A: 1}, end}},
			},
			{Type: wasm.I31Ref, Init: [][]wasm.Instr{{{Op: wasm.OpI32Const, Imm: 1}, {Op: wasm.OpRefI31}, end}}},
		},
		Datas: []wasm.Data{
			{
				Bytes: []byte("a\"\\\x00"), Mode: wasm.SegmentActive, Memory: 1,
				Offset: []wasm.Instr{{Op: wasm.OpI32Const, Imm: 8}, end},
			},
		},
		Start: wasm.BadIndex, Names: wasm.NewNames(),
		Customs: []wasm.Custom{{Name: "meta", Bytes: []byte{1, 2}, Place: 10}},
	}
	m.Funcs = []wasm.Func{
		{Type: 4},
		{Type: 0, Import: -1, Locals: []wasm.ValType{wasm.I32, wasm.Ref(true, 1), wasm.F32}, Body: []wasm.Instr{
			{Op: wasm.OpBlock, Imm: uint64(wasm.BlockIndex(4))},
			{Op: wasm.OpLoop, Imm: uint64(wasm.BlockResult(wasm.I32))},
			{Op: wasm.OpLocalGet, A: 0},
			{Op: wasm.OpBrTable, Ext: &wasm.Ext{Labels: []uint32{0, 1, 2}}},
			end,
			end,
			{Op: wasm.OpIf},
			{Op: wasm.OpI64Load, A: 1, Imm: 16, Align: 0},
			{Op: wasm.OpElse},
			{
				Op: wasm.OpResume, A: 1,
				Ext: &wasm.Ext{HandlerClauses: []wasm.HandlerClause{{Tag: 0, Label: 0}, {Tag: 0, Switch: true}}},
			},
			end,
			{
				Op: wasm.OpTryTable,
				Ext: &wasm.Ext{
					Catches: []wasm.Catch{{Kind: wasm.CatchTag, Label: 0}, {Kind: wasm.CatchAllRef, Label: 0}},
				},
			},
			{Op: wasm.OpF64Const, Imm: 0xfff0_0000_0000_0000},
			{Op: wasm.OpCallIndirect, B: 4},
			{Op: wasm.OpStructGetS, A: 2, B: 0},
			{Op: wasm.OpMemoryCopy, A: 1, B: 0},
			{Op: wasm.OpV128Const, Imm: 1 << 32, Ext: &wasm.Ext{Hi: 2}},
			{
				Op: wasm.OpBrOnCast, A: 1, Imm: uint64(wasm.AnyRef),
				Ext: &wasm.Ext{Types: []wasm.ValType{wasm.Ref(false, 2)}},
			},
			end,
			end,
		}},
	}
	n := m.Names
	n.Module, n.Funcs[0], n.Funcs[1], n.Types[0], n.Types[2] = "m", "dup", "dup", "ft", "a b"
	wasm.Set2(n.Locals, 1, 0, "x")
	wasm.Set2(n.Locals, 1, 2, "x")
	wasm.Set2(n.Locals, 1, 3, "k")
	wasm.Set2(n.Labels, 1, 0, "l")
	wasm.Set2(n.Labels, 1, 1, "l")
	wasm.Set2(n.Fields, 2, 0, "byte")
	return m
}

func TestPrint(t *testing.T) {
	m := sample()
	src, mp := text.Print(m, text.Options{})
	const golden = "testdata/sample.wat"
	if *update {
		if err := os.WriteFile(golden, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if src != string(want) {
		t.Errorf("differs from %s (-update rewrites it):\n%s", golden, src)
	}
	for fn := range m.Funcs {
		for i := range m.Funcs[fn].Body {
			s, ok := mp.Instr(uint32(fn), i)
			op := m.Funcs[fn].Body[i].Op.String()
			if i == len(m.Funcs[fn].Body)-1 {
				op = ")"
			}
			if got := src[s.From:s.To]; !ok || !strings.HasPrefix(got, op) {
				t.Errorf("instruction %d of function %d, %s, is at %q", i, fn, op, got)
			}
			if f, j, ok := mp.At(s.From); !ok || f != uint32(fn) || j != i {
				t.Errorf("At(%d): %d %d, want %d %d", s.From, f, j, fn, i)
			}
		}
	}
	placed := mp.Apply(m)
	if st := placed.Funcs[1].Stmts[2]; src[st.From:st.To] != "local.get $x" || st.PC != 2 {
		t.Errorf("statement: %+v", st)
	}
}

func TestFloat(t *testing.T) {
	for bits, want := range map[uint32]string{0: "0", 0x8000_0000: "-0", 0x7f80_0000: "inf", 0x7fc0_0000: "nan", 0xffc0_0000: "-nan",
		0x7f80_0001: "nan:0x1", 0x3f80_0000: "1", 0x7f7f_ffff: "3.4028235e+38", 1: "1e-45"} {
		if got := text.Float32(bits); got != want {
			t.Errorf("%#x: %s, want %s", bits, got, want)
		}
	}
}
