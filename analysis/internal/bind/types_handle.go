package bind

import (
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// The types of the dialect fibers-handle in the text: docs/design/dialects.md §5. An inline `(ref
// null? fiber r*)` is an implicit type; `(type $g (ref fiber r*))` defines the fiber type, and `$g`
// alone stands for the reference.

// fiberKeys returns the key of an inline fiber type, if node n is one.
func (l *Binder) fiberKeys(n uint32, yield func(key []byte)) {
	if t, ok := l.Unit.HeapWord(n); ok && l.Unit.TokText(t) == "fiber" {
		yield(decl.FiberKey(nil, l.FiberTypes(n)))
	}
}

// indexFibers looks, before all definitions, for the fiber types that are defined: inline
// types may stand for those without types of their own in them, and aliases may be used before they
// are defined.
func (l *Binder) indexFibers(items []decl.Item) {
	d := l.Decls
	hush := l.Silent
	l.Silent = true
	alone := map[uint32]bool{}
	for _, g := range d.Mod.Recs {
		alone[g.Start] = g.Len == 1
	}
	for i, it := range items {
		l.Unit = l.Text.Unit(it.Unit)
		u := &l.Unit
		for c := it.Node + 1; c < u.Nodes[it.Node].Next; c = u.Nodes[c].Next {
			switch u.Nodes[c].Kind {
			case syntax.KRefType:
				if w, ok := u.HeapWord(c); ok && u.TokText(w) == "fiber" {
					if d.Aliases == nil {
						d.Aliases = map[uint32]wasm.ValType{}
					}
					d.Aliases[uint32(i)] = wasm.Ref(u.HasKeyword(c, "null"), wasm.HeapType(i))
				}
			case syntax.KFiberType:
			default:
				continue
			}
			if !alone[uint32(i)] || u.Nested(c) {
				continue
			}
			var t wasm.SubType
			if u.Nodes[c].Kind == syntax.KFiberType {
				l.CompType(c, uint32(i), &t)
			} else {
				t.Results = l.FiberTypes(c)
			}
			key := string(decl.FiberKey(nil, t.Results))
			if _, ok := d.Types.ByKey[key]; !ok {
				d.Types.ByKey[key] = uint32(i)
			}
		}
	}
	l.Silent = hush
}

func init() { ready[wasm.DialectFibersHandle] = (*Binder).hasEvents }

// hasEvents reports whether a function has event clauses outside of handles.
func (l *Binder) hasEvents() bool {
	for c := uint32(1); c < l.Unit.Nodes[0].Next; c = l.Unit.Nodes[c].Next {
		if l.Unit.Nodes[c].Kind == syntax.KEvent {
			return true
		}
	}
	return false
}
