package ide

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// SymbolKind is the kind of a symbol in an outline.
type SymbolKind uint8

// The kinds.
const (
	SymModule SymbolKind = iota
	SymFunc
	SymType // one that could not be understood
	SymStruct
	SymArray
	SymFuncType
	SymCont // continuation, stack and fiber types
	SymField
	SymTable
	SymMemory
	SymGlobal
	SymConstant // immutable global
	SymTag
	SymElem
	SymData
	SymLabel
	SymCommand // of a script
)

// Symbol is an item of an outline.
type Symbol struct {
	Name     string
	Detail   string
	Kind     SymbolKind
	Span     source.Span
	NameSpan source.Span // inside Span
	Children []Symbol
}

// Symbols returns the outline of a text in its order: the items of a module; of a script, or of a
// named module, the modules with their items inside.
func Symbols(s *analysis.Snapshot) []Symbol {
	o := NewOutline(s)
	var out []Symbol
	for i := range o.Modules {
		m := &o.Modules[i]
		items := out
		if m.Around != nil {
			items = nil
		}
		for u := m.First; u < m.First+m.Units; u++ {
			items = append(items, m.Items(u)...)
		}
		if m.Around != nil {
			around := *m.Around
			around.Children = items
			items = append(out, around)
		}
		out = items
	}
	for _, u := range o.Commands {
		out = append(out, CommandSymbol(s, u))
	}
	orderSymbols(out)
	return out
}

// Outline is the structure of an outline. What it holds of a unit depends on the unit's text and on
// the declarations of its module alone.
type Outline struct {
	Modules  []OutlineModule
	Commands []int // the units of the commands of a script that have a place of their own, in order
}

// OutlineModule is a module in an outline.
type OutlineModule struct {
	*analysis.Module
	Around       *Symbol // the symbol around the items, or nil
	First, Units int     // the units of the tree that declare the items
	t            *query.Types
	exports      map[[2]uint32]string
	imports      map[[2]uint32]string
}

// NewOutline returns the structure of the outline of a text.
func NewOutline(s *analysis.Snapshot) *Outline {
	script := query.IsScript(s)
	o := &Outline{}
	for _, m := range s.Modules() {
		x := OutlineModule{Module: m}
		x.First, x.Units = m.Units()
		if script || m.Name() != "" {
			x.Around = moduleSymbol(s, m)
		}
		o.Modules = append(o.Modules, x)
	}
	if !script {
		return o
	}
	mods, end := s.Modules(), 0 // where the modules end that begin before it
	for i := range s.Tree().Units {
		n := s.Tree().Root(i)
		if k := s.Tree().Units[i].Kind; k != syntax.UnitOpen && k != syntax.UnitCommand ||
			n.Kind() != syntax.KCommand ||
			n.Keyword().IsZero() {
			continue
		}
		sp := n.Span()
		for len(mods) > 0 && mods[0].Span().Start <= sp.Start {
			end = max(end, mods[0].Span().End)
			mods = mods[1:]
		}
		if sp.End > end {
			o.Commands = append(o.Commands, i)
		}
	}
	return o
}

// moduleSymbol returns the symbol of a module, without its items.
func moduleSymbol(s *analysis.Snapshot, m *analysis.Module) *Symbol {
	sp := m.Span()
	o := &Symbol{Name: "module", Detail: "module", Kind: SymModule, Span: sp, NameSpan: sp}
	// The keyword that the module's text begins with: `module`, or the assertion about it.
	if _, tok := s.Tree().At(sp.Start + 1); !tok.IsZero() && query.Inside(tok.Span(), sp) {
		o.NameSpan, o.Detail = tok.Span(), tok.Text()
	}
	switch {
	case m.Name() != "":
		o.Name = query.Identifier(m.Name())
	case o.Detail != "module":
		o.Name, o.Detail = o.Detail, "module"
	}
	return o
}

// CommandSymbol returns the symbol of the command of a script that a unit is.
func CommandSymbol(s *analysis.Snapshot, unit int) Symbol {
	n := s.Tree().Root(unit)
	k := n.Keyword()
	name := k.Text()
	for c := range n.Children() {
		if c.Kind() == syntax.KAction {
			name += " " + strings.TrimSuffix(headText(s.File(), c.Span()), ")")
			break
		}
	}
	if len(name) > 60 {
		name = strings.ToValidUTF8(name[:60], "") + "…"
	}
	return Symbol{Name: name, Kind: SymCommand, Span: n.Span(), NameSpan: k.Span()}
}

// Items returns the items that a unit of the module declares, in the order of the text.
func (x *OutlineModule) Items(unit int) []Symbol {
	m := x.Module
	if x.t == nil {
		t := query.NewTypes(m)
		x.t = &t
	}
	t := *x.t
	if t.Declared == nil {
		return nil
	}
	var out []Symbol
	for _, y := range m.DeclaredBy(unit - x.First) {
		if y.DeclSpan.End <= y.DeclSpan.Start {
			continue
		}
		o := Symbol{Name: x.symbolName(y), Span: y.DeclSpan, NameSpan: target(y).Name}
		if !query.Inside(o.NameSpan, o.Span) {
			o.NameSpan = o.Span
		}
		o.Kind, o.Detail = kindOf(t, y), t.Describe(y)
		if o.Kind == SymStruct {
			for _, f := range m.Fields(y.Index) {
				if !query.Inside(f.DeclSpan, y.DeclSpan) {
					continue
				}
				c := Symbol{Name: query.Display(f), Kind: SymField, Span: f.DeclSpan, NameSpan: target(f).Name}
				if v, ok := t.ValueType(f); ok {
					c.Detail = t.Val(v)
				}
				if !query.Inside(c.NameSpan, c.Span) {
					c.NameSpan = c.Span
				}
				o.Children = append(o.Children, c)
			}
		}
		out = append(out, o)
	}
	orderSymbols(out)
	return out
}

// externNames makes the names of exports and imports by kind and index, once.
func (x *OutlineModule) externNames() {
	if x.exports != nil {
		return
	}
	x.exports, x.imports = map[[2]uint32]string{}, map[[2]uint32]string{}
	for _, e := range x.t.Declared.Exports {
		k := [2]uint32{uint32(e.Kind), e.Index}
		if x.exports[k] == "" {
			x.exports[k] = e.Name
		}
	}
	for _, im := range x.t.Declared.Imports {
		k := [2]uint32{uint32(im.Kind), im.Index}
		if _, ok := x.imports[k]; !ok {
			x.imports[k] = `"` + im.Module + `"."` + im.Name + `"`
		}
	}
}

// symbolName returns what to call an item in an outline: name, else export, else kind and index.
func (x *OutlineModule) symbolName(y analysis.Symbol) string {
	if y.Name != "" {
		return query.Identifier(y.Name)
	}
	if k, ok := query.ExternOf(y.Space); ok {
		x.externNames()
		key := [2]uint32{uint32(k), y.Index}
		if n := x.exports[key]; n != "" {
			return `"` + n + `"`
		}
		if n, ok := x.imports[key]; ok {
			return n
		}
	}
	return y.Space.String() + " " + query.Index(y.Index)
}

// orderSymbols sorts by place; almost sorted as they come, so insertion it is.
func orderSymbols(ss []Symbol) {
	slices.SortStableFunc(ss, func(a, b Symbol) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
}

// Fuzzy reports whether the characters of a query occur in a name in order, whatever their case,
// and scores the match: higher is better.
func Fuzzy(query, name string) (score int, ok bool) {
	q := []rune(query)
	n := []rune(name)
	k, last := 0, -2
	for i, r := range n {
		if k == len(q) {
			break
		}
		if unicode.ToLower(r) != unicode.ToLower(q[k]) {
			continue
		}
		score++
		if i == last+1 {
			score += 4 // a run
		}
		if i == 0 || !unicode.IsLetter(n[i-1]) && !unicode.IsDigit(n[i-1]) {
			score += 6 // the start of a word
		}
		last, k = i, k+1
	}
	if k < len(q) {
		return 0, false
	}
	return score*4 - len(n)/4, true
}

// kindOf returns what a symbol is in an outline.
func kindOf(t query.Types, y analysis.Symbol) SymbolKind {
	switch y.Space {
	case analysis.SpaceFunc:
		return SymFunc
	case analysis.SpaceType:
		if ty := t.Sub(y.Index); ty != nil {
			switch ty.Kind {
			case wasm.CompFunc:
				return SymFuncType
			case wasm.CompStruct:
				return SymStruct
			case wasm.CompArray:
				return SymArray
			case wasm.CompCont, wasm.CompStack, wasm.CompFiber:
				return SymCont
			}
		}
		return SymType
	case analysis.SpaceTag:
		return SymTag
	case analysis.SpaceGlobal:
		if int(y.Index) < len(t.Declared.Globals) && !t.Declared.Globals[y.Index].Mut {
			return SymConstant
		}
		return SymGlobal
	case analysis.SpaceTable:
		return SymTable
	case analysis.SpaceMemory:
		return SymMemory
	case analysis.SpaceElem:
		return SymElem
	}
	return SymData
}
