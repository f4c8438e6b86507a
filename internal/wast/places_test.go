package wast_test

import (
	"errors"
	"reflect"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
)

// TestPrintedPlaces checks, for every module of the suites and examples that has a binary, that the
// debugger finds the same places with the whole text and with only the module: where breakpoints
// stop, on lines and columns, where they can be set, the positions of instructions, and the mapping
// of offsets to positions.
func TestPrintedPlaces(t *testing.T) {
	n := 0
	eachModule(t, func(t *testing.T, name string, m *wasm.Module) {
		if b, err := binary.Encode(m); err == nil {
			n++
			samePlaces(t, name, b)
		}
	})
	if t.Logf("%d modules", n); n < 15 {
		t.Errorf("%d modules are too few", n)
	}
}

// view is what a debugger sees of a module's source.
type view struct {
	f *debugger.Source
	y *debugger.Symbols
}

// place is a place as a client sees it.
type place struct {
	Func       debugger.FuncID
	PC         int
	Stmt       bool
	Start, End source.Position
}

func (v view) place(p debugger.Place) place {
	return place{p.Func, p.PC, p.Stmt, v.f.Position(p.Span.Start, source.UTF16), v.f.Position(p.Span.End, source.UTF16)}
}

func samePlaces(t *testing.T, name string, b []byte) {
	t.Helper()
	lazy, err := loader.Binary(name, b, analysis.Options{})
	if err != nil {
		var ds *loader.Errors
		if !errors.As(err, &ds) {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	m, err := binary.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	src, places := text.Print(m, text.Options{})
	places.Place(m)
	whole := &debugger.Unit{Name: lazy.Name, Module: m, File: symbols.NewSource(source.NewFile(name, src))}
	views := [2]view{}
	for i, u := range []*debugger.Unit{whole, lazy.Unit} {
		views[i] = view{u.File, symbols.NewSymbols([]*debugger.Unit{u})}
	}
	same := func(what string, at any, f func(v view) any) {
		t.Helper()
		if want, got := f(views[0]), f(views[1]); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s %v:\n%+v, want\n%+v\n%.2000s", name, what, at, got, want, src)
		}
	}
	same("text", "", func(v view) any { return v.f.Text() })
	same("checksum", "", func(v view) any { return v.f.SHA256() })
	same("lines", "", func(v view) any { return v.f.NumLines() })
	lines := whole.File.NumLines()
	for line := -1; line < lines+1; line += 1 + lines/80 { // not every line of a large text
		for _, col := range []int{-1, 0, 2, 5, 9, 17} {
			if line < 0 && col >= 0 {
				continue
			}
			same("breakpoint at", [2]int{line, col}, func(v view) any {
				off := -1
				if col >= 0 {
					off = v.f.Offset(source.Position{Line: line, Col: col}, source.UTF16)
				}
				p, err := v.y.Resolve(v.f, line, off)
				if err != nil {
					return err.Error()
				}
				return v.place(p)
			})
			same("position", [2]int{line, col}, func(v view) any {
				off := v.f.Offset(source.Position{Line: line, Col: col}, source.UTF16)
				l, c := v.f.LineCol(off)
				return []any{v.f.Position(off, source.UTF16), v.f.Position(off, source.UTF8), v.f.LineOf(off), l, c}
			})
		}
		same("locations on", line, func(v view) any {
			var out []place
			from, to := v.f.Lines(line, line+line%3)
			for _, p := range v.y.Locations(v.f, from, to) {
				out = append(out, v.place(p))
			}
			return out
		})
		if t.Failed() {
			return
		}
	}
	same("disassembly", "", func(v view) any {
		var out []any
		list, _ := v.y.Disassemble(1<<32, 0, 2000)
		for _, x := range list {
			if x.File != nil {
				x.File = nil
				out = append(out, x.Address, x.Text, v.place(debugger.Place{Func: x.Func, PC: x.PC, Span: x.Span}))
			}
		}
		return out
	})
}
