package action

import (
	"os"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
)

// TestFixAll applies the safe fixes of all texts of the suites and of the examples: none leads to
// an error, and after them there is none left to apply. It takes the examples and every third file
// of the suites, and all of them if STACKSCOPE_LONG is set.
func TestFixAll(t *testing.T) {
	total := 0
	names := suite.Own(t, "examples/*/*.wa[st]*")
	for i, name := range suite.Files(t) {
		if i%3 == 1 || os.Getenv("STACKSCOPE_LONG") != "" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		f := source.NewFile(name, suite.Text(t, name))
		s := analysis.Open(f, analysis.Options{})
		edits, n := FixAll(s)
		text, ok := source.ApplyAll(f.Text, edits)
		if !ok {
			t.Fatalf("%s: the edits overlap", name)
		}
		total += n
		if n == 0 {
			if text != f.Text {
				t.Errorf("%s changed without a fix", name)
			}
			// Nothing was applied: there must be nothing, or the safety net was needed.
			if k := len(safeFixesOf(s)); k > 0 {
				t.Errorf("%s: %d fixes lead to errors", name, k)
			}
			continue
		}
		after := analysis.Open(source.NewFile(name, text), analysis.Options{})
		if a, b := countErrors(after.Diagnostics()), countErrors(s.Diagnostics()); a > b {
			t.Errorf("%s: %d errors after the fixes, %d before", name, a, b)
		}
		if k := len(safeFixesOf(after)); k > 0 {
			t.Errorf("%s: %d fixes are left", name, k)
		}
	}
	t.Logf("%d fixes", total)
	if total < 20 {
		t.Error("too few")
	}
}

// TestSafeWords: a name of an old draft is put right, a mistyped word is not, as it can mean
// several.
func TestSafeWords(t *testing.T) {
	for text, want := range map[string]string{
		`(module (func (local i32) get_local 0 set_local 0))`: `(module (func (local i32) local.get 0 local.set 0))`,
		`(module (func (local i32) lcal.get 0 drop))`:         `(module (func (local i32) lcal.get 0 drop))`,
	} {
		edits, _ := FixAll(analysis.Open(source.NewFile("a.wat", text), analysis.Options{}))
		if got, _ := source.ApplyAll(text, edits); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
