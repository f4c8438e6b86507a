package vm

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// The dispatch loop reads code and slots without bounds checks. What makes this right:
//
//   - Code comes from valid bodies. Every slot in an op is below the frame's size (code.nums,
//     code.refs), and every pc below len(code.plain); the last op is a return.
//   - A frame is pushed only after its whole size has been allocated on its stack (grow), and
//     pointers into the areas are taken again after anything that may replace them.
//   - code.nums and code.refs have one slot to spare, so that no frame's base points behind an area
//     (a pointer behind an object could keep another one alive, or point nowhere).

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

// setBool sets a slot to 1 or 0.
func (f nslots) setBool(i uint16, b bool) {
	var x uint64
	if b {
		x = 1
	}
	*f.at(i) = x
}

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

func nextOp(o *op) *op { return (*op)(unsafe.Add(unsafe.Pointer(o), opSize)) }

// jumpOp gives the target of an opJump, opBrIf or opBrUnless.
func jumpOp(o *op) *op { return (*op)(unsafe.Add(unsafe.Pointer(o), int(o.imm))) }

// reaches tells whether size bytes at an offset from an address are in a 32-bit memory, and gives
// the effective address. Neither addend exceeds 32 bits.
func (m *Memory) reaches(addr, offset, size uint64) (unsafe.Pointer, bool) {
	ea := addr + offset
	if ea+size > uint64(len(m.bytes)) {
		return nil, false
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(m.bytes)), ea), true
}

// Loads and stores in the byte order of the format.

func load16(p unsafe.Pointer) uint16 { return binary.LittleEndian.Uint16((*[2]byte)(p)[:]) }
func load32(p unsafe.Pointer) uint32 { return binary.LittleEndian.Uint32((*[4]byte)(p)[:]) }
func load64(p unsafe.Pointer) uint64 { return binary.LittleEndian.Uint64((*[8]byte)(p)[:]) }

func store16(p unsafe.Pointer, x uint16) { binary.LittleEndian.PutUint16((*[2]byte)(p)[:], x) }
func store32(p unsafe.Pointer, x uint32) { binary.LittleEndian.PutUint32((*[4]byte)(p)[:], x) }
func store64(p unsafe.Pointer, x uint64) { binary.LittleEndian.PutUint64((*[8]byte)(p)[:], x) }
