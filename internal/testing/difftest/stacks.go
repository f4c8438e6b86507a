package difftest

import (
	"math/rand/v2"
	"slices"

	"stackscope/vm"
	"stackscope/wasm"
)

// design emits what programs do with the stacks of one of the designs.
type design interface {
	// declare adds the types, tags, globals and functions that it needs.
	declare()
	// suspend emits code that gives control to whoever resumed the stack.
	suspend()
	// coroutine emits code that runs a later function on a stack of its own, resumes it a few
	// times, and then ends it or lets it be. It leaves the operand stack as it was.
	coroutine(f uint32, loops int)
}

// GenerateStacks makes a case, for this machine only, in which functions also run on stacks of a
// design of stack switching.
func GenerateStacks(seed uint64, d wasm.Dialect) *Case {
	g := &gen{r: rand.New(rand.NewPCG(seed, 0x57ac))}
	switch d {
	case wasm.DialectStacks:
		g.design = bag{g}
	case wasm.DialectFibersMount:
		g.design = &mounts{named: named{gen: g, ref: wasm.FiberRef}}
	case wasm.DialectFibersHandle:
		g.design = &handles{named: named{gen: g}}
	case wasm.DialectTasks:
		g.design = &tasks{named: named{gen: g, ref: wasm.TaskRef}}
	default:
		d = wasm.DialectCont
		g.design = conts{g}
	}
	g.dialect = d
	return g.module()
}

// typ adds a type and returns its index.
func (g *gen) typ(t wasm.SubType) uint32 {
	t.Final = true
	n := uint32(len(g.m.Types))
	g.m.Recs = append(g.m.Recs, wasm.RecGroup{Start: n, Len: 1})
	g.m.Types = append(g.m.Types, t)
	return n
}

// funcType returns the index of a function type.
func (g *gen) funcType(params, results []wasm.ValType) uint32 {
	return g.typ(wasm.SubType{Kind: wasm.CompFunc, Params: params, Results: results})
}

// blockType returns the type of a block.
func (g *gen) blockType(params, results []wasm.ValType) wasm.BlockType {
	return wasm.BlockIndex(g.funcType(params, results))
}

// fun adds a function that the design needs, with a local that is a funcref, and returns its index.
func (g *gen) fun(params, results []wasm.ValType, body ...wasm.Instr) uint32 {
	g.m.Funcs = append(
		g.m.Funcs,
		wasm.Func{
			Type: g.funcType(params, results), Import: -1, Locals: []wasm.ValType{wasm.FuncRef},
			Body: append(body, wasm.Instr{Op: wasm.OpEnd}),
		},
	)
	return uint32(len(g.m.Funcs) - 1)
}

// global adds a variable for references, which is null, and returns its index.
func (g *gen) global(t wasm.ValType) uint32 {
	g.m.Globals = append(
		g.m.Globals,
		wasm.Global{
			Type: t, Mut: true, Import: -1,
			Init: []wasm.Instr{{Op: wasm.OpRefNull, Imm: uint64(t)}, {Op: wasm.OpEnd}},
		},
	)
	return uint32(len(g.m.Globals) - 1)
}

// call returns the instructions that call a function of the program with its parameters, which are
// the locals from first on, and drop its results. The local fresh, a funcref, is no parameter: it
// must not have what an earlier stack has left there.
func (g *gen) call(f, first, fresh uint32) (out []wasm.Instr) {
	t := g.m.Types[f]
	out = append(
		out, wasm.Instr{Op: wasm.OpLocalGet, A: fresh}, wasm.Instr{Op: wasm.OpRefIsNull},
		wasm.Instr{Op: wasm.OpI32Eqz}, wasm.Instr{Op: wasm.OpIf}, wasm.Instr{Op: wasm.OpUnreachable},
		wasm.Instr{Op: wasm.OpEnd}, wasm.Instr{Op: wasm.OpRefFunc, A: uint32(g.funcs - 1)},
		wasm.Instr{Op: wasm.OpLocalSet, A: fresh},
	)
	for i := range t.Params {
		out = append(out, wasm.Instr{Op: wasm.OpLocalGet, A: first + uint32(i)})
	}
	out = append(out, wasm.Instr{Op: wasm.OpCall, A: f})
	for range t.Results {
		out = append(out, wasm.Instr{Op: wasm.OpDrop})
	}
	return out
}

// The values that go with events: there and back.
var (
	there = []wasm.ValType{wasm.FuncRef, wasm.I32}
	back  = []wasm.ValType{wasm.I64, wasm.FuncRef}
)

// values emits values of types.
func (g *gen) values(ts []wasm.ValType) {
	for _, t := range ts {
		switch {
		case t != wasm.FuncRef:
			g.expr(t, 2)
		case g.r.IntN(2) == 0:
			g.idx(wasm.OpRefFunc, uint32(g.funcs-1))
		default:
			g.idx(wasm.OpLocalGet, g.local(t))
		}
	}
}

// keep puts the values on top into locals.
func (g *gen) keep(ts []wasm.ValType) {
	for i := len(ts) - 1; i >= 0; i-- {
		g.idx(wasm.OpLocalSet, g.local(ts[i]))
	}
}

// within emits code that is executed only where a variable is not null, or, seldom, always.
func (g *gen) within(global uint32, code func()) {
	if g.one(10) {
		code()
		return
	}
	g.idx(wasm.OpGlobalGet, global)
	g.op(wasm.OpRefIsNull)
	g.op(wasm.OpI32Eqz)
	g.block(wasm.OpIf, 0)
	code()
	g.end()
}

// some returns types of values, seldom any, to be taken along by who waits for an event.
func (g *gen) some() []wasm.ValType {
	if !g.one(3) {
		return nil
	}
	return []wasm.ValType{wasm.F64, wasm.FuncRef, wasm.I32}[:1+g.r.IntN(3)]
}

// join concatenates lists of types.
func join(ts ...[]wasm.ValType) []wasm.ValType { return slices.Concat(ts...) }

// one reports true once in n times.
func (g *gen) one(n int) bool { return g.r.IntN(n) == 0 }

// rounds emits a block with a loop in it that resumes a stack: first is before the loop, resume in
// it; both leave what they are in, by the label that they are given, if the stack has ended. last
// follows it.
func (g *gen) rounds(loops int, first, resume func(out uint32), last func()) {
	counter := uint32(len(g.params)) + uint32(loops)
	g.i32(uint32(1 + g.r.IntN(6)))
	g.idx(wasm.OpLocalSet, counter)
	g.block(wasm.OpBlock, 0)
	first(0)
	g.block(wasm.OpLoop, 0)
	resume(1)
	g.statement(loops + 1)
	g.turns(counter)
	last()
	g.end()
}

// Values returns a call's arguments.
func (c *Call) Values() []vm.Value {
	var out []vm.Value
	for i, k := 0, 0; i < len(c.Params); i++ {
		v := vm.Value{Type: c.Params[i], Lo: c.Args[k]}
		if k++; v.Type == wasm.V128 {
			v.Hi = c.Args[k]
			k++
		}
		out = append(out, v)
	}
	return out
}
