package vm

import (
	"math"
	"unsafe"
)

// The dispatch loop reads code and slots without bounds checks. What makes this right:
//
//   - Code comes from valid bodies. Every slot in an op is below the frame's size (code.nums,
//     code.refs), and every pc below len(code.plain); the last op is a return.
//   - An access to memory is compared with its length at each access.
//   - A frame is pushed only after its whole size has been allocated on its stack (grow), and
//     pointers into the areas are taken again after anything that may replace them.
//   - code.nums and code.refs have one slot to spare, so that no frame's base points behind an area
//     (a pointer behind an object could keep another one alive, or point nowhere).

// The compiler inlines into a function as large as the loop only what is very small: the methods
// here are, and what is not is written out there.

// nslots are a frame's number slots.
type nslots struct{ p unsafe.Pointer }

func (f nslots) at(i uint16) *uint64        { return (*uint64)(unsafe.Add(f.p, uintptr(i)*8)) }
func (f nslots) u64(i uint16) uint64        { return *f.at(i) }
func (f nslots) u32(i uint16) uint32        { return uint32(*f.at(i)) }
func (f nslots) f32(i uint16) float32       { return math.Float32frombits(uint32(*f.at(i))) }
func (f nslots) f64(i uint16) float64       { return math.Float64frombits(*f.at(i)) }
func (f nslots) set(i uint16, x uint64)     { *f.at(i) = x }
func (f nslots) set32(i uint16, x uint32)   { *f.at(i) = uint64(x) }
func (f nslots) setF32(i uint16, x float32) { *f.at(i) = uint64(math.Float32bits(x)) }
func (f nslots) setF64(i uint16, x float64) { *f.at(i) = math.Float64bits(x) }

// rslots are a frame's reference slots.
type rslots struct{ p unsafe.Pointer }

func (f rslots) at(i uint16) *Ref { return (*Ref)(unsafe.Add(f.p, uintptr(i)*16)) }

// numsAt and refsAt give the slots of a frame.
func (s *Stack) numsAt(base uint32) nslots {
	return nslots{unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.nums)), uintptr(base)*8)}
}

func (s *Stack) refsAt(base uint32) rslots {
	return rslots{unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.refs)), uintptr(base)*16)}
}

// opAt gives the op at a pc; pcOf is its inverse.
func opAt(base unsafe.Pointer, pc uint32) *op {
	return (*op)(unsafe.Add(base, uintptr(pc)*opSize))
}

func pcOf(base unsafe.Pointer, o *op) uint32 {
	return uint32((uintptr(unsafe.Pointer(o)) - uintptr(base)) / opSize)
}

// pcIn gives the pc of the fast op at an index.
func pcIn(pcs unsafe.Pointer, i uint32) uint32 { return *(*uint32)(unsafe.Add(pcs, uintptr(i)*4)) }

func nextOp(o *op) *op { return (*op)(unsafe.Add(unsafe.Pointer(o), opSize)) }

// jumpOp gives the target of an opJump, opBrIf or opBrUnless.
func jumpOp(o *op) *op { return (*op)(unsafe.Add(unsafe.Pointer(o), int(o.imm))) }
