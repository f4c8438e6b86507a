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
	return hierarchy(s, off, func(fn uint32, x step) (uint32, bool) { return x.to, x.from == fn })
}

// IncomingCalls gives from where control may come to a function.
func IncomingCalls(s *analysis.Snapshot, off int) []CallEdge {
	return hierarchy(s, off, func(fn uint32, x step) (uint32, bool) { return x.from, x.to == fn })
}

func hierarchy(s *analysis.Snapshot, off int, pick func(uint32, step) (uint32, bool)) []CallEdge {
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
	for _, x := range steps(m) {
		other, ok := pick(items[0].fn, x)
		if !ok {
			continue
		}
		k := key{other, x.how}
		i, ok := found[k]
		if !ok {
			i = len(out)
			found[k] = i
			e := CallEdge{CallItem: callItem(m, other)}
			e.Detail = x.how
			out = append(out, e)
		}
		out[i].Places = append(out[i].Places, x.at)
	}
	slices.SortStableFunc(out, func(a, b CallEdge) int { return cmp.Compare(a.fn, b.fn) })
	return out
}

// steps gives every way from function to function in a module. A continuation may be of every
// function whose reference is taken and whose results are those of the continuation type: the
// parameters change while it runs.
func steps(m *analysis.Module) []step {
	ir := m.Declared()
	if ir == nil {
		return nil
	}
	type later struct {
		from uint32
		in   *wasm.Instr
		at   source.Span
	}
	var out []step
	var stacks []later
	taken := map[uint32]bool{}
	handlers := map[uint32][]uint32{} // tag → functions
	for fn := range uint32(len(ir.Funcs)) {
		b := m.Body(fn)
		if b == nil {
			continue
		}
		for i := range b.Instrs {
			in := &b.Instrs[i]
			switch in.Op {
			case wasm.OpCall, wasm.OpReturnCall:
				out = append(out, step{fn, in.A, "call", b.Span(i)})
			case wasm.OpRefFunc:
				taken[in.A] = true
				how := "reference"
				if i+1 < len(b.Instrs) && b.Instrs[i+1].Op == wasm.OpContNew {
					how = "cont.new"
				}
				out = append(out, step{fn, in.A, how, b.Span(i)})
			case wasm.OpResume, wasm.OpResumeThrow, wasm.OpResumeThrowRef, wasm.OpSwitch, wasm.OpSuspend:
				stacks = append(stacks, later{fn, in, b.Span(i)})
				if in.Ext != nil {
					for _, h := range in.Ext.Handlers {
						if !h.Switch && !slices.Contains(handlers[h.Tag], fn) {
							handlers[h.Tag] = append(handlers[h.Tag], fn)
						}
					}
				}
			}
		}
	}
	env := m.Env()
	var fns []uint32
	for fn := range taken {
		if int64(fn) < int64(len(ir.Funcs)) {
			fns = append(fns, fn)
		}
	}
	slices.Sort(fns)
	for _, x := range stacks {
		if x.in.Op == wasm.OpSuspend {
			for _, fn := range handlers[x.in.A] {
				out = append(out, step{x.from, fn, "suspend, handled by a resume", x.at})
			}
			continue
		}
		ct := ir.ContFunc(x.in.A)
		if ct == nil {
			continue
		}
		for _, fn := range fns {
			if ft := env.FuncTypeOf(fn); ft != nil && len(ft.Results) == len(ct.Results) && env.MatchAll(ft.Results, ct.Results) {
				out = append(out, step{x.from, fn, x.in.Op.String(), x.at})
			}
		}
	}
	return slices.DeleteFunc(out, func(x step) bool { return int64(x.to) >= int64(len(ir.Funcs)) })
}
