package analysis

import (
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// The types of the dialect fibers-handle in the text: docs/design/dialects.md §5. An inline `(ref
// null? fiber r*)` is an implicit type; `(type $g (ref fiber r*))` defines the fiber type, and `$g`
// alone stands for the reference.

// fiberMark begins the key of a fiber type: no function type has as many parameters.
const fiberMark = "\xff\xff\xff\xff"

// fiberKey packs a fiber type, so that no function type has the same key.
func fiberKey(buf []byte, results []wasm.ValType) []byte {
	return typeKey(append(buf, fiberMark...), nil, results)
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
// that is defined behind the definition that it is part of.
const laterKey = "\x01"

// fiberType reads what stands behind `fiber` in the reference type n: in fibers-handle an implicit
// type, elsewhere nothing may stand there.
func (b *binder) fiberType(n uint32) wasm.HeapType {
	u := &b.u
	if b.d.dialect != wasm.DialectFibersHandle {
		if c := n + 1; c < u.Nodes[n].Next && u.Nodes[c].Kind != syntax.KAnnot {
			b.foreign(u.NodePlace(n), "the type `"+u.Words(n)+"`", wasm.DialectFibersHandle)
			return wasm.HeapBad
		}
		return wasm.HeapFiber
	}
	return b.inlineFiber(b.fiberTypes(n))
}

// fiberTypes reads the result types among the children of a reference type.
func (b *binder) fiberTypes(n uint32) (results []wasm.ValType) {
	for c := n + 1; c < b.u.Nodes[n].Next; c = b.u.Nodes[c].Next {
		if cursor.IsType(b.u.Nodes[c].Kind) {
			results = append(results, b.valType(c))
		}
	}
	return
}

// inlineFiber returns the fiber type with the results: the first equal one, else a new one while
// the module is being bound.
func (b *binder) inlineFiber(results []wasm.ValType) wasm.HeapType {
	d := b.d
	key := string(fiberKey(nil, results))
	i, ok := d.types.byKey[key]
	if ok && i < d.explicit && i >= b.limit {
		key += laterKey
		i, ok = d.types.byKey[key]
	}
	switch {
	case ok:
		return wasm.HeapType(i)
	case b.add:
		return wasm.HeapType(b.intern(key))
	}
	return wasm.HeapBad
}

// fiberKeys gives the key of an inline fiber type, if node n is one.
func (l *lowerer) fiberKeys(n uint32, yield func(key []byte)) {
	if t, ok := l.u.HeapWord(n); ok && l.u.TokText(t) == "fiber" {
		yield(fiberKey(nil, l.fiberTypes(n)))
	}
}

// indexFibers looks, in front of all definitions, for the fiber types that are defined: inline
// types may stand for those without types of their own in them, and aliases may be used before they
// are defined.
func (l *lowerer) indexFibers(items []item) {
	d := l.d
	hush := l.hush
	l.hush = true
	alone := map[uint32]bool{}
	for _, g := range d.mod.Recs {
		alone[g.Start] = g.Len == 1
	}
	for i, it := range items {
		l.u = l.unitAt(it.unit)
		u := &l.u
		for c := it.node + 1; c < u.Nodes[it.node].Next; c = u.Nodes[c].Next {
			switch u.Nodes[c].Kind {
			case syntax.KRefType:
				if w, ok := u.HeapWord(c); ok && u.TokText(w) == "fiber" {
					if d.aliases == nil {
						d.aliases = map[uint32]wasm.ValType{}
					}
					d.aliases[uint32(i)] = wasm.Ref(u.HasKeyword(c, "null"), wasm.HeapType(i))
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
				l.compType(c, uint32(i), &t)
			} else {
				t.Results = l.fiberTypes(c)
			}
			key := string(fiberKey(nil, t.Results))
			if _, ok := d.types.byKey[key]; !ok {
				d.types.byKey[key] = uint32(i)
			}
		}
	}
	l.hush = hush
}

// fiberAlias reads the definition of a fiber type as a reference: `(type $g (ref null? fiber r*))`.
func (b *binder) fiberAlias(n, ti uint32, t *wasm.SubType) {
	u := &b.u
	if w, ok := u.HeapWord(n); !ok || u.TokText(w) != "fiber" {
		b.errAt(diag.Syntax, u.NodePlace(n), "unexpected token "+u.Words(n)+": a type definition is expected")
		return
	}
	if b.foreign(u.NodePlace(n), "the definition of a type as `"+u.Words(n)+"`", wasm.DialectFibersHandle) {
		return
	}
	t.Kind = wasm.CompFiber
	t.Results = b.fiberTypes(n)
}

// aliasType reads `(param $x $g)`, `(local $x $g)` and `(result $g)`, which only fibers-handle has.
// id is the token of the first identifier, and no type follows.
func (b *binder) aliasType(n uint32, id int32, ts []wasm.ValType) ([]wasm.ValType, int32) {
	u := &b.u
	t := uint32(id)
	result := u.Nodes[n].Kind == syntax.KResult
	second := t+1 < u.Nodes[n].TokEnd && u.TokKind(t+1) == syntax.TokID
	switch {
	case second && !result:
		t++
	case second:
		b.errAt(diag.Syntax, u.TokPlace(t+1), "unexpected token "+u.TokText(t+1)+": results have no names")
		return append(ts, wasm.Unknown), -1
	case !result:
		return ts, id // the parser has reported that the type is missing
	}
	if result {
		id = -1
	}
	if len(u.Errors) > 0 && b.d.dialect != wasm.DialectFibersHandle {
		return append(ts, wasm.Unknown), id
	}
	if b.d.dialect != wasm.DialectFibersHandle {
		as := "(ref " + u.TokText(t) + ")"
		if u.Nodes[n].Kind == syntax.KLocal { // a local begins as null
			as = "(ref null " + u.TokText(t) + ")"
		}
		b.report(
			cursor.Finding{
				Code: diag.Syntax, At: u.TokPlace(t),
				Msg:   "unexpected token " + u.TokText(t) + ": a type is expected; a reference to it is written `" + as + "`",
				Fixes: []cursor.Fix{{Title: "Change to " + as, Edits: []cursor.Edit{{At: u.TokPlace(t), New: as}}, Preferred: true}},
			},
		)
		return append(ts, wasm.Unknown), id
	}
	i := b.index(SpaceType, t, RefRead)
	if r, ok := b.d.aliases[i]; ok {
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
		f.Fixes = []cursor.Fix{{Title: "Change to (ref " + u.TokText(t) + ")", Edits: []cursor.Edit{{At: f.At, New: "(ref " + u.TokText(t) + ")"}}, Preferred: true}}
		b.report(f)
	}
	return append(ts, wasm.Unknown), id
}

// events lowers the event clauses among the siblings [c, end): of a handle, or of a function.
func (l *lowerer) events(c, end uint32) {
	for ; c < end; c = l.u.Nodes[c].Next {
		if l.u.Nodes[c].Kind == syntax.KEvent {
			l.event(c)
		}
	}
}

// event lowers a clause: a block inside its handle, which the handle's `end` or the next clause
// ends.
func (l *lowerer) event(n uint32) {
	u := &l.u
	nd := &u.Nodes[n]
	kw := u.Keyword(n)
	if l.d.dialect != wasm.DialectFibersHandle { // of a function; handles elsewhere are reported as such
		l.foreign(u.TokPlace(kw), "`event`", wasm.DialectFibersHandle)
		l.foreignEvent(n)
		return
	}
	in := wasm.Instr{Op: wasm.OpEvent, A: wasm.BadIndex}
	p := cursor.Parts{U: u, Tok: kw + 1, End: nd.TokEnd, Child: n + 1, LastChild: nd.Next}
	id := int32(-1)
	if t, ok := p.IndexToken(); ok {
		tag := t
		if t2, ok := p.IndexToken(); ok {
			if u.TokKind(t) == syntax.TokID {
				id, tag = int32(t), t2
			} else {
				l.errAt(diag.Syntax, u.TokPlace(t2), "unexpected token "+u.TokText(t2)+": event takes a label and a tag, or a tag")
			}
		}
		in.A = l.index(SpaceTag, tag, RefRead)
	}
	bt, ok := l.blockType(p.Child, p.LastChild)
	in.Imm = uint64(bt)
	if !ok {
		in.Imm = uint64(wasm.BlockIndex(wasm.BadIndex))
	}
	l.skipUse(&p)
	name := ""
	ord := uint32(len(l.blocks))
	if id >= 0 {
		name = u.Name(uint32(id))
		if l.rec != nil {
			l.rec(Sym{SpaceLabel, l.fn, ord}, uint32(id), RefDef)
		}
	}
	l.blocks = append(l.blocks, blockDecl{n, uint32(len(l.instrs)), id, false})
	l.emit(in, n, kw)
	l.labels = append(l.labels, label{name, ord})
	l.sequence(p.Child, nd.Next)
	l.labels = l.labels[:len(l.labels)-1]
}

// foreignEvents lowers the event clauses of a block that the module's dialect does not have.
func (l *lowerer) foreignEvents(c, end uint32) {
	for ; c < end; c = l.u.Nodes[c].Next {
		if l.u.Nodes[c].Kind == syntax.KEvent {
			l.foreignEvent(c)
		}
	}
}

// foreignEvent lowers what is in an event clause of another dialect, so that names in it are known;
// that it is there has been reported, and nothing else is said of it.
func (l *lowerer) foreignEvent(n uint32) {
	hush := l.hush
	l.hush = true
	kw := l.u.Keyword(n)
	l.blocks = append(l.blocks, blockDecl{n, uint32(len(l.instrs)), -1, false})
	l.emit(wasm.Instr{Op: wasm.OpBlock, Imm: uint64(wasm.BlockIndex(wasm.BadIndex))}, n, kw)
	l.labels = append(l.labels, label{"", uint32(len(l.blocks) - 1)})
	l.emit(wasm.Instr{}, n, kw)
	l.sequence(n+1, l.u.Nodes[n].Next)
	l.labels = l.labels[:len(l.labels)-1]
	l.emit(wasm.Instr{Op: wasm.OpEnd}, n, l.u.Nodes[n].TokEnd-1)
	l.hush = hush
}

// warnEvents warns of the creation of a fiber whose function has no event clauses of its own: the
// first event that it gets cannot be handled.
func (l *lowerer) warnEvents(i int) {
	in := &l.instrs[i]
	if l.d.ready(in.A) {
		return
	}
	f := cursor.Finding{Code: diag.EventClause, At: l.ownPlace(l.nodes[i]), Msg: "no event clause: " + l.d.mod.FuncTitle(in.A) +
		" has no `event` outside of its handles, so the new fiber traps with the first event that it gets"}
	l.relateItem(SpaceFunc, in.A, "the function is declared here", &f)
	l.report(f)
}
