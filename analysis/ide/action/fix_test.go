package action

import (
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// TestFixesMend applies every fix of the wrong examples: it leaves less of what it is for, and no
// syntax error.
func TestFixesMend(t *testing.T) {
	count := func(ds []diag.Diagnostic, c diag.Code) (n int) {
		for _, d := range ds {
			if d.Code == c {
				n++
			}
		}
		return n
	}
	fixed := map[diag.Code]bool{}
	for _, row := range diag.Table {
		s := analysis.Open(
			source.NewFile("wrong.wat", row.Wrong),
			analysis.Options{Severity: map[diag.Code]diag.Severity{row.Code: diag.Warning}},
		)
		ds := s.Diagnostics()
		for i := range ds {
			d := &ds[i]
			for _, x := range Fixes(s, d) {
				fixed[d.Code] = true
				text, ok := source.ApplyAll(row.Wrong, x.Edits)
				if !ok {
					t.Fatalf("%s: the edits of %q overlap", row.Code, x.Title)
				}
				after := analysis.Open(source.NewFile("wrong.wat", text),
					analysis.Options{Severity: map[diag.Code]diag.Severity{row.Code: diag.Warning}}).
					Diagnostics()
				if count(after, diag.Syntax) > count(ds, diag.Syntax) ||
					count(after, d.Code) >= count(ds, d.Code) && d.Code != diag.DialectName {
					t.Errorf("%s: %q leaves\n%s\n%v", row.Code, x.Title, text, after)
				}
			}
		}
	}
	for _, c := range []diag.Code{"limits", "select-arity", "duplicate-name", "unknown-func", "unknown-type",
		"unknown-table", "unknown-tag", "unknown-elem",
		"unknown-data", "event-switch", "legacy", "shadow", "subtyping", "table-init", "deprecated", "unreachable",
		"dialect-name", "empty-import"} {
		if !fixed[c] {
			t.Errorf("no fix for %s", c)
		}
	}
}
