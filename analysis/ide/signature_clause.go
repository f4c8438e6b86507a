package ide

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// clauseSignature returns the signature of the clause around the cursor, `(on $tag $label)` of a
// resume or `(catch $tag $label)` of a try_table: which types the block of the label must have.
func clauseSignature(p query.Place, t query.Types) (SignatureInfo, bool) {
	n := p.Node
	for ; n.Kind() != syntax.KOn && n.Kind() != syntax.KCatch; n = n.Parent() {
		if n.IsZero() || n.Kind() == syntax.KInstr {
			return SignatureInfo{}, false
		}
	}
	k := n.Keyword()
	if k.T == nil || p.Off <= k.Span().End || n.Span().End <= p.Off {
		return SignatureInfo{}, false
	}
	word := k.Text()
	parts := 0 // before the cursor
	var tag *wasm.SubType
	name := "$tag"
	for o := range n.Own() {
		switch o.Kind() {
		case syntax.TokID, syntax.TokNat, syntax.TokKeyword:
		default:
			continue
		}
		if o == k {
			continue
		}
		if o.Span().End < p.Off {
			parts++
		}
		if r, ok := p.Module.RefAt(o.Span().Start); ok && r.Space == analysis.SpaceTag {
			tag, name = t.TagType(r.Index), o.Text()
		}
	}
	sig := SignatureInfo{Active: parts}
	var l strings.Builder
	l.WriteString(word)
	part := func(s string) {
		l.WriteByte(' ')
		start := l.Len()
		l.WriteString(s)
		sig.Params = append(sig.Params, source.Span{Start: start, End: l.Len()})
	}
	var types []string
	if word != "catch_all" && word != "catch_all_ref" {
		part(name)
		if tag == nil {
			types = append(types, "the parameters of the tag")
		} else {
			for _, v := range tag.Params {
				types = append(types, t.Val(v))
			}
		}
	}
	doc := "The block of the label must have these results."
	switch {
	case n.Kind() == syntax.KOn:
		types = append(types, resumedAs(p, t, n.Parent(), tag))
		doc = "The block of the label must have these results: the parameters of the tag, then the suspended continuation. With `switch` instead of a label, the clause handles a `switch` with the tag."
	case strings.HasSuffix(word, "_ref"):
		types = append(types, "exnref")
	}
	part("$label : [" + strings.Join(types, " ") + "]")
	sig.Label, sig.Doc = l.String(), doc
	if sig.Active >= len(sig.Params) {
		sig.Active = -1
	}
	return sig, true
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
