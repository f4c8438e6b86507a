package vm

import (
	"context"
	"testing"

	"stackscope/wasm"
)

// The tests here build modules as data; those that read text are in internal/wast.

func ins(op wasm.Op, a ...uint32) wasm.Instr {
	in := wasm.Instr{Op: op}
	if len(a) > 0 {
		in.A = a[0]
	}
	if len(a) > 1 {
		in.B = a[1]
	}
	return in
}

func i32c(x uint32) wasm.Instr { return wasm.Instr{Op: wasm.OpI32Const, Imm: uint64(x)} }

func blk(op wasm.Op, bt wasm.BlockType) wasm.Instr { return wasm.Instr{Op: op, Imm: uint64(bt)} }

func testFunc(typ uint32, locals []wasm.ValType, body ...wasm.Instr) wasm.Func {
	return wasm.Func{Type: typ, Import: -1, Locals: locals, Body: append(body, ins(wasm.OpEnd))}
}

func ftype(params, results []wasm.ValType) wasm.SubType {
	return wasm.SubType{Kind: wasm.CompFunc, Final: true, Params: params, Results: results}
}

func module(types []wasm.SubType, funcs ...wasm.Func) *wasm.Module {
	m := &wasm.Module{
		Dialect: wasm.DialectCont, Types: types, Funcs: funcs, Start: wasm.BadIndex,
		Names: wasm.NewNames(),
	}
	for i := range types {
		m.Recs = append(m.Recs, wasm.RecGroup{Start: uint32(i), Len: 1})
	}
	m.Exports = append(m.Exports, wasm.Export{Name: "main", Kind: wasm.ExternFunc, Index: uint32(len(funcs) - 1)})
	return m
}

var i32s = []wasm.ValType{wasm.I32}

// fibModule exports fib.
func fibModule() *wasm.Module {
	return module([]wasm.SubType{ftype(i32s, i32s)},
		testFunc(
			0,
			nil,
			ins(
				wasm.OpLocalGet, 0,
			),
			i32c(2),
			ins(wasm.OpI32LtS),
			blk(wasm.OpIf, 0),
			ins(wasm.OpLocalGet, 0),
			ins(wasm.OpReturn),
			ins(wasm.OpEnd),
			ins(wasm.OpLocalGet, 0),
			i32c(1),
			ins(wasm.OpI32Sub),
			ins(wasm.OpCall, 0),
			ins(wasm.OpLocalGet, 0),
			i32c(2),
			ins(wasm.OpI32Sub),
			ins(wasm.OpCall, 0),
			ins(wasm.OpI32Add),
		))
}

// generatorModule exports a function that sums n, n-1 … 1 as a generator yields them.
func generatorModule() *wasm.Module {
	cont := wasm.Ref(true, 1)
	m := module([]wasm.SubType{
		ftype(i32s, nil), // 0: generator
		{Kind: wasm.CompCont, Final: true, Func: 4}, // 1: cont of 4
		ftype(i32s, nil),                      // 2: tag
		ftype(i32s, []wasm.ValType{wasm.I64}), // 3: main
		ftype(nil, nil),                       // 4
		ftype(nil, []wasm.ValType{wasm.I32, wasm.Ref(false, 1)}), // 5: handler block
		{Kind: wasm.CompCont, Final: true, Func: 0},              // 6: cont of 0
	},
		testFunc(0, nil,
			blk(wasm.OpLoop, 0),
			ins(wasm.OpLocalGet, 0), ins(wasm.OpSuspend, 0),
			ins(wasm.OpLocalGet, 0), i32c(1), ins(wasm.OpI32Sub), ins(wasm.OpLocalTee, 0), ins(wasm.OpBrIf, 0),
			ins(wasm.OpEnd)),
		testFunc(
			3,
			[]wasm.ValType{wasm.I64, cont},
			ins(
				wasm.OpLocalGet, 0,
			),
			ins(wasm.OpRefFunc, 0),
			ins(wasm.OpContNew, 6),
			ins(wasm.OpContBind, 6, 1),
			ins(wasm.OpLocalSet, 2),
			blk(wasm.OpLoop, 0),
			blk(wasm.OpBlock, wasm.BlockIndex(5)),
			ins(wasm.OpLocalGet, 2),
			wasm.Instr{Op: wasm.OpResume, A: 1, Ext: &wasm.Ext{HandlerClauses: []wasm.HandlerClause{{Tag: 0,
				Label: 0}}}},
			ins(wasm.OpLocalGet, 1),
			ins(wasm.OpReturn),
			ins(wasm.OpEnd),
			ins(
				wasm.OpLocalSet, 2,
			),
			ins(wasm.OpI64ExtendI32U),
			ins(wasm.OpLocalGet, 1),
			ins(wasm.OpI64Add),
			ins(wasm.OpLocalSet, 1),
			ins(wasm.OpBr, 0),
			ins(wasm.OpEnd),
			ins(wasm.OpUnreachable),
		))
	m.Recs = []wasm.RecGroup{{Start: 0, Len: 7}}
	m.Tags = []wasm.Tag{{Type: 2, Import: -1}}
	return m
}

func start(t testing.TB, mod *wasm.Module) (*Machine, *Func) {
	t.Helper()
	m := New(Options{})
	in, err := m.Instantiate(context.Background(), mod, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, in.Export("main").(*Func)
}

func call(t testing.TB, m *Machine, fn *Func, args ...Value) []Value {
	t.Helper()
	r, err := m.Call(context.Background(), fn, args...)
	if err != nil {
		if c, ok := err.(*Crash); ok {
			t.Fatal(err, c.Stack)
		}
		t.Fatal(err)
	}
	return r
}

func TestFib(t *testing.T) {
	m, fn := start(t, fibModule())
	if r := call(t, m, fn, I32(20)); r[0].I32() != 6765 {
		t.Error(r)
	}
}

func TestGenerator(t *testing.T) {
	m, fn := start(t, generatorModule())
	if r := call(t, m, fn, I32(1000)); r[0].I64() != 500500 {
		t.Error(r)
	}
	if st := m.Stats(); st.Created != 1 || st.Peak != 1 || m.live != 0 {
		t.Error(st, m.live)
	}
}

func BenchmarkPlainFib(b *testing.B) {
	m, fn := start(b, fibModule())
	for b.Loop() {
		call(b, m, fn, I32(27))
	}
}

func BenchmarkGenerator(b *testing.B) {
	m, fn := start(b, generatorModule())
	b.ReportAllocs()
	call(b, m, fn, I32(int32(b.N)))
}
