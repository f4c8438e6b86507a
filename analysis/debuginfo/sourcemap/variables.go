package sourcemap

import (
	"slices"
	"sort"

	"stackscope/analysis/debuginfo"
)

// variables makes the named locals of a function variables: those that are used in a block only are
// in a scope for the block. It returns nil if no local has a name.
func (r *Reader) variables(fn uint32, f *debuginfo.Func) *debuginfo.Scope {
	names := r.m.Names.Locals[fn]
	wf := &r.m.Funcs[fn]
	if len(names) == 0 || len(wf.Body) == 0 {
		return nil
	}
	params := 0
	if ft := r.m.FuncType(wf.Type); ft != nil {
		params = len(ft.Params)
	}
	root := &debuginfo.Scope{
		Kind: debuginfo.ScopeFunc, Name: f.Name, Decl: f.Decl, Ranges: []debuginfo.Range{{From: 0, To: len(wf.Body)}},
	}
	var locals []uint32
	for i := range names {
		if int(i) < params+len(wf.Locals) {
			locals = append(locals, i)
		}
	}
	slices.Sort(locals)
	var use *usage
	if r.lang == debuginfo.Kotlin || r.lang == debuginfo.AssemblyScript {
		use = usageOf(wf.Body, locals)
	}
	local := r.localNames(names)
	if use != nil {
		use.separate(func(k int) string {
			name, artificial := local(names[locals[k]])
			if artificial || int(locals[k]) < params {
				return ""
			}
			return name
		})
	}
	vars := map[int][]*debuginfo.Variable{} // by block
	for k, i := range locals {
		v := &debuginfo.Variable{Name: names[i], Param: int(i) < params}
		v.Name, v.Artificial = local(v.Name)
		where := debuginfo.Where{{Kind: debuginfo.InLocal, Index: i}}
		v.Locate = func(int, debuginfo.Context) (debuginfo.Where, error) { return where, nil }
		b := 0
		if use != nil && !v.Param {
			set := use.set[k]
			v.Locate = func(pc int, _ debuginfo.Context) (debuginfo.Where, error) {
				n := sort.Search(len(set), func(n int) bool { return set[n].To > pc })
				if n == len(set) || set[n].From > pc {
					return nil, debuginfo.ErrUnset
				}
				return where, nil
			}
			b = use.block[k]
		}
		vars[b] = append(vars[b], v)
	}
	root.Vars = vars[0]
	if use == nil {
		return root
	}
	// A block is listed after the one around it.
	around := make([]*debuginfo.Scope, len(use.blocks))
	for b, bl := range use.blocks {
		switch {
		case b == 0:
			around[b] = root
		case vars[b] == nil:
			around[b] = around[bl.parent]
		default:
			s := &debuginfo.Scope{Kind: debuginfo.ScopeBlock, Ranges: []debuginfo.Range{bl.Range}, Vars: vars[b]}
			p := around[bl.parent]
			p.Inner = append(p.Inner, s)
			around[b] = s
		}
	}
	return root
}

// localNames returns a function that maps the names of locals to those for people, and reports which
// of them the compiler made.
func (r *Reader) localNames(names map[uint32]string) func(name string) (string, bool) {
	switch r.lang {
	case debuginfo.Kotlin:
		return kotlinLocals(names)
	case debuginfo.AssemblyScript:
		return assemblyLocal
	}
	return func(name string) (string, bool) { return name, false }
}

// usage is where the locals of a function are used.
type usage struct {
	blocks []block
	block  []int               // by local: the innermost block that has all its uses
	set    [][]debuginfo.Range // by local: where it is set on all ways that control can have come
	span   []debuginfo.Range   // by local: from its first use up to, and with, the last
}

// separate sees to it that of several variables of one name at most one is there at an instruction:
// of two whose uses do not overlap, the first ends where the second begins; of two that do, the
// second is inside of the first and hides it. name returns "" for a local that does not count.
func (u *usage) separate(name func(k int) string) {
	byName := map[string][]int{}
	for k := range u.span {
		if n := name(k); n != "" && u.span[k].To > 0 {
			byName[n] = append(byName[n], k)
		}
	}
	for _, ks := range byName {
		if len(ks) < 2 {
			continue
		}
		sort.Slice(ks, func(i, j int) bool { return u.span[ks[i]].From < u.span[ks[j]].From })
		ks = ks[:min(len(ks), 200)]
		for i, a := range ks {
			for _, b := range ks[i+1:] {
				sa, sb := u.span[a], u.span[b]
				if sa.To <= sb.From {
					u.set[a] = without(u.set[a], debuginfo.Range{From: sb.From, To: maxPC})
					break
				}
				u.set[b] = without(u.set[b], debuginfo.Range{From: sb.To, To: maxPC})
				u.set[a] = without(u.set[a], sb)
			}
		}
	}
}

const maxPC = 1 << 62

// without returns ranges without one.
func without(rs []debuginfo.Range, x debuginfo.Range) (out []debuginfo.Range) {
	for _, r := range rs {
		if a := (debuginfo.Range{From: r.From, To: min(r.To, x.From)}); a.From < a.To {
			out = append(out, a)
		}
		if b := (debuginfo.Range{From: max(r.From, x.To), To: r.To}); b.From < b.To {
			out = append(out, b)
		}
	}
	return out
}

// block is a block of a body, or a part of one up to `else` or a clause. Block 0 is the body.
type block struct {
	debuginfo.Range
	parent, depth int
}
