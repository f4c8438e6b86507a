package action

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// numbered returns an identifier that is not taken: the given one with a number.
func numbered(id string, taken func(name string) bool) string {
	base := strings.TrimRight(id, "0123456789")
	for k := 2; ; k++ {
		if s := base + strconv.Itoa(k); !taken(s[1:]) {
			return s
		}
	}
}

// renameDuplicate returns a declaration whose name is taken another one. Its uses mean the first.
func renameDuplicate(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	if !p.HasTok || p.Tok.Kind() != syntax.TokID || strings.HasPrefix(p.Tok.Text(), `$"`) {
		return nil
	}
	if g := groupOf(p.Node); len(g.types) > 1 && g.named {
		return nil // one name for several: another one would be as wrong
	}
	r, ok := p.Module.RefAt(p.Tok.Span().Start)
	var near []analysis.Symbol // what is named beside it
	switch {
	case ok && r.Space == analysis.SpaceLocal:
		near = p.Module.Locals(r.Owner)
	case ok && r.Space == analysis.SpaceField:
		near = p.Module.Fields(r.Owner)
	}
	s := numbered(p.Tok.Text(), func(name string) bool {
		if "$"+name == p.Tok.Text() {
			return true
		}
		for sp := analysis.SpaceType; sp <= analysis.SpaceData; sp++ {
			if _, found := p.Module.Lookup(sp, name); found {
				return true
			}
		}
		return slices.ContainsFunc(near, func(y analysis.Symbol) bool { return y.Name == name })
	})
	return []diag.Fix{{Title: "Rename to " + s, Preferred: true, Edits: []source.Edit{{Span: p.Tok.Span(), New: s}}}}
}

// renameLabel returns a label that hides another one a name of its own, at its branches too.
func renameLabel(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	y, r, ok := p.Symbol()
	if !ok || r.Kind != analysis.RefDef || y.Space != analysis.SpaceLabel || strings.HasPrefix(p.Tok.Text(), `$"`) {
		return nil
	}
	labels := p.Module.Labels(y.Owner)
	s := numbered(p.Tok.Text(), func(name string) bool {
		return slices.ContainsFunc(labels, func(o analysis.Symbol) bool { return o.Name == name })
	})
	var edits []source.Edit
	text := p.Snap.File().Text
	seen := map[source.Span]bool{}
	add := func(sp source.Span) {
		if text[sp.Start] == '$' && !seen[sp] {
			seen[sp] = true
			edits = append(edits, source.Edit{Span: sp, New: s})
		}
	}
	for _, r := range p.Module.References(y.Sym, true) {
		add(r.Span)
	}
	for t := range y.N.Own() { // the label after `end` and `else` is the same
		if t.Kind() == syntax.TokID && t.Text() == p.Tok.Text() {
			add(t.Span())
		}
	}
	for c := range y.N.Children() {
		if c.Kind() == syntax.KElse && !c.Folded() {
			for t := range c.Own() {
				if t.Kind() == syntax.TokID && t.Text() == p.Tok.Text() {
					add(t.Span())
				}
			}
		}
	}
	slices.SortStableFunc(edits, func(a, b source.Edit) int { return cmp.Compare(a.Start, b.Start) })
	return []diag.Fix{{Title: "Rename the inner label to " + s, Edits: edits}}
}

// useReplacement uses what the words of a deprecation name, if that is an item of the same kind.
func useReplacement(p query.Place, d *diag.Diagnostic) []diag.Fix {
	_, words, ok := strings.Cut(d.Message, "is deprecated: ")
	y, _, known := p.Symbol()
	if !ok || !known {
		return nil
	}
	for _, w := range strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(" \t\n,;:.()\"'`", r) }) {
		if !strings.HasPrefix(w, "$") {
			continue
		}
		if o, ok := p.Module.Lookup(y.Space, w[1:]); ok && o != y.Sym {
			return []diag.Fix{{Title: "Use " + w, Edits: []source.Edit{{Span: p.Tok.Span(), New: w}}}}
		}
	}
	return nil
}

// dialectNames offers the dialects that there are.
func dialectNames(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	if !p.HasTok || p.Tok.Kind() != syntax.TokString {
		return nil
	}
	var out []diag.Fix
	for _, d := range wasm.Dialects() {
		out = append(
			out,
			diag.Fix{
				Title: "Change to " + strconv.Quote(d.String()),
				Edits: []source.Edit{{Span: p.Tok.Span(), New: strconv.Quote(d.String())}},
			},
		)
	}
	return out
}
