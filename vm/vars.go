package vm

import (
	"unsafe"

	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// vars are the loop's variables that most ops do not use. They are too many for the compiler to
// keep in registers, so they stay in memory and cost nothing where they are not used.
type vars struct {
	s      *Stack
	cd     *code.Func
	base   unsafe.Pointer
	r      rslots
	inst   *Instance
	mem    *Memory
	mb     unsafe.Pointer // its bytes, and how many, as the loop of the fused form has them
	ml     uint64
	budget int64
	fused  bool          // the frame goes on in the fused form
	tk     wasm.TrapKind // of exitTrap
	o      *code.Op      // o and f while something is called, so that they need not survive calls in registers
	f      nslots
	callee *Func

	// of the fused form
	fr             *frame         // the innermost frame
	depth, cap     int            // of s.frames; its len is set where somebody looks (frames)
	numCap, refCap uint32         // of the stack's slots
	num0, ref0     unsafe.Pointer // the first of them
}
