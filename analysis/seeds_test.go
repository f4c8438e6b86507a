package analysis

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/testing/suite"
)

// seedBlocks returns the pieces of text format in the five documents that the dialects come from,
// as they stand there, by document.
func seedBlocks(t *testing.T) map[string][]string {
	files, _ := filepath.Glob(filepath.Join(suite.Seeds(t), "*.txt"))
	if len(files) != 5 {
		t.Fatalf("%d documents", len(files))
	}
	fence := regexp.MustCompile("(?ms)^ *```[a-z]*\n(.*?)^ *```")
	bare := regexp.MustCompile(`(?ms)^\((?:rec|type|func)\b.*?^\)`)
	out := map[string][]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f)[:3]
		for _, m := range fence.FindAllStringSubmatch(string(b), -1) {
			if strings.Contains(m[1], "(") && strings.HasPrefix(strings.TrimSpace(m[1]), "(") {
				out[name] = append(out[name], m[1])
			}
		}
		if len(out[name]) == 0 {
			out[name] = bare.FindAllString(string(b), -1)
		}
	}
	return out
}

// TestSeeds reads the documents' code, one piece at a time and all of a document together: nothing
// breaks, no mistake is reported twice, and the known ones are reported as a reader would hope.
func TestSeeds(t *testing.T) {
	blocks := seedBlocks(t)
	said := map[string][]diag.Diagnostic{}
	for doc, bs := range blocks {
		if len(bs) < 4 {
			t.Errorf("%s: %d pieces", doc, len(bs))
		}
		for i, text := range append(slices.Clone(bs), strings.Join(bs, "\n")) {
			f := source.NewFile(fmt.Sprintf("%s-%d.wat", doc, i), text)
			s := Open(f, Options{})
			ds := s.Diagnostics()
			said[doc] = append(said[doc], ds...)
			lines := map[int]int{}
			for _, d := range ds {
				if d.Severity != diag.Error {
					continue
				}
				line, _ := f.LineCol(d.Span.Start)
				if i == len(bs) || !strings.HasPrefix(string(d.Code), "unknown-") { // of a piece much is elsewhere
					lines[line]++
				}
				for _, x := range d.Fixes {
					if _, ok := source.ApplyAll(text, x.Edits); !ok {
						t.Errorf("%s: %s: the fix %q cannot be applied", f.Name, d.Message, x.Title)
					}
				}
			}
			for line, n := range lines {
				if n > 3 {
					t.Errorf("%s:%d: %d errors in one line", f.Name, line, n)
				}
			}
			if n := strings.Count(text, "\n"); i < len(bs) && len(lines) > 2+n/4 {
				t.Errorf("%s: errors in %d of %d lines", f.Name, len(lines), n)
			}
			if text, ok := source.ApplyAll(text, syntax.Format(s.Tree(), syntax.FormatOptions{},
				source.Span{End: len(text)})); !ok ||
				text == "" {
				t.Errorf("%s cannot be formatted", f.Name)
			}
			for _, m := range s.Modules() {
				m.Lower()
			}
		}
	}
	for _, want := range []struct{ doc, message, fix string }{
		{"000", "unknown operator i32.ge; did you mean i32.ge_s or i32.ge_u?", "Change to i32.ge_s"},
		{"001", "unknown operator i32.ge; did you mean i32.ge_s or i32.ge_u?", "Change to i32.ge_u"},
		{"001", "unknown operator trap; did you mean unreachable?", "Change to unreachable"},
		{"001", "unexpected token `ref`: expected a type; references are written `(ref …)`", ""},
		{"001", "unexpected token `i32.const`: expected an operand in parentheses", ""},
		{"001", "unknown tag $end; did you mean $end-gen?", "Change to $end-gen"},
		{"001", "unexpected token `(fun`: expected a module or a module field; did you mean func?", "Change to `(func`"},
		{"003", "unexpected token: switch_retire needs a type", "Insert $toConsumer"},
		{"003", "unknown local $consumer; did you mean $toConsumer?", "Change to $toConsumer"},
		{"003", "unknown operator i32.lt; did you mean i32.lt_s or i32.lt_u?", "Change to i32.lt_s"},
		{"003", "unknown operator br-table; did you mean br_table", "Change to br_table"},
		{"004", "unknown operator i32.ge; did you mean i32.ge_s or i32.ge_u?", "Change to i32.ge_s"},
		{"004", "unknown operator unreachble; did you mean unreachable?", "Change to unreachable"},
		{"004", "unknown operator task.yield; did you mean task.suspend?", "Change to task.suspend"},
		{"004", "unknown tag $go-ahead; did you mean $go_ahead_fiber?", "Change to $go_ahead_fiber"},
		{"004", "unknown tag $end; did you mean $end-gen", "Change to $end-gen"},
		{"004", "unexpected token `(i32`: expected an instruction; results are written `(result i32)`", "Change to `(result`"},
	} {
		ok := false
		for _, d := range said[want.doc] {
			ok = ok ||
				strings.HasPrefix(d.Message, want.message) &&
					(want.fix == "" || slices.ContainsFunc(d.Fixes, func(x diag.Fix) bool { return strings.TrimSpace(x.Title) == want.fix }))
		}
		if !ok {
			t.Errorf("document %s: nowhere is it said: %s, with a fix %q", want.doc, want.message, want.fix)
		}
	}
	if testing.Verbose() {
		for doc, ds := range said {
			for _, d := range ds {
				t.Logf("%s: %s", doc, d.Message)
			}
		}
	}
}
