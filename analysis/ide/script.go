package ide

import (
	"errors"
	"fmt"
	"strconv"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// The names in the commands of a script: `$M` of modules and instances, "f" of exports, "lib" of
// registrations.

// scriptNameAt returns the name of a script's command under the cursor, or the identifier of a
// module.
func scriptNameAt(p query.Place) (analysis.ScriptName, bool) {
	if !p.HasTok || p.Tok.Kind() != syntax.TokID && p.Tok.Kind() != syntax.TokString {
		return analysis.ScriptName{}, false
	}
	return p.Snap.ScriptNameAt(p.Tok.Span().Start)
}

// linkAt returns the registration that the name of a module in an import stands for.
func linkAt(p query.Place) (analysis.ScriptName, bool) {
	n, ok := externAt(p)
	if !ok || !n.module {
		return analysis.ScriptName{}, false
	}
	return p.Snap.LinkOf(n.m, n.m.Declared().Imports[n.imp].Module)
}

// invoked returns the item that the name of an export in a command stands for.
func invoked(n analysis.ScriptName) (extern, bool) {
	if n.Kind != analysis.ScriptNamesExport || n.Module == nil || n.Module.Text == nil {
		return extern{}, false
	}
	k := query.ExportNamed(n.Module.Text, n.Name)
	if k < 0 {
		return extern{}, false
	}
	e := n.Module.Text.Declared().Exports[k]
	return extern{n.Module.Text, analysis.ExternSym(e.Kind, e.Index)}, true
}

// exportName returns the string of an export as a name that a command could have.
func exportName(n externName) analysis.ScriptName {
	return analysis.ScriptName{
		Kind: analysis.ScriptNamesExport, Span: n.span, Name: n.name(),
		Module: &analysis.ScriptModule{Text: n.m},
	}
}

// scriptSite returns the place of a module of a script.
func scriptSite(s *analysis.Snapshot, x *analysis.ScriptModule) Site {
	t := Target{Span: x.Span, Name: x.ID}
	if t.Name.End == t.Name.Start {
		t.Name = source.Span{Start: t.Span.Start, End: min(t.Span.Start+len("(module"), t.Span.End)}
	}
	return Site{s, t}
}

// scriptDefinition returns what a name in a command stands for. Of an export without a text it is
// the module.
func (w *World) scriptDefinition(s *analysis.Snapshot, n analysis.ScriptName) []Site {
	if n.Module == nil {
		return nil
	}
	if n.Kind == analysis.ScriptNamesExport {
		if x, ok := invoked(n); ok {
			if t, ok := w.origin(x).site(); ok {
				return []Site{t}
			}
		}
		if n.Module.Export(n.Name) < 0 {
			return nil
		}
	}
	return []Site{scriptSite(s, n.Module)}
}

// scriptSpans returns the places that name the same as a name in a command, without those inside of
// modules.
func scriptSpans(s *analysis.Snapshot, n analysis.ScriptName, decl bool) []source.Span {
	var out []source.Span
	switch n.Kind {
	case analysis.ScriptNamesModule:
		for _, x := range s.ScriptModuleNames(n.Module) {
			if decl || !x.Decl {
				out = append(out, x.Span)
			}
		}
	case analysis.ScriptNamesLink:
		out = s.LinkNames(n)
		if !decl && len(out) > 0 {
			out = out[1:]
		}
	case analysis.ScriptNamesExport:
		if n.Module == nil {
			return nil
		}
		for _, x := range s.ScriptNames() {
			if x.Kind == analysis.ScriptNamesExport && x.Module == n.Module && x.Name == n.Name {
				out = append(out, x.Span)
			}
		}
	}
	return out
}

// invocations returns the names in the commands of a script that stand for an item of a module.
func (x extern) invocations() []source.Span {
	var out []source.Span
	seen := map[string]bool{}
	for _, e := range x.m.Declared().Exports {
		if analysis.ExternSym(e.Kind, e.Index) != x.sym || seen[e.Name] {
			continue
		}
		seen[e.Name] = true
		for _, n := range x.m.Snapshot().Invocations(x.m, e.Name) {
			out = append(out, n.Span)
		}
	}
	return out
}

// sitesOf makes sites of places in one text.
func sitesOf(s *analysis.Snapshot, spans []source.Span) []Site {
	var out []Site
	for _, sp := range spans {
		out = append(out, Site{s, Target{sp, sp}})
	}
	return out
}

// scriptMarks returns the highlights of a name in a command: those of what it stands for, in the
// same text.
func scriptMarks(p query.Place, n analysis.ScriptName) []Mark {
	var out []Mark
	if x, ok := invoked(n); ok {
		k := query.ExportNamed(x.m, n.Name)
		out = append(out, Mark{x.m.ExportSpan(k), MarkWrite})
		if y, ok := x.m.Symbol(x.sym); ok && y.NameSpan.End > y.NameSpan.Start {
			out = append(out, Mark{y.NameSpan, MarkWrite})
		}
		for _, v := range x.m.Snapshot().Invocations(x.m, n.Name) {
			out = append(out, Mark{v.Span, MarkRead})
		}
		return sorted(out)
	}
	for i, sp := range scriptSpans(p.Snap, n, true) {
		k := MarkRead
		if n.Kind == analysis.ScriptNamesLink && i == 0 || n.Module != nil && sp == n.Module.ID {
			k = MarkWrite
		}
		out = append(out, Mark{sp, k})
	}
	return sorted(out)
}

// hoverScript returns what to say about a name in a command.
func (w *World) hoverScript(p query.Place, n analysis.ScriptName) (HoverInfo, bool) {
	if n.Module == nil {
		return HoverInfo{}, false
	}
	var c card
	if n.Kind == analysis.ScriptNamesExport {
		if x, ok := invoked(n); ok {
			q := describer{p}
			q.Module = x.m
			y, has := x.m.Symbol(x.sym)
			if !has {
				return HoverInfo{}, false
			}
			h := HoverInfo{n.Span, q.hoverSymbol(y)}
			return w.withOrigin(h, x), true
		}
		k := n.Module.Export(n.Name)
		if k < 0 {
			return HoverInfo{}, false
		}
		m, _ := n.Module.Declared()
		c.code(
			"(export " + strconv.Quote(n.Name) + " (" + analysis.ExternText(m, m.Exports[k].Kind, m.Exports[k].Index) + "))",
		)
	}
	id := ""
	if n.Module.Name != "" {
		id = " `" + query.Identifier(n.Module.Name) + "`"
	}
	line, _ := p.Snap.File().LineCol(n.Module.Span.Start)
	c.para("Module" + id + ", line " + query.Index(uint32(line)))
	if n.Kind != analysis.ScriptNamesExport {
		if list := exportList(n.Module); list != "" {
			c.code(list)
		}
	}
	c.doc(query.DocAbove(p.Snap.File(), n.Module.Span.Start))
	return HoverInfo{n.Span, c.String()}, true
}

// exportList returns the exports of a module as lines, the first few of many.
func exportList(x *analysis.ScriptModule) string {
	const most = 12
	m, _ := x.Declared()
	if m == nil {
		return ""
	}
	out := ""
	for i, e := range m.Exports {
		if i == most {
			return out + "\n;; and " + query.Index(uint32(len(m.Exports)-most)) + " more"
		}
		if i > 0 {
			out += "\n"
		}
		out += "(export " + strconv.Quote(e.Name) + " (" + analysis.ExternText(m, e.Kind, e.Index) + "))"
	}
	return out
}

// renamable reports whether a name in a command can be renamed, and returns the error that says why
// not.
func renamable(p query.Place, n analysis.ScriptName) error {
	switch n.Kind {
	case analysis.ScriptNamesModule:
		if n.Module == nil {
			return fmt.Errorf("%s is not defined", query.Identifier(n.Name))
		}
	case analysis.ScriptNamesExport:
		if _, ok := invoked(n); ok {
			return nil
		}
		if n.Module != nil && n.Module.Export(n.Name) >= 0 {
			return errors.New("the module that exports this name is not text in this script: rename it there")
		}
		return fmt.Errorf("no module exports %s here", strconv.Quote(n.Name))
	}
	return nil
}

// renameScript renames what a name in a command, or of a module in an import, stands for: a module
// or the name of a registration. Exports are renamed in renameExport.
func renameScript(s *analysis.Snapshot, n analysis.ScriptName, newName string) ([]source.Edit, error) {
	var text string
	if n.Kind == analysis.ScriptNamesModule {
		name, err := parseName(newName)
		if err != nil || name == n.Name {
			return nil, err
		}
		for _, x := range s.ScriptModules() {
			if x.Name == name {
				return nil, fmt.Errorf("the script already has a module %s", query.Identifier(name))
			}
		}
		text = query.Identifier(name)
	} else {
		if newName == n.Name {
			return nil, nil
		}
		for _, x := range s.ScriptNames() {
			if x.Kind == analysis.ScriptNamesLink && x.Name == newName {
				return nil, fmt.Errorf("the script already registers a module as %s", strconv.Quote(newName))
			}
		}
		for _, m := range s.Modules() {
			for _, im := range m.Declared().Imports {
				if im.Module == newName {
					return nil, fmt.Errorf("the script already imports from %s", strconv.Quote(newName))
				}
			}
		}
		text = analysis.QuoteName(newName)
	}
	var out []source.Edit
	for _, sp := range scriptSpans(s, n, true) {
		out = append(out, source.Edit{Span: sp, New: text})
	}
	return out, nil
}
