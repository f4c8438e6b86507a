package lower

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// events lowers the event clauses among the siblings [c, end): of a handle, or of a function.
func (l *Lowerer) events(c, end uint32) {
	for ; c < end; c = l.Unit.Nodes[c].Next {
		if l.Unit.Nodes[c].Kind == syntax.KEvent {
			l.event(c)
		}
	}
}

// event lowers a clause: a block inside its handle, which the handle's `end` or the next clause
// ends.
func (l *Lowerer) event(n uint32) {
	u := &l.Unit
	nd := &u.Nodes[n]
	kw := u.Keyword(n)
	if !l.Decls.Dialect.Info().FrameEvents { // of a function; handles elsewhere are reported as such
		l.Foreign(u.TokPlace(kw), "`event`", wasm.OpEvent.Info().Dialect)
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
	ord := uint32(len(l.Body.Blocks))
	if id >= 0 {
		name = u.Name(uint32(id))
		if l.OnRef != nil {
			l.OnRef(decl.Sym{Space: decl.SpaceLabel, Owner: l.Body.Fn, Index: ord}, uint32(id), decl.RefDef)
		}
	}
	l.Body.Blocks = append(l.Body.Blocks, Block{Node: n, Instr: uint32(len(l.Body.Instrs)), Label: id, Used: false})
	l.Emit(in, n, kw)
	l.labels = append(l.labels, label{name, ord})
	l.Sequence(p.Child, nd.Next)
	l.labels = l.labels[:len(l.labels)-1]
}

// foreignEvents lowers the event clauses of a block that the module's dialect does not have.
func (l *Lowerer) foreignEvents(c, end uint32) {
	for ; c < end; c = l.Unit.Nodes[c].Next {
		if l.Unit.Nodes[c].Kind == syntax.KEvent {
			l.foreignEvent(c)
		}
	}
}

// foreignEvent lowers what is in an event clause of another dialect, so that names in it are known;
// that it is there has been reported, and nothing else is said of it.
func (l *Lowerer) foreignEvent(n uint32) {
	hush := l.Silent
	l.Silent = true
	kw := l.Unit.Keyword(n)
	l.Body.Blocks = append(l.Body.Blocks, Block{Node: n, Instr: uint32(len(l.Body.Instrs)), Label: -1, Used: false})
	l.Emit(wasm.Instr{Op: wasm.OpBlock, Imm: uint64(wasm.BlockIndex(wasm.BadIndex))}, n, kw)
	l.labels = append(l.labels, label{"", uint32(len(l.Body.Blocks) - 1)})
	l.Emit(wasm.Instr{}, n, kw)
	l.Sequence(n+1, l.Unit.Nodes[n].Next)
	l.labels = l.labels[:len(l.labels)-1]
	l.Emit(wasm.Instr{Op: wasm.OpEnd}, n, l.Unit.Nodes[n].TokEnd-1)
	l.Silent = hush
}
