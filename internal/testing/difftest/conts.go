package difftest

import "stackscope/wasm"

// conts is the design cont: functions also run as continuations, suspend and are resumed, bound or
// ended by an exception.
type conts struct{ *gen }

// stackTypes are the indices of the types that a function's continuations need, which are after
// those of the functions themselves: six for each.
type stackTypes struct {
	cont     uint32 // of the function
	again    uint32 // what is resumed with the answer to a suspension: [i32] → the function's results
	contOf   uint32 // a continuation of it
	handler  uint32 // [] → [i64 (ref null contOf)]: what a clause gives
	bound    uint32 // the function's type without the first parameter
	contLess uint32 // a continuation of it
}

func (g conts) stackTypes(fn uint32) stackTypes {
	at := uint32(g.funcs) + 6*fn
	return stackTypes{at, at + 1, at + 2, at + 3, at + 4, at + 5}
}

// declare adds the types of continuations, and the tag that programs suspend with.
func (g conts) declare() {
	for i := range g.funcs {
		fn := g.m.Types[i]
		ts := g.stackTypes(uint32(i))
		g.typ(wasm.SubType{Kind: wasm.CompCont, Func: uint32(i)})
		g.typ(wasm.SubType{Kind: wasm.CompFunc, Params: []wasm.ValType{wasm.I32}, Results: fn.Results})
		g.typ(wasm.SubType{Kind: wasm.CompCont, Func: ts.again})
		g.typ(wasm.SubType{Kind: wasm.CompFunc, Results: []wasm.ValType{wasm.I64,
			wasm.Ref(true, wasm.HeapType(ts.contOf))}})
		g.typ(wasm.SubType{Kind: wasm.CompFunc, Params: fn.Params[min(1, len(fn.Params)):], Results: fn.Results})
		g.typ(wasm.SubType{Kind: wasm.CompCont, Func: ts.bound})
	}
	n := uint32(len(g.m.Types))
	g.typ(wasm.SubType{Kind: wasm.CompFunc, Params: []wasm.ValType{wasm.I64}, Results: []wasm.ValType{wasm.I32}})
	g.typ(wasm.SubType{Kind: wasm.CompFunc})
	g.m.Tags = []wasm.Tag{{Type: n, Import: -1}, {Type: n + 1, Import: -1}, {Type: n, Import: -1}}
}

// The tags.
const (
	tagYield = iota // [i64] → [i32]
	tagStop         // an exception without payload
	tagOther        // as tagYield; nothing suspends with it
)

// suspend emits a suspension.
func (g conts) suspend() {
	g.expr(wasm.I64, 2)
	g.idx(wasm.OpSuspend, tagYield)
	g.idx(wasm.OpLocalSet, g.local(wasm.I32))
}

// coroutine emits code that runs a later function as a continuation, resumes it a few times, and
// then drops it, ends it, or lets it be. It leaves the operand stack as it was.
func (g conts) coroutine(f uint32, loops int) {
	ft := g.m.Types[f]
	ts := g.stackTypes(f)
	again := g.fresh(wasm.Ref(true, wasm.HeapType(ts.contOf)))
	counter := uint32(len(g.params)) + uint32(loops)
	clauses := func() *wasm.Ext {
		hs := []wasm.HandlerClause{{Tag: tagYield, Label: 0}}
		if g.r.IntN(3) == 0 {
			hs = []wasm.HandlerClause{{Tag: tagOther, Label: 0}, hs[0]}
		}
		return &wasm.Ext{HandlerClauses: hs}
	}
	drop := func() {
		for range ft.Results {
			g.op(wasm.OpDrop)
		}
	}
	g.i32(uint32(1 + g.r.IntN(6)))
	g.idx(wasm.OpLocalSet, counter)
	g.block(wasm.OpBlock, 0)
	g.block(wasm.OpBlock, wasm.BlockIndex(ts.handler))
	params := ft.Params
	first := ts.cont
	if bind := len(params) > 0 && g.r.IntN(2) == 0; bind {
		c := g.fresh(wasm.Ref(true, wasm.HeapType(ts.contLess)))
		g.expr(params[0], 2)
		g.idx(wasm.OpRefFunc, f)
		g.idx(wasm.OpContNew, ts.cont)
		g.emit(wasm.Instr{Op: wasm.OpContBind, A: ts.cont, B: ts.contLess})
		g.idx(wasm.OpLocalSet, c)
		for _, p := range params[1:] {
			g.expr(p, 2)
		}
		g.idx(wasm.OpLocalGet, c)
		first = ts.contLess
	} else {
		for _, p := range params {
			g.expr(p, 2)
		}
		g.idx(wasm.OpRefFunc, f)
		g.idx(wasm.OpContNew, ts.cont)
	}
	g.emit(wasm.Instr{Op: wasm.OpResume, A: first, Ext: clauses()})
	drop()
	g.idx(wasm.OpBr, 1)
	g.end()
	g.idx(wasm.OpLocalSet, again)
	g.idx(wasm.OpLocalSet, g.local(wasm.I64))
	g.block(wasm.OpLoop, 0)
	g.block(wasm.OpBlock, wasm.BlockIndex(ts.handler))
	g.expr(wasm.I32, 2)
	g.idx(wasm.OpLocalGet, again)
	g.emit(wasm.Instr{Op: wasm.OpResume, A: ts.contOf, Ext: clauses()})
	drop()
	g.idx(wasm.OpBr, 2)
	g.end()
	g.idx(wasm.OpLocalSet, again)
	g.idx(wasm.OpLocalSet, g.local(wasm.I64))
	g.statement(loops + 1)
	g.turns(counter)
	if g.r.IntN(2) == 0 { // the exception comes back out of the resume_throw, or is thrown here
		g.block(wasm.OpBlock, 0)
		g.emit(
			wasm.Instr{
				Op:  wasm.OpTryTable,
				Ext: &wasm.Ext{Catches: []wasm.Catch{{Kind: wasm.CatchTag, Tag: tagStop, Label: 0}}},
			},
		)
		g.depth++
		g.idx(wasm.OpLocalGet, again)
		g.emit(wasm.Instr{Op: wasm.OpResumeThrow, A: ts.contOf, B: tagStop, Ext: &wasm.Ext{}})
		drop()
		g.end()
		g.end()
	}
	g.end()
}
