package analysis

import (
	"path/filepath"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
)

// TestLintsHold takes what lints say of the official suites, the examples and the texts of the
// dialects at its word: an unused item is renamed where it is declared and nowhere else, a needless
// `mut` is taken away, dead code is blanked. What was valid must be so afterwards.
func TestLintsHold(t *testing.T) {
	counts := map[diag.Code]int{}
	for _, name := range append(suite.Files(t), suite.Own(t, "examples/*/*.wa[st]*", "dialects/*/*.wast")...) {
		text := suite.Text(t, name)
		s := Open(source.NewFile(name, string(text)), Options{})
		errors := 0
		for _, d := range s.Diagnostics() {
			if d.Severity == diag.Error {
				errors++
			}
		}
		for _, code := range []diag.Code{diag.Unused, diag.NeedlessMut, diag.Unreachable} {
			var edits []source.Edit
			end := -1
			for _, d := range s.Diagnostics() {
				switch {
				case d.Code != code || d.Span.Start < end:
				case code == diag.Unreachable:
					edits = append(edits, source.Edit{Span: d.Span, New: " "})
					end = d.Span.End
				case len(d.Fixes) > 0:
					edits = append(edits, d.Fixes[len(d.Fixes)-1].Edits...) // to rename, not to export
				}
			}
			counts[code] += len(edits)
			if len(edits) == 0 {
				continue
			}
			fixed, ok := source.ApplyAll(string(text), edits)
			if !ok {
				t.Errorf("%s: edits overlap", name)
				continue
			}
			n := 0
			for _, d := range Open(source.NewFile(name, fixed), Options{}).Diagnostics() {
				if d.Severity == diag.Error {
					if n++; n > errors {
						line, _ := source.NewFile("", fixed).LineCol(d.Span.Start)
						t.Errorf(
							"%s: taking %s at its word gives, in line %d: %s", filepath.Base(name), code, line,
							d.Message,
						)
						break
					}
				}
			}
		}
	}
	for _, code := range []diag.Code{diag.Unused, diag.NeedlessMut, diag.Unreachable} {
		if counts[code] < 10 {
			t.Errorf("%s was found %d times only", code, counts[code])
		}
	}
}
