package action

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

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

// makeMutable makes the global or field mutable that an instruction sets.
func makeMutable(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	for t := range p.Node.Own() {
		r, ok := p.Module.RefAt(t.Span().Start)
		if !ok || r.Index == wasm.BadIndex || r.Kind != analysis.RefWrite ||
			r.Space != analysis.SpaceGlobal && r.Space != analysis.SpaceField {
			continue
		}
		y, ok := p.Module.Symbol(r.Sym)
		if !ok {
			return nil
		}
		kinds := 0
		var ty syntax.N
		for c := range y.N.Children() {
			if k := c.Kind(); k == syntax.KNumType || k == syntax.KRefType {
				ty = c
				kinds++
			}
		}
		if kinds != 1 {
			return nil // imported, or one of several in a group
		}
		return []diag.Fix{
			{
				Title: "Make " + query.Display(y) + " mutable", Preferred: true,
				Edits: []source.Edit{{Span: ty.Span(), New: "(mut " + ty.Text() + ")"}},
			},
		}
	}
	return nil
}
