package ide

import (
	"cmp"
	"slices"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// CallItem is a function in a call hierarchy.
type CallItem struct {
	Target
	Name   string
	Detail string // its signature; of an edge, how control gets there
	fn     uint32
}

// CallEdge is a way from one function to another, with the places of its instructions.
type CallEdge struct {
	CallItem
	Places []source.Span
}

// step is an instruction that leads to another function.
type step struct {
	from, to uint32
	how      string
	at       source.Span
}

// PrepareCalls returns the function whose name, or whose declaration's head, is at an offset.
func PrepareCalls(s *analysis.Snapshot, off int) []CallItem {
	p := query.At(s, off)
	if p.Module == nil {
		return nil
	}
	if y, _, ok := p.Symbol(); ok {
		if y.Space != analysis.SpaceFunc {
			return nil
		}
		return []CallItem{callItem(p.Module, y.Index)}
	}
	if fn, ok := p.Module.FuncAt(off); ok {
		return []CallItem{callItem(p.Module, fn)}
	}
	return nil
}

func callItem(m *analysis.Module, fn uint32) CallItem {
	c := CallItem{fn: fn, Name: "func " + query.Index(fn)}
	if y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: fn}); ok {
		c.Target = target(y)
		if y.Name != "" {
			c.Name = query.Identifier(y.Name)
		}
	}
	t := query.NewTypes(m)
	if ft := t.FuncType(fn); ft != nil {
		c.Detail = t.Arrow(ft.Params, ft.Results)
	}
	return c
}

// OutgoingCalls returns where control may go from a function: what it calls, the functions whose
// continuations it starts, resumes or switches to, and the functions that handle its suspensions.
func OutgoingCalls(s *analysis.Snapshot, off int) []CallEdge {
	return hierarchy(s, off, func(m *analysis.Module, fn uint32) []step {
		w := stepWalk{m: m}
		w.walk(fn)
		return w.out
	},
		func(x step) uint32 { return x.to })
}

// IncomingCalls returns from where control may come to a function. Only functions that have to do
// with it are looked into.
func IncomingCalls(s *analysis.Snapshot, off int) []CallEdge {
	return hierarchy(s, off, func(m *analysis.Module, fn uint32) []step {
		from := m.StackEffects().Users(fn)
		if slices.Contains(m.StackEffects().Taken(), fn) {
			from = append(from, m.StackEffects().Resumers(func(ct uint32) bool { return mayRun(m, ct, fn) })...)
		}
		from = append(from, m.StackEffects().Suspenders(m.StackEffects().HandledTags(fn))...)
		slices.Sort(from)
		w := stepWalk{m: m, only: &fn}
		for _, f := range slices.Compact(from) {
			w.walk(f)
		}
		return w.out
	}, func(x step) uint32 { return x.from })
}

func hierarchy(
	s *analysis.Snapshot, off int, find func(*analysis.Module, uint32) []step, other func(step) uint32,
) []CallEdge {
	items := PrepareCalls(s, off)
	m := s.ModuleAt(off)
	if len(items) == 0 || m == nil {
		return nil
	}
	type key struct {
		fn  uint32
		how string
	}
	found := map[key]int{}
	var out []CallEdge
	for _, x := range find(m, items[0].fn) {
		k := key{other(x), x.how}
		i, ok := found[k]
		if !ok {
			i = len(out)
			found[k] = i
			e := CallEdge{CallItem: callItem(m, k.fn)}
			e.Detail = x.how
			out = append(out, e)
		}
		out[i].Places = append(out[i].Places, x.at)
	}
	slices.SortStableFunc(out, func(a, b CallEdge) int { return cmp.Compare(a.fn, b.fn) })
	return out
}

// mayRun reports whether a continuation of a type may be of a function: its results are the type's.
// The parameters change while it runs.
func mayRun(m *analysis.Module, ct, fn uint32) bool {
	c, ft := m.Declared().ContFunc(ct), m.Env().FuncTypeOf(fn)
	return c != nil && ft != nil && len(ft.Results) == len(c.Results) && m.Env().MatchAll(ft.Results, c.Results)
}

// maxSteps bounds the steps of a hierarchy: very many resumes may run very many functions.
const maxSteps = 100_000

// stepWalk finds the ways from functions to others. It asks only once for what instructions share.
type stepWalk struct {
	m              *analysis.Module
	only           *uint32 // ways to this function alone, or nil
	out            []step
	handlerClauses map[uint32][]uint32 // by tag
	runs           map[uint32][]uint32 // by continuation type
	taken          []uint32            // the functions whose reference is taken
}

// walk adds every way from a function, in the order of the text's execution, those over stacks
// last.
func (w *stepWalk) walk(fn uint32) {
	n := len(w.m.Declared().Funcs)
	b := w.m.Body(fn)
	if b == nil {
		return
	}
	var stacks []step
	add := func(out []step, to uint32, how string, i int) []step {
		if int64(to) >= int64(n) || w.only != nil && to != *w.only || len(w.out)+len(stacks) >= maxSteps {
			return out
		}
		return append(out, step{fn, to, how, b.Span(i)})
	}
	for i := range b.Instrs {
		in := &b.Instrs[i]
		switch in.Op {
		case wasm.OpCall, wasm.OpReturnCall:
			w.out = add(w.out, in.A, "call", i)
		case wasm.OpRefFunc:
			how := "reference"
			if i+1 < len(b.Instrs) && b.Instrs[i+1].Op == wasm.OpContNew {
				how = "cont.new"
			}
			w.out = add(w.out, in.A, how, i)
		case wasm.OpSuspend:
			for _, f := range w.handlerClausesOf(in.A) {
				stacks = add(stacks, f, "suspend, handled by a resume", i)
			}
		case wasm.OpResume, wasm.OpResumeThrow, wasm.OpResumeThrowRef, wasm.OpSwitch:
			for _, f := range w.runsOf(in.A) {
				stacks = add(stacks, f, in.Op.String(), i)
			}
		default:
			for _, f := range analysis.FuncRefs(in) {
				w.out = add(w.out, f, in.Op.String(), i)
			}
			if info := in.Op.Info(); info.Leaves {
				w.out = add(w.out, in.Index(len(info.Imms)-1), in.Op.String(), i)
			}
		}
	}
	w.out = append(w.out, stacks...)
}

// handlerClausesOf returns the functions with a clause for a tag.
func (w *stepWalk) handlerClausesOf(tag uint32) []uint32 {
	if w.handlerClauses == nil {
		if w.only == nil {
			w.handlerClauses = w.m.StackEffects().HandlerClauses()
		} else {
			w.handlerClauses = map[uint32][]uint32{}
			for _, t := range w.m.StackEffects().HandledTags(*w.only) {
				w.handlerClauses[t] = []uint32{*w.only}
			}
		}
	}
	return w.handlerClauses[tag]
}

// runsOf returns the functions whose continuations may be of a type.
func (w *stepWalk) runsOf(ct uint32) []uint32 {
	fs, ok := w.runs[ct]
	if !ok {
		if w.runs == nil {
			w.runs, w.taken = map[uint32][]uint32{}, w.m.StackEffects().Taken()
			if w.only != nil {
				w.taken = slices.DeleteFunc(slices.Clone(w.taken), func(f uint32) bool { return f != *w.only })
			}
		}
		for _, f := range w.taken {
			if mayRun(w.m, ct, f) {
				fs = append(fs, f)
			}
		}
		w.runs[ct] = fs
	}
	return fs
}
