package action

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// refTypeForm turns `funcref` into `(ref null func)`, and back.
func refTypeForm(p query.Place) []Refactor {
	if p.Node.Kind() == syntax.KNumType {
		if v, ok := wasm.AbbreviatedRef(p.Tok.Text()); ok && hasShort(p, p.Tok.Text()) {
			long := v.Heap().Format(func(uint32) string { return "" })
			return []Refactor{rewrite("Write as (ref null "+long+")", p.Node.Span(), "(ref null "+long+")")}
		}
		return nil
	}
	n := p.Up(syntax.KRefType)
	if n.IsZero() || !n.Folded() || hasComment(n.Text()) || n.Parent().Kind() == syntax.KType {
		return nil // the type that a name stands for has no short form
	}
	for range n.Children() {
		return nil // a fiber type with parameters
	}
	var words []string
	for t := range n.Own() {
		if t.Kind() != syntax.TokLParen && t.Kind() != syntax.TokRParen {
			words = append(words, t.Text())
		}
	}
	if len(words) != 3 || words[1] != "null" {
		return nil
	}
	h, ok := wasm.AbstractHeapType(words[2])
	if !ok {
		return nil
	}
	short := wasm.Ref(true, h).Format(func(uint32) string { return "" })
	if strings.HasPrefix(short, "(") || !hasShort(p, short) {
		return nil
	}
	return []Refactor{rewrite("Write as "+short, n.Span(), short)}
}

// hasShort reports whether the module's dialect has a short name of a reference type: fibers-handle
// has `(ref null fiber)`, but no `fiberref`.
func hasShort(p query.Place, name string) bool {
	r, ok := wasm.AbbreviatedRef(name)
	return !ok || p.Module.Dialect().Admits(r.Heap().Dialect())
}

// group is a (param …), (result …), (local …) or (field …).
type group struct {
	n     syntax.N
	word  string
	named bool
	types []syntax.N
}

func groupOf(n syntax.N) group {
	g := group{n: n}
	if k := n.Keyword(); k.T != nil {
		g.word = k.Text()
	}
	_, g.named = n.ID()
	for c := range n.Children() {
		g.types = append(g.types, c)
	}
	return g
}

var groupKinds = []syntax.Kind{syntax.KParam, syntax.KResult, syntax.KLocal, syntax.KField}

// groups splits a group of types into one for each, joins it with those beside it, or takes an
// empty one out.
func groups(p query.Place) []Refactor {
	n := p.Up(groupKinds...)
	if n.IsZero() || !n.Folded() {
		return nil
	}
	g := groupOf(n)
	f := p.Snap.File()
	var out []Refactor
	if len(g.types) == 0 && !g.named {
		sp := n.Span()
		for sp.Start > 0 && (f.Text[sp.Start-1] == ' ' || f.Text[sp.Start-1] == '\t') {
			sp.Start--
		}
		return []Refactor{rewrite("Remove the empty ("+g.word+")", sp, "")}
	}
	if g.named || hasComment(n.Text()) {
		return nil
	}
	if len(g.types) > 1 {
		var parts []string
		for _, t := range g.types {
			parts = append(parts, "("+g.word+" "+t.Text()+")")
		}
		out = append(out, rewrite("Split into one ("+g.word+") per type", n.Span(), strings.Join(parts, " ")))
	}
	// Those beside it.
	var run []group
	hit := false
	for c := range n.Parent().Children() {
		o := groupOf(c)
		if c.Kind() != n.Kind() || o.named || len(o.types) == 0 {
			if hit {
				break
			}
			run = nil
			continue
		}
		run = append(run, o)
		hit = hit || c == n
	}
	if len(run) > 1 && hit {
		all := source.Span{Start: run[0].n.Span().Start, End: run[len(run)-1].n.Span().End}
		if !hasComment(f.Text[all.Start:all.End]) {
			s := "(" + g.word
			for _, o := range run {
				for _, t := range o.types {
					s += " " + t.Text()
				}
			}
			out = append(out, rewrite("Merge the ("+g.word+") groups", all, s+")"))
		}
	}
	return out
}

// writeTypeUse writes the parameters and results of a named type after its use.
func writeTypeUse(p query.Place) []Refactor {
	n := p.Up(syntax.KTypeUse)
	if n.IsZero() {
		return nil
	}
	for c := range n.Parent().Children() {
		if k := c.Kind(); k == syntax.KParam || k == syntax.KResult {
			return nil // they are there
		}
	}
	for t := range n.Own() {
		r, ok := p.Module.RefAt(t.Span().Start)
		if t.Kind() != syntax.TokID && t.Kind() != syntax.TokNat || !ok || r.Index == wasm.BadIndex {
			continue
		}
		ty := query.NewTypes(p.Module)
		ft := ty.Declared.FuncType(r.Index)
		if ft == nil || len(ft.Params)+len(ft.Results) == 0 {
			return nil
		}
		return []Refactor{{Title: "Write out parameters and results", Kind: Inline,
			Edits: []source.Edit{
				{Span: source.Span{Start: n.Span().End, End: n.Span().End}, New: ty.Sig(ft.Params, ft.Results)},
			}}}
	}
	return nil
}

// useType names the type of a function that only writes its parameters and results, if there is a
// definition of just that type.
func useType(p query.Place) []Refactor {
	root := p.Field()
	if root.Kind() != syntax.KFunc || !root.First(syntax.KTypeUse).IsZero() || p.Node != root {
		return nil
	}
	y, ok := itemOf(p, root)
	t := query.NewTypes(p.Module)
	if !ok || int64(y.Index) >= int64(len(t.Declared.Funcs)) {
		return nil
	}
	ti := t.Declared.Funcs[y.Index].Type
	d, ok := p.Module.Symbol(analysis.Sym{Space: analysis.SpaceType, Index: ti})
	ft := t.Declared.FuncType(ti)
	if !ok || ft == nil || ft.Implicit || d.Name == "" {
		return nil
	}
	at := query.HeadSpan(y).End
	if y.Name != "" {
		at = y.NameSpan.End
	}
	for c := range root.Children() {
		switch c.Kind() {
		case syntax.KInlineExport, syntax.KInlineImport:
			at = c.Span().End
		}
	}
	return []Refactor{insert("Use the type "+query.Display(d), at, " (type "+query.Display(d)+")")}
}

// makeImmutable removes mut from a global that nothing writes.
func makeImmutable(p query.Place) []Refactor {
	n := p.Up(syntax.KMut)
	root := p.Field()
	if n.IsZero() || root.Kind() != syntax.KGlobal || hasComment(n.Text()) ||
		!root.First(syntax.KInlineImport).IsZero() {
		return nil
	}
	y, ok := itemOf(p, root)
	if !ok {
		return nil
	}
	for _, e := range p.Module.Declared().Exports {
		if e.Kind == wasm.ExternGlobal && e.Index == y.Index {
			return nil // others may write it
		}
	}
	inner := ""
	for c := range n.Children() {
		inner = c.Text()
	}
	if inner == "" {
		return nil
	}
	for _, r := range p.Module.References(y.Sym, false) {
		if r.Kind == analysis.RefWrite {
			return nil
		}
	}
	return []Refactor{rewrite("Make the global immutable", n.Span(), inner)}
}
