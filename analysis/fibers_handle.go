package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// The types of the dialect fibers-handle in the text: docs/design/dialects.md §5. An inline `(ref
// null? fiber r*)` is an implicit type; `(type $g (ref fiber r*))` defines the fiber type, and `$g`
// alone stands for the reference.

// fiberKeys gives the key of an inline fiber type, if node n is one.
func (l *lowerer) fiberKeys(n uint32, yield func(key []byte)) {
	if t, ok := l.Unit.HeapWord(n); ok && l.Unit.TokText(t) == "fiber" {
		yield(decl.FiberKey(nil, l.FiberTypes(n)))
	}
}

// indexFibers looks, in front of all definitions, for the fiber types that are defined: inline
// types may stand for those without types of their own in them, and aliases may be used before they
// are defined.
func (l *lowerer) indexFibers(items []decl.Item) {
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

// events lowers the event clauses among the siblings [c, end): of a handle, or of a function.
func (l *lowerer) events(c, end uint32) {
	for ; c < end; c = l.Unit.Nodes[c].Next {
		if l.Unit.Nodes[c].Kind == syntax.KEvent {
			l.event(c)
		}
	}
}

// event lowers a clause: a block inside its handle, which the handle's `end` or the next clause
// ends.
func (l *lowerer) event(n uint32) {
	u := &l.Unit
	nd := &u.Nodes[n]
	kw := u.Keyword(n)
	if l.Decls.Dialect != wasm.DialectFibersHandle { // of a function; handles elsewhere are reported as such
		l.Foreign(u.TokPlace(kw), "`event`", wasm.DialectFibersHandle)
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
				l.ReportAt(diag.Syntax, u.TokPlace(t2), "unexpected token "+u.TokText(t2)+": event takes a label and a tag, or a tag")
			}
		}
		in.A = l.Index(decl.SpaceTag, tag, decl.RefRead)
	}
	bt, ok := l.blockType(p.Child, p.LastChild)
	in.Imm = uint64(bt)
	if !ok {
		in.Imm = uint64(wasm.BlockIndex(wasm.BadIndex))
	}
	l.skipUse(&p)
	name := ""
	ord := uint32(len(l.body.Blocks))
	if id >= 0 {
		name = u.Name(uint32(id))
		if l.OnRef != nil {
			l.OnRef(decl.Sym{Space: decl.SpaceLabel, Owner: l.body.Fn, Index: ord}, uint32(id), decl.RefDef)
		}
	}
	l.body.Blocks = append(l.body.Blocks, lower.Block{Node: n, Instr: uint32(len(l.body.Instrs)), Label: id, Used: false})
	l.emit(in, n, kw)
	l.labels = append(l.labels, label{name, ord})
	l.sequence(p.Child, nd.Next)
	l.labels = l.labels[:len(l.labels)-1]
}

// foreignEvents lowers the event clauses of a block that the module's dialect does not have.
func (l *lowerer) foreignEvents(c, end uint32) {
	for ; c < end; c = l.Unit.Nodes[c].Next {
		if l.Unit.Nodes[c].Kind == syntax.KEvent {
			l.foreignEvent(c)
		}
	}
}

// foreignEvent lowers what is in an event clause of another dialect, so that names in it are known;
// that it is there has been reported, and nothing else is said of it.
func (l *lowerer) foreignEvent(n uint32) {
	hush := l.Silent
	l.Silent = true
	kw := l.Unit.Keyword(n)
	l.body.Blocks = append(l.body.Blocks, lower.Block{Node: n, Instr: uint32(len(l.body.Instrs)), Label: -1, Used: false})
	l.emit(wasm.Instr{Op: wasm.OpBlock, Imm: uint64(wasm.BlockIndex(wasm.BadIndex))}, n, kw)
	l.labels = append(l.labels, label{"", uint32(len(l.body.Blocks) - 1)})
	l.emit(wasm.Instr{}, n, kw)
	l.sequence(n+1, l.Unit.Nodes[n].Next)
	l.labels = l.labels[:len(l.labels)-1]
	l.emit(wasm.Instr{Op: wasm.OpEnd}, n, l.Unit.Nodes[n].TokEnd-1)
	l.Silent = hush
}

func init() { ready[wasm.DialectFibersHandle] = (*lowerer).hasEvents }

// hasEvents reports whether a function has event clauses outside of handles.
func (l *lowerer) hasEvents() bool {
	for c := uint32(1); c < l.Unit.Nodes[0].Next; c = l.Unit.Nodes[c].Next {
		if l.Unit.Nodes[c].Kind == syntax.KEvent {
			return true
		}
	}
	return false
}
