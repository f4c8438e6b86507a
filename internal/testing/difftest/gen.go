package difftest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"stackscope/wasm"
)

// Exported functions are named f0, f1 …; the memory "memory", the globals g0, g1 ….
const memoryExport = "memory"

// Case is a module and what to call in it.
type Case struct {
	Module *wasm.Module
	Calls  []Call
}

// Call is a call of an exported function with arguments as bits; a v128 takes two words.
type Call struct {
	Name   string
	Params []wasm.ValType
	Args   []uint64
}

var kinds = []wasm.ValType{wasm.I32, wasm.I64, wasm.F32, wasm.F64, wasm.V128}

type gen struct {
	r       *rand.Rand
	m       *wasm.Module
	simd    bool
	design  design // of stack switching; nil for none
	dialect wasm.Dialect
	funcs   int                        // of the program, before those that the design adds
	pure    map[wasm.ValType][]wasm.Op // instructions without immediates, by result
	loads   map[wasm.ValType][]wasm.Op
	stores  []wasm.Op
	fn      uint32 // being generated
	params  []wasm.ValType
	locals  []wasm.ValType // without params
	body    []wasm.Instr
	depth   int // open labels
	budget  int
	loopVar int
}

// Generate makes a case from a seed. simd lets vectors take part.
func Generate(seed uint64, simd bool) *Case {
	g := &gen{r: rand.New(rand.NewPCG(seed, 0x5ca1ab1e)), simd: simd}
	return g.module()
}

// module makes the module and the calls.
func (g *gen) module() *Case {
	g.pure, g.loads = map[wasm.ValType][]wasm.Op{}, map[wasm.ValType][]wasm.Op{}
	g.collect()
	g.m = &wasm.Module{Dialect: g.dialect, Names: wasm.NewNames(), Start: wasm.BadIndex, DataCount: true}
	n := 2 + g.r.IntN(5)
	for i := 0; i < n; i++ {
		t := wasm.SubType{Kind: wasm.CompFunc, Final: true, Params: g.types(4), Results: g.types(2)}
		g.m.Types = append(g.m.Types, t)
		g.m.Recs = append(g.m.Recs, wasm.RecGroup{Start: uint32(i), Len: 1})
		g.m.Funcs = append(g.m.Funcs, wasm.Func{Type: uint32(i), Import: -1})
		g.m.Exports = append(g.m.Exports, wasm.Export{Name: fmt.Sprintf("f%d", i), Kind: wasm.ExternFunc,
			Index: uint32(i)})
	}
	g.m.Mems = []wasm.Memory{{Limits: wasm.Limits{Min: 1, Max: 3, HasMax: true}, Import: -1}}
	g.m.Exports = append(g.m.Exports, wasm.Export{Name: memoryExport, Kind: wasm.ExternMemory})
	for i, t := range g.kinds() {
		g.m.Globals = append(
			g.m.Globals,
			wasm.Global{Type: t, Mut: true, Init: []wasm.Instr{g.constant(t), {Op: wasm.OpEnd}}, Import: -1},
		)
		if t != wasm.V128 {
			g.m.Exports = append(
				g.m.Exports,
				wasm.Export{Name: fmt.Sprintf("g%d", i), Kind: wasm.ExternGlobal, Index: uint32(i)},
			)
		}
	}
	data := make([]byte, 64)
	for i := range data {
		data[i] = byte(g.r.Uint32())
	}
	g.m.Datas = []wasm.Data{
		{Bytes: data, Mode: wasm.SegmentActive, Offset: []wasm.Instr{{Op: wasm.OpI32Const, Imm: 16}, {Op: wasm.OpEnd}}},
		{Bytes: data[:32], Mode: wasm.SegmentPassive},
	}
	// the last function can be called through the table
	last := uint32(n - 1)
	g.m.Tables = []wasm.Table{{Type: wasm.FuncRef, Limits: wasm.Limits{Min: 4, Max: 4, HasMax: true}, Import: -1}}
	g.m.Elems = []wasm.Elem{
		{
			Type: wasm.FuncRef, Mode: wasm.SegmentActive,
			Offset: []wasm.Instr{{Op: wasm.OpI32Const, Imm: 1}, {Op: wasm.OpEnd}},
			Init:   [][]wasm.Instr{{{Op: wasm.OpRefFunc, A: last}, {Op: wasm.OpEnd}}},
		},
	}
	called := n
	g.funcs = n
	if g.design != nil {
		g.design.declare()
		called = 2 // the others suspend, mostly
	}
	for i := range n {
		g.function(uint32(i))
	}
	c := &Case{Module: g.m}
	for k := 0; k < 3; k++ {
		for i := range called {
			call := Call{Name: fmt.Sprintf("f%d", i), Params: g.m.Types[i].Params}
			for _, t := range call.Params {
				call.Args = append(call.Args, g.bits(t))
				if t == wasm.V128 {
					call.Args = append(call.Args, g.r.Uint64())
				}
			}
			c.Calls = append(c.Calls, call)
		}
	}
	return c
}

func (g *gen) kinds() []wasm.ValType {
	if g.simd {
		return kinds
	}
	return kinds[:4]
}

// collect sorts the instructions of fixed type by what they give.
func (g *gen) collect() {
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		in := op.Info()
		if !in.Fixed || in.Dialect != wasm.DialectNone || in.Legacy || in.Enc == wasm.NoEncoding {
			continue
		}
		vector := in.Enc>>16 == 0xfd
		if vector && (!g.simd || in.Enc&0xffff >= 0x100) || in.Enc>>16 == 0xfb {
			continue
		}
		if in.Addr {
			if len(in.Imms) != 1 { // the lane forms take part in lane
				continue
			}
			if len(in.Results) == 1 {
				g.loads[in.Results[0]] = append(g.loads[in.Results[0]], op)
			} else {
				g.stores = append(g.stores, op)
			}
			continue
		}
		if len(in.Results) != 1 || len(in.Params) == 0 || in.Params[0].IsRef() {
			continue
		}
		if len(in.Imms) == 0 || len(in.Imms) == 1 && (in.Imms[0] == wasm.ImmLane || in.Imms[0] == wasm.ImmLanes) {
			g.pure[in.Results[0]] = append(g.pure[in.Results[0]], op)
		}
	}
}

func (g *gen) types(max int) []wasm.ValType {
	ts := make([]wasm.ValType, g.r.IntN(max+1))
	for i := range ts {
		ts[i] = g.kind()
	}
	return ts
}

func (g *gen) kind() wasm.ValType { k := g.kinds(); return k[g.r.IntN(len(k))] }

// interesting are numbers at the edges.
var interesting = []uint64{
	0, 1, 2, 31, 32, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
	0x7fffffffffffffff, 0x8000000000000000, math.MaxUint64,
}

var floats = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -0.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxInt32,
	math.MinInt32, math.MaxUint32, math.MaxInt64, math.MinInt64, math.MaxFloat32, math.MaxFloat64,
	math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64, 1 << 31, 1 << 63, 4294967296.5,
}

func (g *gen) bits(t wasm.ValType) uint64 {
	switch t {
	case wasm.I32, wasm.I64, wasm.V128:
		v := g.r.Uint64()
		if g.r.IntN(2) == 0 {
			v = interesting[g.r.IntN(len(interesting))]
		}
		if t == wasm.I32 {
			v = uint64(uint32(v))
		}
		return v
	}
	f := floats[g.r.IntN(len(floats))]
	if g.r.IntN(3) == 0 {
		f = (g.r.Float64() - 0.5) * math.Pow(2, float64(g.r.IntN(130)-65))
	}
	if t == wasm.F32 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

func (g *gen) constant(t wasm.ValType) wasm.Instr {
	in := wasm.Instr{Imm: g.bits(t)}
	switch t {
	case wasm.I32:
		in.Op = wasm.OpI32Const
	case wasm.I64:
		in.Op = wasm.OpI64Const
	case wasm.F32:
		in.Op = wasm.OpF32Const
	case wasm.F64:
		in.Op = wasm.OpF64Const
	default:
		in.Op, in.Ext = wasm.OpV128Const, &wasm.Ext{Hi: g.r.Uint64()}
	}
	return in
}

func (g *gen) emit(in wasm.Instr)       { g.body = append(g.body, in) }
func (g *gen) op(op wasm.Op)            { g.emit(wasm.Instr{Op: op}) }
func (g *gen) idx(op wasm.Op, i uint32) { g.emit(wasm.Instr{Op: op, A: i}) }
func (g *gen) i32(v uint32)             { g.emit(wasm.Instr{Op: wasm.OpI32Const, Imm: uint64(v)}) }
func (g *gen) block(op wasm.Op, bt wasm.BlockType) {
	g.emit(wasm.Instr{Op: op, Imm: uint64(bt)})
	g.depth++
}
func (g *gen) end() { g.op(wasm.OpEnd); g.depth-- }

// turns ends a loop that makes as many turns as a counter has.
func (g *gen) turns(counter uint32) {
	g.idx(wasm.OpLocalGet, counter)
	g.i32(1)
	g.op(wasm.OpI32Sub)
	g.idx(wasm.OpLocalTee, counter)
	g.idx(wasm.OpBrIf, 0)
	g.end()
}

// local returns a local of the type, a new one if there is none or by chance.
func (g *gen) local(t wasm.ValType) uint32 {
	var found []uint32
	for i, p := range g.params {
		if p == t {
			found = append(found, uint32(i))
		}
	}
	for i, l := range g.locals {
		if l == t && i >= g.loopVar {
			found = append(found, uint32(len(g.params)+i))
		}
	}
	if len(found) == 0 || len(found) < 3 && g.r.IntN(4) == 0 {
		return g.fresh(t)
	}
	return found[g.r.IntN(len(found))]
}

func (g *gen) fresh(t wasm.ValType) uint32 {
	g.locals = append(g.locals, t)
	return uint32(len(g.params) + len(g.locals) - 1)
}

func (g *gen) function(i uint32) {
	t := &g.m.Types[g.m.Funcs[i].Type]
	g.fn, g.params, g.locals, g.body, g.depth, g.budget, g.loopVar = i, t.Params, nil, nil, 0, 150, 0
	// a local for the loop counters of each nesting level, which nothing else writes
	for k := 0; k < 4; k++ {
		g.fresh(wasm.I32)
	}
	g.loopVar = 4
	for k := 1 + g.r.IntN(6); k > 0; k-- {
		g.statement(0)
	}
	for _, r := range t.Results {
		g.expr(r, 0)
	}
	g.op(wasm.OpEnd)
	g.m.Funcs[i].Locals, g.m.Funcs[i].Body = g.locals, g.body
}

// statement emits code that leaves the stack as it was.
func (g *gen) statement(loops int) {
	g.budget--
	if g.budget < 0 {
		g.op(wasm.OpNop)
		return
	}
	if g.design != nil && g.r.IntN(5) == 0 {
		if f := g.callee(); g.fn > 0 && g.r.IntN(2) == 0 || f == g.fn || loops >= 4 {
			g.design.suspend()
		} else {
			g.design.coroutine(f, loops)
		}
		return
	}
	switch g.r.IntN(12) {
	case 0, 1, 2:
		t := g.kind()
		g.expr(t, 1)
		g.idx(wasm.OpLocalSet, g.local(t))
	case 3:
		i := g.r.IntN(len(g.kinds()))
		g.expr(g.m.Globals[i].Type, 1)
		g.idx(wasm.OpGlobalSet, uint32(i))
	case 4, 5:
		op := g.stores[g.r.IntN(len(g.stores))]
		g.address()
		g.expr(op.Info().Params[1], 2)
		g.emit(wasm.Instr{Op: op, Imm: uint64(g.r.IntN(40)), Align: op.Info().Align})
	case 6:
		g.expr(wasm.I32, 2)
		g.block(wasm.OpIf, 0)
		g.statement(loops)
		if g.r.IntN(2) == 0 {
			g.op(wasm.OpElse)
			g.statement(loops)
		}
		g.end()
	case 7:
		if loops >= 4 {
			return
		}
		n := uint32(loops)
		counter := uint32(len(g.params)) + n
		g.i32(uint32(1 + g.r.IntN(5)))
		g.idx(wasm.OpLocalSet, counter)
		g.block(wasm.OpLoop, 0)
		for k := 1 + g.r.IntN(3); k > 0; k-- {
			g.statement(loops + 1)
		}
		g.turns(counter)
	case 8: // branches out of two blocks, by a table or a condition
		g.block(wasm.OpBlock, 0)
		g.block(wasm.OpBlock, 0)
		g.statement(loops)
		g.expr(wasm.I32, 2)
		if g.r.IntN(2) == 0 {
			g.idx(wasm.OpBrIf, uint32(g.r.IntN(2)))
		} else {
			g.emit(wasm.Instr{Op: wasm.OpBrTable, Ext: &wasm.Ext{Labels: []uint32{0, 1, uint32(g.r.IntN(2))}}})
		}
		g.end()
		g.statement(loops)
		g.end()
	case 9:
		g.bulk()
	case 10:
		if f := g.callee(); f != g.fn {
			t := g.m.Types[g.m.Funcs[f].Type]
			for _, p := range t.Params {
				g.expr(p, 2)
			}
			if f == uint32(g.funcs-1) && g.r.IntN(2) == 0 {
				g.i32(uint32(g.r.IntN(6)))
				g.emit(wasm.Instr{Op: wasm.OpCallIndirect, A: 0, B: g.m.Funcs[f].Type})
			} else {
				g.idx(wasm.OpCall, f)
			}
			for range t.Results {
				g.op(wasm.OpDrop)
			}
		}
	default:
		g.expr(g.kind(), 1)
		g.op(wasm.OpDrop)
	}
}

// callee returns a later function, or the running one if there is none.
func (g *gen) callee() uint32 {
	n := uint32(g.funcs)
	if g.fn+1 >= n {
		return g.fn
	}
	return g.fn + 1 + uint32(g.r.IntN(int(n-g.fn-1)))
}

func (g *gen) bulk() {
	g.address()
	switch g.r.IntN(3) {
	case 0:
		g.expr(wasm.I32, 2)
		g.i32(uint32(g.r.IntN(100)))
		g.idx(wasm.OpMemoryFill, 0)
	case 1:
		g.address()
		g.i32(uint32(g.r.IntN(100)))
		g.idx(wasm.OpMemoryCopy, 0)
	default:
		g.i32(uint32(g.r.IntN(40)))
		g.i32(uint32(g.r.IntN(10)))
		g.emit(wasm.Instr{Op: wasm.OpMemoryInit, A: 0, B: 1})
	}
}

// address returns an address that is mostly inside the memory.
func (g *gen) address() {
	g.expr(wasm.I32, 3)
	mask := uint32(0xffff)
	if g.r.IntN(12) == 0 {
		mask = 0x1ffff
	}
	g.i32(mask)
	g.op(wasm.OpI32And)
}

// expr emits code that pushes a value of the type.
func (g *gen) expr(t wasm.ValType, depth int) {
	g.budget--
	if g.budget < 0 || depth > 5 || g.r.IntN(4) == 0 {
		if g.r.IntN(3) == 0 {
			g.emit(g.constant(t))
		} else {
			g.idx(wasm.OpLocalGet, g.local(t))
		}
		return
	}
	switch g.r.IntN(10) {
	case 0:
		if ops := g.loads[t]; len(ops) > 0 {
			op := ops[g.r.IntN(len(ops))]
			g.address()
			g.emit(wasm.Instr{Op: op, Imm: uint64(g.r.IntN(40)), Align: uint8(g.r.IntN(int(op.Info().Align) + 1))})
			return
		}
		g.emit(g.constant(t))
	case 1:
		g.expr(t, depth+1)
		g.expr(t, depth+1)
		g.expr(wasm.I32, depth+1)
		g.emit(wasm.Instr{Op: wasm.OpSelect})
	case 2:
		g.expr(wasm.I32, depth+1)
		g.block(wasm.OpIf, wasm.BlockResult(t))
		g.expr(t, depth+1)
		g.op(wasm.OpElse)
		g.expr(t, depth+1)
		g.end()
	case 3:
		g.block(wasm.OpBlock, wasm.BlockResult(t))
		g.expr(t, depth+1)
		g.expr(wasm.I32, depth+1)
		g.idx(wasm.OpBrIf, 0)
		g.end()
	case 4:
		for i, gl := range g.m.Globals {
			if gl.Type == t {
				g.idx(wasm.OpGlobalGet, uint32(i))
			}
		}
	case 5:
		if t == wasm.I32 {
			if g.r.IntN(2) == 0 {
				g.idx(wasm.OpMemorySize, 0)
				return
			}
			g.i32(uint32(g.r.IntN(2)))
			g.idx(wasm.OpMemoryGrow, 0)
			return
		}
		g.expr(t, depth+1)
		g.idx(wasm.OpLocalTee, g.local(t))
	default:
		ops := g.pure[t]
		op := ops[g.r.IntN(len(ops))]
		for g.design != nil && mayTrap(op) && g.r.IntN(8) > 0 { // to get to the switches
			op = ops[g.r.IntN(len(ops))]
		}
		in := op.Info()
		for _, p := range in.Params {
			g.expr(p, depth+1)
		}
		i := wasm.Instr{Op: op}
		if len(in.Imms) == 1 {
			if in.Imms[0] == wasm.ImmLane {
				i.Lane = uint8(g.r.IntN(lanes(in.Name)))
			} else {
				i.Ext = &wasm.Ext{}
				for k := 0; k < 8; k++ {
					i.Imm |= uint64(g.r.IntN(32)) << (8 * k)
					i.Ext.Hi |= uint64(g.r.IntN(32)) << (8 * k)
				}
			}
		}
		g.emit(i)
		g.canonical(t, in.Name)
	}
}

// mayTrap reports whether an instruction on numbers alone may trap.
func mayTrap(op wasm.Op) bool {
	n := op.Info().Name
	return n[0] == 'i' && (strings.Contains(n, ".div_") || strings.Contains(n, ".rem_") ||
		strings.Contains(n, ".trunc_f"))
}

func lanes(name string) int {
	var w, n int
	if _, err := fmt.Sscanf(name[1:], "%dx%d", &w, &n); err != nil {
		return 1
	}
	return n
}

// canonical makes a NaN on top of the stack the canonical one; of vectors, lane by lane.
func (g *gen) canonical(t wasm.ValType, name string) {
	one := func(t wasm.ValType, nan wasm.Instr, eq wasm.Op, sel wasm.Op) {
		l := g.fresh(t)
		g.idx(wasm.OpLocalTee, l)
		g.emit(nan)
		g.idx(wasm.OpLocalGet, l)
		g.idx(wasm.OpLocalGet, l)
		g.op(eq)
		g.op(sel)
	}
	switch {
	case t == wasm.F32:
		one(t, wasm.Instr{Op: wasm.OpF32Const, Imm: 0x7fc00000}, wasm.OpF32Eq, wasm.OpSelect)
	case t == wasm.F64:
		one(t, wasm.Instr{Op: wasm.OpF64Const, Imm: 0x7ff8000000000000}, wasm.OpF64Eq, wasm.OpSelect)
	case t == wasm.V128 && name[0] == 'f' && name[1] == '3':
		one(
			t,
			wasm.Instr{Op: wasm.OpV128Const, Imm: 0x7fc000007fc00000, Ext: &wasm.Ext{Hi: 0x7fc000007fc00000}},
			wasm.OpF32x4Eq, wasm.OpV128Bitselect,
		)
	case t == wasm.V128 && name[0] == 'f' && name[1] == '6':
		one(
			t,
			wasm.Instr{Op: wasm.OpV128Const, Imm: 0x7ff8000000000000, Ext: &wasm.Ext{Hi: 0x7ff8000000000000}},
			wasm.OpF64x2Eq, wasm.OpV128Bitselect,
		)
	}
}
