package ide

import (
	"cmp"
	"slices"

	"stackscope/analysis"
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

// PrepareCalls gives the function whose name, or whose declaration's head, is at an offset.
func PrepareCalls(s *analysis.Snapshot, off int) []CallItem {
	p := at(s, off)
	if p.m == nil {
		return nil
	}
	if y, _, ok := p.sym(); ok {
		if y.Space != analysis.SpaceFunc {
			return nil
		}
		return []CallItem{callItem(p.m, y.Index)}
	}
	if fn, ok := p.m.FuncAt(off); ok {
		return []CallItem{callItem(p.m, fn)}
	}
	return nil
}

func callItem(m *analysis.Module, fn uint32) CallItem {
	c := CallItem{fn: fn, Name: "func " + itoa(fn)}
	if y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: fn}); ok {
		c.Target = target(y)
		if y.Name != "" {
			c.Name = idText(y.Name)
		}
	}
	t := newTyper(m)
	if ft := t.funcType(fn); ft != nil {
		c.Detail = t.arrow(ft.Params, ft.Results)
	}
	return c
}

// OutgoingCalls gives where control may go from a function: what it calls, the functions whose
// continuations it starts, resumes or switches to, and the functions that handle its suspensions.
func OutgoingCalls(s *analysis.Snapshot, off int) []CallEdge {
	return hierarchy(s, off, func(m *analysis.Module, fn uint32) []step { return steps(m, fn) },
		func(x step) uint32 { return x.to })
}

// IncomingCalls gives from where control may come to a function. Only functions that have to do with it
// are looked into.
func IncomingCalls(s *analysis.Snapshot, off int) []CallEdge {
	return hierarchy(s, off, func(m *analysis.Module, fn uint32) []step {
		from := m.Users(fn)
		if slices.Contains(m.Taken(), fn) {
			from = append(from, m.Resumers(func(ct uint32) bool { return mayRun(m, ct, fn) })...)
		}
		for tag := range uint32(len(m.Declared().Tags)) {
			if slices.Contains(m.Handlers(tag), fn) {
				from = append(from, m.Suspenders(tag)...)
			}
		}
		slices.Sort(from)
		var out []step
		for _, f := range slices.Compact(from) {
			out = append(out, slices.DeleteFunc(steps(m, f), func(x step) bool { return x.to != fn })...)
		}
		return out
	}, func(x step) uint32 { return x.from })
}

func hierarchy(s *analysis.Snapshot, off int, find func(*analysis.Module, uint32) []step, other func(step) uint32) []CallEdge {
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

// mayRun tells whether a continuation of a type may be of a function: its results are the type's. The
// parameters change while it runs.
func mayRun(m *analysis.Module, ct, fn uint32) bool {
	c, ft := m.Declared().ContFunc(ct), m.Env().FuncTypeOf(fn)
	return c != nil && ft != nil && len(ft.Results) == len(c.Results) && m.Env().MatchAll(ft.Results, c.Results)
}

// steps gives every way from a function to others, in the order of the text's execution, those over
// stacks last.
func steps(m *analysis.Module, fn uint32) []step {
	n := len(m.Declared().Funcs)
	b := m.Body(fn)
	if b == nil {
		return nil
	}
	var out, stacks []step
	for i := range b.Instrs {
		in := &b.Instrs[i]
		switch in.Op {
		case wasm.OpCall, wasm.OpReturnCall:
			out = append(out, step{fn, in.A, "call", b.Span(i)})
		case wasm.OpRefFunc:
			how := "reference"
			if i+1 < len(b.Instrs) && b.Instrs[i+1].Op == wasm.OpContNew {
				how = "cont.new"
			}
			out = append(out, step{fn, in.A, how, b.Span(i)})
		case wasm.OpSuspend:
			for _, f := range m.Handlers(in.A) {
				stacks = append(stacks, step{fn, f, "suspend, handled by a resume", b.Span(i)})
			}
		case wasm.OpResume, wasm.OpResumeThrow, wasm.OpResumeThrowRef, wasm.OpSwitch:
			for _, f := range m.Taken() {
				if mayRun(m, in.A, f) {
					stacks = append(stacks, step{fn, f, in.Op.String(), b.Span(i)})
				}
			}
		default:
			for _, f := range analysis.FuncRefs(in) {
				out = append(out, step{fn, f, in.Op.String(), b.Span(i)})
			}
		}
	}
	return slices.DeleteFunc(append(out, stacks...), func(x step) bool { return int64(x.to) >= int64(n) })
}
