package analysis

import (
	"slices"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// checkDecls returns what the validator says of the declarations.
func (m *Module) checkDecls() []cursor.Finding {
	d := m.decls()
	d.DeclOnce.Do(func() {
		l := &declExplainer{}
		l.Init(m.text(), d, nil)
		d.Environment().Declarations(func(e valid.Error) {
			f := l.explainDecl(&e)
			noteSameShape(d.Mod, &e, &f)
			d.DeclErrors = append(d.DeclErrors, f)
		})
	})
	out := d.DeclErrors[:0:0]
	for _, f := range d.DeclErrors {
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
func (l *declExplainer) explainDecl(e *valid.Error) cursor.Finding {
	f := cursor.Finding{Code: diag.Code(e.Code), Msg: e.Msg, At: cursor.Place{Unit: -1}}
	sp := decl.SpaceNone
	part := e.Part
	switch part {
	case valid.PartInit, valid.PartOffset, valid.PartItem:
		return l.explainConst(e)
	case valid.PartType:
		sp = decl.SpaceType
	case valid.PartFunc:
		sp = decl.SpaceFunc
	case valid.PartTable:
		sp = decl.SpaceTable
	case valid.PartMemory:
		sp = decl.SpaceMemory
	case valid.PartGlobal:
		sp = decl.SpaceGlobal
	case valid.PartTag:
		sp = decl.SpaceTag
	case valid.PartElem:
		sp = decl.SpaceElem
	case valid.PartData:
		sp = decl.SpaceData
	case valid.PartExport:
		if int64(e.Index) < int64(len(l.Decls.Exports)) {
			it := l.Decls.Exports[e.Index]
			l.Unit = l.Text.Unit(it.Unit)
			f.At = l.Unit.NodePlace(it.Node)
			if e.Code == valid.CodeDuplicateExport && it.ID >= 0 {
				f.At = l.Unit.TokPlace(uint32(it.ID))
				l.relateExport(e.Index, &f)
			} else if p, ok := l.indexPlace(it.Node, syntax.KExportDesc); ok {
				f.At = p
			}
		}
		return f
	case valid.PartStart:
		if l.Decls.Start.Unit >= 0 {
			l.Unit = l.Text.Unit(l.Decls.Start.Unit)
			f.At = l.Unit.NodePlace(0)
			if p, ok := l.indexPlace(0, syntax.KStart); ok {
				f.At = p
			}
			l.Decls.Relate(l.Text, decl.SpaceFunc, e.Index, "the function is declared here", &f)
		}
		return f
	case valid.PartImport:
		if int64(e.Index) < int64(len(l.Decls.Imports)) {
			it := l.Decls.Imports[e.Index]
			l.Unit = l.Text.Unit(it.Unit)
			f.At = l.Unit.NodePlace(it.Node)
		}
		return f
	}
	if sp == decl.SpaceNone || int64(e.Index) >= int64(len(l.Decls.Spaces[sp].Items)) {
		f.At = l.fallback()
		return f
	}
	it := l.Decls.Spaces[sp].Items[e.Index]
	l.Unit = l.Text.Unit(it.Unit)
	f.At = l.declPlace(sp, it)
	switch e.Code {
	case valid.CodeUnknownType, valid.CodeTypeKind:
		if p, ok := l.indexPlace(l.Unit.ExternOf(it.Node), syntax.KTypeUse, syntax.KContType); ok {
			f.At = p
		}
	case valid.CodeLimits:
		if p, ok := l.limitsPlace(l.Unit.ExternOf(it.Node)); ok {
			f.At = p
		}
	case valid.CodeSubtyping:
		if st := &l.Decls.Mod.Types[e.Index]; len(st.Supers) > 0 {
			l.Decls.Relate(l.Text, decl.SpaceType, st.Supers[0], "the supertype is defined here", &f)
		}
	}
	return f
}

// fallback returns a place for what has none: the module's first token.
func (l *declExplainer) fallback() cursor.Place {
	for i := range l.Decls.Units {
		u := l.Text.Unit(int32(i))
		if len(u.Tokens) > 0 {
			return u.TokPlace(0)
		}
	}
	return cursor.Place{Unit: -1}
}

// declPlace returns what to mark of a declaration: keyword and identifier.
func (l *declExplainer) declPlace(sp decl.Space, it decl.Item) cursor.Place {
	kw := l.Unit.Keyword(it.Node)
	if it.ID >= 0 && uint32(it.ID) > kw {
		return l.Unit.Place(kw, uint32(it.ID)+1)
	}
	if sp == decl.SpaceType || sp == decl.SpaceFunc {
		return l.Unit.TokPlace(kw)
	}
	return l.Unit.NodePlace(it.Node)
}

// indexPlace returns the place of the index in the first of the nodes of the kinds: n, its
// children, and those of a `sub`.
func (l *declExplainer) indexPlace(n uint32, kinds ...syntax.Kind) (cursor.Place, bool) {
	for c, next := n, n; c < l.Unit.Nodes[n].Next; c = next {
		k := l.Unit.Nodes[c].Kind
		if next = l.Unit.Nodes[c].Next; c == n || k == syntax.KSub {
			next = c + 1
		}
		if !slices.Contains(kinds, k) {
			continue
		}
		p := l.Unit.Parts(c)
		for {
			i, node, ok := p.Next()
			if !ok {
				return cursor.Place{}, false
			}
			if k := l.Unit.TokKind(i); !node && (k == syntax.TokNat || k == syntax.TokID) {
				return l.Unit.TokPlace(i), true
			}
		}
	}
	return cursor.Place{}, false
}

// limitsPlace returns the place of the numbers of a table or memory.
func (l *declExplainer) limitsPlace(n uint32) (cursor.Place, bool) {
	u := &l.Unit
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

func (l *declExplainer) relateExport(i uint32, f *cursor.Finding) {
	name := l.Decls.Mod.Exports[i].Name
	for j := range l.Decls.Mod.Exports[:i] {
		if l.Decls.Mod.Exports[j].Name == name {
			it := l.Decls.Exports[j]
			u := l.Text.Unit(it.Unit)
			p := u.NodePlace(it.Node)
			if it.ID >= 0 {
				p = u.TokPlace(uint32(it.ID))
			}
			f.Related = append(f.Related, cursor.Related{At: p, Msg: "first exported here"})
			return
		}
	}
}

// explainConst turns a violation in a constant expression into a finding: it lowers the expression
// again to know its nodes.
func (l *declExplainer) explainConst(e *valid.Error) cursor.Finding {
	sp := decl.SpaceGlobal
	switch e.Of {
	case valid.PartTable:
		sp = decl.SpaceTable
	case valid.PartElem:
		sp = decl.SpaceElem
	case valid.PartData:
		sp = decl.SpaceData
	}
	f := cursor.Finding{Code: diag.Code(e.Code), Msg: e.Msg, At: l.fallback()}
	if int64(e.Index) >= int64(len(l.Decls.Spaces[sp].Items)) {
		return f
	}
	it := l.Decls.Spaces[sp].Items[e.Index]
	l.Unit = l.Text.Unit(it.Unit)
	f.At = l.declPlace(sp, it)
	c, end, ok := l.constNodes(e.Part, it, int(e.Sub))
	if !ok {
		if c != 0 { // a function's index stands for the item
			f.At = l.Unit.TokPlace(c)
		}
		return f
	}
	hush := l.Silent
	l.Silent = true
	l.Begin(wasm.BadIndex)
	l.Sequence(c, end)
	l.Emit(wasm.Instr{Op: wasm.OpEnd}, it.Node, l.Unit.Nodes[it.Node].TokEnd-1)
	l.Silent = hush
	if e.Instr >= len(l.Body.Instrs)-1 { // what is wrong is what it gives
		first, last := l.Unit.Nodes[it.Node].Tok, l.Unit.Nodes[it.Node].TokEnd
		if c < end {
			first, last = l.Unit.Nodes[c].Tok, l.lastTok(c, end)
		}
		f.At = l.Unit.Place(first, last)
		return f
	}
	return explain(l.Body, e)
}

// lastTok returns the token after the siblings [c, end).
func (l *declExplainer) lastTok(c, end uint32) uint32 {
	t := l.Unit.Nodes[c].TokEnd
	for ; c < end; c = l.Unit.Nodes[c].Next {
		t = l.Unit.Nodes[c].TokEnd
	}
	return t
}

// constNodes returns the nodes of a constant expression of an item. Where an index stands for it,
// ok is false and c its token.
func (l *declExplainer) constNodes(part valid.Part, it decl.Item, sub int) (c, end uint32, ok bool) {
	u := &l.Unit
	nd := &u.Nodes[it.Node]
	k := 0
	p := u.Parts(it.Node)
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
func (l *declExplainer) isElemIndex(it decl.Item, t uint32) bool {
	k := l.Unit.TokKind(t)
	return (k == syntax.TokID || k == syntax.TokNat) && int32(t) != it.ID
}

// declExplainer explains violations in declarations.
type declExplainer struct{ lower.Lowerer }
