package bind

import (
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
)

// findDeprecated finds the items that an annotation calls deprecated: `(@deprecated "words")` right
// before a field, or inside of it.
func (l *Binder) findDeprecated(n int) {
	before, has := "", false // what the annotation before the unit says
	for i := range n {
		l.Unit = l.Text.Unit(int32(i))
		if len(l.Unit.Nodes) == 0 || !l.Unit.Annotated && !has {
			continue
		}
		if l.Unit.Nodes[0].Kind == syntax.KAnnot {
			if w, ok := l.Unit.Deprecated(0); ok {
				before, has = w, true
			}
			continue
		}
		words, ok := before, has
		before, has = "", false
		for c := uint32(1); c < l.Unit.Nodes[0].Next && !ok; c = l.Unit.Nodes[c].Next {
			if l.Unit.Nodes[c].Kind == syntax.KAnnot {
				words, ok = l.Unit.Deprecated(c)
			}
		}
		if !ok {
			continue
		}
		for sp := decl.SpaceType; sp <= decl.SpaceData; sp++ {
			for k, it := range l.Decls.Spaces[sp].Items {
				if it.Unit != int32(i) {
					continue
				}
				if l.Decls.Deprecated == nil {
					l.Decls.Deprecated = map[decl.Sym]string{}
				}
				l.Decls.Deprecated[decl.Sym{Space: sp, Owner: 0, Index: uint32(k)}] = words
			}
		}
	}
}
