package ide

import (
	"slices"
	"strings"
	"unicode"

	"stackscope/analysis"
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

// isScript tells whether a text is a script of the test format.
func isScript(s *analysis.Snapshot) bool {
	return strings.HasSuffix(s.File().Name, ".wast") || len(s.Modules()) > 1 || slices.ContainsFunc(s.Tree().Commands(), func(n syntax.N) bool { return n.Kind() == syntax.KCommand })
}

// Symbols gives the outline of a text in its order: the items of a module; of a script, or of a
// named module, the modules with their items inside.
func Symbols(s *analysis.Snapshot) []Symbol {
	script := isScript(s)
	var out []Symbol
	for _, m := range s.Modules() {
		items := moduleSymbols(m)
		if !script && m.Name() == "" {
			out = append(out, items...)
			continue
		}
		sp := m.Span()
		o := Symbol{Name: "module", Detail: "module", Kind: SymModule, Span: sp, NameSpan: sp, Children: items}
		// The keyword that the module's text begins with: `module`, or the assertion about it.
		if _, tok := s.Tree().At(sp.Start + 1); !tok.IsZero() && inside(tok.Span(), sp) {
			o.NameSpan, o.Detail = tok.Span(), tok.Text()
		}
		switch {
		case m.Name() != "":
			o.Name = idText(m.Name())
		case o.Detail != "module":
			o.Name, o.Detail = o.Detail, "module"
		}
		out = append(out, o)
	}
	if script {
		mods := len(out)
		for _, c := range commands(s) {
			if !slices.ContainsFunc(out[:mods], func(m Symbol) bool { return inside(c.Span, m.Span) }) {
				out = append(out, c)
			}
		}
	}
	orderSymbols(out)
	return out
}

// commands gives the commands of a script that are worth a place in an outline.
func commands(s *analysis.Snapshot) []Symbol {
	var out []Symbol
	for _, n := range s.Tree().Commands() {
		k := n.Keyword()
		if n.Kind() != syntax.KCommand || k.IsZero() {
			continue
		}
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
		out = append(out, Symbol{Name: name, Kind: SymCommand, Span: n.Span(), NameSpan: k.Span()})
	}
	return out
}

// moduleSymbols gives the items of a module in the order of the text.
func moduleSymbols(m *analysis.Module) []Symbol {
	t := newTyper(m)
	if t.ir == nil {
		return nil
	}
	exports := map[[2]uint32]string{}
	for _, e := range t.ir.Exports {
		k := [2]uint32{uint32(e.Kind), e.Index}
		if exports[k] == "" {
			exports[k] = e.Name
		}
	}
	var out []Symbol
	for sp := analysis.SpaceType; sp <= analysis.SpaceData; sp++ {
		for _, y := range m.Symbols(sp) {
			if y.DeclSpan.End <= y.DeclSpan.Start {
				continue
			}
			o := Symbol{Name: symbolName(t, y, exports), Span: y.DeclSpan, NameSpan: target(y).Name}
			if !inside(o.NameSpan, o.Span) {
				o.NameSpan = o.Span
			}
			o.Kind, o.Detail = kindOf(t, y)
			if o.Kind == SymStruct {
				for _, f := range m.Fields(y.Index) {
					if !inside(f.DeclSpan, y.DeclSpan) {
						continue
					}
					c := Symbol{Name: display(f), Kind: SymField, Span: f.DeclSpan, NameSpan: target(f).Name}
					if v, ok := t.valueType(f); ok {
						c.Detail = t.val(v)
					}
					if !inside(c.NameSpan, c.Span) {
						c.NameSpan = c.Span
					}
					o.Children = append(o.Children, c)
				}
			}
			out = append(out, o)
		}
	}
	orderSymbols(out)
	return out
}

// symbolName gives what to call an item in an outline: name, else export, else kind and index.
func symbolName(t typer, y analysis.Symbol, exports map[[2]uint32]string) string {
	if y.Name != "" {
		return idText(y.Name)
	}
	if k, ok := externOf(y.Space); ok {
		if n := exports[[2]uint32{uint32(k), y.Index}]; n != "" {
			return `"` + n + `"`
		}
		for _, im := range t.ir.Imports {
			if im.Kind == k && im.Index == y.Index {
				return `"` + im.Module + `"."` + im.Name + `"`
			}
		}
	}
	return y.Space.String() + " " + itoa(y.Index)
}

func kindOf(t typer, y analysis.Symbol) (SymbolKind, string) {
	i := y.Index
	switch y.Space {
	case analysis.SpaceFunc:
		if ft := t.funcType(i); ft != nil {
			return SymFunc, t.arrow(ft.Params, ft.Results)
		}
		return SymFunc, ""
	case analysis.SpaceType:
		k := SymType
		if ty := t.sub(i); ty != nil {
			switch ty.Kind {
			case wasm.CompFunc:
				k = SymFuncType
			case wasm.CompStruct:
				return SymStruct, "struct"
			case wasm.CompArray:
				k = SymArray
			case wasm.CompCont, wasm.CompStack, wasm.CompFiber:
				k = SymCont
			}
		}
		return k, t.short(i)
	case analysis.SpaceTag:
		if ft := t.tagType(i); ft != nil {
			if len(ft.Results) == 0 {
				return SymTag, t.list(ft.Params)
			}
			return SymTag, t.arrow(ft.Params, ft.Results)
		}
		return SymTag, ""
	case analysis.SpaceGlobal:
		if int(i) < len(t.ir.Globals) {
			g := t.ir.Globals[i]
			if g.Mut {
				return SymGlobal, "mut " + t.val(g.Type)
			}
			return SymConstant, t.val(g.Type)
		}
		return SymGlobal, ""
	case analysis.SpaceTable:
		v, _ := t.valueType(y)
		return SymTable, "table " + t.val(v)
	case analysis.SpaceMemory:
		if int(i) < len(t.ir.Mems) {
			return SymMemory, "memory" + limits(t.ir.Mems[i].Limits)
		}
		return SymMemory, "memory"
	case analysis.SpaceElem:
		return SymElem, "elem"
	}
	return SymData, "data"
}

// orderSymbols sorts by place; almost sorted as they come, so insertion it is.
func orderSymbols(ss []Symbol) {
	sortBy(ss, func(a, b Symbol) bool { return a.Span.Start < b.Span.Start })
}

// Fuzzy tells whether the characters of a query occur in a name in order, whatever their case, and
// scores the match: higher is better.
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
