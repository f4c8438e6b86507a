package ide

import (
	"fmt"
	"strconv"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
)

// Edits are the edits of several texts.
type Edits map[*analysis.Snapshot][]source.Edit

// PrepareRenameIn is PrepareRename, and lets the names of exports and the names of scripts be
// renamed at their strings and in commands.
func PrepareRenameIn(_ *World, s *analysis.Snapshot, off int) (source.Span, string, error) {
	p := query.At(s, off)
	if n, ok := scriptNameAt(p); ok {
		if err := renamable(p, n); err != nil {
			return source.Span{}, "", err
		}
		if n.Kind == analysis.ScriptNamesModule {
			return n.Span, s.File().Text[n.Span.Start:n.Span.End], nil
		}
		return source.Span{Start: n.Span.Start + 1, End: n.Span.End - 1}, n.Name, nil
	}
	n, ok := externAt(p)
	if !ok {
		return PrepareRename(s, off)
	}
	if _, linked := linkAt(p); n.module && !linked {
		return source.Span{}, "", fmt.Errorf(
			"the name of a module comes from its file, the setting or the register command: change it there",
		)
	}
	return source.Span{Start: n.span.Start + 1, End: n.span.End - 1}, n.name(), nil
}

// name returns the decoded string.
func (n externName) name() string {
	switch {
	case n.module:
		return n.m.Declared().Imports[n.imp].Module
	case n.imp >= 0:
		return n.m.Declared().Imports[n.imp].Name
	}
	return n.m.Declared().Exports[n.exp].Name
}

// RenameIn is Rename across the texts of a world: at the string of an import or export, or in a
// command of a script, it renames the export, the imports of it everywhere, and the commands that
// name it. Identifiers are a module's own: at one of them only its module changes.
func RenameIn(w *World, s *analysis.Snapshot, off int, newName string) (Edits, error) {
	p := query.At(s, off)
	if _, _, err := PrepareRenameIn(w, s, off); err != nil {
		return nil, err
	}
	var es []source.Edit
	var err error
	if x, ok := linkAt(p); ok {
		es, err = renameScript(s, x, newName)
	} else if x, ok := scriptNameAt(p); ok {
		if y, ok := invoked(x); ok {
			return w.renameExport(externName{y.m, -1, query.ExportNamed(y.m, x.Name), false, x.Span}, newName)
		}
		es, err = renameScript(s, x, newName)
	} else if x, ok := externAt(p); ok {
		return w.renameExport(x, newName)
	} else {
		es, err = Rename(s, off, newName)
	}
	if err != nil {
		return nil, err
	}
	return Edits{s: es}, nil
}

// renameExport renames an export, the imports of it everywhere, and the commands of its script that
// name it.
func (w *World) renameExport(n externName, newName string) (Edits, error) {
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
		owner = w.Module(n.m, n.m.Declared().Imports[n.imp].Module)
	}
	if owner == nil || query.ExportNamed(owner, old) < 0 {
		mod := n.m.Declared().Imports
		for i := range mod {
			if mod[i].Module == mod[n.imp].Module && mod[i].Name == old {
				_, sp := n.m.ImportSpans(i)
				add(n.m, sp)
			}
		}
		return out, nil
	}
	if query.ExportNamed(owner, newName) >= 0 {
		return nil, fmt.Errorf("the module already exports %s", strconv.Quote(newName))
	}
	add(owner, owner.ExportSpan(query.ExportNamed(owner, old)))
	for _, v := range owner.Snapshot().Invocations(owner, old) {
		add(owner, v.Span)
	}
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
