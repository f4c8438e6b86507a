package decl

import (
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// fiberMark begins the key of a fiber type: no function type has as many parameters.
const fiberMark = "\xff\xff\xff\xff"

// FiberKey packs a fiber type, so that no function type has the same key.
func FiberKey(buf []byte, results []wasm.ValType) []byte {
	return TypeKey(append(buf, fiberMark...), nil, results)
}

// fiberResults is the inverse of fiberKey; false of the key of a function type.
func fiberResults(key string) ([]wasm.ValType, bool) {
	if !strings.HasPrefix(key, fiberMark) {
		return nil, false
	}
	if len(key)%2 == 1 { // with laterKey
		key = key[:len(key)-1]
	}
	_, results := keyTypes(key[len(fiberMark):])
	return results, true
}

// laterKey is added to the key of an inline type that cannot stand for the equal explicit one, as
// that is defined after the definition that it is part of.
const laterKey = "\x01"

// fiberType reads what stands after `fiber` in the reference type n: in fibers-handle an implicit
// type, elsewhere nothing may stand there.
func (b *TypeReader) fiberType(n uint32) wasm.HeapType {
	u := &b.Unit
	if !b.Decls.Dialect.Info().InlineType {
		if c := n + 1; c < u.Nodes[n].Next && u.Nodes[c].Kind != syntax.KAnnot {
			b.Foreign(u.NodePlace(n), "the type `"+u.Words(n)+"`", wasm.CompFiber.Dialect())
			return wasm.HeapBad
		}
		return wasm.HeapFiber
	}
	return b.inlineFiber(b.FiberTypes(n))
}

// FiberTypes reads the result types among the children of a reference type.
func (b *TypeReader) FiberTypes(n uint32) (results []wasm.ValType) {
	for c := n + 1; c < b.Unit.Nodes[n].Next; c = b.Unit.Nodes[c].Next {
		if cursor.IsType(b.Unit.Nodes[c].Kind) {
			results = append(results, b.ValType(c))
		}
	}
	return
}

// inlineFiber returns the fiber type with the results: the first equal one, else a new one while
// the module is being bound.
func (b *TypeReader) inlineFiber(results []wasm.ValType) wasm.HeapType {
	d := b.Decls
	key := string(FiberKey(nil, results))
	i, ok := d.Types.ByKey[key]
	if ok && i < d.Explicit && i >= b.Limit {
		key += laterKey
		i, ok = d.Types.ByKey[key]
	}
	switch {
	case ok:
		return wasm.HeapType(i)
	case b.Add:
		return wasm.HeapType(b.Intern(key))
	}
	return wasm.HeapBad
}

// fiberAlias reads the definition of a fiber type as a reference: `(type $g (ref null? fiber r*))`.
func (b *TypeReader) fiberAlias(n, ti uint32, t *wasm.SubType) {
	u := &b.Unit
	if w, ok := u.HeapWord(n); !ok || u.TokText(w) != "fiber" {
		b.ReportAt(diag.Syntax, u.NodePlace(n), "unexpected token "+u.Words(n)+": a type definition is expected")
		return
	}
	if b.Foreign(u.NodePlace(n), "the definition of a type as `"+u.Words(n)+"`", wasm.CompFiber.Dialect()) {
		return
	}
	t.Kind = wasm.CompFiber
	t.Results = b.FiberTypes(n)
}

// aliasType reads `(param $x $g)`, `(local $x $g)` and `(result $g)`, which only fibers-handle has.
// id is the token of the first identifier, and no type follows.
func (b *TypeReader) aliasType(n uint32, id int32, ts []wasm.ValType) ([]wasm.ValType, int32) {
	u := &b.Unit
	t := uint32(id)
	result := u.Nodes[n].Kind == syntax.KResult
	second := t+1 < u.Nodes[n].TokEnd && u.TokKind(t+1) == syntax.TokID
	switch {
	case second && !result:
		t++
	case second:
		b.ReportAt(diag.Syntax, u.TokPlace(t+1), "unexpected token "+u.TokText(t+1)+": results have no names")
		return append(ts, wasm.Unknown), -1
	case !result:
		return ts, id // the parser has reported that the type is missing
	}
	if result {
		id = -1
	}
	if len(u.Errors) > 0 && !b.Decls.Dialect.Info().InlineType {
		return append(ts, wasm.Unknown), id
	}
	if !b.Decls.Dialect.Info().InlineType {
		as := "(ref " + u.TokText(t) + ")"
		if u.Nodes[n].Kind == syntax.KLocal { // a local begins as null
			as = "(ref null " + u.TokText(t) + ")"
		}
		b.Report(
			cursor.Finding{
				Code: diag.Syntax, At: u.TokPlace(t),
				Msg: "unexpected token " + u.TokText(t) + ": a type is expected; a reference to it is written `" + as + "`",
				Fixes: []cursor.Fix{
					{Title: "Change to " + as, Edits: []cursor.Edit{{At: u.TokPlace(t), New: as}}, Preferred: true},
				},
			},
		)
		return append(ts, wasm.Unknown), id
	}
	i := b.Index(SpaceType, t, RefRead)
	if r, ok := b.Decls.Aliases[i]; ok {
		return append(ts, r), id
	}
	if i != wasm.BadIndex {
		f := cursor.Finding{
			Code: diag.Syntax,
			At:   u.TokPlace(t),
			Msg: "unexpected token " + u.TokText(
				t,
			) + ": it names a type that is not defined as a reference to a fiber; write `(ref " + u.TokText(
				t,
			) + ")`",
		}
		f.Fixes = []cursor.Fix{
			{
				Title: "Change to (ref " + u.TokText(t) + ")",
				Edits: []cursor.Edit{{At: f.At, New: "(ref " + u.TokText(t) + ")"}}, Preferred: true,
			},
		}
		b.Report(f)
	}
	return append(ts, wasm.Unknown), id
}
