package analysis

import (
	"strconv"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// unknownNames adds the names in the commands of a script that name nothing: modules that do not
// exist, and names that the module does not export. Of modules whose exports are not known, and
// after text that is not understood, it reports nothing.
func (s *Snapshot) unknownNames(out []diag.Diagnostic) []diag.Diagnostic {
	var exports map[*ScriptModule]map[string]uint32
	for _, n := range s.ScriptNames() {
		var d diag.Diagnostic
		var ok bool
		switch {
		case n.Decl:
			continue
		case n.Kind == ScriptNamesModule:
			d, ok = s.unknownModule(n)
		case n.Module == nil:
			if ok = n.told; ok {
				d = diag.Diagnostic{
					Code: diag.UnknownModule, Message: "unknown module: no module comes before this command",
				}
			}
		default:
			mod, sound := n.Module.Declared()
			if !sound {
				continue
			}
			names, known := exports[n.Module]
			if !known {
				names = map[string]uint32{}
				for i, e := range mod.Exports {
					names[e.Name] = uint32(i)
				}
				if exports == nil {
					exports = map[*ScriptModule]map[string]uint32{}
				}
				exports[n.Module] = names
			}
			d, ok = s.unknownExport(n, mod, names)
		}
		if !ok {
			continue
		}
		d.Span = n.Span
		if d.Severity = s.severity(d.Code); d.Severity != diag.Off {
			out = append(out, d)
		}
	}
	return out
}

// unknownModule reports that an identifier names no module.
func (s *Snapshot) unknownModule(n ScriptName) (diag.Diagnostic, bool) {
	if n.Module != nil || !n.told {
		return diag.Diagnostic{}, false
	}
	d := diag.Diagnostic{Code: diag.UnknownModule, Message: "unknown module: $" + n.Name}
	if n.definition != nil {
		d.Message = "unknown module: $" + n.Name + " is only defined; `(module instance $i $" + n.Name + ")` makes an instance"
		d.Related = []diag.Related{{File: s.File().Name, Span: n.definition.ID, Message: "the definition"}}
		return d, true
	}
	names, written := map[string]uint32{}, map[string]string{}
	for _, x := range s.ScriptModules() {
		if x.Name != "" && x.Span.Start < n.Span.Start {
			names[x.Name], written[x.Name] = 0, s.File().Text[x.ID.Start:x.ID.End]
		}
	}
	for i, near := range decl.NearNames(n.Name, names) {
		id := written[near]
		if i == 0 {
			d.Message += "; did you mean " + id + "?"
		}
		d.Fixes = append(
			d.Fixes,
			diag.Fix{Title: "Change to " + id, Preferred: i == 0, Edits: []source.Edit{{Span: n.Span, New: id}}},
		)
	}
	return d, true
}

// unknownExport reports that a module does not export a name, or exports something else under it.
func (s *Snapshot) unknownExport(n ScriptName, mod *wasm.Module, names map[string]uint32) (diag.Diagnostic, bool) {
	want, verb := wasm.ExternFunc, "invoke calls a function"
	if n.Get {
		want, verb = wasm.ExternGlobal, "get reads a global"
	}
	d := diag.Diagnostic{Code: diag.UnknownExport}
	if k, ok := names[n.Name]; ok {
		e := mod.Exports[k]
		if e.Kind == want {
			return d, false
		}
		d.Message = "unknown export: " + strconv.Quote(
			n.Name,
		) + " is exported as a " + e.Kind.String() + ", but " + verb
		if t := n.Module.Text; t != nil {
			d.Related = []diag.Related{{File: s.File().Name, Span: t.ExportSpan(int(k)), Message: "exported here"}}
		}
		return d, true
	}
	d.Message = "unknown export: "
	if n.Module.Name != "" {
		d.Message += "$" + n.Module.Name + " exports no " + strconv.Quote(n.Name)
	} else {
		d.Message += "the module exports no " + strconv.Quote(n.Name)
	}
	fit := map[string]uint32{}
	for _, e := range mod.Exports {
		if e.Kind == want {
			fit[e.Name] = 0
		}
	}
	for i, near := range decl.NearNames(n.Name, fit) {
		if i == 0 {
			d.Message += "; did you mean " + strconv.Quote(near) + "?"
		}
		d.Fixes = append(
			d.Fixes,
			diag.Fix{
				Title: "Change to " + strconv.Quote(near), Preferred: i == 0,
				Edits: []source.Edit{{Span: n.Span, New: cursor.Quote(near)}},
			},
		)
	}
	at := n.Module.ID
	if at.End == at.Start {
		at = source.Span{Start: n.Module.Span.Start, End: min(n.Module.Span.Start+len("(module"), n.Module.Span.End)}
	}
	d.Related = []diag.Related{{File: s.File().Name, Span: at, Message: "the module"}}
	return d, true
}
