package analysis

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// imported is an item that an import field takes from another module.
type imported struct {
	node   uint32 // what declares it: its KExternType, or its KImportItem if its group shares a type
	extern uint32 // the KExternType
	space  Space
}

// imports returns what the unit, an import field, imports: one item, or those of a group.
func (u *unit) imports() []imported {
	var out []imported
	root := &u.Nodes[0]
	add := func(node, extern uint32) {
		if sp := declSpace(u.str(u.keyword(extern))); sp != SpaceNone {
			out = append(out, imported{node, extern, sp})
		}
	}
	group := false
	for c := uint32(1); c < root.Next; c = u.Nodes[c].Next {
		switch u.Nodes[c].Kind {
		case syntax.KImportItem:
			group = true
			if x := u.child(c, syntax.KExternType); x != 0 {
				add(x, x)
			} else if x := u.child(0, syntax.KExternType); x != 0 {
				add(c, x)
			}
		case syntax.KExternType:
			if !group && u.names(0) > 1 {
				add(c, c)
			}
		}
	}
	return out
}

// isGroup reports whether a unit is a group of imports. The names that annotations give to
// parameters in one are not taken: they are kept by unit, and a group may declare several
// functions.
func isGroup(u *syntax.Unit) bool {
	v := unit{Unit: u}
	return v.child(0, syntax.KImportItem) != 0
}

// child returns the first child of a kind, or 0.
func (u *unit) child(n uint32, k syntax.Kind) uint32 {
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		if u.Nodes[c].Kind == k {
			return c
		}
	}
	return 0
}

// names counts the strings among a node's tokens in front of its children.
func (u *unit) names(n uint32) int {
	p := u.parts(n)
	c := 0
	for {
		i, node, ok := p.peek()
		if !ok || node {
			return c
		}
		c += btoi(u.kind(i) == syntax.TokString)
		p.skip()
	}
}

// externOf returns the KExternType of what a node declares: that of the group for an item without
// one.
func (u *unit) externOf(node uint32) uint32 {
	if u.Nodes[node].Kind == syntax.KImportItem {
		return u.child(0, syntax.KExternType)
	}
	return node
}

// importNames returns the strings of the import that node declares: the module's name and the
// item's; -1 where it is missing. The node of an inline import is 0.
func (u *unit) importNames(node uint32) (module, name int32) {
	from := uint32(0)
	if c := u.child(0, syntax.KInlineImport); c != 0 {
		from = c
	}
	module, name = -1, -1
	take := func(n uint32) {
		p := u.parts(n)
		for {
			i, node, ok := p.peek()
			if !ok {
				return
			}
			if !node && u.kind(i) == syntax.TokString {
				if module < 0 {
					module = int32(i)
				} else if name < 0 {
					name = int32(i)
				}
			}
			p.skip()
		}
	}
	take(from)
	for c := uint32(1); c < u.Nodes[0].Next && from == 0; c = u.Nodes[c].Next {
		if u.Nodes[c].Kind == syntax.KImportItem && c <= node && node < u.Nodes[c].Next {
			take(c)
		}
	}
	return module, name
}

// defineImports reads an import field.
func (l *lowerer) defineImports() {
	d := l.d
	all := l.u.imports()
	if len(all) == 0 {
		l.emptyImport()
		return
	}
	hush := l.hush
	for k, x := range all {
		module, name := l.u.importNames(x.node)
		im := wasm.Import{At: l.pos(l.u.keyword(0))}
		if len(all) > 1 {
			im.At = l.pos(l.u.keyword(x.node))
		}
		l.hush = hush || k > 0 // the module's name was read
		if module >= 0 {
			im.Module = l.name(uint32(module))
		}
		l.hush = hush
		if name >= 0 {
			im.Name = l.name(uint32(name))
		}
		l.addImport(im, x.node, l.u.str(l.u.keyword(x.extern)))
		l.hush = hush || k > 0 && x.node != x.extern // the shared type was read
		q := l.head(x.extern)
		l.importedDecl(x.extern, &q, x.space, int32(len(d.mod.Imports)-1), true)
		l.hush = hush
	}
}

// emptyImport reports a well-formed import that imports nothing.
func (l *lowerer) emptyImport() {
	if len(l.u.Errors) > 0 {
		return
	}
	l.report(
		finding{code: diag.EmptyImport, at: l.u.nodePlace(0), msg: "this imports nothing: the name of the item is missing"},
	)
}

// walkImports goes over the references of an import field. The type that a group shares is walked
// once.
func (l *lowerer) walkImports() {
	next := map[Space]int{}
	last := uint32(0)
	for _, x := range l.u.imports() {
		index := l.d.firstOf(x.space, l.u.idx) + next[x.space]
		next[x.space]++
		if x.extern != last {
			q := l.head(x.extern)
			l.walkImported(x.extern, &q, x.space, uint32(index))
		}
		last = x.extern
	}
}

// ImportSpans returns the places of an import's strings, quotes included: the module's name and the
// item's. Empty spans if they are missing.
func (m *Module) ImportSpans(i int) (module, name source.Span) {
	d := m.decls()
	if i < 0 || i >= len(d.imports) {
		return
	}
	it := d.imports[i]
	u := m.unit(it.unit)
	a, b := u.importNames(it.node)
	if a >= 0 {
		module = m.span(u.at(uint32(a)))
	}
	if b >= 0 {
		name = m.span(u.at(uint32(b)))
	}
	return module, name
}
