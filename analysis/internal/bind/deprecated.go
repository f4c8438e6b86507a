package bind

import (
	"stackscope/analysis/internal/cursor"
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
		if !ok {
			words, ok = deprecatedInside(&l.Unit)
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

// deprecatedInside returns the words of an annotation inside of a field that calls the field
// deprecated.
func deprecatedInside(u *cursor.Unit) (words string, ok bool) {
	if !u.Annotated {
		return "", false
	}
	for c := uint32(1); c < u.Nodes[0].Next && !ok; c = u.Nodes[c].Next {
		if u.Nodes[c].Kind == syntax.KAnnot {
			words, ok = u.Deprecated(c)
		}
	}
	return words, ok
}
