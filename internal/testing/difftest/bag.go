package difftest

import "stackscope/wasm"

// bag is the design stacks: each stack gives itself to the one that it switches to, and ends by
// switch_retire, or by an exception that is thrown where it stands. The variable has whom to give
// control to.
type bag struct{ *gen }

// The functions that declare makes, after those that run the functions of the program.
const (
	bagLeave      = iota // gives control, and leaves its frame to bagArrive
	bagLeaveThrow        // the same, with an exception
	bagArrive            // returns what control comes back with
)

// tagGone is the exception: [i64, the stack that it comes from].
const tagGone = 0

func (g bag) helper(f uint32) uint32 { return 2*uint32(g.funcs) + f }

func (g bag) types() (ask, give, to uint32) {
	return uint32(g.funcs), uint32(g.funcs) + 1, uint32(len(g.kinds()))
}

// coroutineOf returns, for a function of the program, its type as a stack and the function that
// runs it.
func (g bag) coroutineOf(f uint32) (typ, fn uint32) {
	_, give, _ := g.types()
	return give + 1 + 2*f, uint32(g.funcs) + f
}

func (g bag) declare() {
	ask, give, to := g.types()
	g.m.Recs = append(g.m.Recs, wasm.RecGroup{Start: ask, Len: 2})
	g.m.Types = append(
		g.m.Types,
		wasm.SubType{
			Kind: wasm.CompStack, Final: true, Params: there,
			Results: []wasm.ValType{wasm.Ref(true, wasm.HeapType(give))},
		},
		wasm.SubType{
			Kind: wasm.CompStack, Final: true, Params: back,
			Results: []wasm.ValType{wasm.Ref(true, wasm.HeapType(ask))},
		},
	)
	rt := wasm.Ref(true, wasm.HeapType(give))
	g.global(rt)
	var own []wasm.Instr
	for f := range uint32(g.funcs) {
		params := join(g.m.Types[f].Params, there)
		g.typ(wasm.SubType{Kind: wasm.CompStack, Params: params, Results: []wasm.ValType{rt}})
		body := append(
			[]wasm.Instr{{Op: wasm.OpLocalGet, A: uint32(len(params))}, {Op: wasm.OpGlobalSet, A: to}},
			g.call(f, 0, uint32(len(params)+1))...)
		g.fun(
			join(params, []wasm.ValType{rt}),
			nil,
			append(body, wasm.Instr{Op: wasm.OpI64Const, Imm: uint64(f)},
				wasm.Instr{Op: wasm.OpRefFunc, A: uint32(g.funcs - 1)},
				wasm.Instr{Op: wasm.OpGlobalGet, A: to}, wasm.Instr{Op: wasm.OpSwitchRetire, A: give})...)
		_, fn := g.coroutineOf(f)
		own = append(own, wasm.Instr{Op: wasm.OpRefFunc, A: fn})
	}
	g.m.Tags = append(
		g.m.Tags, wasm.Tag{Type: g.funcType([]wasm.ValType{wasm.I64, rt}, nil), Import: -1},
	)
	asker := []wasm.ValType{wasm.Ref(true, wasm.HeapType(ask))}
	given, sent := join(there, []wasm.ValType{rt}), join(back, []wasm.ValType{rt})
	leave := func(params []wasm.ValType, last wasm.Instr) {
		body := []wasm.Instr{
			{Op: wasm.OpF32Const}, {Op: wasm.OpI64Const, Imm: 77}, {Op: wasm.OpRefFunc, A: uint32(g.funcs - 1)},
		}
		for i := range params {
			body = append(body, wasm.Instr{Op: wasm.OpLocalGet, A: uint32(i)})
		}
		g.fun(params, given, append(body, last)...)
	}
	leave(sent, wasm.Instr{Op: wasm.OpReturnSwitch, A: give, B: g.helper(bagArrive)})
	g.m.Tags = append(
		g.m.Tags, wasm.Tag{Type: g.funcType(join([]wasm.ValType{wasm.I64}, asker), nil), Import: -1},
	)
	leave([]wasm.ValType{wasm.I64, rt}, wasm.Instr{
		Op: wasm.OpReturnSwitchThrow, A: give, B: tagGone + 1, Imm: uint64(g.helper(bagArrive)),
	})
	kept := []wasm.ValType{wasm.I64, wasm.FuncRef}
	own = append(own, wasm.Instr{Op: wasm.OpRefFunc, A: uint32(g.funcs - 1)})
	g.fun(join(kept, given), given, g.arrive(uint32(len(kept)), uint32(len(kept)+len(given)))...)
	e := wasm.Elem{Type: wasm.FuncRef, Mode: wasm.SegmentDeclarative}
	for _, in := range own {
		e.Init = append(e.Init, []wasm.Instr{in, {Op: wasm.OpEnd}})
	}
	g.m.Elems = append(g.m.Elems, e)
}

// arrive returns the body of bagArrive: what it was given before must be there, and its local, which
// is no parameter, must be null.
func (g bag) arrive(first, fresh uint32) (body []wasm.Instr) {
	fail := []wasm.Instr{{Op: wasm.OpIf}, {Op: wasm.OpUnreachable}, {Op: wasm.OpEnd}}
	body = append(
		body, wasm.Instr{Op: wasm.OpLocalGet}, wasm.Instr{Op: wasm.OpI64Const, Imm: 77}, wasm.Instr{Op: wasm.OpI64Ne},
	)
	body = append(body, fail...)
	body = append(body, wasm.Instr{Op: wasm.OpLocalGet, A: 1}, wasm.Instr{Op: wasm.OpRefIsNull})
	body = append(body, fail...)
	body = append(
		body, wasm.Instr{Op: wasm.OpLocalGet, A: fresh}, wasm.Instr{Op: wasm.OpRefIsNull},
		wasm.Instr{Op: wasm.OpI32Eqz},
	)
	body = append(body, fail...)
	for i := first; i < fresh; i++ {
		body = append(body, wasm.Instr{Op: wasm.OpLocalGet, A: i})
	}
	return body
}

func (g bag) suspend() {
	_, _, to := g.types()
	g.within(to, func() {
		if g.one(3) {
			g.give()
			g.idx(wasm.OpGlobalSet, to)
			g.keep(there)
			return
		}
		// An exception may come instead.
		rt := g.m.Globals[to].Type
		given, gone := join(there, []wasm.ValType{rt}), []wasm.ValType{wasm.I64, rt}
		g.block(wasm.OpBlock, 0)
		g.block(wasm.OpBlock, g.blockType(nil, gone))
		g.emit(wasm.Instr{
			Op: wasm.OpTryTable, Imm: uint64(g.blockType(nil, given)),
			Ext: &wasm.Ext{Catches: []wasm.Catch{{Kind: wasm.CatchTag, Tag: tagGone, Label: 0}}},
		})
		g.depth++
		g.give()
		g.end()
		g.idx(wasm.OpGlobalSet, to)
		g.keep(there)
		g.idx(wasm.OpBr, 1)
		g.end()
		g.idx(wasm.OpGlobalSet, to)
		g.keep(gone[:1])
		g.end()
	})
}

// give emits code that gives control, in one of the ways, and leaves what it comes back with.
func (g bag) give() {
	_, give, to := g.types()
	switch g.r.IntN(4) {
	case 0:
		g.values(back)
		g.idx(wasm.OpGlobalGet, to)
		g.idx(wasm.OpCall, g.helper(bagLeave))
	case 1:
		if g.one(4) {
			g.values([]wasm.ValType{wasm.I64})
			g.idx(wasm.OpGlobalGet, to)
			g.idx(wasm.OpCall, g.helper(bagLeaveThrow))
			return
		}
		fallthrough
	default:
		g.values(back)
		g.idx(wasm.OpGlobalGet, to)
		g.idx(wasm.OpStacksSwitch, give)
	}
}

func (g bag) coroutine(f uint32, loops int) {
	ask, give, to := g.types()
	typ, fn := g.coroutineOf(f)
	stack := g.fresh(wasm.Ref(true, wasm.HeapType(ask)))
	saved := g.fresh(wasm.Ref(true, wasm.HeapType(give)))
	params := g.m.Types[f].Params
	create := func() {
		if g.one(2) {
			g.emit(wasm.Instr{Op: wasm.OpStackNew, A: typ, B: fn})
			return
		}
		g.idx(wasm.OpRefFunc, fn)
		g.idx(wasm.OpStackNewRef, typ)
	}
	after := func(out uint32) {
		g.idx(wasm.OpLocalSet, stack)
		g.keep(back)
		g.idx(wasm.OpLocalGet, saved)
		g.idx(wasm.OpGlobalSet, to)
		g.idx(wasm.OpLocalGet, stack)
		g.op(wasm.OpRefIsNull)
		g.idx(wasm.OpBrIf, out)
	}
	g.idx(wasm.OpGlobalGet, to)
	g.idx(wasm.OpLocalSet, saved)
	g.rounds(loops, func(out uint32) {
		g.values(params)
		if g.one(2) { // begin with all at once
			g.values(there)
			create()
			g.idx(wasm.OpStacksSwitch, typ)
			after(out)
			return
		}
		create()
		g.emit(wasm.Instr{Op: wasm.OpStackBind, A: typ, B: ask})
		g.idx(wasm.OpLocalSet, stack)
	}, func(out uint32) {
		g.values(there)
		g.idx(wasm.OpLocalGet, stack)
		g.idx(wasm.OpStacksSwitch, ask)
		after(out)
	}, func() {
		if !g.one(2) {
			return
		}
		g.values([]wasm.ValType{wasm.I64})
		g.idx(wasm.OpLocalGet, stack)
		g.emit(wasm.Instr{Op: wasm.OpSwitchThrow, A: ask, B: tagGone})
		g.idx(wasm.OpLocalSet, stack)
		g.keep(back)
		g.idx(wasm.OpLocalGet, saved)
		g.idx(wasm.OpGlobalSet, to)
	})
}
