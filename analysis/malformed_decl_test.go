package analysis

import (
	"os"
	"path/filepath"
	"testing"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// TestMalformedDeclaration takes the word `param` or `result` out of each type and tag of the
// programs of all designs: that is the only error, and no use of the type or tag is blamed.
func TestMalformedDeclaration(t *testing.T) {
	files, _ := filepath.Glob("ide/testdata/every/*.wat")
	tried := 0
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		s := Open(source.NewFile(name, text), Options{})
		for i := range s.Tree().Units {
			switch s.Tree().Root(i).Kind() {
			case syntax.KType, syntax.KTag, syntax.KRec:
			default:
				continue
			}
			u := &s.Tree().Units[i]
			for k := range u.Tokens {
				at := u.Off + int(u.Tokens[k].Off)
				end := at + int(u.Tokens[k].Len)
				if w := text[at:end]; w != "param" && w != "result" {
					continue
				}
				tried++
				wrong := Open(source.NewFile(name, text[:at]+text[end:]), Options{})
				n := 0
				for _, d := range wrong.Diagnostics() {
					if d.Severity == diag.Error {
						if n++; n > 1 {
							line, col := wrong.File().LineCol(d.Span.Start)
							t.Errorf("%s:%d:%d: %s", name, line, col, d.Message)
						}
					}
				}
				if n == 0 {
					t.Errorf("%s: no error without %s at %d", name, text[at:end], at)
				}
			}
		}
	}
	if tried < 15 {
		t.Errorf("only %d words", tried)
	}
}
