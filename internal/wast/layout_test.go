package wast_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/testing/genwat"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
)

// eachModule calls f with every valid text module of the examples, the scripts of dialects and
// annotations, a large generated text and, in a subtest, of the suite.
func eachModule(t *testing.T, f func(t *testing.T, name string, m *wasm.Module)) {
	file := func(t *testing.T, src *source.File) {
		for _, am := range analysis.Open(src, analysis.Options{}).Modules() {
			if m, ok := am.Lower(); ok {
				f(t, src.Name, m)
			}
		}
	}
	for _, glob := range []string{"/examples/*/*.wat", "/dialects/*/*.wast", "/annotations/*.wast"} {
		files, _ := filepath.Glob(testdata + glob)
		for _, path := range files {
			file(t, openFile(t, path))
		}
	}
	file(t, source.NewFile("generated", genwat.Text(genwat.Options{Bytes: 30_000, Seed: 3, Stacks: true})))
	t.Run("suite", func(t *testing.T) {
		for _, rel := range specFiles(t) {
			file(t, readSpec(t, rel))
		}
	})
}

// TestLayout: what a layout says of a module's text without making it is what the whole print has:
// every line, and the place of every function and instruction; of a module from its text and, if it
// can be written, from its binary.
func TestLayout(t *testing.T) {
	n, instrs := 0, 0
	eachModule(t, func(t *testing.T, name string, m *wasm.Module) {
		n++
		instrs += sameLayout(t, name, m)
		if b, err := binary.Encode(m); err == nil {
			if dec, err := binary.Decode(b); err == nil {
				n++
				instrs += sameLayout(t, name+", binary", dec)
			}
		}
	})
	if t.Logf("%d modules, %d instructions", n, instrs); n < 80 || instrs < 8_000 {
		t.Errorf("%d modules with %d instructions are too few", n, instrs)
	}
}

// sameLayout compares the layout of a module with its print, and returns how many instructions it
// has.
func sameLayout(t *testing.T, name string, m *wasm.Module) (instrs int) {
	t.Helper()
	src, mp := text.Print(m, text.Options{})
	l := text.NewLayout(m, text.Options{})
	if got := l.Text(); got != src {
		t.Errorf("%s: the text differs", name)
		return 0
	}
	f := source.NewFile("", src)
	lines := strings.Split(src, "\n")
	if l.NumLines() != f.NumLines() || l.NumLines() != len(lines) {
		t.Errorf("%s: %d lines, want %d:\n%.3000s", name, l.NumLines(), len(lines), src)
		return 0
	}
	for i, want := range lines {
		if got := l.Line(i); got != want {
			t.Errorf("%s: line %d is %q, want %q", name, i, got, want)
			return 0
		}
	}
	place := func(off wasm.Pos) text.Place {
		line := f.LineOf(int(off))
		return text.Place{Line: line, Col: int(off) - f.LineStart(line)}
	}
	for fn := range m.Funcs {
		from, behind, ok := l.Func(uint32(fn))
		span := mp.Funcs[fn]
		if ok != (span != text.Span{}) {
			t.Errorf("%s: function %d: ok is %v", name, fn, ok)
		}
		if !ok {
			continue
		}
		if end := f.LineOf(int(span.To)-1) + 1; from != place(span.From) || behind != end {
			t.Errorf("%s: function %d is at %v … %d, want %v … %d", name, fn, from, behind, place(span.From), end)
		}
		starts := l.Starts(uint32(fn))
		if len(starts) != len(mp.Instrs[fn]) {
			t.Errorf("%s: function %d: %d starts, want %d", name, fn, len(starts), len(mp.Instrs[fn]))
			continue
		}
		instrs += len(starts)
		for pc := range starts {
			pc = len(starts) - 1 - pc // not in their order
			s := mp.Instrs[fn][pc]
			if want := place(s.From); starts[pc] != want {
				t.Errorf("%s: instruction %d of function %d is at %v, want %v", name, pc, fn, starts[pc], want)
			}
			if len(starts) < 500 || pc%50 == 0 {
				if got := l.Width(uint32(fn), pc); got != int(s.To-s.From) {
					t.Errorf("%s: instruction %d of function %d takes %d bytes, want %d", name, pc, fn, got,
						s.To-s.From)
				}
			}
		}
	}
	return instrs
}

// TestCode: where a module's encoding has its functions and instructions is where they are when it
// is read.
func TestCode(t *testing.T) {
	n := 0
	eachModule(t, func(t *testing.T, name string, m *wasm.Module) {
		b, err := binary.Encode(m)
		code, codeErr := binary.EncodeCode(m)
		if (err == nil) != (codeErr == nil) {
			t.Errorf("%s: %v, without names: %v", name, err, codeErr)
		}
		if err != nil || codeErr != nil {
			return
		}
		dec, err := binary.Decode(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		n++
		for fn := range dec.Funcs {
			f := &dec.Funcs[fn]
			at, end, ok := code.Func(uint32(fn))
			starts := code.Instrs(uint32(fn))
			if ok != (f.Import < 0) || ok && (at != uint32(f.At) || end != uint32(f.End)) ||
				len(starts) != len(f.Body) {
				t.Errorf(
					"%s: function %d is at %d … %d with %d instructions, want %d … %d with %d", name, fn, at,
					end, len(starts), f.At, f.End, len(f.Body),
				)
				continue
			}
			if ok && !bytes.Equal(code.Bytes(at, end), b[at:end]) {
				t.Errorf("%s: function %d has other bytes", name, fn)
			}
			for pc := range starts {
				if starts[pc] != uint32(f.Body[pc].At) {
					t.Errorf("%s: instruction %d of function %d is at %d, want %d", name, pc, fn, starts[pc],
						f.Body[pc].At)
				}
			}
		}
	})
	if t.Logf("%d modules", n); n < 15 {
		t.Errorf("%d modules are too few", n)
	}
}
