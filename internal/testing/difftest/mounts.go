package difftest

import "stackscope/wasm"

// mounts is the design fibers-mount.
type mounts struct{ named }

// The functions that run one of the program: as an entry, and for fiber.mount_new.
func (g *mounts) entry(f uint32) uint32  { return uint32(g.funcs) + 2*f }
func (g *mounts) direct(f uint32) uint32 { return uint32(g.funcs) + 2*f + 1 }

func (g *mounts) declare() {
	g.named.declare()
	me := wasm.Ref(false, g.ref.Heap())
	for f := range uint32(g.funcs) {
		for _, more := range [][]wasm.ValType{there, nil} {
			params := join(g.m.Types[f].Params, []wasm.ValType{me}, more)
			body := append(g.begins(uint32(len(params)-len(more)-1)), g.call(f, 0, uint32(len(params)))...)
			g.fun(params, []wasm.ValType{wasm.I64}, append(body, wasm.Instr{Op: wasm.OpI64Const, Imm: uint64(f)})...)
		}
	}
}

// create emits a new fiber.
func (g *mounts) create(f uint32) {
	g.values(g.m.Types[f].Params)
	hs := []wasm.HandlerClause{to(tagThere, g.entry(f))}
	if g.one(3) {
		hs = append([]wasm.HandlerClause{to(tagOthers, g.entry(f))}, hs...)
	}
	g.emit(on(wasm.OpMountFiberNew, tagDone, 0, hs...))
}

// takes returns the clauses of an instruction that is to take what the parent sends; seldom none.
func (g *mounts) takes(label uint32) []wasm.HandlerClause {
	switch g.r.IntN(8) {
	case 0:
		return nil
	case 1, 2:
		return []wasm.HandlerClause{to(tagOthers, label), to(tagThere, label)}
	}
	return []wasm.HandlerClause{to(tagThere, label)}
}

func (g *mounts) suspend() { g.within(g.cur, g.leave) }

func (g *mounts) leave() {
	me := g.save()
	f := g.callee()
	fiber := wasm.Ref(false, g.ref.Heap())
	switch n := g.r.IntN(12); {
	case n == 0:
		g.sometimes(func() {
			g.expr(wasm.I64, 2)
			g.target()
			g.idx(wasm.OpFiberDismountRelease, tagDone)
		})
	case n == 1 && f != g.fn: // as another fiber, which begins in place of this one
		g.block(wasm.OpBlock, g.blockType(nil, join([]wasm.ValType{fiber}, there)))
		g.values(g.m.Types[f].Params)
		g.target()
		g.emit(on(wasm.OpFiberSwitchNew, tagDone, g.direct(f), g.takes(0)...))
		g.op(wasm.OpDrop)
		g.values(there)
		g.end()
		g.keep(there)
		g.op(wasm.OpDrop)
		g.restore(me)
		return
	case n <= 3 && f != g.fn:
		g.block(wasm.OpBlock, g.blockType(nil, there))
		g.values(there)
		g.target()
		g.create(f)
		g.emit(on(wasm.OpMountFiberSwitch, tagThere, 0, g.takes(0)...))
		g.values(there)
		g.end()
		g.keep(there)
		g.restore(me)
		return
	case n == 4: // to itself
		g.block(wasm.OpBlock, g.blockType(nil, there))
		g.values(there)
		g.idx(wasm.OpGlobalGet, g.cur)
		g.idx(wasm.OpGlobalGet, g.cur)
		g.emit(on(wasm.OpMountFiberSwitch, tagThere, 0, g.takes(0)...))
		g.values(there)
		g.end()
		g.keep(there)
	case n == 5 && f != g.fn:
		g.sometimes(func() {
			g.values(there)
			g.target()
			g.create(f)
			g.idx(wasm.OpFiberSwitchRelease, tagThere)
		})
	}
	g.block(wasm.OpBlock, g.blockType(nil, there))
	g.values(back)
	g.target()
	g.emit(on(wasm.OpFiberDismount, tagBack, 0, g.takes(0)...))
	g.values(there)
	g.end()
	g.keep(there)
	g.restore(me)
}

func (g *mounts) coroutine(f uint32, loops int) {
	x := g.fresh(g.ref)
	me := g.fresh(g.ref)
	g.rounds(loops, func(out uint32) {
		if g.one(2) {
			g.create(f)
			g.made(x)
			return
		}
		me = g.hang()
		g.block(wasm.OpBlock, g.blockType(nil, join([]wasm.ValType{wasm.Ref(false, g.ref.Heap())}, back)))
		g.values(g.m.Types[f].Params)
		g.emit(on(wasm.OpFiberMountNew, tagDone, g.direct(f), to(tagBack, 0)))
		g.keep([]wasm.ValType{wasm.I64})
		g.idx(wasm.OpLocalSet, x)
		g.restore(me)
		g.idx(wasm.OpBr, out+1)
		g.end()
		g.keep(back)
		g.idx(wasm.OpLocalSet, x)
		g.restore(me)
	}, func(out uint32) {
		me = g.hang()
		g.block(wasm.OpBlock, 0)
		g.block(wasm.OpBlock, wasm.BlockResult(wasm.I64))
		g.block(wasm.OpBlock, g.blockType(nil, back))
		g.values(there)
		g.idx(wasm.OpLocalGet, x)
		g.emit(on(wasm.OpFiberMount, tagThere, 0, to(tagBack, 0), to(tagDone, 1)))
		g.restore(me)
		g.idx(wasm.OpBr, out+3)
		g.end()
		g.keep(back)
		g.restore(me)
		g.idx(wasm.OpBr, 1)
		g.end()
		g.keep([]wasm.ValType{wasm.I64})
		g.restore(me)
		g.idx(wasm.OpBr, out+1)
		g.end()
	}, func() {
		if g.one(3) {
			g.idx(wasm.OpLocalGet, x)
			g.op(wasm.OpMountFiberRelease)
		}
	})
}
