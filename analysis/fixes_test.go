package analysis

import (
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// TestFixes applies the fixes of wrong examples: a preferred one leaves no error of its code.
func TestFixes(t *testing.T) {
	for _, row := range diag.Table {
		f := source.NewFile("wrong.wat", row.Wrong)
		for _, d := range Open(f, Options{}).Diagnostics() {
			for _, x := range d.Fixes {
				text, ok := source.ApplyAll(f.Text, x.Edits)
				if !ok {
					t.Errorf("%s: edits of %q overlap", row.Code, x.Title)
				}
				for _, e := range Open(source.NewFile("fixed.wat", text), Options{}).Diagnostics() {
					if x.Preferred && e.Code == d.Code && d.Code != diag.Syntax {
						t.Errorf("%s: %q leaves %s\n%s", row.Code, x.Title, e.Message, text)
					}
					if strings.Contains(e.Message, "\x00") {
						t.Errorf("%s: %q", row.Code, e.Message)
					}
				}
			}
		}
	}
}
