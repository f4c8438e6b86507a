package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
)

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
			if w, ok := l.u.Deprecated(0); ok {
				before, has = w, true
			}
			continue
		}
		words, ok := before, has
		before, has = "", false
		for c := uint32(1); c < l.u.Nodes[0].Next && !ok; c = l.u.Nodes[c].Next {
			if l.u.Nodes[c].Kind == syntax.KAnnot {
				words, ok = l.u.Deprecated(c)
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

// useDeprecated reports the use of a deprecated item. To export one is no use.
func (b *binder) useDeprecated(sp Space, i, t uint32) {
	words, ok := b.d.deprecated[Sym{sp, 0, i}]
	if !ok || b.u.Nodes[0].Kind == syntax.KExport {
		return
	}
	f := cursor.Finding{Code: diag.DeprecatedItem, At: b.u.TokPlace(t), Msg: "the " + sp.String() + " " + b.u.TokText(t) + " is deprecated"}
	if words != "" {
		f.Msg += ": " + words
	}
	f.Related = append(f.Related, cursor.Related{At: b.idPlace(b.d.spaces[sp].items[i]), Msg: "declared here"})
	b.report(f)
}
