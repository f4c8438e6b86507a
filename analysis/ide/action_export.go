package ide

import (
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// exportAs exports the function, memory, table, global or tag whose declared name is at the cursor.
// A function without a name is exported as "main" at its keyword.
func exportAs(p place) []Refactor {
	y, r, ok := p.sym()
	if ok && r.Kind != analysis.RefDef {
		return nil
	}
	if !ok {
		if y, ok = unnamedFunc(p); !ok {
			return nil
		}
		y.Name, y.NameSpan = "main", headSpan(y)
	}
	if y.Name == "" || isImport(y.N) {
		return nil
	}
	kind, ok := externOf(y.Space)
	ir := p.m.Declared()
	if !ok || ir == nil {
		return nil
	}
	for _, e := range ir.Exports {
		if e.Kind == kind && e.Index == y.Index || e.Name == y.Name {
			return nil
		}
	}
	q := strconv.QuoteToASCII(y.Name)
	if strings.Contains(q, `\`) {
		return nil
	}
	return []Refactor{insert("Export as "+q, y.NameSpan.End, " (export "+q+")")}
}

// unnamedFunc returns the function without a name whose keyword is at the cursor.
func unnamedFunc(p place) (analysis.Symbol, bool) {
	if !p.has || p.m == nil || p.n.Kind() != syntax.KFunc || p.n.Keyword().T == nil ||
		p.tok.Span() != p.n.Keyword().Span() {
		return analysis.Symbol{}, false
	}
	y, ok := p.itemOf(p.n)
	return y, ok && y.Name == ""
}

// isImport reports whether a node declares an item in an import field, where no export can stand.
func isImport(n syntax.N) bool {
	switch n.Kind() {
	case syntax.KExternType, syntax.KImportItem, syntax.KImport:
		return true
	}
	return false
}

// extractExport makes a field of the export inside an item.
func extractExport(p place) []Refactor {
	e := p.up(syntax.KInlineExport)
	if e.IsZero() {
		return nil
	}
	root := p.field()
	word := root.Keyword()
	y, ok := p.itemOf(root)
	if !ok || word.T == nil {
		return nil
	}
	name := ""
	for t := range e.Own() {
		if t.Kind() == syntax.TokString {
			name = t.Text()
		}
	}
	f := p.s.File()
	cut := e.Span()
	for cut.Start > 0 && (f.Text[cut.Start-1] == ' ' || f.Text[cut.Start-1] == '\t') {
		cut.Start--
	}
	end := root.Span().End
	return []Refactor{{Title: "Move the export to a separate field", Kind: Extract, Edits: []source.Edit{
		{Span: cut},
		{
			Span: source.Span{Start: end, End: end},
			New:  "\n" + indentOf(f, root.Span().Start) + "(export " + name + " (" + word.Text() + " " + display(y) + "))",
		},
	}}}
}

// itemOf returns the function, table, memory, global or tag that a field declares.
func (p place) itemOf(root syntax.N) (analysis.Symbol, bool) {
	spaces := map[syntax.Kind]analysis.Space{
		syntax.KFunc: analysis.SpaceFunc, syntax.KTable: analysis.SpaceTable, syntax.KMemory: analysis.SpaceMemory,
		syntax.KGlobal: analysis.SpaceGlobal, syntax.KTag: analysis.SpaceTag,
	}
	sp, ok := spaces[root.Kind()]
	if !ok {
		return analysis.Symbol{}, false
	}
	for _, y := range p.m.DeclaredIn(root.Span().Start) {
		if y.Space == sp && y.N == root {
			return y, true
		}
	}
	return analysis.Symbol{}, false
}

// inlineExport puts an export field into the item that it exports.
func inlineExport(p place) []Refactor {
	e := p.field()
	if e.Kind() != syntax.KExport {
		return nil
	}
	d := e.First(syntax.KExportDesc)
	name := ""
	for t := range e.Own() {
		if t.Kind() == syntax.TokString {
			name = t.Text()
		}
	}
	for t := range d.Own() {
		if t.Kind() != syntax.TokID && t.Kind() != syntax.TokNat {
			continue
		}
		r, ok := p.m.RefAt(t.Span().Start)
		if !ok || r.Index == wasm.BadIndex {
			return nil
		}
		y, ok := p.m.Symbol(r.Sym)
		if !ok || isImport(y.N) || name == "" {
			return nil // an import field has no place for it
		}
		at := headSpan(y).End
		if y.Name != "" {
			at = y.NameSpan.End
		}
		return []Refactor{{Title: "Move the export into the " + y.Space.String(), Kind: Inline, Edits: []source.Edit{
			{Span: source.Span{Start: at, End: at}, New: " (export " + name + ")"},
			{Span: lineOut(p.s.File(), e.Span())},
		}}}
	}
	return nil
}
