package text

import (
	"sort"

	"stackscope/wasm"
)

// Options are how to print.
type Options struct {
	// Indent is what a level of nesting is indented by; "" means two spaces.
	Indent string
	// NoComments leaves out the comments that number what has no name.
	NoComments bool
}

// Span is a range of byte offsets of the printed text, To exclusive.
type Span struct{ From, To wasm.Pos }

// Map reports where in the printed text the parts of the module are.
type Map struct {
	Funcs  []Span   // by function index: the whole field, or the import
	Instrs [][]Span // by function index, then index in Body: mnemonic and immediates
}

// Instr returns the place of an instruction of a function's body, and whether there is one.
func (m *Map) Instr(fn uint32, i int) (Span, bool) {
	if int64(fn) >= int64(len(m.Instrs)) || i < 0 || i >= len(m.Instrs[fn]) {
		return Span{}, false
	}
	return m.Instrs[fn][i], true
}

// At returns the instruction at an offset: the one that holds it, else the next one of the same
// function.
func (m *Map) At(off wasm.Pos) (fn uint32, i int, ok bool) {
	for f, s := range m.Funcs {
		if off < s.From || off >= s.To || len(m.Instrs[f]) == 0 {
			continue
		}
		in := m.Instrs[f]
		i := sort.Search(len(in), func(i int) bool { return in[i].To > off })
		return uint32(f), min(i, len(in)-1), true
	}
	return 0, 0, false
}

// Apply returns a copy of the module whose bodies have their places in the printed text, and whose
// statements are its instructions: so it is run and debugged as if it came from the text.
func (m *Map) Apply(mod *wasm.Module) *wasm.Module {
	out := *mod
	out.Funcs = append([]wasm.Func(nil), mod.Funcs...)
	for i := range out.Funcs {
		if f := &out.Funcs[i]; f.Body != nil {
			f.Body = append([]wasm.Instr(nil), f.Body...)
		}
	}
	m.Place(&out)
	return &out
}

// Place is Apply to the module itself: what it had of places is gone.
func (m *Map) Place(mod *wasm.Module) {
	for i := range mod.Funcs {
		f := &mod.Funcs[i]
		f.At, f.End = m.Funcs[i].From, m.Funcs[i].To
		if f.Body == nil {
			continue
		}
		f.Stmts = make([]wasm.Stmt, 0, len(f.Body))
		for j := range f.Body {
			s := m.Instrs[i][j]
			f.Body[j].At = s.From
			if IsStatement(f.Body[j].Op) {
				f.Stmts = append(f.Stmts, wasm.Stmt{PC: uint32(j), From: s.From, To: s.To, Flat: true})
			}
		}
	}
}

// IsStatement reports whether an instruction of a printed text is a statement: all but structure
// is.
func IsStatement(op wasm.Op) bool {
	switch op {
	case wasm.OpEnd, wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpDelegate, wasm.OpEvent:
		return false
	}
	return true
}
