package debuginfo

import "fmt"

// Language is a source language.
type Language uint8

// The languages that somebody here treats in a way of their own.
const (
	Other Language = iota
	C
	CPlusPlus
	Rust
	Zig
	Kotlin
	AssemblyScript
	OCaml
	Go
	Dart
)

// File is a file of source. It is known by its pointer: an Info has one for each path.
type File struct {
	// Path is the path that the compiler recorded, with slashes, joined with the directory that it
	// recorded. It may be relative: to the directory of the module, or of the map that names it.
	Path     string
	Language Language
	MD5      []byte // of the contents, 16 bytes; nil: not recorded
	// Text returns the contents that come with the information; nil: there are none.
	Text func() (string, error)
	// Ignored reports that a debugger is to pass it by, as the ignore list of a source map asks.
	Ignored bool
	// Bytes reports that columns count bytes, as in DWARF; otherwise they count UTF-16 units.
	Bytes bool
}

// Place is a place in a file. The zero Place is none.
type Place struct {
	File *File
	Line int // from 1
	Col  int // from 1; 0: not known
}

// String returns `path:line:col`, for tests and messages.
func (p Place) String() string {
	switch {
	case p.File == nil:
		return "?"
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File.Path, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File.Path, p.Line, p.Col)
}

// Row is the place of the instructions of a function from one on, up to the next Row. A Row without
// a file says that they have no place.
type Row struct {
	PC int
	Place
	Stmt        bool // a statement begins here: where a breakpoint or a step stops
	PrologueEnd bool // parameters are in their places from here on
}

// Range is the instructions from From up to, and without, To.
type Range struct{ From, To int }

// Contains reports whether an instruction is in a range.
func (r Range) Contains(pc int) bool { return r.From <= pc && pc < r.To }

// Func is what is known of a function of the module. It does not change.
type Func struct {
	Name     string // as the source writes it, with what it is in: `std::vector<int>::push_back`
	Linkage  string // as the linker names it; ""
	Decl     Place
	Language Language
	Rows     []Row  // ascending by PC, no two alike
	Body     int    // the instruction where the function's own code begins, after its prologue
	Root     *Scope // of kind ScopeFunc; nil: nothing is known of variables
	// Runtime reports that the function was not written by the user: a thunk, or a part of the
	// language's runtime. Its frames are folded.
	Runtime bool
}

// ScopeKind is a kind of scope.
type ScopeKind uint8

const (
	ScopeFunc   ScopeKind = iota // the function
	ScopeInline                  // a call that was inlined
	ScopeBlock                   // a block
)

// Scope is a part of a function with variables of its own.
type Scope struct {
	Kind   ScopeKind
	Name   string // of a function or an inlined call: the function
	Decl   Place  // where that is declared
	Call   Place  // of an inlined call: where it is
	Ranges []Range
	Vars   []*Variable
	Inner  []*Scope
}

// Contains reports whether an instruction is in a scope.
func (s *Scope) Contains(pc int) bool {
	for _, r := range s.Ranges {
		if r.Contains(pc) {
			return true
		}
	}
	return false
}

// Chain returns the scopes around an instruction, innermost first; the last is Root. It is empty if
// nothing is known.
func (f *Func) Chain(pc int) []*Scope {
	if f == nil || f.Root == nil {
		return nil
	}
	out := []*Scope{f.Root}
	for s, depth := f.Root, 0; depth < 1000; depth++ {
		var in *Scope
		for _, x := range s.Inner {
			if x.Contains(pc) {
				in = x
				break
			}
		}
		if in == nil {
			break
		}
		out, s = append(out, in), in
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// Row returns the row that an instruction is in; ok is false if it has no place.
func (f *Func) Row(pc int) (r Row, ok bool) {
	if f == nil {
		return Row{}, false
	}
	lo, hi := 0, len(f.Rows)
	for lo < hi {
		if mid := (lo + hi) / 2; f.Rows[mid].PC <= pc {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 || f.Rows[lo-1].File == nil {
		return Row{}, false
	}
	return f.Rows[lo-1], true
}

// Place returns the place of an instruction; ok is false if it has none.
func (f *Func) Place(pc int) (Place, bool) {
	r, ok := f.Row(pc)
	return r.Place, ok
}

// Location is a place where a breakpoint on a line stops.
type Location struct {
	Func uint32
	Row  Row
}
