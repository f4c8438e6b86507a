package valid

import (
	"testing"

	"stackscope/wasm"
)

func sub(final bool, st wasm.SubType, supers ...uint32) wasm.SubType {
	st.Final, st.Supers = final, supers
	return st
}

func structOf(fs ...wasm.FieldType) wasm.SubType {
	return wasm.SubType{Kind: wasm.CompStruct, Final: true, Fields: fs}
}

func fld(t wasm.ValType, mut bool) wasm.FieldType { return wasm.FieldType{Type: t, Mut: mut} }

// typesOnly returns a module of types, grouped as the lengths say (nil: each for itself).
func typesOnly(groups []uint32, ts ...wasm.SubType) *wasm.Module {
	m := &wasm.Module{Types: ts, Names: wasm.NewNames(), Start: wasm.BadIndex, DataCount: true}
	at := uint32(0)
	for _, n := range groups {
		m.Recs = append(m.Recs, wasm.RecGroup{Start: at, Len: n})
		at += n
	}
	for ; at < uint32(len(ts)); at++ {
		m.Recs = append(m.Recs, wasm.RecGroup{Start: at, Len: 1})
	}
	return m
}

// tagOnly returns a module that has only a tag with a result.
func tagOnly(d wasm.Dialect) *wasm.Module {
	m := typesOnly(nil, ft(nil, wasm.I32))
	m.Dialect, m.Tags = d, []wasm.Tag{{Type: 0, Import: -1}}
	return m
}

type declCase struct {
	name string
	m    *wasm.Module
	want []string
}

func runDecls(t *testing.T, cases []declCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []Error
			New(c.m).Declarations(func(err Error) { got = append(got, err) })
			compare(t, got, c.want)
		})
	}
}

func TestTypeDefinitions(t *testing.T) {
	fn := ft(nil)
	anyParam := ft(vals(wasm.AnyRef), wasm.EqRef)
	runDecls(t, []declCase{
		{"recursive", typesOnly(nil, structOf(fld(refNull(0), true))), nil},
		{
			"forward in a group",
			typesOnly([]uint32{2}, structOf(fld(refNull(1), true)), structOf(fld(refNull(0), true))), nil,
		},
		{
			"forward", typesOnly(nil, structOf(fld(refNull(1), true)), structOf()),
			[]string{"unknown type 1: 1 is defined later"},
		},
		{"unknown", typesOnly(nil, ft(vals(refNull(7)))), []string{"unknown type 7"}},
		{"cont of a later function", typesOnly(nil, cont(1), fn), []string{"unknown type 1"}},
		{"cont in a group", typesOnly([]uint32{2}, cont(1), fn), nil},
		{"cont of itself", typesOnly(nil, cont(0)), []string{"non-function type 0"}},
		{"open super type", typesOnly(nil, sub(false, fn), sub(true, fn, 0)), nil},
		{
			"final super type", typesOnly(nil, fn, sub(false, fn, 0)),
			[]string{"sub type 1 does not match super type 0: the super type is final"},
		},
		{"super type later", typesOnly([]uint32{2}, sub(false, fn, 1), sub(false, fn)), []string{"unknown type 1"}},
		{
			"kinds", typesOnly(nil, sub(false, structOf()), sub(false, fn, 0)),
			[]string{"sub type 1 does not match super type 0: a func type is not a struct type"},
		},
		{"function", typesOnly(nil, sub(false, ft(vals(wasm.EqRef), wasm.AnyRef)), sub(true, anyParam, 0)), nil},
		{
			"function the other way",
			typesOnly(nil, sub(false, anyParam), sub(true, ft(vals(wasm.EqRef), wasm.AnyRef), 0)),
			[]string{"sub type 1"},
		},
		{
			"struct width and depth",
			typesOnly(
				nil, sub(false, structOf(fld(wasm.AnyRef, false))),
				sub(true, structOf(fld(wasm.EqRef, false), fld(wasm.I8, true)), 0),
			),
			nil,
		},
		{
			"mutable field",
			typesOnly(nil, sub(false, structOf(fld(wasm.AnyRef, true))), sub(true, structOf(fld(wasm.EqRef, true)), 0)),
			[]string{"sub type 1"},
		},
		{
			"missing field",
			typesOnly(nil, sub(false, structOf(fld(wasm.I8, false))), sub(true, structOf(), 0)),
			[]string{"sub type 1"},
		},
		{
			"packed field",
			typesOnly(nil, sub(false, structOf(fld(wasm.I8, false))), sub(true, structOf(fld(wasm.I16, false)), 0)),
			[]string{"sub type 1"},
		},
		{"cont", typesOnly(nil, sub(false, fn), sub(true, fn, 0), sub(false, cont(0)), sub(true, cont(1), 2)), nil},
		{
			"cont undeclared",
			typesOnly(
				nil, sub(false, ft(vals(wasm.EqRef))), ft(vals(wasm.AnyRef)), sub(false, cont(0)),
				sub(true, cont(1), 2),
			),
			[]string{"sub type 3 does not match super type 2"},
		},
		{"bad types absorb", typesOnly(nil, wasm.SubType{}, sub(true, fn, 0), ft(vals(refNull(0)))), nil},
	})
}

func TestDeclarations(t *testing.T) {
	with := func(f func(m *wasm.Module)) *wasm.Module {
		m := fixture(nil, nil, nil, body())
		f(m)
		return m
	}
	lim := func(min, max uint64) wasm.Limits { return wasm.Limits{Min: min, Max: max, HasMax: true} }
	runDecls(t, []declCase{
		{
			"limits", with(func(m *wasm.Module) { m.Mems[0].Limits = lim(2, 1) }),
			[]string{"size minimum must not be greater than maximum"},
		},
		{"memory size", with(func(m *wasm.Module) { m.Mems[0].Limits.Min = 65537 }), []string{"memory size"}},
		{"memory64 size", with(func(m *wasm.Module) { m.Mems[1].Limits.Min = 1<<48 + 1 }), []string{"memory size"}},
		{"table size", with(func(m *wasm.Module) { m.Tables[0].Limits = lim(0, 1<<32) }), []string{"table size"}},
		{
			"table without initial value",
			with(func(m *wasm.Module) { m.Tables[0].Type = wasm.Ref(false, wasm.HeapFunc) }),
			[]string{"type mismatch: the elements of 0"},
		},
		{"table with initial value", with(func(m *wasm.Module) {
			m.Tables[0].Type, m.Tables[0].Init = wasm.Ref(false, wasm.HeapFunc), body(op(wasm.OpRefFunc, 2))
		}), nil},
		{
			"table sees imported globals only",
			with(func(m *wasm.Module) { m.Tables[0].Init = body(op(wasm.OpGlobalGet, 0)) }),
			[]string{"unknown global 0"},
		},
		{"function type", with(func(m *wasm.Module) { m.Funcs[1].Type = tStruct }), []string{"non-function type 4"}},
		{"unknown function type", with(func(m *wasm.Module) { m.Funcs[1].Type = 99 }), []string{"unknown type 99"}},
		{"bad function type", with(func(m *wasm.Module) { m.Funcs[1].Type = wasm.BadIndex }), nil},
		{"tag results without stack switching", tagOnly(wasm.DialectNone), nil},
		{"tag results with it off", tagOnly(wasm.DialectOff), []string{"non-empty tag result type"}},
		{"tag results in another dialect", tagOnly(wasm.DialectTasks), []string{"non-empty tag result type"}},
		{
			"other dialect",
			with(func(m *wasm.Module) { m.Dialect = wasm.DialectTasks; m.Types = m.Types[:tContVoid+1]; m.Tags = nil }),
			[]string{`cont types are of the dialect "cont", but the module is in "tasks"`, "unknown type 15"},
		},
		{
			"not constant", with(func(m *wasm.Module) { m.Globals[0].Init = body(i32c, op(wasm.OpI32Eqz)) }),
			[]string{"constant expression required"},
		},
		{
			"extended constant",
			with(func(m *wasm.Module) { m.Globals[0].Init = body(i32c, i32c, op(wasm.OpI32Sub)) }), nil,
		},
		{
			"mutable global", with(func(m *wasm.Module) { m.Elems[0].Init[0] = body(op(wasm.OpGlobalGet, 1)) }),
			[]string{"constant expression required", "type mismatch"},
		},
		{
			"own global", with(func(m *wasm.Module) { m.Globals[1].Init = body(op(wasm.OpGlobalGet, 1)) }),
			[]string{"unknown global 1"},
		},
		{
			"earlier global",
			with(
				func(m *wasm.Module) {
					m.Globals[1].Type = wasm.I32
					m.Globals[1].Init = body(op(wasm.OpGlobalGet, 0))
				},
			),
			nil,
		},
		{
			"constant type", with(func(m *wasm.Module) { m.Globals[0].Init = body(i64c) }),
			[]string{"type mismatch: constant expression requires [i32] but stack has [i64]"},
		},
		{"constant of no value", with(func(m *wasm.Module) { m.Globals[0].Init = body() }), []string{"type mismatch"}},
		{
			"data memory",
			with(
				func(m *wasm.Module) {
					m.Datas[0] = wasm.Data{Mode: wasm.SegmentActive, Memory: 5,
						Offset: body(i32c)}
				},
			),
			[]string{"unknown memory 5"},
		},
		{
			"data offset",
			with(
				func(m *wasm.Module) {
					m.Datas[0] = wasm.Data{Mode: wasm.SegmentActive, Memory: 1,
						Offset: body(i32c)}
				},
			),
			[]string{"type mismatch"},
		},
		{"elem type", with(func(m *wasm.Module) {
			m.Elems[1].Mode, m.Elems[1].Offset = wasm.SegmentActive, body(i32c)
		}), []string{"type mismatch: table 0 has elements of type funcref, but the segment has externref"}},
		{
			"start", with(func(m *wasm.Module) { m.Start = 0; m.Types[tUnderTest] = ft(vals(wasm.I32)) }),
			[]string{"start function"},
		},
		{"unknown start", with(func(m *wasm.Module) { m.Start = 9 }), []string{"unknown function 9"}},
		{"exports", with(func(m *wasm.Module) {
			m.Exports = []wasm.Export{
				{Name: "a", Kind: wasm.ExternFunc, Index: 1}, {Name: "a", Kind: wasm.ExternTag, Index: 0},
				{Name: "b", Kind: wasm.ExternGlobal, Index: 7},
			}
		}), []string{`duplicate export name: "a"`, "unknown global 7"}},
	})
}

func TestExportDeclaresFunction(t *testing.T) {
	m := fixture(nil, nil, nil, body(op(wasm.OpRefFunc, 2), drop))
	m.Exports = []wasm.Export{{Name: "f", Kind: wasm.ExternFunc, Index: 2}}
	New(m).Body(0, func(err Error) { t.Error(err.Msg) })
}

func TestDataCount(t *testing.T) {
	m := fixture(nil, nil, nil, body(op(wasm.OpDataDrop, 0)))
	m.DataCount = false
	var got []Error
	New(m).Body(0, func(err Error) { got = append(got, err) })
	compare(t, got, []string{"data count section required"})
}

func TestPoppedAndPushed(t *testing.T) {
	b := body(
		op(wasm.OpRefFunc, 1), blk(wasm.OpBlock, wasm.BlockResult(wasm.FuncRef)), op(wasm.OpRefFunc, 1), end,
		op(wasm.OpBrOnNull, 0), drop, drop,
	)
	ty := New(fixture(nil, nil, nil, b)).NewTyper(func(err Error) { t.Error(err.Msg) })
	ty.Begin(0)
	for i, w := range []struct{ popped, pushed, stack string }{
		{"[]", "[(ref 0)]", "[(ref 0)]"},
		{"[]", "[]", "[(ref 0)]"},
		{"[]", "[(ref 0)]", "[(ref 0) (ref 0)]"},
		{"[(ref 0)]", "[funcref]", "[(ref 0) funcref]"},
		{"[funcref]", "[(ref func)]", "[(ref 0) (ref func)]"},
		{"[(ref func)]", "[]", "[(ref 0)]"},
		{"[(ref 0)]", "[]", "[]"},
	} {
		ty.Step(&b[i])
		got := [3]string{
			wasm.FormatTypes(ty.Popped(), nil), wasm.FormatTypes(ty.Pushed(), nil),
			wasm.FormatTypes(ty.Operands(), nil),
		}
		if got != [3]string{w.popped, w.pushed, w.stack} {
			t.Errorf("instr %d: got %v, want %v", i, got, w)
		}
		if i == 3 && (ty.Closed() == nil || ty.Closed().Start != 1 || ty.Closed().Height != 1) {
			t.Errorf("closed: %+v", ty.Closed())
		}
	}
}
