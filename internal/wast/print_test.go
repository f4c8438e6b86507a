package wast_test

import (
	"path/filepath"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/wasm/text"
)

// TestPrintDialects prints the modules of all examples and suites, and reads them again: the text
// is valid and of the same dialect, and that of an example prints the same.
func TestPrintDialects(t *testing.T) {
	n := 0
	for _, glob := range []string{"/examples/*/*.wat", "/dialects/*/*.wast"} {
		files, _ := filepath.Glob(testdata + glob)
		for _, path := range files {
			for _, m := range analysis.Open(openFile(t, path), analysis.Options{}).Modules() {
				mod, ok := m.Lower()
				if !ok {
					continue
				}
				n++
				src, _ := text.Print(mod, text.Options{})
				s := analysis.Open(source.NewFile(path, src), analysis.Options{})
				again, ok := s.Modules()[0].Lower()
				for _, d := range s.Diagnostics() {
					ok = ok && d.Severity != diag.Error
					t.Logf("%s: %s", path, d.Message)
				}
				if !ok {
					t.Fatalf("%s is not valid when printed:\n%s", path, src)
				}
				// Inline types become definitions, which equal types may stand for.
				if src2, _ := text.Print(again, text.Options{}); src2 != src && glob[1] == 'e' ||
					again.Dialect != mod.Dialect {
					t.Errorf("%s prints in another way the second time:\n%s\n%s", path, src, src2)
				}
			}
		}
	}
	if n < 40 {
		t.Errorf("%d modules", n)
	}
}
