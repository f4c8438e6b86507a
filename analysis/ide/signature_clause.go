package ide

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// clauseSignature returns the signature of the clause around the cursor, `(on $tag $label)` of a
// resume, `($tag $label)` of the dialects with events or `(catch $tag $label)` of a try_table: which
// types the block of the label, or the function, must have.
func clauseSignature(p query.Place, t query.Types, b *analysis.Body) (SignatureInfo, bool) {
	n := clauseNode(p, b)
	if n.IsZero() || n.Span().End <= p.Off {
		return SignatureInfo{}, false
	}
	k := n.Keyword()
	word := ""
	switch n.Kind() {
	case syntax.KOn, syntax.KCatch:
		if k.T == nil || p.Off <= k.Span().End {
			return SignatureInfo{}, false
		}
		word = k.Text()
	default:
		if p.Off <= n.Span().Start {
			return SignatureInfo{}, false
		}
	}
	parts := 0 // before the cursor
	tag := uint32(wasm.BadIndex)
	name := "$tag"
	for o := range n.Own() {
		switch o.Kind() {
		case syntax.TokID, syntax.TokNat, syntax.TokKeyword:
		default:
			continue
		}
		if word != "" && o == k {
			continue
		}
		if o.Span().End < p.Off {
			parts++
		}
		if r, ok := p.Module.RefAt(o.Span().Start); ok && r.Space == analysis.SpaceTag {
			tag, name = r.Index, o.Text()
		} else if id, found := strings.CutPrefix(o.Text(), "$"); found && n.Kind() == syntax.KEventArg {
			if y, has := p.Module.Lookup(analysis.SpaceTag, id); has { // the clause is half written
				tag, name = y.Index, o.Text()
			}
		}
	}
	l := newLabel(word)
	if word != "catch_all" && word != "catch_all_ref" {
		l.param(name)
	}
	target, doc := clauseTarget(p, t, b, n, word, tag)
	l.param(target)
	sig := l.info()
	sig.Doc = doc
	if sig.Active = parts; parts >= len(sig.Params) {
		sig.Active = -1
	}
	return sig, true
}

// clauseNode returns the clause around the cursor, also one of a dialect with events that has only
// its tag so far.
func clauseNode(p query.Place, b *analysis.Body) syntax.N {
	for n := p.Node; !n.IsZero(); n = n.Parent() {
		switch n.Kind() {
		case syntax.KOn, syntax.KCatch, syntax.KClause:
			return n
		case syntax.KEventArg:
			if i, ok := b.Index(n.Parent()); ok && slices.Contains(b.Instrs[i].Op.Info().Imms, wasm.ImmClauses) &&
				len(operandNodes(n)) == 0 {
				return n
			}
			return syntax.N{}
		case syntax.KInstr:
			return syntax.N{}
		}
	}
	return syntax.N{}
}

// clauseTarget reports what a clause for a tag names, with the type that it must have, and why.
func clauseTarget(
	p query.Place, t query.Types, b *analysis.Body, n syntax.N, word string, tag uint32,
) (target, doc string) {
	types := []string{"the parameters of the tag"}
	ft := t.TagType(tag)
	if ft != nil {
		types = types[:0]
		for _, v := range ft.Params {
			types = append(types, t.Val(v))
		}
	}
	label := func() string { return "$label : [" + strings.Join(types, " ") + "]" }
	if n.Kind() == syntax.KCatch {
		if strings.HasPrefix(word, "catch_all") {
			types = nil
		}
		if strings.HasSuffix(word, "_ref") {
			types = append(types, "exnref")
		}
		return label(), "The block of the label must have these results."
	}
	op := n.Parent().Op()
	in := (*wasm.Instr)(nil)
	i, ok := b.Index(n.Parent())
	if ok {
		in, op = &b.Instrs[i], b.Instrs[i].Op
	}
	d := op.Info().Dialect.Info()
	does := op.Does()
	switch {
	case d.HandlerClauses || n.Kind() == syntax.KOn && !slices.Contains(op.Info().Imms, wasm.ImmClauses):
		types = append(types, resumedAs(p, t, n.Parent(), ft))
		return label(), "The block of the label must have these results: the parameters of the tag, then the suspended continuation. With `switch` instead of a label, the clause handles a `switch` with the tag."
	case does&(wasm.DoesCreate|wasm.DoesEnter) == wasm.DoesCreate:
		types = append([]string{"ti*", "(ref " + d.Ref.Format(nil) + ")"}, types...)
		results := "to*"
		if in != nil {
			if ret := t.TagType(in.A); ret != nil {
				results = strings.Trim(t.List(ret.Params), "[]")
			}
			if a, ok := p.Module.Env().Ask(in, nil); ok && in.Ext != nil && len(in.Ext.HandlerClauses) > 1 {
				types = append(strings.Fields(strings.Trim(t.List(a.Params), "[]")), types[1:]...)
			}
		}
		return "$f : [" + strings.Join(types, " ") + "] -> [" + results + "]",
			"The function takes the operands of the instruction, which all entries share, the new " + d.Noun +
				" and the parameters of the tag; it gives what the first tag takes."
	case does&wasm.DoesCreate != 0:
		types = append([]string{"(ref " + d.Ref.Format(nil) + ")"}, types...)
		return label(), "The block of the label must have these results: the new " + d.Noun + ", then the parameters of the tag."
	case op.Info().Effect == wasm.EffectBranch:
		types = append([]string{"x*"}, types...)
		return label(), "The block of the label must have these results: operands from here, which each pair takes for itself, then the parameters of the tag."
	}
	return label(), "The block of the label must have these results: the parameters of the tag."
}

// headSignature returns what the header of a block of a dialect is made of, where the cursor is in
// it: `handle`, `barrier`, and the clauses `(event $tag …)`.
func headSignature(p query.Place, t query.Types, b *analysis.Body) (SignatureInfo, bool) {
	n := p.Up(syntax.KInstr, syntax.KBlock, syntax.KEvent)
	if n.IsZero() || n.Kind() == syntax.KInstr {
		return SignatureInfo{}, false
	}
	k := n.Keyword()
	i, ok := b.Index(n)
	if !ok || k.T == nil || p.Off <= k.Span().End || b.Instrs[i].Op.Info().Dialect == wasm.DialectNone {
		return SignatureInfo{}, false
	}
	in := &b.Instrs[i]
	end := k.Span().End // of the header
	names := 0
	for o := range n.Own() {
		if o.Span().Start > k.Span().Start && (o.Kind() == syntax.TokID || o.Kind() == syntax.TokNat) {
			end = max(end, o.Span().End)
			if o.Span().End < p.Off {
				names++
			}
		}
	}
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.KTypeUse, syntax.KParam, syntax.KResult:
			end = max(end, c.Span().End)
		}
	}
	gap := p.Snap.File().Text[min(end, p.Off):p.Off]
	if strings.TrimLeft(gap, " \t(") != "" || strings.Count(gap, "(") > 1 {
		return SignatureInfo{}, false
	}
	l := newLabel(in.Op.String())
	l.param("$label")
	params, results := "(param p*)", "(result r*)"
	if in.Op == wasm.OpEvent {
		tag := "$tag"
		params = "(param te*)"
		if in.A != wasm.BadIndex {
			tag = describer{p}.tagTitle(in.A)
			if ft := t.TagType(in.A); ft != nil {
				params = strings.TrimSpace(t.Sig(ft.Params, nil))
			}
		}
		l.param(tag)
		if rs := strings.TrimSpace(t.Sig(nil, t.LabelTypes(b, i))); rs != "" || in.A != wasm.BadIndex {
			results = rs
		}
	}
	for _, s := range []string{params, results} {
		if s != "" {
			l.param(s)
		}
	}
	sig := l.info()
	sig.Doc = in.Op.Info().Doc
	at := names // the label, then the types
	if in.Op == wasm.OpEvent {
		sig.Doc += " One identifier is the tag, two are a label and the tag. Without types the clause has the" +
			" parameters of the tag, and the results of the block that it belongs to."
		at = min(names, 1) + 1
	}
	if written, result := typesBefore(n, p.Off); written > 0 || strings.Contains(gap, "(") {
		at = len(sig.Params) - 2 // the parameters
		if result || written > 0 && strings.Contains(gap, "(") {
			at++
		}
	}
	sig.Active = max(0, min(at, len(sig.Params)-1))
	return sig, true
}

// typesBefore returns how many groups of types of a header end before an offset, and reports whether
// the offset is in results, or after them.
func typesBefore(n syntax.N, off int) (k int, result bool) {
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.KTypeUse, syntax.KParam, syntax.KResult:
			if c.Span().Start < off {
				result = c.Kind() == syntax.KResult
			}
			if c.Span().End < off {
				k++
			}
		}
	}
	return k, result
}

// resumedAs returns the type of the continuation that a clause for a tag hands to its label.
func resumedAs(p query.Place, t query.Types, resume syntax.N, tag *wasm.SubType) string {
	var cf *wasm.SubType
	for o := range resume.Own() {
		if r, ok := p.Module.RefAt(o.Span().Start); ok && r.Space == analysis.SpaceType && r.Index != wasm.BadIndex {
			cf = t.Declared.ContFunc(r.Index)
			break
		}
	}
	if cf == nil || tag == nil {
		return "(ref $ct)"
	}
	for i := range t.Declared.Types {
		if f := t.Declared.ContFunc(uint32(i)); f != nil && slices.Equal(f.Params, tag.Results) &&
			slices.Equal(f.Results, cf.Results) {
			return t.Val(wasm.Ref(false, wasm.HeapType(i)))
		}
	}
	return "(ref (cont" + t.Sig(tag.Results, cf.Results) + "))"
}
