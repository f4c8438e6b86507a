package bind

import (
	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// imported is an item that an import field takes from another module.
type imported struct {
	node   uint32 // what declares it: its KExternType, or its KImportItem if its group shares a type
	extern uint32 // the KExternType
	space  decl.Space
}

// importsOf returns what the unit, an import field, imports: one item, or those of a group.
func importsOf(u *cursor.Unit) []imported {
	var out []imported
	root := &u.Nodes[0]
	add := func(node, extern uint32) {
		if sp := decl.DeclSpace(u.TokText(u.Keyword(extern))); sp != decl.SpaceNone {
			out = append(out, imported{node, extern, sp})
		}
	}
	group := false
	for c := uint32(1); c < root.Next; c = u.Nodes[c].Next {
		switch u.Nodes[c].Kind {
		case syntax.KImportItem:
			group = true
			if x := u.Child(c, syntax.KExternType); x != 0 {
				add(x, x)
			} else if x := u.Child(0, syntax.KExternType); x != 0 {
				add(c, x)
			}
		case syntax.KExternType:
			if !group && u.StringsBefore(0) > 1 {
				add(c, c)
			}
		}
	}
	return out
}

// defineImports reads an import field.
func (l *Binder) defineImports() {
	d := l.Decls
	all := importsOf(&l.Unit)
	if len(all) == 0 {
		l.emptyImport()
		return
	}
	hush := l.Silent
	for k, x := range all {
		module, name := l.Unit.ImportNames(x.node)
		im := wasm.Import{At: l.Pos(l.Unit.Keyword(0))}
		if len(all) > 1 {
			im.At = l.Pos(l.Unit.Keyword(x.node))
		}
		l.Silent = hush || k > 0 // the module's name was read
		if module >= 0 {
			im.Module = l.Name(uint32(module))
		}
		l.Silent = hush
		if name >= 0 {
			im.Name = l.Name(uint32(name))
		}
		l.addImport(im, x.node, l.Unit.TokText(l.Unit.Keyword(x.extern)))
		l.Silent = hush || k > 0 && x.node != x.extern // the shared type was read
		q := l.head(x.extern)
		l.importedDecl(x.extern, &q, x.space, int32(len(d.Mod.Imports)-1), true)
		l.Silent = hush
	}
}

// emptyImport reports a well-formed import that imports nothing.
func (l *Binder) emptyImport() {
	if len(l.Unit.Errors) > 0 {
		return
	}
	l.Report(
		cursor.Finding{
			Code: diag.EmptyImport, At: l.Unit.NodePlace(0),
			Msg: "this imports nothing: the item has no name",
		},
	)
}
