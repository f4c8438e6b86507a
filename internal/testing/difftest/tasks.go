package difftest

import "stackscope/wasm"

// tasks is the design of that name.
type tasks struct{ named }

// entry returns the function that runs one of the program.
func (g *tasks) entry(f uint32) uint32 { return uint32(g.funcs) + f }

func (g *tasks) declare() {
	g.named.declare()
	bt := g.blockType(nil, there)
	for f := range uint32(g.funcs) {
		params := join([]wasm.ValType{g.ref}, g.m.Types[f].Params)
		body := []wasm.Instr{
			{Op: wasm.OpBlock, Imm: uint64(bt)}, on(wasm.OpEventSwitch, 0, 0, to(tagThere, 0)),
			{Op: wasm.OpEnd}, {Op: wasm.OpDrop}, {Op: wasm.OpDrop},
		}
		if g.one(3) { // a loop begins before it
			body = append(
				[]wasm.Instr{
					body[0], {Op: wasm.OpLoop}, on(wasm.OpEventSwitch, 0, 0, to(tagThere, 1)), {Op: wasm.OpEnd},
					{Op: wasm.OpUnreachable},
				},
				body[2:]...)
		}
		body = append(append(body, g.begins(0)...), g.call(f, 1, uint32(len(params)))...)
		g.fun(
			params,
			nil,
			append(
				body, wasm.Instr{Op: wasm.OpLocalGet}, wasm.Instr{Op: wasm.OpI64Const, Imm: uint64(f)},
				wasm.Instr{Op: wasm.OpTaskRetire, A: tagDone},
			)...)
	}
}

func (g *tasks) create(f uint32) {
	g.values(g.m.Types[f].Params)
	g.idx(wasm.OpTaskNew, g.entry(f))
}

// events emits an event.switch with pairs, in a loop or without.
func (g *tasks) events(loop bool, hs ...wasm.HandlerClause) {
	if loop {
		g.block(wasm.OpLoop, 0)
		for i := range hs {
			hs[i].Label++
		}
	}
	g.emit(on(wasm.OpEventSwitch, 0, 0, hs...))
	if loop {
		g.end()
		g.op(wasm.OpUnreachable)
	}
}

// takes emits a block around an instruction that sends an event: what the parent sends is taken
// there.
func (g *tasks) takes(send func()) {
	along := g.some()
	all := join(along, there)
	g.block(wasm.OpBlock, g.blockType(nil, all))
	g.puts(along)
	send()
	hs := []wasm.HandlerClause{to(tagThere, 0)}
	if g.one(3) {
		hs = append([]wasm.HandlerClause{to(tagOthers, 0)}, hs...)
	}
	g.events(len(along) == 0 && g.one(3), hs...)
	g.end()
	g.keep(all)
}

// puts emits values to be taken along; they may not lie where they go.
func (g *tasks) puts(along []wasm.ValType) {
	if g.one(2) {
		g.values([]wasm.ValType{wasm.I32, wasm.FuncRef})
	}
	g.values(along)
}

func (g *tasks) suspend() { g.within(g.cur, g.leave) }

func (g *tasks) leave() {
	me := g.save()
	f := g.callee()
	switch n := g.r.IntN(12); {
	case n == 0:
		g.sometimes(func() {
			g.target()
			g.expr(wasm.I64, 2)
			g.idx(wasm.OpTaskRetire, tagDone)
		})
	case n <= 3 && f != g.fn:
		g.takes(func() {
			g.target()
			g.create(f)
			g.values(there)
			g.idx(wasm.OpTaskSwitchto, tagThere)
		})
		g.restore(me)
		return
	case n == 4: // to itself
		g.takes(func() {
			g.idx(wasm.OpGlobalGet, g.cur)
			g.idx(wasm.OpGlobalGet, g.cur)
			g.values(there)
			g.idx(wasm.OpTaskSwitchto, tagThere)
		})
	}
	g.takes(func() {
		g.target()
		g.values(back)
		g.idx(wasm.OpTaskSuspend, tagBack)
	})
	g.restore(me)
}

func (g *tasks) coroutine(f uint32, loops int) {
	x := g.fresh(g.ref)
	g.rounds(loops, func(uint32) {
		g.create(f)
		g.made(x)
	}, func(out uint32) {
		me := g.hang()
		along := g.some()
		g.block(wasm.OpBlock, 0)
		g.block(wasm.OpBlock, g.blockType(nil, join(along, []wasm.ValType{wasm.I64})))
		g.block(wasm.OpBlock, g.blockType(nil, join(along, back)))
		g.puts(along)
		g.idx(wasm.OpLocalGet, x)
		g.values(there)
		g.idx(wasm.OpTaskResume, tagThere)
		g.events(len(along) == 0 && g.one(3), to(tagBack, 0), to(tagDone, 1))
		g.end()
		g.keep(join(along, back))
		g.restore(me)
		g.idx(wasm.OpBr, 1)
		g.end()
		g.keep(join(along, []wasm.ValType{wasm.I64}))
		g.restore(me)
		g.idx(wasm.OpBr, out+1)
		g.end()
	}, func() {
		if g.one(3) {
			g.idx(wasm.OpLocalGet, x)
			g.op(wasm.OpTaskRelease)
		}
	})
}
