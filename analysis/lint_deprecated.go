package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/syntax"
)

const deprecatedWord = "(@deprecated"

// findDeprecated finds the items that an annotation calls deprecated: `(@deprecated "words")` right
// in front of a field, or inside of it.
func (l *lowerer) findDeprecated(n int) {
	before, has := "", false // what the annotation in front of the unit says
	for i := range n {
		l.u = l.unitAt(int32(i))
		if len(l.u.Nodes) == 0 || !l.u.Annotated && !has {
			continue
		}
		if l.u.Nodes[0].Kind == syntax.KAnnot {
			if w, ok := l.u.deprecated(0); ok {
				before, has = w, true
			}
			continue
		}
		words, ok := before, has
		before, has = "", false
		for c := uint32(1); c < l.u.Nodes[0].Next && !ok; c = l.u.Nodes[c].Next {
			if l.u.Nodes[c].Kind == syntax.KAnnot {
				words, ok = l.u.deprecated(c)
			}
		}
		if !ok {
			continue
		}
		for sp := SpaceType; sp <= SpaceData; sp++ {
			for k, it := range l.d.spaces[sp].items {
				if it.unit != int32(i) {
					continue
				}
				if l.d.deprecated == nil {
					l.d.deprecated = map[Sym]string{}
				}
				l.d.deprecated[Sym{sp, 0, uint32(k)}] = words
			}
		}
	}
}

// deprecated returns the words of an annotation that says so.
func (u *unit) deprecated(n uint32) (words string, ok bool) {
	nd := &u.Nodes[n]
	if u.str(nd.Tok) != deprecatedWord {
		return "", false
	}
	for t := nd.Tok; t < nd.TokEnd; t++ {
		if u.kind(t) == syntax.TokString {
			b, _ := syntax.DecodeString(u.str(t))
			words += string(b)
		}
	}
	return words, true
}

// useDeprecated reports the use of a deprecated item. To export one is no use.
func (b *binder) useDeprecated(sp Space, i, t uint32) {
	words, ok := b.d.deprecated[Sym{sp, 0, i}]
	if !ok || b.u.Nodes[0].Kind == syntax.KExport {
		return
	}
	f := finding{code: diag.DeprecatedItem, at: b.u.at(t), msg: "the " + sp.String() + " " + b.u.str(t) + " is deprecated"}
	if words != "" {
		f.msg += ": " + words
	}
	f.related = append(f.related, relatedAt{b.idPlace(b.d.spaces[sp].items[i]), "declared here"})
	b.report(f)
}
