package wast_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
)

// Every module of the suite survives text → binary → text → binary, and what is printed is read
// back without errors. Modules with what has no binary format are printed and read back.
func TestRoundTrip(t *testing.T) {
	n, unencoded := 0, 0
	for _, rel := range specFiles(t) {
		s := analysis.Open(readSpec(t, rel), analysis.Options{})
		for i, m := range s.Modules() {
			mod, ok := m.Lower()
			if !ok {
				continue
			}
			n++
			line, _ := s.File().LineCol(m.Span().Start)
			b1, err := binary.Encode(mod)
			var ee *binary.EncodeError
			if errors.As(err, &ee) {
				if !strings.Contains(ee.Msg, "encoding") {
					t.Errorf("%s:%d: module %d: encode: %v", rel, line, i, err)
				}
				unencoded++
				reread(t, rel, line, mod)
				continue
			}
			dec, err := binary.Decode(b1)
			if err != nil {
				t.Errorf("%s:%d: module %d: decode what was encoded: %v", rel, line, i, err)
				continue
			}
			if ds := loader.Validate(dec); len(ds) > 0 {
				t.Errorf("%s:%d: module %d: invalid after encode and decode: %s", rel, line, i, ds[0].Message)
				continue
			}
			again := reread(t, rel, line, dec)
			if again == nil {
				continue
			}
			b2, err := binary.Encode(again)
			if err != nil || !bytes.Equal(b1, b2) {
				src, _ := text.Print(dec, text.Options{})
				t.Errorf("%s:%d: module %d: not stable: %v\n%.2000s", rel, line, i, err, src)
			}
		}
	}
	t.Logf("%d modules, %d of them without a binary format", n, unencoded)
	if n < 2000 {
		t.Error("too few modules")
	}
}

// reread prints a module and reads it again; nil if that fails.
func reread(t *testing.T, rel string, line int, m *wasm.Module) *wasm.Module {
	src, _ := text.Print(m, text.Options{})
	u, err := loader.Text(source.NewFile("printed.wat", src), analysis.Options{Dialect: m.Dialect})
	if err != nil {
		t.Errorf("%s:%d: printed text has errors: %v\n%.2000s", rel, line, err, src)
		return nil
	}
	return u.Module
}
