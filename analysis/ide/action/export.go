package action

import (
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// exportAs exports the function, memory, table, global or tag whose declared name is at the cursor.
// A function without a name is exported as "main" at its keyword.
func exportAs(p query.Place) []Refactor {
	y, r, ok := p.Symbol()
	if ok && r.Kind != analysis.RefDef {
		return nil
	}
	if !ok {
		if y, ok = unnamedFunc(p); !ok {
			return nil
		}
		y.Name, y.NameSpan = "main", query.HeadSpan(y)
	}
	if y.Name == "" || query.IsImport(y.N) {
		return nil
	}
	kind, ok := query.ExternOf(y.Space)
	ir := p.Module.Declared()
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
func unnamedFunc(p query.Place) (analysis.Symbol, bool) {
	if !p.HasTok || p.Module == nil || p.Node.Kind() != syntax.KFunc || p.Node.Keyword().T == nil ||
		p.Tok.Span() != p.Node.Keyword().Span() {
		return analysis.Symbol{}, false
	}
	y, ok := itemOf(p, p.Node)
	return y, ok && y.Name == ""
}

// extractExport makes a field of the export inside an item.
func extractExport(p query.Place) []Refactor {
	e := p.Up(syntax.KInlineExport)
	if e.IsZero() {
		return nil
	}
	root := p.Field()
	word := root.Keyword()
	y, ok := itemOf(p, root)
	if !ok || word.T == nil {
		return nil
	}
	name := ""
	for t := range e.Own() {
		if t.Kind() == syntax.TokString {
			name = t.Text()
		}
	}
	f := p.Snap.File()
	cut := e.Span()
	for cut.Start > 0 && (f.Text[cut.Start-1] == ' ' || f.Text[cut.Start-1] == '\t') {
		cut.Start--
	}
	end := root.Span().End
	return []Refactor{{Title: "Move the export to a separate field", Kind: Extract, Edits: []source.Edit{
		{Span: cut},
		{
			Span: source.Span{Start: end, End: end},
			New:  "\n" + indentOf(f, root.Span().Start) + "(export " + name + " (" + word.Text() + " " + query.Display(y) + "))",
		},
	}}}
}

// itemOf returns the function, table, memory, global or tag that a field declares.
func itemOf(p query.Place, root syntax.N) (analysis.Symbol, bool) {
	spaces := map[syntax.Kind]analysis.Space{
		syntax.KFunc: analysis.SpaceFunc, syntax.KTable: analysis.SpaceTable, syntax.KMemory: analysis.SpaceMemory,
		syntax.KGlobal: analysis.SpaceGlobal, syntax.KTag: analysis.SpaceTag,
	}
	sp, ok := spaces[root.Kind()]
	if !ok {
		return analysis.Symbol{}, false
	}
	for _, y := range p.Module.DeclaredIn(root.Span().Start) {
		if y.Space == sp && y.N == root {
			return y, true
		}
	}
	return analysis.Symbol{}, false
}

// inlineExport puts an export field into the item that it exports.
func inlineExport(p query.Place) []Refactor {
	e := p.Field()
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
		r, ok := p.Module.RefAt(t.Span().Start)
		if !ok || r.Index == wasm.BadIndex {
			return nil
		}
		y, ok := p.Module.Symbol(r.Sym)
		if !ok || query.IsImport(y.N) || name == "" {
			return nil // an import field has no place for it
		}
		at := query.HeadSpan(y).End
		if y.Name != "" {
			at = y.NameSpan.End
		}
		return []Refactor{{Title: "Move the export into the " + y.Space.String(), Kind: Inline, Edits: []source.Edit{
			{Span: source.Span{Start: at, End: at}, New: " (export " + name + ")"},
			{Span: lineOut(p.Snap.File(), e.Span())},
		}}}
	}
	return nil
}
