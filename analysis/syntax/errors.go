package syntax

import (
	"sort"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// Errors gives the syntax errors in the order of the text.
func (t *Tree) Errors() []diag.Diagnostic {
	var out []diag.Diagnostic
	for i := range t.Units {
		u := &t.Units[i]
		for _, e := range u.Errors {
			out = append(out, u.diagnostic(&e))
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Span.Start < out[j].Span.Start })
	return out
}

// HasErrors tells whether there is any syntax error.
func (t *Tree) HasErrors() bool {
	for i := range t.Units {
		if len(t.Units[i].Errors) > 0 {
			return true
		}
	}
	return false
}

func (u *Placed) diagnostic(e *Error) diag.Diagnostic {
	s := source.Span{Start: u.Off + int(e.Off), End: u.Off + int(e.Off+e.Len)}
	d := diag.Diagnostic{Code: diag.Syntax, Severity: diag.Error, Span: s, Message: e.Message}
	if e.Related != "" {
		o := u.Off + int(e.RelOff)
		d.Related = []diag.Related{{Span: source.Span{Start: o, End: o + int(e.RelLen)}, Message: e.Related}}
	}
	switch {
	case e.Delete:
		d.Fixes = []diag.Fix{{Title: "Remove it", Edits: []source.Edit{{Span: s}}, Preferred: true}}
	case e.Replace:
		d.Fixes = []diag.Fix{{Title: "Change to `" + strings.TrimSpace(e.Insert) + "`", Preferred: true, Edits: []source.Edit{{Span: s, New: e.Insert}}}}
	case e.Insert != "":
		d.Fixes = []diag.Fix{{Title: "Insert `" + trimSpace(e.Insert) + "`", Preferred: true,
			Edits: []source.Edit{{Span: source.Span{Start: s.Start, End: s.Start}, New: e.Insert}}}}
	}
	return d
}

func trimSpace(s string) string {
	for s != "" && s[0] == ' ' {
		s = s[1:]
	}
	return s
}
