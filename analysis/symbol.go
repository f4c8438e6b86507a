package analysis

import (
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Space is an index space.
type Space uint8

// The index spaces. Locals and labels are per function, fields per type.
const (
	SpaceNone Space = iota
	SpaceType
	SpaceFunc
	SpaceTable
	SpaceMemory
	SpaceGlobal
	SpaceTag
	SpaceElem
	SpaceData
	SpaceLocal // parameters first
	SpaceLabel // by the ordinal of the block instruction in the body
	SpaceField
)

var spaceNames = [...]string{
	"name", "type", "function", "table", "memory", "global", "tag", "elem segment", "data segment", "local",
	"label", "field",
}

// String returns the word that messages use: "function", "local" …
func (s Space) String() string { return spaceNames[s] }

// Sym names an item of a module.
type Sym struct {
	Space Space
	Owner uint32 // function of a local or label, type of a field; else 0
	Index uint32 // wasm.BadIndex: a name that stands for nothing
}

// Symbol is an item of a module with the places of its declaration.
type Symbol struct {
	Sym
	Name     string      // without `$`, decoded; "" if it has none
	NameSpan source.Span // of the identifier with its `$`; empty if it has none
	DeclSpan source.Span // of the whole declaration
	N        syntax.N    // the declaring node
}

// RefKind reports what a reference does to the item.
type RefKind uint8

// The kinds of references.
const (
	RefDef   RefKind = iota // the identifier in the declaration
	RefRead                 // any use that does not set it
	RefWrite                // local.set, local.tee, global.set, table.set, struct.set, stores and the like
)

// Ref is a place that names an item, by identifier or by number.
type Ref struct {
	Sym
	Span source.Span
	Kind RefKind
}

// symbol makes the symbol of a declared item.
func (m *Module) symbol(s Sym, it item) Symbol {
	x := Symbol{Sym: s, N: m.node(it.unit, it.node)}
	x.DeclSpan = x.N.Span()
	if it.id >= 0 {
		u := m.unit(it.unit)
		x.Name = u.Name(uint32(it.id))
		x.NameSpan = m.span(u.TokPlace(uint32(it.id)))
	}
	return x
}

// Symbols returns the items of a module-level space in index order, nil for the other spaces.
func (m *Module) Symbols(sp Space) []Symbol {
	if sp == SpaceNone || sp > SpaceData {
		return nil
	}
	items := m.decls().spaces[sp].items
	out := make([]Symbol, len(items))
	for i, it := range items {
		out[i] = m.symbol(Sym{sp, 0, uint32(i)}, it)
	}
	return out
}

// NameSpans returns the places of the identifiers that a module-level space declares, in index
// order.
func (m *Module) NameSpans(sp Space) []source.Span {
	if sp == SpaceNone || sp > SpaceData {
		return nil
	}
	var out []source.Span
	us := m.snap.tree.Units
	for _, it := range m.decls().spaces[sp].items {
		if it.id >= 0 {
			u := &us[m.first+int(it.unit)]
			t := &u.Tokens[it.id]
			start := u.Off + int(t.Off)
			out = append(out, source.Span{Start: start, End: start + int(t.Len)})
		}
	}
	return out
}

// funcLowerer returns a lowerer that has lowered the function, or nil if it is imported or unknown.
func (m *Module) funcLowerer(fn uint32) *lowerer {
	d := m.decls()
	if int64(fn) >= int64(len(d.mod.Funcs)) {
		return nil
	}
	l := m.lowerer(nil)
	l.hush = true
	it := d.spaces[SpaceFunc].items[fn]
	l.u = m.unit(it.unit)
	if d.mod.Funcs[fn].Import >= 0 {
		l.begin(fn)
		l.params(l.u.ExternOf(it.node))
		return l
	}
	l.function(fn)
	return l
}

// funcUnit returns the unit of a function, -1 if it is unknown.
func (m *Module) funcUnit(fn uint32) int32 {
	if items := m.decls().spaces[SpaceFunc].items; int64(fn) < int64(len(items)) {
		return items[fn].unit
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

func (m *Module) localSymbols(l *lowerer) []Symbol {
	out := make([]Symbol, len(l.localItems))
	for i, it := range l.localItems {
		out[i] = m.symbol(Sym{SpaceLocal, l.fn, uint32(i)}, it)
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
	out := make([]Symbol, len(l.blocks))
	for i, b := range l.blocks {
		out[i] = m.symbol(Sym{SpaceLabel, fn, uint32(i)}, item{l.u.Index, b.node, b.id, 0})
	}
	return out
}

// Fields returns the fields of a structure type.
func (m *Module) Fields(ty uint32) []Symbol {
	fs := m.decls().fields[ty]
	if fs == nil {
		return nil
	}
	out := make([]Symbol, len(fs.nodes))
	for i, it := range fs.nodes {
		out[i] = m.symbol(Sym{SpaceField, ty, uint32(i)}, it)
	}
	return out
}

// Symbol returns the symbol of an item, and whether there is one.
func (m *Module) Symbol(s Sym) (Symbol, bool) {
	d := m.decls()
	pick := func(all []Symbol) (Symbol, bool) {
		if int64(s.Index) < int64(len(all)) {
			return all[s.Index], true
		}
		return Symbol{}, false
	}
	switch s.Space {
	case SpaceNone:
		return Symbol{}, false
	case SpaceLocal:
		return pick(m.Locals(s.Owner))
	case SpaceLabel:
		return pick(m.Labels(s.Owner))
	case SpaceField:
		return pick(m.Fields(s.Owner))
	}
	items := d.spaces[s.Space].items
	if int64(s.Index) >= int64(len(items)) {
		return Symbol{}, false
	}
	return m.symbol(s, items[s.Index]), true
}

// Lookup returns the item with a name (without `$`, decoded) in a module-level space.
func (m *Module) Lookup(sp Space, name string) (Sym, bool) {
	if sp == SpaceNone || sp > SpaceData {
		return Sym{}, false
	}
	i, ok := m.decls().spaces[sp].names[name]
	return Sym{sp, 0, i}, ok
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
		l := m.lowerer(nil)
		l.hush = true
		return slices.Clip(m.refsWith(l, i, nil))
	}, func(r *recent, refs []Ref) { r.refUnit, r.refs = i, refs })
}

// refsWith appends the references in a unit to an empty slice, in order of their places. The
// lowerer may be used for one unit after the other.
func (m *Module) refsWith(l *lowerer, i int32, out []Ref) []Ref {
	l.u = m.unit(i)
	if !l.u.IsField() {
		return out
	}
	l.rec = func(s Sym, t uint32, k RefKind) {
		out = append(out, Ref{s, m.span(l.u.TokPlace(t)), k})
	}
	l.walkField()
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
	for sp := SpaceType; sp <= SpaceData; sp++ {
		items := m.decls().spaces[sp].items
		i := m.decls().firstOf(sp, u)
		for ; i < len(items) && items[i].unit == u; i++ {
			out = append(out, m.symbol(Sym{sp, 0, uint32(i)}, items[i]))
		}
	}
	return out
}

// walkField goes over the references of the field that the unit is.
func (l *lowerer) walkField() {
	d := l.d
	for sp := SpaceType; sp <= SpaceData; sp++ {
		items := d.spaces[sp].items
		i := d.firstOf(sp, l.u.Index)
		for ; i < len(items) && items[i].unit == l.u.Index; i++ {
			if items[i].id >= 0 {
				l.rec(Sym{sp, 0, uint32(i)}, uint32(items[i].id), RefDef)
			}
			if sp == SpaceType {
				l.typeDef(items[i].node, uint32(i))
			}
		}
	}
	p := l.head(0)
	switch l.u.Nodes[0].Kind {
	case syntax.KImport:
		l.walkImports()
	case syntax.KFunc, syntax.KTable, syntax.KMemory, syntax.KGlobal, syntax.KTag:
		sp := fieldSpace(l.u.Nodes[0].Kind)
		if imported, _, _ := l.inlines(&p, 0, 0, false); imported {
			l.walkImported(0, &p, sp, uint32(d.firstOf(sp, l.u.Index)))
			return
		}
		switch sp {
		case SpaceFunc:
			if fn := d.units[l.u.Index].fn; fn != wasm.BadIndex {
				l.funcUse(0, false)
				l.walkResults()
				l.function(fn)
			}
		case SpaceTag:
			l.funcUse(0, false)
		case SpaceTable:
			l.tableDecl(0, &p)
		case SpaceMemory:
			l.memoryDecl(0, &p)
		case SpaceGlobal:
			l.globalDecl(0, &p)
		}
	case syntax.KExport:
		l.exportDecl(0)
	case syntax.KStart:
		l.startDecl(0)
	case syntax.KElem:
		l.elemDecl(0)
	case syntax.KData:
		l.dataDecl(0)
	}
}

// walkResults is where the types of a function's header are: funcUse has read them.
func (l *lowerer) walkResults() {}

// firstOf returns the index of the first item of a space that a unit, or one behind it, declares.
func (d *decls) firstOf(sp Space, unit int32) int {
	items := d.spaces[sp].items
	return sort.Search(len(items), func(k int) bool { return items[k].unit >= unit })
}

// walkImported goes over an extern type, of the item with an index.
func (l *lowerer) walkImported(n uint32, p *cursor.Parts, sp Space, index uint32) {
	if sp == SpaceFunc {
		// The names of parameters are definitions of locals.
		l.begin(index)
		l.params(n)
	}
	l.importedDecl(n, p, sp, 0, false)
}

// References returns every place that names the item, in order; the declaring identifier as well if
// decl is set.
func (m *Module) References(s Sym, decl bool) []Ref {
	d := m.decls()
	pick := func(out, all []Ref) []Ref {
		for _, r := range all {
			if r.Sym == s && (decl || r.Kind != RefDef) {
				out = append(out, r)
			}
		}
		return out
	}
	if s.Space == SpaceLocal || s.Space == SpaceLabel {
		if int64(s.Owner) < int64(len(d.spaces[SpaceFunc].items)) {
			return pick(nil, m.unitRefs(d.spaces[SpaceFunc].items[s.Owner].unit))
		}
		return nil
	}
	name := ""
	if x, ok := m.Symbol(s); ok {
		name = x.Name
	}
	// Runs of units, on all processors.
	const grain = 512
	parts := make([][]Ref, (len(d.units)+grain-1)/grain)
	var next atomic.Int64
	work := func() {
		l := m.lowerer(nil)
		l.hush = true
		var all []Ref
		for {
			k := int(next.Add(1)) - 1
			if k >= len(parts) {
				return
			}
			for i := k * grain; i < min(len(d.units), (k+1)*grain); i++ {
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
			if name != "" && (len(s) == len(name)+1 && s[1:] == name || len(s) > 1 && s[1] == '"' && cursor.DecodeID(s) == name) {
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
