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

// swapLimits exchanges a minimum that is greater than its maximum with that.
func swapLimits(p query.Place, d *diag.Diagnostic) []diag.Fix {
	sp := d.Span
	text := p.Snap.File().Text[sp.Start:sp.End]
	words := strings.Fields(text)
	if len(words) != 2 || hasNote(text) {
		return nil
	}
	lo, err1 := syntax.ParseNat(words[0], 64)
	hi, err2 := syntax.ParseNat(words[1], 64)
	if err1 != nil || err2 != nil || lo <= hi {
		return nil
	}
	return []diag.Fix{
		{
			Title: "Swap minimum and maximum", Preferred: true,
			Edits: []source.Edit{{Span: sp, New: words[1] + " " + words[0]}},
		},
	}
}

// selectOne leaves a select one of its result types, each of those that are written.
func selectOne(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KInstr)
	var types []string
	var all source.Span
	for c := range n.Children() {
		if c.Kind() != syntax.KResult {
			continue
		}
		if all.End == 0 {
			all.Start = c.Span().Start
		}
		all.End = c.Span().End
		for t := range c.Children() {
			types = append(types, t.Text())
		}
	}
	if all.End == 0 || hasNote(p.Snap.File().Text[all.Start:all.End]) {
		return nil
	}
	var out []diag.Fix
	seen := map[string]bool{}
	for _, t := range types {
		if !seen[t] {
			out = append(
				out,
				diag.Fix{
					Title: "Keep only (result " + t + ")",
					Edits: []source.Edit{{Span: all, New: "(result " + t + ")"}},
				},
			)
		}
		seen[t] = true
	}
	if len(out) == 0 {
		out = append(
			out,
			diag.Fix{
				Title: "Remove the empty (result)",
				Edits: []source.Edit{{Span: cutOut(p, n.First(syntax.KResult))}},
			},
		)
	}
	if len(out) == 1 {
		out[0].Preferred = true
	}
	return out
}

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

// openSuper leaves the supertype open that a diagnostic says is final; it is the related place.
func openSuper(p query.Place, d *diag.Diagnostic) []diag.Fix {
	if len(d.Related) == 0 || !strings.Contains(d.Message, "the super type is final") {
		return nil
	}
	n, _ := p.Snap.Tree().At(d.Related[0].Span.Start)
	for ; !n.IsZero() && n.Kind() != syntax.KType; n = n.Parent() {
	}
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.KSub:
			for t := range c.Own() {
				if t.Text() == "final" {
					sp := t.Span()
					return []diag.Fix{
						{
							Title: "Open the supertype: remove `final`", Preferred: true,
							Edits: []source.Edit{{Span: source.Span{Start: c.Keyword().Span().End, End: sp.End}}},
						},
					}
				}
			}
			return nil
		case syntax.KFuncType, syntax.KStructType, syntax.KArrayType, syntax.KContType:
			sp := c.Span()
			return []diag.Fix{
				{Title: "Open the supertype: declare it with `sub`", Preferred: true, Edits: []source.Edit{
					{
						Span: source.Span{Start: sp.Start, End: sp.Start}, New: "(sub ",
					}, {Span: source.Span{Start: sp.End, End: sp.End}, New: ")"}}},
			}
		}
	}
	return nil
}

// nullableTable lets a table hold null where its elements have no initial value.
func nullableTable(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KTable).First(syntax.KRefType)
	for t := range n.Own() {
		if t.Kind() == syntax.TokKeyword && t.Text() == "ref" {
			at := t.Span().End
			return []diag.Fix{
				{
					Title: "Make the table nullable",
					Edits: []source.Edit{{Span: source.Span{Start: at, End: at}, New: " null"}},
				},
			}
		}
	}
	return nil
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

// eventSwitch puts an event.switch after the instruction that must be followed by one. A task.new is
// not: the function of its task must begin with one.
func eventSwitch(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Node
	if n.Kind() != syntax.KInstr || n.Op() == wasm.OpTaskNew {
		return nil
	}
	at := n.Span().End
	text := " (event.switch)"
	if !n.Folded() {
		text = " event.switch"
	}
	return []diag.Fix{
		{
			Title: "Add event.switch after it",
			Edits: []source.Edit{{Span: source.Span{Start: at, End: at}, New: text}},
		},
	}
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
