package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/testing/suite"
)

// TestScriptWords changes the expected message of every assertion of the suites that a module is
// rejected. Other words are a hint and no more; what is rejected stays accepted by the script.
func TestScriptWords(t *testing.T) {
	n := 0
	for _, f := range suite.Files(t) {
		text := suite.Text(t, f)
		var edits []source.Edit
		tree := syntax.Parse(source.NewFile(f, text))
		for _, r := range tree.Modules() {
			cmd := tree.Root(r.First)
			if cmd.Kind() != syntax.KCommand || !mustFail(cmd.Keyword().Text()) {
				continue
			}
			last := cmd
			if !r.Close.IsZero() {
				last = r.Close
			}
			var at source.Span
			for tok := range last.Own() {
				if tok.Kind() == syntax.TokString {
					at = tok.Span()
				}
			}
			// By its words a rule that stack switching lifts is known.
			if at.End > 0 && !slices.Contains(liftedRules, lastString(last)) {
				edits = append(edits, source.Edit{Span: at, New: `"as another engine says it"`})
			}
		}
		changed, ok := source.ApplyAll(text, edits)
		if !ok {
			t.Fatal(f)
		}
		got := 0
		was := map[diag.Code]int{}
		for _, d := range Open(source.NewFile(f, string(text)), Options{}).Diagnostics() {
			was[d.Code]++
		}
		for _, d := range Open(source.NewFile(f, changed), Options{}).Diagnostics() {
			switch {
			case d.Code == diag.ScriptWords && d.Severity == diag.Hint:
				got++
			case d.Severity == diag.Error:
				if was[d.Code]--; was[d.Code] < 0 {
					t.Errorf("%s: %s", f, d.Message)
				}
			}
		}
		n += got
		if len(edits) > 0 && got == 0 {
			t.Errorf("%s: %d assertions changed, no hint", f, len(edits))
		}
	}
	t.Logf("%d hints", n)
	if n < 2000 {
		t.Error("too few")
	}
}

// TestScriptAssert holds what stays an error, and the bound on hints.
func TestScriptAssert(t *testing.T) {
	bad := `(assert_invalid (module (func (result i32))) "no such words")`
	for _, x := range []struct {
		text  string
		codes string
	}{
		{`(assert_invalid (module) "type mismatch")`, "[script-assert:error]"},
		{`(assert_invalid (module (func (lokal i32))) "type mismatch")`, "[script-assert:error]"},
		{`(assert_malformed (module quote "(func") "unexpected end")`, "[script-words:hint]"},
		{bad, "[script-words:hint]"},
		{`(assert_invalid (module (func (result i32))) "")`, "[]"},
	} {
		got := []string{}
		for _, d := range Open(source.NewFile("x.wast", x.text), Options{}).Diagnostics() {
			got = append(got, fmt.Sprintf("%s:%s", d.Code, d.Severity))
		}
		if fmt.Sprint(got) != x.codes {
			t.Errorf("%s: %v, want %s", x.text, got, x.codes)
		}
	}
	if n := len(Open(source.NewFile("x.wast", strings.Repeat(bad, 2*maxHints)), Options{}).Diagnostics()); n != maxHints {
		t.Errorf("%d hints", n)
	}
}
