package bind

import (
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Walk goes over the references of the field that the unit is.
func (l *Binder) Walk() {
	d := l.Decls
	for sp := decl.SpaceType; sp <= decl.SpaceData; sp++ {
		items := d.Spaces[sp].Items
		i := d.FirstOf(sp, l.Unit.Index)
		for ; i < len(items) && items[i].Unit == l.Unit.Index; i++ {
			if items[i].ID >= 0 {
				l.OnRef(decl.Sym{Space: sp, Owner: 0, Index: uint32(i)}, uint32(items[i].ID), decl.RefDef)
			}
			if sp == decl.SpaceType {
				l.TypeDef(items[i].Node, uint32(i))
			}
		}
	}
	p := l.head(0)
	switch l.Unit.Nodes[0].Kind {
	case syntax.KImport:
		l.walkImports()
	case syntax.KFunc, syntax.KTable, syntax.KMemory, syntax.KGlobal, syntax.KTag:
		sp := fieldSpace(l.Unit.Nodes[0].Kind)
		if imported, _, _ := l.inlines(&p, 0, 0, false); imported {
			l.walkImported(0, &p, sp, uint32(d.FirstOf(sp, l.Unit.Index)))
			return
		}
		switch sp {
		case decl.SpaceFunc:
			if fn := d.Units[l.Unit.Index].Fn; fn != wasm.BadIndex {
				l.funcUse(0, false)
				l.walkResults()
				l.Function(fn)
			}
		case decl.SpaceTag:
			l.funcUse(0, false)
		case decl.SpaceTable:
			l.tableDecl(0, &p)
		case decl.SpaceMemory:
			l.memoryDecl(0, &p)
		case decl.SpaceGlobal:
			l.globalDecl(0, &p)
		}
	case syntax.KExport:
		l.exportDecl(0)
	case syntax.KStart:
		l.startDecl(0)
	case syntax.KElem:
		l.elemDecl(0)
	case syntax.KData:
		l.dataDecl(0)
	}
}

// walkResults is where the types of a function's header are: funcUse has read them.
func (l *Binder) walkResults() {}

// walkImported goes over an extern type, of the item with an index.
func (l *Binder) walkImported(n uint32, p *cursor.Parts, sp decl.Space, index uint32) {
	if sp == decl.SpaceFunc {
		// The names of parameters are definitions of locals.
		l.Begin(index)
		l.Params(n)
	}
	l.importedDecl(n, p, sp, 0, false)
}

// walkImports goes over the references of an import field. The type that a group shares is walked
// once.
func (l *Binder) walkImports() {
	next := map[decl.Space]int{}
	last := uint32(0)
	for _, x := range importsOf(&l.Unit) {
		index := l.Decls.FirstOf(x.space, l.Unit.Index) + next[x.space]
		next[x.space]++
		if x.extern != last {
			q := l.head(x.extern)
			l.walkImported(x.extern, &q, x.space, uint32(index))
		}
		last = x.extern
	}
}
