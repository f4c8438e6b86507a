package action

import (
	"slices"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// removeStart removes the start field that is one too many.
func removeStart(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Field()
	if n.Kind() != syntax.KStart {
		return nil
	}
	return one("Remove this start", source.Edit{Span: lineOut(p.Snap.File(), n.Span())})
}

// removeExport removes an export whose name is taken.
func removeExport(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KInlineExport, syntax.KExport)
	if n.IsZero() {
		return nil
	}
	return one("Remove this export", source.Edit{Span: cutOut(p, n)})
}

// removeClause removes a clause that nothing reaches.
func removeClause(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KCatch, syntax.KOn)
	if n.IsZero() {
		return nil
	}
	return one("Remove the clause", source.Edit{Span: cutOut(p, n)})
}

// removeImport removes a group of imports without items.
func removeImport(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	return one("Remove the import", source.Edit{Span: lineOut(p.Snap.File(), p.Field().Span())})
}

// removeLabel removes the label of a block wherever the block repeats it.
func removeLabel(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KBlock)
	if n.IsZero() {
		return nil
	}
	f := p.Snap.File()
	var edits []source.Edit
	drop := func(t syntax.Tok) {
		sp := t.Span()
		for sp.Start > 0 && (f.Text[sp.Start-1] == ' ' || f.Text[sp.Start-1] == '\t') {
			sp.Start--
		}
		edits = append(edits, source.Edit{Span: sp})
	}
	for t := range n.Own() {
		if t.Kind() == syntax.TokID {
			drop(t)
		}
	}
	for c := range n.Children() { // the flat else may repeat it
		if c.Kind() != syntax.KElse {
			continue
		}
		for t := range c.Own() {
			if t.Kind() == syntax.TokID {
				drop(t)
			}
		}
	}
	slices.SortFunc(edits, func(a, b source.Edit) int { return a.Start - b.Start })
	if len(edits) == 0 {
		return nil
	}
	return []diag.Fix{{Title: "Remove the label", Edits: edits}}
}

// cutOut returns the span of a part with the white space before it; of a field its line.
func cutOut(p query.Place, n syntax.N) source.Span {
	f := p.Snap.File()
	if n.Parent().IsZero() {
		return lineOut(f, n.Span())
	}
	sp := n.Span()
	for sp.Start > 0 && strings.IndexByte(" \t\r\n", f.Text[sp.Start-1]) >= 0 {
		sp.Start--
	}
	return sp
}

// removeDead removes code that never runs: a whole instruction, with its operands if it is folded.
func removeDead(p query.Place, d *diag.Diagnostic) []diag.Fix {
	for n := p.Node; !n.IsZero(); n = n.Parent() {
		if n.Op() == wasm.OpEventSwitch {
			return nil // it must be there, though nothing runs it
		}
		if k := n.Kind(); (k == syntax.KInstr || k == syntax.KBlock) && n.Span() == d.Span {
			return []diag.Fix{{Title: "Remove unreachable code", Edits: []source.Edit{{Span: cutOut(p, n)}}}}
		}
	}
	return nil
}
