package wast_test

import (
	"strings"
	"testing"

	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/wast"
)

const driveText = `(promising "main") (suspending "env" "fetch")
(on "env" "fetch" (after (arg 0) (resolve (i32.const 1))) (reject) (return (f32.const nan)) (invoke "f" (arg 1)))
(promise $p (invoke "main" (ref.promise $q) (ref.extern 1)))
(at 10 (after 5 (assert_trap (invoke "f") "unreachable")))
(assert_return (await $p) (either (i32.const 1) (f64.const nan:canonical)))
(run 7) (get "g") (assert_pending $p) (resolve "env" "fetch" (i64.const 1)) (reject $p)
`

// TestParseDrive parses a drive script, each beginning of it, and what is left without one of its
// characters: no command is lost without an error, and nothing panics.
func TestParseDrive(t *testing.T) {
	parse := func(text string) *wast.Script {
		return wast.ParseDrive(syntax.Parse(source.NewFile("test.drive", text)))
	}
	for _, c := range parse(driveText).All() {
		if c.Err != "" {
			t.Errorf("%s: %s", driveText[c.Span.Start:c.Span.End], c.Err)
		}
		if c.Drive == nil || c.Span.End <= c.Span.Start {
			t.Errorf("%+v", c)
		}
	}
	for i := range driveText {
		for _, text := range []string{driveText[:i], driveText[:i] + driveText[i+1:], driveText[i:]} {
			s := parse(text)
			wrong := 0
			for _, c := range s.All() {
				if c.Span.Start < 0 || c.Span.End > len(text) || c.Span.End < c.Span.Start {
					t.Fatalf("%q: span %v", text, c.Span)
				}
				if c.Err != "" {
					wrong++
				}
			}
			if strings.Count(text, "(") != strings.Count(text, ")") && !strings.Contains(text, `"`) && wrong == 0 {
				t.Errorf("%q: no error", text)
			}
		}
	}
	deep := strings.Repeat("(at 1 ", 10_000) + `(invoke "f")` + strings.Repeat(")", 10_000)
	if cs := parse(deep).Commands; len(cs) != 1 || !strings.Contains(cs[0].Err, "nested more than 50 deep") {
		t.Errorf("%d commands, %q", len(cs), cs[0].Err)
	}
}
