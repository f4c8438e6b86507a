package debuginfo

import "errors"

// Variable is a variable, parameter or constant of the source.
type Variable struct {
	Name       string
	Type       *Type // nil: not known; of a GC language the types of the module tell
	Decl       Place
	Param      bool
	Artificial bool // made by the compiler: shown on request only
	// Locate returns where the value is at an instruction of the function. It returns ErrOptimizedOut
	// where there is none, ErrUnset where the source has given it none yet, and another error if that
	// cannot be found out.
	Locate func(pc int, c Context) (Where, error)
}

// ErrOptimizedOut reports that a variable has no value at an instruction.
var ErrOptimizedOut = errors.New("optimized out")

// ErrUnset reports that control has not come to the declaration or the first assignment of a
// variable: the source cannot read it there, and a list of variables leaves it out.
var ErrUnset = errors.New("has no value yet")

// Context is what the location of a variable is computed from: a frame of a stopped program. The
// results of Local, Global and Operand are the bits of the value, ok is false if there is no such
// number.
type Context interface {
	Local(i uint32) (bits uint64, ok bool)
	Global(i uint32) (bits uint64, ok bool)
	Operand(i uint32) (bits uint64, ok bool) // counted from the bottom of the operand stack
	// Read reads bytes of the first memory; it reports whether all of them exist.
	Read(addr uint64, p []byte) bool
}

// PieceKind is where a piece of a value is.
type PieceKind uint8

const (
	InMemory  PieceKind = iota // in the first memory, at Addr
	InLocal                    // in a local of the function; Index is its number
	InGlobal                   // in a global of the module
	InOperand                  // on the operand stack, counted from the bottom
	Constant                   // nowhere: Bytes are the value
	Absent                     // optimized out
)

// Piece is a part of a value.
type Piece struct {
	Kind  PieceKind
	Addr  uint64
	Index uint32
	Bytes []byte
	// Size is how many bits of the value the piece has, and Offset at which bit of its place it
	// begins. Size is 0 of a value that is all in one place.
	Size, Offset int64
}

// Word returns the bits of what a piece is in, if that is a local, a global or an operand. ok is false
// if it is something else, or there is no such number.
func (p Piece) Word(c Context) (bits uint64, ok bool) {
	switch p.Kind {
	case InLocal:
		return c.Local(p.Index)
	case InGlobal:
		return c.Global(p.Index)
	case InOperand:
		return c.Operand(p.Index)
	}
	return 0, false
}

// Where is where a value is: the pieces in order, from the least significant, or the lowest
// address, on.
type Where []Piece

// Address returns the address of a value that is in memory as a whole.
func (w Where) Address() (addr uint64, ok bool) {
	if len(w) == 1 && w[0].Kind == InMemory && w[0].Size == 0 {
		return w[0].Addr, true
	}
	return 0, false
}
