package action

import (
	"strings"

	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// importGroup is a group of imports: (import "m" (item "a" …) (item "b" …) …).
type importGroup struct {
	n      syntax.N
	module string // the string, as written
	items  []importItem
	shared syntax.N // the type that the items share, or the zero N
}

// importItem is an item of a group.
type importItem struct {
	name   syntax.Tok
	extern syntax.N // its own type, or the zero N
}

// groupAround returns the well-formed group of imports around the cursor.
func groupAround(p query.Place) (g importGroup, ok bool) {
	g.n = p.Field()
	if g.n.Kind() != syntax.KImport || len(g.n.Unit().Errors) > 0 {
		return g, false
	}
	str := func(n syntax.N) (out syntax.Tok) {
		for t := range n.Own() {
			if t.Kind() == syntax.TokString {
				return t
			}
		}
		return out
	}
	for c := range g.n.Children() {
		switch c.Kind() {
		case syntax.KImportItem:
			g.items = append(g.items, importItem{str(c), c.First(syntax.KExternType)})
		case syntax.KExternType:
			g.shared = c
		}
	}
	if len(g.items) == 0 {
		return g, false
	}
	g.module = str(g.n).Text()
	return g, true
}

// inlineSharedType writes the type that the items of a group share into each item.
func inlineSharedType(p query.Place) []Refactor {
	g, ok := groupAround(p)
	if !ok || g.shared.IsZero() || hasNote(g.shared.Text()) {
		return nil
	}
	var edits []source.Edit
	for _, it := range g.items {
		at := it.name.Span().End
		edits = append(edits, source.Edit{Span: source.Span{Start: at, End: at}, New: " " + g.shared.Text()})
	}
	edits = append(edits, source.Edit{Span: cutOut(p, g.shared)})
	return []Refactor{{Title: "Copy the shared type into each item", Kind: Inline, Edits: edits}}
}

// splitImports writes a group of imports as single ones.
func splitImports(p query.Place) []Refactor {
	g, ok := groupAround(p)
	if !ok || hasNote(g.n.Text()) {
		return nil
	}
	var all []string
	for _, it := range g.items {
		x := it.extern
		if x.IsZero() {
			x = g.shared
		}
		all = append(all, "(import "+g.module+" "+it.name.Text()+" "+x.Text()+")")
	}
	nl := "\n" + indentOf(p.Snap.File(), g.n.Span().Start)
	return []Refactor{rewrite("Split into single imports", g.n.Span(), strings.Join(all, nl))}
}

// hasNote reports whether a text holds a comment or an annotation, or seems to.
func hasNote(s string) bool { return hasComment(s) || strings.Contains(s, "(@") }
