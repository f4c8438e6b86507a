package valid

import (
	"strings"
	"testing"

	"stackscope/wasm"
)

// Types of the fixture module.
const (
	tVoid = iota // [] -> []
	tI32         // [i32] -> [i32]
	tContVoid
	tContI32   // cont [i32] -> [i32]
	tStruct    // (mut i32) i8 (ref func)
	tBytes     // array (mut i8)
	tLongs     // array i64
	tFuncRefs  // array (mut funcref)
	tI32toI64  // [i32] -> [i64]
	tContLong  // cont [i64] -> [i32]
	tI64toI32  // [i64] -> [i32]
	tEmpty     // struct
	tSwap      // [i32 (ref null tContVoid)] -> []
	tContSwap  // cont tSwap
	tBad       // CompBad
	tUnderTest // type of function 0
)

// Tags of the fixture module.
const (
	gVoid = iota // [] -> []
	gI32         // [i32] -> []
	gAsk         // [i32] -> [i64]
	gLong        // [] -> [i32]
)

func ft(params []wasm.ValType, results ...wasm.ValType) wasm.SubType {
	return wasm.SubType{Kind: wasm.CompFunc, Final: true, Params: params, Results: results}
}

func cont(i uint32) wasm.SubType { return wasm.SubType{Kind: wasm.CompCont, Final: true, Func: i} }

func ref(i uint32) wasm.ValType     { return wasm.Ref(false, wasm.HeapType(i)) }
func refNull(i uint32) wasm.ValType { return wasm.Ref(true, wasm.HeapType(i)) }

func vals(ts ...wasm.ValType) []wasm.ValType { return ts }

// fixture returns a module that has something of everything; function 0 has type tUnderTest and the
// body, function 1 is declared, function 2 not.
func fixture(params, results, locals []wasm.ValType, body []wasm.Instr) *wasm.Module {
	field := func(t wasm.ValType, mut bool) wasm.FieldType { return wasm.FieldType{Type: t, Mut: mut} }
	m := &wasm.Module{
		Dialect: wasm.DialectCont, Names: wasm.NewNames(), DataCount: true, Start: wasm.BadIndex,
		Types: []wasm.SubType{
			tVoid: ft(nil), tI32: ft(vals(wasm.I32), wasm.I32), tContVoid: cont(tVoid), tContI32: cont(tI32),
			tStruct: {
				Kind:  wasm.CompStruct,
				Final: true,
				Fields: []wasm.FieldType{
					field(wasm.I32, true), field(wasm.I8, false), field(wasm.Ref(false, wasm.HeapFunc), false),
				},
			},
			tBytes:    {Kind: wasm.CompArray, Final: true, Fields: []wasm.FieldType{field(wasm.I8, true)}},
			tLongs:    {Kind: wasm.CompArray, Final: true, Fields: []wasm.FieldType{field(wasm.I64, false)}},
			tFuncRefs: {Kind: wasm.CompArray, Final: true, Fields: []wasm.FieldType{field(wasm.FuncRef, true)}},
			tI32toI64: ft(
				vals(wasm.I32), wasm.I64,
			), tContLong: cont(tI64toI32), tI64toI32: ft(vals(wasm.I64), wasm.I32),
			tEmpty: {
				Kind: wasm.CompStruct, Final: true,
			}, tSwap: ft(vals(wasm.I32, refNull(tContVoid))), tContSwap: cont(tSwap),
			tBad: {}, tUnderTest: ft(params, results...),
		},
		Funcs: []wasm.Func{
			{Type: tUnderTest, Import: -1, Locals: locals, Body: body}, {Type: tVoid, Import: -1},
			{Type: tVoid, Import: -1},
		},
		Tables: []wasm.Table{
			{Type: wasm.FuncRef, Import: -1},
			{Type: wasm.ExternRef, Import: -1, Limits: wasm.Limits{Is64: true}},
		},
		Mems: []wasm.Memory{{Import: -1}, {Import: -1, Limits: wasm.Limits{Is64: true}}},
		Globals: []wasm.Global{
			{Type: wasm.I32, Import: -1, Init: []wasm.Instr{num(wasm.OpI32Const, 1)}},
			{Type: wasm.I64, Mut: true, Import: -1, Init: []wasm.Instr{num(wasm.OpI64Const, 1)}},
		},
		Tags: []wasm.Tag{
			{Type: tVoid, Import: -1}, {Type: tVoid, Import: -1}, {Type: tI32toI64, Import: -1},
			{Type: tVoid, Import: -1},
		},
		Elems: []wasm.Elem{{Type: wasm.FuncRef, Init: [][]wasm.Instr{{op(wasm.OpRefFunc, 1)}}}, {Type: wasm.ExternRef}},
		Datas: []wasm.Data{{}},
	}
	m.Types = append(m.Types, ft(vals(wasm.I32)), ft(nil, wasm.I32))
	m.Tags[gI32].Type, m.Tags[gLong].Type = tUnderTest+1, tUnderTest+2
	for i := range m.Types {
		m.Recs = append(m.Recs, wasm.RecGroup{Start: uint32(i), Len: 1})
	}
	m.Recs[tContLong-1] = wasm.RecGroup{Start: tContLong - 1, Len: 3} // tContLong comes before its function type
	m.Recs = append(m.Recs[:tContLong], m.Recs[tContLong+2:]...)
	return m
}

func op(o wasm.Op, idx ...uint32) wasm.Instr {
	in := wasm.Instr{Op: o}
	if len(idx) > 0 {
		in.A = idx[0]
	}
	if len(idx) > 1 {
		in.B = idx[1]
	}
	return in
}

func num(o wasm.Op, v uint64) wasm.Instr { return wasm.Instr{Op: o, Imm: v} }

func blk(o wasm.Op, bt wasm.BlockType) wasm.Instr { return wasm.Instr{Op: o, Imm: uint64(bt)} }

func rt(o wasm.Op, label uint32, t wasm.ValType, more ...wasm.ValType) wasm.Instr {
	return wasm.Instr{Op: o, A: label, Imm: uint64(t), Ext: &wasm.Ext{Types: more}}
}

func on(o wasm.Op, a, b uint32, hs ...wasm.HandlerClause) wasm.Instr {
	return wasm.Instr{Op: o, A: a, B: b, Ext: &wasm.Ext{HandlerClauses: hs}}
}

func null(t wasm.ValType) wasm.Instr { return wasm.Instr{Op: wasm.OpRefNull, Imm: uint64(t.OrNull())} }

func body(ins ...wasm.Instr) []wasm.Instr { return append(ins, op(wasm.OpEnd)) }

var (
	i32c        = num(wasm.OpI32Const, 1)
	i64c        = num(wasm.OpI64Const, 1)
	drop        = op(wasm.OpDrop)
	end         = op(wasm.OpEnd)
	unreachable = op(wasm.OpUnreachable)
)

// bodyCase is a body and the errors it must have, as prefixes of their messages, in order.
type bodyCase struct {
	name    string
	params  []wasm.ValType
	results []wasm.ValType
	locals  []wasm.ValType
	body    []wasm.Instr
	want    []string
}

func runBodies(t *testing.T, cases []bodyCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := fixture(c.params, c.results, c.locals, c.body)
			e := New(m)
			var got []Error
			e.Body(0, func(err Error) { got = append(got, err) })
			compare(t, got, c.want)
			e.NewTyper(nil).Body(0) // trusted mode does not fail on untrusted code either
		})
	}
}

func compare(t *testing.T, got []Error, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("missing: %s", want[i])
		case i >= len(want):
			t.Errorf("unexpected: %s (instr %d, imm %d, %s)", got[i].Msg, got[i].Instr, got[i].Imm, got[i].Code)
		case !strings.HasPrefix(got[i].Msg, want[i]):
			t.Errorf("got  %s\nwant %s", got[i].Msg, want[i])
		}
	}
}

func TestFixtureIsValid(t *testing.T) {
	var got []Error
	New(fixture(nil, nil, nil, body())).Declarations(func(err Error) { got = append(got, err) })
	compare(t, got, nil)
}
