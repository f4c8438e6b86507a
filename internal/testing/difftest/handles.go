package difftest

import (
	"slices"

	"stackscope/wasm"
)

// handles is the design fibers-handle.
type handles struct{ named }

// entry returns the function that runs one of the program.
func (g *handles) entry(f uint32) uint32 { return uint32(g.funcs) + f }

func (g *handles) declare() {
	g.ref = wasm.Ref(true, wasm.HeapType(g.typ(wasm.SubType{Kind: wasm.CompFiber, Results: []wasm.ValType{wasm.I64}})))
	g.named.declare()
	for f := range uint32(g.funcs) {
		params := join([]wasm.ValType{g.ref}, g.m.Types[f].Params)
		run := append(
			append(g.begins(0), g.call(f, 1, uint32(len(params)))...),
			wasm.Instr{Op: wasm.OpI64Const, Imm: uint64(f)},
		)
		clause := []wasm.Instr{{Op: wasm.OpEvent, A: tagThere}, {Op: wasm.OpDrop}, {Op: wasm.OpDrop}}
		g.fun(params, []wasm.ValType{wasm.I64}, slices.Concat(run, clause, run)...)
	}
}

func (g *handles) create(f uint32) {
	g.values(g.m.Types[f].Params)
	g.idx(wasm.OpHandleFiberNew, g.entry(f))
}

// takes emits a handle around an instruction that sends an event: what the parent sends is taken
// there, with values that the handle saves or without.
func (g *handles) takes(send func()) {
	saves := g.opens(there)
	send()
	if g.one(3) {
		g.emit(wasm.Instr{Op: wasm.OpEvent, A: tagOthers})
	}
	g.emit(wasm.Instr{Op: wasm.OpEvent, A: tagThere, Imm: uint64(g.blockType(join(saves, there), there))})
	a, b := g.fresh(there[0]), g.fresh(there[1])
	g.idx(wasm.OpLocalSet, b)
	g.idx(wasm.OpLocalSet, a)
	g.keep(saves)
	g.idx(wasm.OpLocalGet, a)
	g.idx(wasm.OpLocalGet, b)
	g.end()
	g.keep(there)
}

// opens begins a handle that gives results and may save values, of the types that it gives.
func (g *handles) opens(results []wasm.ValType) []wasm.ValType {
	saves := g.some()
	g.values(saves)
	g.block(wasm.OpHandle, g.blockType(saves, results))
	if g.one(2) { // others take their places
		g.keep(saves)
	}
	return saves
}

func (g *handles) suspend() { g.within(g.cur, g.leave) }

func (g *handles) leave() {
	me := g.save()
	f := g.callee()
	switch n := g.r.IntN(12); {
	case n == 0:
		g.sometimes(func() {
			g.target()
			g.expr(wasm.I64, 2)
			g.idx(wasm.OpFiberRetire, tagDone)
		})
	case n <= 3 && f != g.fn:
		g.takes(func() {
			g.target()
			g.create(f)
			g.values(there)
			g.idx(wasm.OpHandleFiberSwitch, tagThere)
		})
		g.restore(me)
		return
	case n == 4: // to itself
		g.takes(func() {
			g.idx(wasm.OpGlobalGet, g.cur)
			g.idx(wasm.OpGlobalGet, g.cur)
			g.values(there)
			g.idx(wasm.OpHandleFiberSwitch, tagThere)
		})
	case n == 5 && f != g.fn:
		g.sometimes(func() {
			g.target()
			g.create(f)
			g.values(there)
			g.idx(wasm.OpFiberRetireto, tagThere)
		})
	}
	g.takes(func() {
		g.target()
		g.values(back)
		g.idx(wasm.OpFiberSuspend, tagBack)
	})
	g.restore(me)
}

func (g *handles) coroutine(f uint32, loops int) {
	x := g.fresh(g.ref)
	// resumes emits a handle around what runs the fiber, which gives an i64 if that returns.
	resumes := func(out uint32, run func()) {
		me := g.hang()
		saves := g.opens([]wasm.ValType{wasm.I64})
		run()
		g.keep([]wasm.ValType{wasm.I64})
		g.restore(me)
		g.idx(wasm.OpBr, out+1)
		g.emit(wasm.Instr{Op: wasm.OpEvent, A: tagDone})
		g.keep([]wasm.ValType{wasm.I64})
		g.restore(me)
		g.idx(wasm.OpBr, out+2)
		g.emit(
			wasm.Instr{Op: wasm.OpEvent, A: tagBack, Imm: uint64(g.blockType(join(saves, back),
				[]wasm.ValType{wasm.I64}))},
		)
		g.keep([]wasm.ValType{wasm.FuncRef})
		n := g.fresh(wasm.I64)
		g.idx(wasm.OpLocalSet, n)
		g.keep(saves)
		g.idx(wasm.OpGlobalGet, g.cur) // the fiber that has sent it, mostly
		g.idx(wasm.OpLocalSet, x)
		g.idx(wasm.OpLocalGet, n)
		g.end()
		g.keep([]wasm.ValType{wasm.I64})
		g.restore(me)
	}
	g.rounds(loops, func(out uint32) {
		if g.one(2) {
			g.create(f)
			g.made(x)
			return
		}
		resumes(out, func() {
			g.values(g.m.Types[f].Params)
			g.idx(wasm.OpFiberSpawn, g.entry(f))
		})
	}, func(out uint32) {
		resumes(out, func() {
			g.idx(wasm.OpLocalGet, x)
			g.values(there)
			g.idx(wasm.OpFiberResume, tagThere)
		})
	}, func() {
		if g.one(3) {
			g.idx(wasm.OpLocalGet, x)
			g.op(wasm.OpHandleFiberRelease)
		}
	})
}
