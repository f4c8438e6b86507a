package ide

import (
	"fmt"
	"strconv"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// Edits are the edits of several texts.
type Edits map[*analysis.Snapshot][]source.Edit

// PrepareRenameIn is PrepareRename, and lets the names of exports be renamed at their strings.
func PrepareRenameIn(_ *World, s *analysis.Snapshot, off int) (source.Span, string, error) {
	p := at(s, off)
	n, ok := p.externAt()
	if !ok {
		return PrepareRename(s, off)
	}
	if n.module {
		return source.Span{}, "", fmt.Errorf("the name of a module is set by those that link it: rename the file, or change the setting or the register command")
	}
	return source.Span{Start: n.span.Start + 1, End: n.span.End - 1}, n.name(), nil
}

// name gives the decoded string.
func (n externName) name() string {
	if n.imp >= 0 {
		return n.m.Declared().Imports[n.imp].Name
	}
	return n.m.Declared().Exports[n.exp].Name
}

// RenameIn is Rename across the texts of a world: at the string of an import or export it renames
// the export, and the imports of it everywhere. Identifiers are a module's own: at one of them only its
// module changes.
func RenameIn(w *World, s *analysis.Snapshot, off int, newName string) (Edits, error) {
	p := at(s, off)
	n, ok := p.externAt()
	if !ok {
		es, err := Rename(s, off, newName)
		if err != nil {
			return nil, err
		}
		return Edits{s: es}, nil
	}
	if _, _, err := PrepareRenameIn(w, s, off); err != nil {
		return nil, err
	}
	old := n.name()
	if old == newName {
		return Edits{}, nil
	}
	out := Edits{}
	text := analysis.QuoteName(newName)
	add := func(m *analysis.Module, sp source.Span) {
		out[m.Snapshot()] = append(out[m.Snapshot()], source.Edit{Span: sp, New: text})
	}
	// The module that exports the name, if it is known.
	owner := n.m
	if n.imp >= 0 {
		owner = w.source(n.m, n.m.Declared().Imports[n.imp].Module)
	}
	if owner == nil || exportNamed(owner, old) < 0 {
		mod := n.m.Declared().Imports
		for i := range mod {
			if mod[i].Module == mod[n.imp].Module && mod[i].Name == old {
				_, sp := n.m.ImportSpans(i)
				add(n.m, sp)
			}
		}
		return out, nil
	}
	if exportNamed(owner, newName) >= 0 {
		return nil, fmt.Errorf("the module already exports %s", strconv.Quote(newName))
	}
	add(owner, owner.ExportSpan(exportNamed(owner, old)))
	type key struct {
		m *analysis.Module
		i int
	}
	done := map[key]bool{}
	users := w.importers(owner)
	if n.imp >= 0 {
		users = append(users, Importer{n.m, n.m.Declared().Imports[n.imp].Module})
	}
	for _, u := range users {
		for i, im := range u.Module.Declared().Imports {
			if k := (key{u.Module, i}); im.Module == u.Name && im.Name == old && !done[k] {
				done[k] = true
				_, sp := u.Module.ImportSpans(i)
				add(u.Module, sp)
			}
		}
	}
	return out, nil
}
