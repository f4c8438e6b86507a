//go:build checked

package vm

import (
	"fmt"
	"math"
	"unsafe"
)

// The slots with every access compared with what the stack has, also those of whoever is called by
// the loops; verify_on.go checks the ops against their frames.

func beyond(kind string, i, n uint32) {
	if i >= n {
		panic(fmt.Sprintf("vm: an access to the %s slot %d of %d", kind, i, n))
	}
}

// nslots are a frame's number slots and those after it on its stack, n in all.
type nslots struct {
	p unsafe.Pointer
	n uint32
}

func (f nslots) at(i uint16) *uint64 {
	beyond("number", uint32(i), f.n)
	return (*uint64)(unsafe.Add(f.p, uintptr(i)*8))
}
func (f nslots) u64(i uint16) uint64    { return *f.at(i) }
func (f nslots) u32(i uint16) uint32    { return uint32(*f.at(i)) }
func (f nslots) f32(i uint16) float32   { return math.Float32frombits(uint32(*f.at(i))) }
func (f nslots) f64(i uint16) float64   { return math.Float64frombits(*f.at(i)) }
func (f nslots) set(i uint16, x uint64) { *f.at(i) = x }

// rslots are a frame's reference slots and those after it on its stack, n in all. The loop of the
// fused form moves p alone; verify sets n again.
type rslots struct {
	p unsafe.Pointer
	n uint32
}

func (f rslots) at(i uint16) *Ref {
	beyond("reference", uint32(i), f.n)
	return (*Ref)(unsafe.Add(f.p, uintptr(i)*16))
}

// numsAt and refsAt give the slots of a frame.
func (s *storage) numsAt(base uint32) nslots {
	n := uint32(len(s.nums))
	beyond("number", base, n+1)
	return nslots{unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.nums)), uintptr(base)*8), n - base}
}

func (s *storage) refsAt(base uint32) rslots {
	n := uint32(len(s.refs))
	beyond("reference", base, n+1)
	return rslots{unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.refs)), uintptr(base)*16), n - base}
}

// slots returns the number slots of the innermost frame, which are at f.
func (v *vars) slots(f unsafe.Pointer) nslots {
	s := v.s.numsAt(v.fr.numBase)
	if s.p != f {
		panic("vm: the number slots of the frame are elsewhere")
	}
	return s
}
