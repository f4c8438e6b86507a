package wast_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
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
		a, b := roundTrip(t, rel, readSpec(t, rel))
		n, unencoded = n+a, unencoded+b
	}
	t.Logf("%d modules, %d of them without a binary format", n, unencoded)
	if n < 2000 {
		t.Error("too few modules")
	}
}

// So do modules with annotations.
func TestRoundTripAnnotations(t *testing.T) {
	files, _ := filepath.Glob(testdata + "/annotations/*.wast")
	n := 0
	for _, path := range files {
		a, _ := roundTrip(t, path, openFile(t, path))
		n += a
	}
	if n < 5 {
		t.Errorf("%d modules", n)
	}
}

// roundTrip takes the valid text modules of a script to binary and back, twice. It returns how many
// there are, and how many have no binary format.
func roundTrip(t *testing.T, rel string, f *source.File) (n, unencoded int) {
	s := analysis.Open(f, analysis.Options{})
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
		sameNotes(t, rel, line, mod, dec)
		again := reread(t, rel, line, dec)
		if again == nil {
			continue
		}
		sameNotes(t, rel, line, mod, again)
		b2, err := binary.Encode(again)
		if err != nil || !bytes.Equal(b1, b2) {
			src, _ := text.Print(dec, text.Options{})
			t.Errorf("%s:%d: module %d: not stable: %v\n%.2000s", rel, line, i, err, src)
		}
	}
	return n, unencoded
}

// sameNotes expects two forms of a module to have the same names, hints and custom sections.
func sameNotes(t *testing.T, rel string, line int, a, b *wasm.Module) {
	t.Helper()
	if !reflect.DeepEqual(a.Names, b.Names) {
		t.Errorf("%s:%d: the names were %v, are now %v", rel, line, *a.Names, *b.Names)
	}
	for i := range a.Funcs {
		if !slices.Equal(a.Funcs[i].Hints, b.Funcs[i].Hints) {
			t.Errorf("%s:%d: func %d: the hints were %v, are now %v", rel, line, i, a.Funcs[i].Hints, b.Funcs[i].Hints)
		}
	}
	customs := func(m *wasm.Module) (out []string) {
		cs := slices.Clone(m.Customs)
		slices.SortStableFunc(cs, func(a, b wasm.Custom) int { return a.Position() - b.Position() })
		for _, c := range cs {
			out = append(out, c.Name+"="+string(c.Bytes))
		}
		return out
	}
	if x, y := customs(a), customs(b); !slices.Equal(x, y) {
		t.Errorf("%s:%d: the custom sections were %q, are now %q", rel, line, x, y)
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
