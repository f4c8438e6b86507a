package valid

import (
	"strings"
	"testing"

	"stackscope/wasm"
)

// dialectModule returns a module of a dialect: its types, functions of types, tags of types;
// function 0 is under test.
func dialectModule(
	d wasm.Dialect, types []wasm.SubType, funcs, tags []uint32, locals []wasm.ValType, code []wasm.Instr,
) *wasm.Module {
	m := typesOnly([]uint32{uint32(len(types))}, types...)
	m.Dialect = d
	for _, f := range funcs {
		m.Funcs = append(m.Funcs, wasm.Func{Type: f, Import: -1})
	}
	for _, g := range tags {
		m.Tags = append(m.Tags, wasm.Tag{Type: g, Import: -1})
	}
	m.Funcs[0].Body, m.Funcs[0].Locals = code, locals
	return m
}

type dialectCase struct {
	name string
	body []wasm.Instr
	want []string
}

func runDialect(
	t *testing.T, d wasm.Dialect, types []wasm.SubType, funcs, tags []uint32, locals []wasm.ValType,
	cases []dialectCase,
) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := dialectModule(d, types, funcs, tags, locals, c.body)
			var got []Error
			New(m).Module(func(err Error) { got = append(got, err) })
			compare(t, got, c.want)
		})
	}
}

func get(i uint32) wasm.Instr { return op(wasm.OpLocalGet, i) }

func TestStacks(t *testing.T) {
	stack := func(rt wasm.ValType, ps ...wasm.ValType) wasm.SubType {
		return wasm.SubType{Kind: wasm.CompStack, Final: true, Params: ps, Results: vals(rt)}
	}
	types := []wasm.SubType{
		0: ft(nil),
		1: stack(refNull(2), wasm.I32),              // takes an i32 and who switched
		2: stack(refNull(1), wasm.I64),              // takes an i64 back
		3: ft(vals(wasm.I32, refNull(2))),           // code of 1
		4: stack(refNull(2), wasm.F32, wasm.I32),    // 1 with a parameter to bind
		5: stack(ref(2)),                            // cannot be passed null
		6: ft(vals(wasm.F32, wasm.I32, refNull(2))), // code of 4
	}
	funcs := []uint32{0, 3, 6}
	locals := vals(refNull(1), refNull(4), refNull(5), refNull(3))
	f32c := num(wasm.OpF32Const, 0)
	runDialect(t, wasm.DialectStacks, types, funcs, nil, locals, []dialectCase{
		{"new", body(op(wasm.OpStackNew, 1, 1), op(wasm.OpLocalSet, 0)), nil},
		{
			"new of another function", body(op(wasm.OpStackNew, 1, 2), drop),
			[]string{"type mismatch: the function of a 1 needs type [i32 (ref null 2)] -> []"},
		},
		{"new of no stack type", body(op(wasm.OpStackNew, 0, 1), drop), []string{"non-stack type 0"}},
		{"new_ref", body(get(3), op(wasm.OpStackNewRef, 1), op(wasm.OpLocalSet, 0)), nil},
		{
			"new_ref of another function", body(get(3), op(wasm.OpStackNewRef, 4), drop),
			[]string{"type mismatch: the function of a 4"},
		},
		{
			"new_ref of a number", body(i32c, op(wasm.OpStackNewRef, 4), drop),
			[]string{"type mismatch: instruction requires"},
		},
		{
			"switch",
			body(i32c, get(0), op(wasm.OpStacksSwitch, 1), op(wasm.OpLocalSet, 0), op(wasm.OpI64Eqz), drop),
			nil,
		},
		{"switch operands", body(get(0), op(wasm.OpStacksSwitch, 1), drop, drop), []string{"type mismatch"}},
		{"switch_retire", body(i32c, get(0), op(wasm.OpSwitchRetire, 1), op(wasm.OpI32Add), drop), nil},
		{
			"switch_retire passes null", body(get(2), op(wasm.OpSwitchRetire, 5)),
			[]string{"type mismatch: switch_retire passes null"},
		},
		{"bind", body(f32c, get(1), op(wasm.OpStackBind, 4, 1), op(wasm.OpLocalSet, 0)), nil},
		{"bind types", body(get(1), op(wasm.OpStackBind, 4, 2), drop), []string{"type mismatch in stack types"}},
		{"cast", body(get(0), rt(wasm.OpRefCast, 0, refNull(1)), drop), []string{"invalid cast"}},
	})
	bad := wasm.SubType{Kind: wasm.CompStack, Final: true}
	runDialect(
		t,
		wasm.DialectStacks,
		[]wasm.SubType{ft(nil), bad, stack(wasm.I32), stack(refNull(0))},
		[]uint32{0},
		nil,
		nil,
		[]dialectCase{
			{
				"types",
				body(),
				[]string{
					"stack type 1 must end", "stack type 2 must end",
					"stack type 3 must end in a reference to a stack type, but ends in (ref null (func))",
				},
			},
		},
	)
}

func TestFibersMount(t *testing.T) {
	fb := wasm.Ref(false, wasm.HeapFiber)
	types := []wasm.SubType{
		0: ft(nil), 1: ft(vals(wasm.I32)), 2: ft(vals(wasm.I64, fb), wasm.I32), 3: ft(vals(wasm.I64, fb,
			wasm.I32), wasm.I32),
		4: ft(nil, fb), 5: ft(nil, fb, wasm.I32),
	}
	funcs, tags := []uint32{0, 2, 3}, []uint32{0, 1} // tag 0: [], tag 1: [i32]
	h := func(tag, to uint32) wasm.HandlerClause { return wasm.HandlerClause{Tag: tag, Label: to} }
	runDialect(t, wasm.DialectFibersMount, types, funcs, tags, vals(wasm.FiberRef), []dialectCase{
		{"new", body(i64c, on(wasm.OpMountFiberNew, 1, 0, h(0, 1), h(1, 2)), op(wasm.OpLocalSet, 0)), nil},
		{"new without clauses", body(on(wasm.OpMountFiberNew, 1, 0), op(wasm.OpLocalSet, 0)), nil},
		{
			"new entry", body(i64c, on(wasm.OpMountFiberNew, 1, 0, h(0, 1), h(1, 1)), drop),
			[]string{"type mismatch: the entry for 1 needs a function [i64 (ref fiber) i32] -> [i32]"},
		},
		{
			"new results", body(i64c, on(wasm.OpMountFiberNew, 0, 0, h(0, 1)), drop),
			[]string{"type mismatch: the entry for 0"},
		},
		{
			"mount",
			body(blk(wasm.OpBlock, i32b), i32c, get(0), on(wasm.OpFiberMount, 1, 0, h(1, 0)), i32c, end, drop),
			nil,
		},
		{
			"mount label", body(i32c, get(0), on(wasm.OpFiberMount, 1, 0, h(1, 0))),
			[]string{"type mismatch: the event 1 brings [i32], but its label takes []"},
		},
		{
			"mount payload", body(get(0), on(wasm.OpFiberMount, 1, 0)),
			[]string{"type mismatch: instruction requires [i32 fiberref]"},
		},
		{"switch", body(get(0), get(0), on(wasm.OpMountFiberSwitch, 0, 0)), nil},
		{"dismount", body(i32c, get(0), on(wasm.OpFiberDismount, 1, 0)), nil},
		{"release", body(get(0), op(wasm.OpMountFiberRelease)), nil},
		{
			"mount_new",
			body(blk(wasm.OpBlock, wasm.BlockIndex(5)), i64c, on(wasm.OpFiberMountNew, 1, 1, h(1, 0)), end, drop, drop),
			nil,
		},
		{"switch_new", body(i64c, get(0), on(wasm.OpFiberSwitchNew, 1, 1), drop, drop), nil},
		{
			"mount_new function", body(on(wasm.OpFiberMountNew, 1, 0), drop, drop),
			[]string{"type mismatch: fiber.mount_new needs a function that takes (ref fiber) last"},
		},
		{"switch_release", body(i32c, get(0), get(0), op(wasm.OpFiberSwitchRelease, 1)), nil},
	})
}

func TestFibersHandle(t *testing.T) {
	fiber := func(rs ...wasm.ValType) wasm.SubType {
		return wasm.SubType{Kind: wasm.CompFiber, Final: true, Results: rs}
	}
	types := []wasm.SubType{
		0: ft(nil), 1: fiber(wasm.I64), 2: ft(vals(refNull(1), wasm.I32), wasm.I64), 3: ft(vals(wasm.I32)),
		4: ft(
			vals(wasm.F32, wasm.F64), wasm.I32,
		), 5: ft(vals(wasm.F64, wasm.I32), wasm.I32), 6: ft(vals(wasm.I32), wasm.I32),
	}
	funcs, tags := []uint32{0, 2}, []uint32{0, 3} // tag 0: [], tag 1: [i32]
	ev := func(tag uint32, bt wasm.BlockType) wasm.Instr {
		return wasm.Instr{Op: wasm.OpEvent, A: tag, Imm: uint64(bt)}
	}
	f32c, f64c := num(wasm.OpF32Const, 0), num(wasm.OpF64Const, 0)
	runDialect(t, wasm.DialectFibersHandle, types, funcs, tags, vals(refNull(1), refNull(0)), []dialectCase{
		{"new", body(i32c, op(wasm.OpHandleFiberNew, 1), op(wasm.OpLocalSet, 0)), nil},
		{
			"new of a plain function", body(op(wasm.OpHandleFiberNew, 0), drop),
			[]string{"type mismatch: the function of a fiber"},
		},
		{"spawn", body(i32c, op(wasm.OpFiberSpawn, 1), op(wasm.OpI64Eqz), drop), nil},
		{"resume", body(get(0), i32c, op(wasm.OpFiberResume, 1), op(wasm.OpI64Eqz), drop), nil},
		{
			"resume of no fiber", body(get(1), op(wasm.OpFiberResume, 0)),
			[]string{"type mismatch: instruction requires [fiberref]"},
		},
		{"resume unreachable", body(unreachable, op(wasm.OpFiberResume, 0), op(wasm.OpI32Eqz), drop), nil},
		{"suspend", body(get(0), i32c, op(wasm.OpFiberSuspend, 1), op(wasm.OpI32Eqz), drop), nil},
		{"switch", body(get(0), get(0), op(wasm.OpHandleFiberSwitch, 0)), nil},
		{"release", body(get(0), op(wasm.OpHandleFiberRelease)), nil},
		{"handle", body(blk(wasm.OpHandle, i32b), i32c, ev(1, 0), ev(0, 0), i32c, op(wasm.OpBr, 1), end, drop), nil},
		{
			"clause gives the handle's results", body(blk(wasm.OpHandle, i32b), i32c, ev(0, 0), end, drop),
			[]string{"type mismatch: event requires [i32] but stack has []"},
		},
		{
			"handle without results", body(blk(wasm.OpHandle, i32b), ev(0, 0), i32c, end, drop),
			[]string{"type mismatch: handle before its event clauses requires [i32] but stack has []"},
		},
		{
			"clause with parameters of the handle",
			body(
				f32c, f64c, blk(wasm.OpHandle, wasm.BlockIndex(4)), drop, drop, i32c, ev(1, wasm.BlockIndex(5)),
				drop, drop, i32c, end, drop,
			),
			nil,
		},
		{
			"clause with other parameters",
			body(
				f32c, f64c, blk(wasm.OpHandle, wasm.BlockIndex(4)), drop, drop, i32c, ev(0, wasm.BlockIndex(6)),
				drop, i32c, end, drop,
			),
			[]string{"type mismatch: the clause for event 0 takes [i32]"},
		},
		{"function clauses", body(ev(1, 0), drop, ev(0, 0)), nil},
		{
			"event in a block", body(blk(wasm.OpBlock, 0), ev(1, 0), end),
			[]string{"unexpected token: event without handle"},
		},
	})
}

func TestTasks(t *testing.T) {
	types := []wasm.SubType{
		0: ft(nil), 1: ft(vals(wasm.TaskRef, wasm.I32)), 2: ft(vals(wasm.I32)), 3: ft(nil, wasm.I64, wasm.I32),
	}
	funcs, tags := []uint32{0, 1}, []uint32{0, 2} // tag 0: [], tag 1: [i32]
	es := func(hs ...wasm.HandlerClause) wasm.Instr { return on(wasm.OpEventSwitch, 0, 0, hs...) }
	h := func(tag, to uint32) wasm.HandlerClause { return wasm.HandlerClause{Tag: tag, Label: to} }
	runDialect(t, wasm.DialectTasks, types, funcs, tags, vals(wasm.TaskRef), []dialectCase{
		{"new", body(i32c, op(wasm.OpTaskNew, 1), op(wasm.OpLocalSet, 0)), nil},
		{
			"new of a plain function", body(op(wasm.OpTaskNew, 0), drop),
			[]string{"type mismatch: the function of a task"},
		},
		{"resume", body(get(0), i32c, op(wasm.OpTaskResume, 1), es()), nil},
		{"switchto", body(get(0), get(0), i32c, op(wasm.OpTaskSwitchto, 1), es()), nil},
		{"retire", body(get(0), op(wasm.OpTaskRetire, 0), op(wasm.OpI32Eqz), drop), nil},
		{"release", body(get(0), op(wasm.OpTaskRelease)), nil},
		{"event.switch", body(blk(wasm.OpBlock, wasm.BlockIndex(3)), i64c, es(h(1, 0), h(0, 1)), end, drop, drop), nil},
		{
			"event.switch values", body(blk(wasm.OpBlock, i32b), es(h(0, 0)), end, drop),
			[]string{"type mismatch: the label for event 0 requires [i32] before the event's values but stack has []"},
		},
		{
			"event.switch label", body(es(h(1, 0))),
			[]string{"type mismatch: the event 1 brings [i32], but its label takes []"},
		},
		{"unknown event", body(es(h(7, 0))), []string{"unknown tag 7"}},
	})
}

// A heap type of another dialect is one error where it is written.
func TestDialectOfTypes(t *testing.T) {
	m := dialectModule(
		wasm.DialectTasks, []wasm.SubType{ft(vals(wasm.FiberRef))}, []uint32{0}, nil,
		vals(wasm.Ref(true, wasm.HeapCont)), body(),
	)
	var got []string
	New(m).Module(func(err Error) { got = append(got, err.Msg) })
	if len(got) != 2 || !strings.HasPrefix(got[0], "fiberref is a type of the dialect") ||
		!strings.HasPrefix(got[1], "contref is a type") {
		t.Errorf("%q", got)
	}
}
