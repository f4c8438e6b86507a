package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// array is object for array.*.
func (inst *Instance) array(in *wasm.Instr, nums []uint64, refs []Ref) wasm.TrapKind {
	switch in.Op {
	case wasm.OpArrayNew, wasm.OpArrayNewDefault, wasm.OpArrayNewFixed, wasm.OpArrayNewData, wasm.OpArrayNewElem:
		return inst.newArrayOf(in, nums, refs)
	}
	if refs[0].IsNull() {
		return wasm.TrapNullArray
	}
	a := refs[0].asArray()
	l := a.layout
	size := uint64(a.n)
	switch in.Op {
	case wasm.OpArrayLen:
		nums[0] = size
		refs[0] = Ref{}
	case wasm.OpArrayGet, wasm.OpArrayGetS, wasm.OpArrayGetU:
		i := nums[0]
		if i >= size {
			return wasm.TrapArrayOutOfBounds
		}
		if l.refs > 0 {
			refs[0] = a.refs[i]
			return 0
		}
		lo, hi := a.num(uint32(i))
		nums[0] = lo
		if in.Op == wasm.OpArrayGetS {
			nums[0] = signed(l.fields[0].typ, lo)
		} else if l.nums == 2 {
			nums[1] = hi
		}
		refs[0] = Ref{}
	case wasm.OpArraySet:
		i := nums[0]
		if i >= size {
			return wasm.TrapArrayOutOfBounds
		}
		if l.refs > 0 {
			a.refs[i] = refs[1]
			refs[1] = Ref{}
		} else {
			lo, hi := operand(nums[1:], l)
			a.setNum(uint32(i), lo, hi)
		}
		refs[0] = Ref{}
	case wasm.OpArrayFill:
		i, n := nums[0], nums[1+l.nums]
		if !within(i, n, size) {
			return wasm.TrapArrayOutOfBounds
		}
		lo, hi := operand(nums[1:], l)
		var r Ref
		if l.refs > 0 {
			r = refs[1]
		}
		if tk := inst.mach.charge(n * a.elemSize()); tk != 0 {
			return tk
		}
		if tk := a.fill(inst.mach, uint32(i), uint32(n), lo, hi, r); tk != 0 {
			return tk
		}
		if l.refs > 0 {
			refs[1] = Ref{}
		}
		refs[0] = Ref{}
	case wasm.OpArrayCopy:
		if refs[1].IsNull() {
			return wasm.TrapNullArray
		}
		b := refs[1].asArray()
		i, j, n := nums[0], nums[1], nums[2]
		if !within(i, n, size) || !within(j, n, uint64(b.n)) {
			return wasm.TrapArrayOutOfBounds
		}
		tk := inst.mach.charge(n * a.elemSize())
		switch w := uint64(l.width); {
		case tk != 0:
		case l.refs > 0:
			tk = copyWork(inst.mach, a.refs[i:i+n], b.refs[j:j+n], i > j)
		default:
			tk = copyWork(inst.mach, a.data[i*w:(i+n)*w], b.data[j*w:(j+n)*w], i > j)
		}
		if tk != 0 {
			return tk
		}
		clear(refs[:2])
	case wasm.OpArrayInitData:
		i, j, n := nums[0], nums[1], nums[2]
		w, data := uint64(l.width), inst.datas[in.B]
		if !within(i, n, size) {
			return wasm.TrapArrayOutOfBounds
		}
		if !within(j, n*w, uint64(len(data))) {
			return wasm.TrapMemoryOutOfBounds
		}
		if tk := inst.mach.charge(n * w); tk != 0 {
			return tk
		}
		if tk := copyWork(inst.mach, a.data[i*w:(i+n)*w], data[j:j+n*w], false); tk != 0 {
			return tk
		}
		refs[0] = Ref{}
	case wasm.OpArrayInitElem:
		i, j, n := nums[0], nums[1], nums[2]
		elem := inst.elems[in.B]
		if !within(i, n, size) {
			return wasm.TrapArrayOutOfBounds
		}
		if !within(j, n, uint64(len(elem))) {
			return wasm.TrapTableOutOfBounds
		}
		if tk := inst.mach.charge(n * refSize); tk != 0 {
			return tk
		}
		if tk := copyWork(inst.mach, a.refs[i:i+n], elem[j:j+n], false); tk != 0 {
			return tk
		}
		refs[0] = Ref{}
	default:
		return wasm.TrapUnreachable // not an instruction of arrays: the caller checks with objectSupported
	}
	return 0
}

// newArrayOf makes a new array.
func (inst *Instance) newArrayOf(in *wasm.Instr, nums []uint64, refs []Ref) wasm.TrapKind {
	l := inst.prog.layouts[in.A]
	var n uint64
	switch in.Op {
	case wasm.OpArrayNew:
		n = nums[l.nums]
	case wasm.OpArrayNewDefault:
		n = nums[0]
	case wasm.OpArrayNewFixed:
		n = uint64(in.B)
	case wasm.OpArrayNewData:
		n = nums[1]
		if !within(nums[0], n*uint64(l.width), uint64(len(inst.datas[in.B]))) {
			return wasm.TrapMemoryOutOfBounds
		}
	case wasm.OpArrayNewElem:
		n = nums[1]
		if !within(nums[0], n, uint64(len(inst.elems[in.B]))) {
			return wasm.TrapTableOutOfBounds
		}
	}
	if in.Op != wasm.OpArrayNewFixed || n > code.BigFixed {
		if tk := inst.mach.charge(n * uint64(l.width+refSize*l.refs)); tk != 0 {
			return tk
		}
	}
	a := inst.mach.newArray(l, uint32(n))
	if a == nil {
		return wasm.TrapOutOfMemory
	}
	var tk wasm.TrapKind
	switch in.Op {
	case wasm.OpArrayNew:
		lo, hi := operand(nums, l)
		var r Ref
		if l.refs > 0 {
			r = refs[0]
		}
		tk = a.fill(inst.mach, 0, a.n, lo, hi, r)
	case wasm.OpArrayNewFixed:
		if l.refs > 0 {
			copy(a.refs, refs[:n])
			clear(refs[:n])
			break
		}
		for i := range a.n {
			lo, hi := operand(nums[int(i)*l.nums:], l)
			a.setNum(i, lo, hi)
		}
	case wasm.OpArrayNewData:
		tk = copyWork(inst.mach, a.data, inst.datas[in.B][nums[0]:][:len(a.data)], false)
	case wasm.OpArrayNewElem:
		tk = copyWork(inst.mach, a.refs, inst.elems[in.B][nums[0]:][:n], false)
	}
	if tk != 0 {
		return tk
	}
	refs[0] = Ref{obj: &a.object}
	return 0
}

// operand returns an element that is a number from the slots it begins in; zero for references.
func operand(nums []uint64, l *layout) (lo, hi uint64) {
	switch l.nums {
	case 1:
		return nums[0], 0
	case 2:
		return nums[0], nums[1]
	}
	return 0, 0
}
