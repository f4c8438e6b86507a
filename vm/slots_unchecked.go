//go:build !checked

package vm

import (
	"math"
	"unsafe"
)

// nslots are a frame's number slots.
type nslots struct{ p unsafe.Pointer }

func (f nslots) at(i uint16) *uint64    { return (*uint64)(unsafe.Add(f.p, uintptr(i)*8)) }
func (f nslots) u64(i uint16) uint64    { return *f.at(i) }
func (f nslots) u32(i uint16) uint32    { return uint32(*f.at(i)) }
func (f nslots) f32(i uint16) float32   { return math.Float32frombits(uint32(*f.at(i))) }
func (f nslots) f64(i uint16) float64   { return math.Float64frombits(*f.at(i)) }
func (f nslots) set(i uint16, x uint64) { *f.at(i) = x }

// rslots are a frame's reference slots.
type rslots struct{ p unsafe.Pointer }

func (f rslots) at(i uint16) *Ref { return (*Ref)(unsafe.Add(f.p, uintptr(i)*16)) }

// numsAt and refsAt give the slots of a frame.
func (s *storage) numsAt(base uint32) nslots {
	return nslots{unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.nums)), uintptr(base)*8)}
}

func (s *storage) refsAt(base uint32) rslots {
	return rslots{unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.refs)), uintptr(base)*16)}
}

// slots returns the number slots of the innermost frame, which are at f.
func (v *vars) slots(f unsafe.Pointer) nslots { return nslots{f} }
