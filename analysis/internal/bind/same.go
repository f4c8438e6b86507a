package bind

import (
	"strings"

	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// bodyUses returns the keys of the implicit types that the body of the unit needs and that the
// declarations would not have without it; false if they would be others with it.
func (l *Binder) bodyUses() (string, bool) {
	d := l.Decls
	old := d.Units[l.Unit.Index].Uses
	var keys []byte
	ok := true
	l.bodyTypes(func(key []byte) {
		i, has := d.Types.ByKey[string(key)]
		rec := string(decl.KeyRecord(nil, string(key)))
		switch {
		case !has:
			ok = false
		case i >= d.Explicit && strings.Contains(old, rec) && !strings.Contains(string(keys), rec):
			keys = append(keys, rec...)
		case i >= d.Explicit && !strings.Contains(old, rec) && d.LaterUse(rec, l.Unit.Index):
			ok = false
		}
	})
	return string(keys), ok
}

// headerTokens counts the tokens of a function before its body: up to the first instruction
// or local.
func headerTokens(u *cursor.Unit) uint32 {
	root := &u.Nodes[0]
	end := u.Keyword(0) + 1
	if end < root.TokEnd && u.TokKind(end) == syntax.TokID {
		end++
	}
	for c := uint32(1); c < root.Next; c = u.Nodes[c].Next {
		switch u.Nodes[c].Kind {
		case syntax.KParam, syntax.KResult, syntax.KTypeUse, syntax.KInlineExport, syntax.KInlineImport:
			end = u.Nodes[c].TokEnd
		case syntax.KAnnot:
		default:
			return min(end, root.TokEnd)
		}
	}
	return min(end, root.TokEnd)
}

// Same reports whether unit i, a function, declares in the new text of a module what it declared
// in the old one: the edit was in its body, and the body needs no other types and fixes no other
// dialect.
func Same(od *decl.Decls, old, text cursor.Text, i int32) bool {
	f := &od.Units[i]
	ou, nu := old.Unit(i), text.Unit(i)
	if !ou.IsField() || !nu.IsField() || ou.Nodes[0].Kind != syntax.KFunc || nu.Nodes[0].Kind != syntax.KFunc {
		return false
	}
	if f.Fn == wasm.BadIndex {
		return false
	}
	oh, nh := headerTokens(&ou), headerTokens(&nu)
	if oh != nh {
		return false
	}
	ob, nb := ou.Base(), nu.Base()
	oe, ne := ou.Tokens[oh-1].Off+ou.Tokens[oh-1].Len, nu.Tokens[nh-1].Off+nu.Tokens[nh-1].Len
	if ou.Text[ob:oe] != nu.Text[nb:ne] {
		return false
	}
	if !od.DialectFixed {
		if d, _, _, weak := decl.FirstDialect(&nu, od); d != f.Dialect || weak != f.Weak {
			return false
		}
	}
	if od.DialectPlaced && od.DialectBy.Unit == i {
		return false // the place may have moved
	}
	ow, oldDeprecated := deprecatedInside(&ou)
	nw, newDeprecated := deprecatedInside(&nu)
	if ow != nw || oldDeprecated != newDeprecated {
		return false
	}
	l := NewBinder(text, od, nil)
	l.Silent, l.Unit = true, nu
	uses, ok := l.bodyUses()
	return ok && uses == f.Uses && l.ready() == f.Ready
}
