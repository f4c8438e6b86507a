package difftest

import "stackscope/wasm"

// bag is the design stacks: each stack gives itself to the one that it switches to, and ends by
// switch_retire. The variable has whom to give control to.
type bag struct{ *gen }

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
	e := wasm.Elem{Type: wasm.FuncRef, Mode: wasm.SegmentDeclarative}
	for _, in := range own {
		e.Init = append(e.Init, []wasm.Instr{in, {Op: wasm.OpEnd}})
	}
	g.m.Elems = append(g.m.Elems, e)
}

func (g bag) suspend() {
	_, give, to := g.types()
	g.within(to, func() {
		g.values(back)
		g.idx(wasm.OpGlobalGet, to)
		g.idx(wasm.OpStacksSwitch, give)
		g.idx(wasm.OpGlobalSet, to)
		g.keep(there)
	})
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
	}, func() {})
}
