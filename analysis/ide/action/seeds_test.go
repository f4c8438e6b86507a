package action

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
)

// TestSeedFixes applies every fix to the pieces of text in the documents that the designs come from,
// which hold mistakes: each leaves fewer errors, and that of malformed text is gone.
func TestSeedFixes(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(suite.Seeds(t), "*.txt"))
	fence := regexp.MustCompile("(?ms)^ *```[a-z]*\n(.*?)^ *```")
	tried := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range fence.FindAllStringSubmatch(string(b), -1) {
			if !strings.HasPrefix(strings.TrimSpace(m[1]), "(") {
				continue
			}
			s := analysis.Open(source.NewFile(fmt.Sprintf("%s-%d.wat", filepath.Base(f)[:3], i), m[1]), analysis.Options{})
			before := errorsOf(s)
			for k := range before {
				for _, x := range Fixes(s, &before[k]) {
					tried++
					after := errorsOf(s.EditAll(x.Edits))
					line, col := s.File().LineCol(before[k].Span.Start)
					left := len(after) > len(before) || len(after) == len(before) && x.Preferred
					if diag.IsMalformed(before[k].Code) { // others come to light once the text can be read
						left = false
						for _, d := range after {
							l, _ := s.File().LineCol(d.Span.Start)
							left = left || l == line && d.Message == before[k].Message
						}
					}
					if left {
						t.Errorf("%s:%d:%d: %s: %q leaves %d errors of %d", s.File().Name, line, col, before[k].Message,
							x.Title, len(after), len(before))
						for _, d := range after {
							line, col := s.File().LineCol(d.Span.Start)
							t.Logf("  %d:%d %s", line, col, d.Message)
						}
					}
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d fixes", tried)
	}
}
