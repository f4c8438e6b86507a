package syntax

import (
	"sort"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// Errors returns the syntax errors in the order of the text.
func (t *Tree) Errors() []diag.Diagnostic {
	var out []diag.Diagnostic
	for i := range t.Units {
		u := &t.Units[i]
		for _, e := range u.Errors {
			d := u.diagnostic(&e)
			u.wholeLine(t.Src.Text, &e, &d)
			out = append(out, d)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Span.Start < out[j].Span.Start })
	return out
}

// HasErrors reports whether there is any syntax error.
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
		d.Fixes = []diag.Fix{
			{
				Title: "Change to `" + strings.TrimSpace(e.Insert) + "`", Preferred: true,
				Edits: []source.Edit{{Span: s, New: e.Insert}},
			},
		}
	case e.Insert != "":
		d.Fixes = []diag.Fix{{Title: "Insert `" + trimSpace(e.Insert) + "`", Preferred: true,
			Edits: []source.Edit{{Span: source.Span{Start: s.Start, End: s.Start}, New: e.Insert}}}}
	}
	for i := range d.Fixes {
		d.Fixes[i].Safe = e.Safe
	}
	return d
}

// wholeLine lets the fix of a comma, or of a word in capitals, put right all of them on the line,
// as only the first is reported.
func (u *Placed) wholeLine(text string, e *Error, d *diag.Diagnostic) {
	if len(d.Fixes) != 1 || d.Span.End > len(text) {
		return
	}
	s := text[d.Span.Start:d.Span.End]
	var replace func(word string) (string, bool)
	title := "Remove the commas"
	switch {
	case e.Delete && s == ",":
		replace = func(word string) (string, bool) { return "", word == "," }
	case e.Replace && strings.EqualFold(s, e.Insert):
		title = "Write the keywords in lower case"
		replace = func(word string) (string, bool) { low := lowered(word); return low, low != "" }
	default:
		return
	}
	i := sort.Search(len(u.Tokens), func(i int) bool { return u.Tokens[i].Off > e.Off })
	last := d.Span.End
	var edits []source.Edit
	for ; i < len(u.Tokens) && len(edits) < 1000; i++ {
		k := u.Tokens[i]
		sp := source.Span{Start: u.Off + int(k.Off), End: u.Off + int(k.Off+k.Len)}
		if k.Kind == TokAnnot || sp.End > len(text) || strings.ContainsAny(text[last:sp.Start], "\n\r") {
			break
		}
		last = sp.End
		if k.Kind != TokReserved {
			continue
		}
		if w, ok := replace(text[sp.Start:sp.End]); ok {
			edits = append(edits, source.Edit{Span: sp, New: w})
		}
	}
	if f := &d.Fixes[0]; len(edits) > 0 {
		f.Title, f.Edits = title, append(f.Edits, edits...)
	}
}

func trimSpace(s string) string {
	for s != "" && s[0] == ' ' {
		s = s[1:]
	}
	return s
}
