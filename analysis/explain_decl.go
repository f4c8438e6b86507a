package analysis

import (
	"slices"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// checkDecls returns what the validator says of the declarations.
func (m *Module) checkDecls() []cursor.Finding {
	d := m.decls()
	d.declOnce.Do(func() {
		l := m.lowerer(nil)
		d.environment().Declarations(func(e valid.Error) {
			d.invalid = append(d.invalid, l.explainDecl(&e))
		})
	})
	out := d.invalid[:0:0]
	for _, f := range d.invalid {
		if !m.malformed(f.At) {
			out = append(out, f)
		}
	}
	return out
}

// malformed reports whether there is a syntax error in the unit of a place, so that what is wrong
// there may only be its consequence.
func (m *Module) malformed(p cursor.Place) bool {
	return p.Unit >= 0 && int(p.Unit) < m.units && len(m.snap.tree.Units[m.first+int(p.Unit)].Errors) > 0
}

// explainDecl turns a violation in a declaration into a finding.
func (l *lowerer) explainDecl(e *valid.Error) cursor.Finding {
	f := cursor.Finding{Code: diag.Code(e.Code), Msg: e.Msg, At: cursor.Place{Unit: -1}}
	sp := SpaceNone
	part := e.Part
	switch part {
	case valid.PartInit, valid.PartOffset, valid.PartItem:
		return l.explainConst(e)
	case valid.PartType:
		sp = SpaceType
	case valid.PartFunc:
		sp = SpaceFunc
	case valid.PartTable:
		sp = SpaceTable
	case valid.PartMemory:
		sp = SpaceMemory
	case valid.PartGlobal:
		sp = SpaceGlobal
	case valid.PartTag:
		sp = SpaceTag
	case valid.PartElem:
		sp = SpaceElem
	case valid.PartData:
		sp = SpaceData
	case valid.PartExport:
		if int64(e.Index) < int64(len(l.d.exports)) {
			it := l.d.exports[e.Index]
			l.u = l.unitAt(it.unit)
			f.At = l.u.NodePlace(it.node)
			if e.Code == valid.CodeDuplicateExport && it.id >= 0 {
				f.At = l.u.TokPlace(uint32(it.id))
				l.relateExport(e.Index, &f)
			} else if p, ok := l.indexPlace(it.node, syntax.KExportDesc); ok {
				f.At = p
			}
		}
		return f
	case valid.PartStart:
		if l.d.start.unit >= 0 {
			l.u = l.unitAt(l.d.start.unit)
			f.At = l.u.NodePlace(0)
			if p, ok := l.indexPlace(0, syntax.KStart); ok {
				f.At = p
			}
			l.relateItem(SpaceFunc, e.Index, "the function is declared here", &f)
		}
		return f
	case valid.PartImport:
		if int64(e.Index) < int64(len(l.d.imports)) {
			it := l.d.imports[e.Index]
			l.u = l.unitAt(it.unit)
			f.At = l.u.NodePlace(it.node)
		}
		return f
	}
	if sp == SpaceNone || int64(e.Index) >= int64(len(l.d.spaces[sp].items)) {
		f.At = l.fallback()
		return f
	}
	it := l.d.spaces[sp].items[e.Index]
	l.u = l.unitAt(it.unit)
	f.At = l.declPlace(sp, it)
	switch e.Code {
	case valid.CodeUnknownType, valid.CodeTypeKind:
		if p, ok := l.indexPlace(l.u.ExternOf(it.node), syntax.KTypeUse, syntax.KContType); ok {
			f.At = p
		}
	case valid.CodeLimits:
		if p, ok := l.limitsPlace(l.u.ExternOf(it.node)); ok {
			f.At = p
		}
	case valid.CodeSubtyping:
		if st := &l.d.mod.Types[e.Index]; len(st.Supers) > 0 {
			l.relateItem(SpaceType, st.Supers[0], "the supertype is defined here", &f)
		}
	}
	return f
}

// fallback returns a place for what has none: the module's first token.
func (l *lowerer) fallback() cursor.Place {
	for i := range l.d.units {
		u := l.unitAt(int32(i))
		if len(u.Tokens) > 0 {
			return u.TokPlace(0)
		}
	}
	return cursor.Place{Unit: -1}
}

// declPlace returns what to mark of a declaration: keyword and identifier.
func (l *lowerer) declPlace(sp Space, it item) cursor.Place {
	kw := l.u.Keyword(it.node)
	if it.id >= 0 && uint32(it.id) > kw {
		return l.u.Place(kw, uint32(it.id)+1)
	}
	if sp == SpaceType || sp == SpaceFunc {
		return l.u.TokPlace(kw)
	}
	return l.u.NodePlace(it.node)
}

// indexPlace returns the place of the index in the first of the nodes of the kinds: n, its
// children, and those of a `sub`.
func (l *lowerer) indexPlace(n uint32, kinds ...syntax.Kind) (cursor.Place, bool) {
	for c, next := n, n; c < l.u.Nodes[n].Next; c = next {
		k := l.u.Nodes[c].Kind
		if next = l.u.Nodes[c].Next; c == n || k == syntax.KSub {
			next = c + 1
		}
		if !slices.Contains(kinds, k) {
			continue
		}
		p := l.u.Parts(c)
		for {
			i, node, ok := p.Next()
			if !ok {
				return cursor.Place{}, false
			}
			if k := l.u.TokKind(i); !node && (k == syntax.TokNat || k == syntax.TokID) {
				return l.u.TokPlace(i), true
			}
		}
	}
	return cursor.Place{}, false
}

// limitsPlace returns the place of the numbers of a table or memory.
func (l *lowerer) limitsPlace(n uint32) (cursor.Place, bool) {
	u := &l.u
	first, last := uint32(0), uint32(0)
	p := u.Parts(n)
	for {
		i, node, ok := p.Next()
		if !ok {
			break
		}
		if !node && u.TokKind(i) == syntax.TokNat {
			if first == 0 {
				first = i
			}
			last = i
		}
	}
	if first == 0 {
		return cursor.Place{}, false
	}
	return u.Place(first, last+1), true
}

func (l *lowerer) relateExport(i uint32, f *cursor.Finding) {
	name := l.d.mod.Exports[i].Name
	for j := range l.d.mod.Exports[:i] {
		if l.d.mod.Exports[j].Name == name {
			it := l.d.exports[j]
			u := l.unitAt(it.unit)
			p := u.NodePlace(it.node)
			if it.id >= 0 {
				p = u.TokPlace(uint32(it.id))
			}
			f.Related = append(f.Related, cursor.Related{At: p, Msg: "first exported here"})
			return
		}
	}
}

// explainConst turns a violation in a constant expression into a finding: it lowers the expression
// again to know its nodes.
func (l *lowerer) explainConst(e *valid.Error) cursor.Finding {
	sp := SpaceGlobal
	switch e.Of {
	case valid.PartTable:
		sp = SpaceTable
	case valid.PartElem:
		sp = SpaceElem
	case valid.PartData:
		sp = SpaceData
	}
	f := cursor.Finding{Code: diag.Code(e.Code), Msg: e.Msg, At: l.fallback()}
	if int64(e.Index) >= int64(len(l.d.spaces[sp].items)) {
		return f
	}
	it := l.d.spaces[sp].items[e.Index]
	l.u = l.unitAt(it.unit)
	f.At = l.declPlace(sp, it)
	c, end, ok := l.constNodes(e.Part, it, int(e.Sub))
	if !ok {
		if c != 0 { // a function's index stands for the item
			f.At = l.u.TokPlace(c)
		}
		return f
	}
	hush := l.hush
	l.hush = true
	l.begin(wasm.BadIndex)
	l.sequence(c, end)
	l.emit(wasm.Instr{Op: wasm.OpEnd}, it.node, l.u.Nodes[it.node].TokEnd-1)
	l.hush = hush
	if e.Instr >= len(l.instrs)-1 { // what is wrong is what it gives
		first, last := l.u.Nodes[it.node].Tok, l.u.Nodes[it.node].TokEnd
		if c < end {
			first, last = l.u.Nodes[c].Tok, l.lastTok(c, end)
		}
		f.At = l.u.Place(first, last)
		return f
	}
	return l.explain(e)
}

// lastTok returns the token behind the siblings [c, end).
func (l *lowerer) lastTok(c, end uint32) uint32 {
	t := l.u.Nodes[c].TokEnd
	for ; c < end; c = l.u.Nodes[c].Next {
		t = l.u.Nodes[c].TokEnd
	}
	return t
}

// constNodes returns the nodes of a constant expression of an item. Where an index stands for it,
// ok is false and c its token.
func (l *lowerer) constNodes(part valid.Part, it item, sub int) (c, end uint32, ok bool) {
	u := &l.u
	nd := &u.Nodes[it.node]
	k := 0
	p := u.Parts(it.node)
	for {
		i, node, more := p.Next()
		if !more {
			return 0, 0, false
		}
		switch {
		case part == valid.PartInit && node && cursor.IsInstr(u.Nodes[i].Kind):
			return i, nd.Next, true
		case part == valid.PartOffset && node && u.Nodes[i].Kind == syntax.KOffset:
			return i + 1, u.Nodes[i].Next, true
		case part == valid.PartItem && node && (u.Nodes[i].Kind == syntax.KItem || cursor.IsInstr(u.Nodes[i].Kind)):
			if k == sub {
				if u.Nodes[i].Kind == syntax.KItem {
					return i + 1, u.Nodes[i].Next, true
				}
				return i, u.Nodes[i].Next, true
			}
			k++
		case part == valid.PartItem && !node && l.isElemIndex(it, i):
			if k == sub {
				return i, 0, false
			}
			k++
		}
	}
}

// isElemIndex reports whether a token of a segment is one of its function indices.
func (l *lowerer) isElemIndex(it item, t uint32) bool {
	k := l.u.TokKind(t)
	return (k == syntax.TokID || k == syntax.TokNat) && int32(t) != it.id
}
