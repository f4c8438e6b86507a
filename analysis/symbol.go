package analysis

import (
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"stackscope/analysis/internal/bind"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// Symbol is an item of a module with the places of its declaration.
type Symbol struct {
	decl.Sym
	Name     string      // without `$`, decoded; "" if it has none
	NameSpan source.Span // of the identifier with its `$`; empty if it has none
	DeclSpan source.Span // of the whole declaration
	N        syntax.N    // the declaring node
}

// Ref is a place that names an item, by identifier or by number.
type Ref struct {
	decl.Sym
	Span source.Span
	Kind decl.RefKind
}

// symbol makes the symbol of a declared item.
func (m *Module) symbol(s decl.Sym, it decl.Item) Symbol {
	x := Symbol{Sym: s, N: m.node(it.Unit, it.Node)}
	x.DeclSpan = x.N.Span()
	if it.ID >= 0 {
		u := m.unit(it.Unit)
		x.Name = u.Name(uint32(it.ID))
		x.NameSpan = m.span(u.TokPlace(uint32(it.ID)))
	}
	return x
}

// Symbols returns the items of a module-level space in index order, nil for the other spaces.
func (m *Module) Symbols(sp decl.Space) []Symbol {
	if sp == decl.SpaceNone || sp > decl.SpaceData {
		return nil
	}
	items := m.decls().Spaces[sp].Items
	out := make([]Symbol, len(items))
	for i, it := range items {
		out[i] = m.symbol(decl.Sym{Space: sp, Owner: 0, Index: uint32(i)}, it)
	}
	return out
}

// NameSpans returns the places of the identifiers that a module-level space declares, in index
// order.
func (m *Module) NameSpans(sp decl.Space) []source.Span {
	if sp == decl.SpaceNone || sp > decl.SpaceData {
		return nil
	}
	var out []source.Span
	us := m.snap.tree.Units
	for _, it := range m.decls().Spaces[sp].Items {
		if it.ID >= 0 {
			u := &us[m.first+int(it.Unit)]
			t := &u.Tokens[it.ID]
			start := u.Off + int(t.Off)
			out = append(out, source.Span{Start: start, End: start + int(t.Len)})
		}
	}
	return out
}

// funcLowerer returns a lowerer that has lowered the function, or nil if it is imported or unknown.
func (m *Module) funcLowerer(fn uint32) *lower.Lowerer {
	d := m.decls()
	if int64(fn) >= int64(len(d.Mod.Funcs)) {
		return nil
	}
	l := m.lowerer(nil)
	l.Silent = true
	it := d.Spaces[decl.SpaceFunc].Items[fn]
	l.Unit = m.unit(it.Unit)
	if d.Mod.Funcs[fn].Import >= 0 {
		l.Begin(fn)
		l.Params(l.Unit.ExternOf(it.Node))
		return l
	}
	l.Function(fn)
	return l
}

// funcUnit returns the unit of a function, -1 if it is unknown.
func (m *Module) funcUnit(fn uint32) int32 {
	if items := m.decls().Spaces[decl.SpaceFunc].Items; int64(fn) < int64(len(items)) {
		return items[fn].Unit
	}
	return -1
}

// Locals returns the parameters and locals of a function; of an imported one those with a place.
// The result must not be changed.
func (m *Module) Locals(fn uint32) []Symbol {
	return recall(m, m.funcUnit(fn), func(r *recent) ([]Symbol, bool) {
		return r.locals, r.locals != nil && r.fn == fn
	}, func() []Symbol {
		if l := m.funcLowerer(fn); l != nil {
			return m.localSymbols(l)
		}
		return nil
	}, func(r *recent, ys []Symbol) {
		if r.fn != fn {
			r.labels = nil
		}
		r.fn, r.locals = fn, ys
	})
}

func (m *Module) localSymbols(l *lower.Lowerer) []Symbol {
	out := make([]Symbol, len(l.Body.LocalItems))
	for i, it := range l.Body.LocalItems {
		out[i] = m.symbol(decl.Sym{Space: decl.SpaceLocal, Owner: l.Body.Fn, Index: uint32(i)}, it)
	}
	return out
}

// Labels returns the labels of a function, one for each block instruction of its body, in order.
// The result must not be changed.
func (m *Module) Labels(fn uint32) []Symbol {
	return recall(m, m.funcUnit(fn), func(r *recent) ([]Symbol, bool) {
		return r.labels, r.labels != nil && r.fn == fn
	}, func() []Symbol { return m.makeLabels(fn) }, func(r *recent, ys []Symbol) {
		if r.fn != fn {
			r.locals = nil
		}
		r.fn, r.labels = fn, ys
	})
}

// makeLabels makes what Labels returns.
func (m *Module) makeLabels(fn uint32) []Symbol {
	l := m.funcLowerer(fn)
	if l == nil {
		return nil
	}
	out := make([]Symbol, len(l.Body.Blocks))
	for i, b := range l.Body.Blocks {
		out[i] = m.symbol(
			decl.Sym{Space: decl.SpaceLabel, Owner: fn, Index: uint32(i)},
			decl.Item{Unit: l.Unit.Index, Node: b.Node, ID: b.Label, Part: 0},
		)
	}
	return out
}

// Fields returns the fields of a structure type.
func (m *Module) Fields(ty uint32) []Symbol {
	fs := m.decls().Fields[ty]
	if fs == nil {
		return nil
	}
	out := make([]Symbol, len(fs.Nodes))
	for i, it := range fs.Nodes {
		out[i] = m.symbol(decl.Sym{Space: decl.SpaceField, Owner: ty, Index: uint32(i)}, it)
	}
	return out
}

// Symbol returns the symbol of an item, and whether there is one.
func (m *Module) Symbol(s decl.Sym) (Symbol, bool) {
	d := m.decls()
	pick := func(all []Symbol) (Symbol, bool) {
		if int64(s.Index) < int64(len(all)) {
			return all[s.Index], true
		}
		return Symbol{}, false
	}
	switch s.Space {
	case decl.SpaceNone:
		return Symbol{}, false
	case decl.SpaceLocal:
		return pick(m.Locals(s.Owner))
	case decl.SpaceLabel:
		return pick(m.Labels(s.Owner))
	case decl.SpaceField:
		return pick(m.Fields(s.Owner))
	}
	items := d.Spaces[s.Space].Items
	if int64(s.Index) >= int64(len(items)) {
		return Symbol{}, false
	}
	return m.symbol(s, items[s.Index]), true
}

// Lookup returns the item with a name (without `$`, decoded) in a module-level space.
func (m *Module) Lookup(sp decl.Space, name string) (decl.Sym, bool) {
	if sp == decl.SpaceNone || sp > decl.SpaceData {
		return decl.Sym{}, false
	}
	i, ok := m.decls().Spaces[sp].Names[name]
	return decl.Sym{Space: sp, Owner: 0, Index: i}, ok
}

// RefAt returns what the identifier or number at an offset refers to or declares.
func (m *Module) RefAt(off int) (Ref, bool) {
	refs := m.RefsIn(off)
	// Of two that touch, the one that begins at the offset wins.
	i := sort.Search(len(refs), func(i int) bool { return refs[i].Span.Start > off })
	if i > 0 && refs[i-1].Span.Contains(off) {
		return refs[i-1], true
	}
	return Ref{}, false
}

// RefsIn returns the references in the field that holds the offset, in order of their places. The
// result must not be changed.
func (m *Module) RefsIn(off int) []Ref {
	u := m.unitAt(off)
	if u < 0 {
		return nil
	}
	return m.unitRefs(u)
}

// unitRefs returns the references in a unit of the module.
func (m *Module) unitRefs(i int32) []Ref {
	return recall(m, i, func(r *recent) ([]Ref, bool) {
		return r.refs, r.refs != nil && r.refUnit == i
	}, func() []Ref {
		l := bind.NewBinder(m.text(), m.decls(), nil)
		l.Silent = true
		return slices.Clip(m.refsWith(l, i, nil))
	}, func(r *recent, refs []Ref) { r.refUnit, r.refs = i, refs })
}

// refsWith appends the references in a unit to an empty slice, in order of their places. The
// lowerer may be used for one unit after the other.
func (m *Module) refsWith(l *bind.Binder, i int32, out []Ref) []Ref {
	l.Unit = m.unit(i)
	if !l.Unit.IsField() {
		return out
	}
	l.OnRef = func(s decl.Sym, t uint32, k decl.RefKind) {
		out = append(out, Ref{s, m.span(l.Unit.TokPlace(t)), k})
	}
	l.Walk()
	slices.SortStableFunc(out, func(a, b Ref) int { return a.Span.Start - b.Span.Start })
	return slices.CompactFunc(out, func(a, b Ref) bool { return a.Span == b.Span })
}

// DeclaredIn returns the items of module-level spaces that the field around an offset declares, in
// order of their spaces.
func (m *Module) DeclaredIn(off int) []Symbol {
	if u := m.unitAt(off); u >= 0 {
		return m.DeclaredBy(int(u))
	}
	return nil
}

// Units returns the first of the units of the tree that the fields of the module are, and their
// number.
func (m *Module) Units() (first, n int) { return m.first, m.units }

// DeclaredBy returns the items of module-level spaces that a unit of the module, by its number in
// it, declares, in order of their spaces.
func (m *Module) DeclaredBy(unit int) []Symbol {
	u := int32(unit)
	var out []Symbol
	for sp := decl.SpaceType; sp <= decl.SpaceData; sp++ {
		items := m.decls().Spaces[sp].Items
		i := m.decls().FirstOf(sp, u)
		for ; i < len(items) && items[i].Unit == u; i++ {
			out = append(out, m.symbol(decl.Sym{Space: sp, Owner: 0, Index: uint32(i)}, items[i]))
		}
	}
	return out
}

// References returns every place that names the item, in order; the declaring identifier as well if
// declared is set.
func (m *Module) References(s decl.Sym, declared bool) []Ref {
	d := m.decls()
	pick := func(out, all []Ref) []Ref {
		for _, r := range all {
			if r.Sym == s && (declared || r.Kind != decl.RefDef) {
				out = append(out, r)
			}
		}
		return out
	}
	if s.Space == decl.SpaceLocal || s.Space == decl.SpaceLabel {
		if int64(s.Owner) < int64(len(d.Spaces[decl.SpaceFunc].Items)) {
			return pick(nil, m.unitRefs(d.Spaces[decl.SpaceFunc].Items[s.Owner].Unit))
		}
		return nil
	}
	name := ""
	if x, ok := m.Symbol(s); ok {
		name = x.Name
	}
	// Runs of units, on all processors.
	const grain = 512
	parts := make([][]Ref, (len(d.Units)+grain-1)/grain)
	var next atomic.Int64
	work := func() {
		l := bind.NewBinder(m.text(), m.decls(), nil)
		l.Silent = true
		var all []Ref
		for {
			k := int(next.Add(1)) - 1
			if k >= len(parts) {
				return
			}
			for i := k * grain; i < min(len(d.Units), (k+1)*grain); i++ {
				if u := m.unit(int32(i)); mayName(&u, name, s.Index) {
					all = m.refsWith(l, int32(i), all[:0])
					parts[k] = pick(parts[k], all)
				}
			}
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(parts)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return slices.Concat(parts...)
}

// mayName reports whether a token of the unit could name an item of the name or index.
func mayName(u *cursor.Unit, name string, index uint32) bool {
	for t := range u.Tokens {
		switch u.Tokens[t].Kind {
		case syntax.TokID:
			s := u.TokText(uint32(t))
			if name != "" &&
				(len(s) == len(name)+1 && s[1:] == name || len(s) > 1 && s[1] == '"' && cursor.DecodeID(s) == name) {
				return true
			}
		case syntax.TokNat:
			if n, err := syntax.ParseNat(u.TokText(uint32(t)), 32); err == nil && uint32(n) == index {
				return true
			}
		}
	}
	return false
}
