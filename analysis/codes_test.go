package analysis

import (
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/wasm/valid"
)

// Every example of the table gets its code, and no other error; put right, it gets none.
func TestExamplesOfCodes(t *testing.T) {
	for _, c := range valid.Codes() {
		if diag.Lookup(diag.Code(c)) == nil {
			t.Errorf("%s of the typing engine is not in the table", c)
		}
	}
	seen := map[diag.Code]bool{}
	for _, row := range diag.Table {
		if seen[row.Code] {
			t.Errorf("%s stands twice in the table", row.Code)
		}
		seen[row.Code] = true
		if row.Title == "" || row.Doc == "" {
			t.Errorf("%s has no title or text", row.Code)
		}
		if row.Wrong == "" {
			continue
		}
		found := false
		var o Options
		if row.Severity == diag.Off {
			o.Severity = map[diag.Code]diag.Severity{row.Code: diag.Warning}
		}
		for _, d := range Open(source.NewFile(exampleName(row.Wrong), row.Wrong), o).Diagnostics() {
			found = found || d.Code == row.Code
			if d.Severity == diag.Error && d.Code != row.Code {
				t.Errorf("%s: the wrong example also has %s: %s", row.Code, d.Code, d.Message)
			}
		}
		if !found {
			t.Errorf("%s: the wrong example does not have it", row.Code)
		}
		for _, d := range Open(source.NewFile(exampleName(row.Right), row.Right), o).Diagnostics() {
			if d.Severity == diag.Error || d.Code == row.Code {
				t.Errorf("%s: the right example has %s: %s", row.Code, d.Code, d.Message)
			}
		}
	}
}

// exampleName returns the name of the file that an example of the table is.
func exampleName(text string) string {
	if strings.Contains(text, "(register ") || strings.Contains(text, "(assert_") {
		return "example.wast"
	}
	return "example.wat"
}
