package difftest

import "stackscope/wasm"

// named is what the designs have in common in which a stack has an identity. Programs keep in a
// variable which of them runs, and in another the one that it hangs at, if that is known.
type named struct {
	*gen
	ref     wasm.ValType
	cur, up uint32
	last    uint32 // the one made last
}

// The tags of these designs.
const (
	tagBack   = iota // from a stack to its parent
	tagThere         // from the parent to it
	tagDone          // from one that ends, with an i64
	tagOthers        // as tagThere; nobody sends it
)

func (g *named) declare() {
	g.cur, g.up, g.last = g.global(g.ref), g.global(g.ref), g.global(g.ref)
	for _, ts := range [][]wasm.ValType{back, there, {wasm.I64}, there} {
		g.m.Tags = append(g.m.Tags, wasm.Tag{Type: g.funcType(ts, nil), Import: -1})
	}
}

// begins returns the instructions that the function of a stack begins with: the parameter me is
// what it is known by.
func (g *named) begins(me uint32) []wasm.Instr {
	return []wasm.Instr{{Op: wasm.OpLocalGet, A: me}, {Op: wasm.OpGlobalSet, A: g.cur}}
}

// save keeps which stack runs in a local, before another one does, and returns the local.
func (g *named) save() uint32 {
	me := g.fresh(g.ref)
	g.idx(wasm.OpGlobalGet, g.cur)
	g.idx(wasm.OpLocalSet, me)
	return me
}

// hang is save where a stack is resumed now: it hangs at the one that runs.
func (g *named) hang() uint32 {
	me := g.save()
	g.idx(wasm.OpLocalGet, me)
	g.idx(wasm.OpGlobalSet, g.up)
	return me
}

// made keeps the new stack on top in a local.
func (g *named) made(x uint32) {
	g.idx(wasm.OpLocalTee, x)
	g.idx(wasm.OpGlobalSet, g.last)
}

// restore is for when it runs again.
func (g *named) restore(me uint32) {
	g.idx(wasm.OpLocalGet, me)
	g.idx(wasm.OpGlobalSet, g.cur)
	g.emit(wasm.Instr{Op: wasm.OpRefNull, Imm: uint64(g.ref)})
	g.idx(wasm.OpGlobalSet, g.up)
}

// target emits the stack to suspend: the running one, or the one that it hangs at; seldom another,
// which traps.
func (g *named) target() {
	switch g.r.IntN(16) {
	case 0: // any other
		g.idx(wasm.OpGlobalGet, g.last)
		return
	case 1, 2, 3, 4, 5, 6, 7:
		g.idx(wasm.OpGlobalGet, g.cur)
		return
	}
	g.idx(wasm.OpGlobalGet, g.up)
	g.op(wasm.OpRefIsNull)
	g.block(wasm.OpIf, wasm.BlockResult(g.ref))
	g.idx(wasm.OpGlobalGet, g.cur)
	g.op(wasm.OpElse)
	g.idx(wasm.OpGlobalGet, g.up)
	g.end()
}

// on returns an instruction with clauses, in an order of which the first for a tag counts.
func on(op wasm.Op, a, b uint32, hs ...wasm.HandlerClause) wasm.Instr {
	return wasm.Instr{Op: op, A: a, B: b, Ext: &wasm.Ext{HandlerClauses: hs}}
}

func to(tag, label uint32) wasm.HandlerClause { return wasm.HandlerClause{Tag: tag, Label: label} }

// sometimes emits code in an if that is seldom taken.
func (g *gen) sometimes(code func()) {
	g.expr(wasm.I32, 2)
	g.i32(7)
	g.op(wasm.OpI32And)
	g.op(wasm.OpI32Eqz)
	g.block(wasm.OpIf, 0)
	code()
	g.end()
}
