package action

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/testing/suite"
	"stackscope/wasm"
	"stackscope/wasm/binary"
)

// TestNamesAndNumbers writes names as numbers and numbers as names in the suites and examples, one
// at a time. The binary stays the same.
func TestNamesAndNumbers(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/examples/cont/*.wat")
	for _, f := range suite.Files(t) {
		switch filepath.Base(f) {
		case "try_table.wast", "br_table.wast", "labels.wast", "cont.wast", "throw.wast", "block.wast":
			files = append(files, f)
		}
	}
	encode := func(m *analysis.Module) []byte {
		mod, ok := m.Lower()
		if !ok {
			return nil
		}
		bare := *mod
		bare.Names = wasm.NewNames()
		b, err := binary.Encode(&bare)
		if err != nil {
			return nil
		}
		return b
	}
	n := 0
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := analysis.Open(source.NewFile(path, string(raw)), analysis.Options{})
		for _, m := range s.Modules() {
			before := encode(m)
			if before == nil {
				continue
			}
			text := s.File().Text[m.Span().Start:m.Span().End]
			if strings.HasPrefix(text, "(assert") || !strings.HasPrefix(text, "(module") {
				continue
			}
			own := analysis.Open(source.NewFile("a.wat", text), analysis.Options{})
			for _, u := range own.Tree().Units {
				for _, k := range u.Tokens {
					if k.Kind != syntax.TokID && k.Kind != syntax.TokNat {
						continue
					}
					for _, r := range Refactors(own, u.Off+int(k.Off)) {
						if !strings.HasPrefix(r.Title, "Use the ") {
							continue
						}
						n++
						out, ok := source.ApplyAll(text, r.Make())
						after := analysis.Open(source.NewFile("a.wat", out), analysis.Options{}).Modules()
						if !ok || len(after) != 1 || !bytes.Equal(encode(after[0]), before) {
							line, _ := own.File().LineCol(u.Off + int(k.Off))
							t.Fatalf("%s: %q changes line %d of\n%s", path, r.Title, line, text)
						}
					}
				}
			}
		}
	}
	if t.Logf("%d changes", n); n < 300 {
		t.Error("too few")
	}
}
