package ide

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// clauseSignature returns the signature of the clause around the cursor, `(on $tag $label)` of a
// resume or `(catch $tag $label)` of a try_table: which types the block of the label must have.
func (p place) clauseSignature(t typer) (SignatureInfo, bool) {
	n := p.n
	for ; n.Kind() != syntax.KOn && n.Kind() != syntax.KCatch; n = n.Parent() {
		if n.IsZero() || n.Kind() == syntax.KInstr {
			return SignatureInfo{}, false
		}
	}
	k := n.Keyword()
	if k.T == nil || p.off <= k.Span().End || n.Span().End <= p.off {
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
		if o.Span().End < p.off {
			parts++
		}
		if r, ok := p.m.RefAt(o.Span().Start); ok && r.Space == analysis.SpaceTag {
			tag, name = t.tagType(r.Index), o.Text()
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
				types = append(types, t.val(v))
			}
		}
	}
	doc := "The block of the label has these results."
	switch {
	case n.Kind() == syntax.KOn:
		types = append(types, p.resumedAs(t, n.Parent(), tag))
		doc = "The block of the label has these results: what the tag carries, then the suspended continuation. `switch` instead of a label lets the stack switch with the tag."
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
func (p place) resumedAs(t typer, resume syntax.N, tag *wasm.SubType) string {
	var cf *wasm.SubType
	for o := range resume.Own() {
		if r, ok := p.m.RefAt(o.Span().Start); ok && r.Space == analysis.SpaceType && r.Index != wasm.BadIndex {
			cf = t.ir.ContFunc(r.Index)
			break
		}
	}
	if cf == nil || tag == nil {
		return "(ref $ct)"
	}
	for i := range t.ir.Types {
		if f := t.ir.ContFunc(uint32(i)); f != nil && equalTypes(f.Params, tag.Results) && equalTypes(f.Results, cf.Results) {
			return t.val(wasm.Ref(false, wasm.HeapType(i)))
		}
	}
	return "(ref (cont" + t.sig(tag.Results, cf.Results) + "))"
}
