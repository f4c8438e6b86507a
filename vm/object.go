package vm

import (
	"stackscope/vm/internal/num"
	"stackscope/wasm"
)

// objectSupported reports whether object (or bulk) executes the instruction.
func objectSupported(op wasm.Op) bool {
	switch op {
	case wasm.OpRefTest, wasm.OpRefCast,
		wasm.OpMemorySize, wasm.OpMemoryGrow, wasm.OpMemoryInit, wasm.OpDataDrop, wasm.OpMemoryCopy, wasm.OpMemoryFill,
		wasm.OpTableSize, wasm.OpTableGrow, wasm.OpTableInit, wasm.OpElemDrop, wasm.OpTableCopy, wasm.OpTableFill:
		return true
	}
	return op >= wasm.OpStructNew && op <= wasm.OpI31GetU
}

// object executes an instruction on structures, arrays and references: struct.*, array.*, ref.test,
// ref.cast, any.convert_extern, extern.convert_any, ref.i31, i31.get_*. nums and refs are the
// frame's slots from the instruction's first numeric, and first reference, operand upward (the
// operands of each kind lie one after the other); results are written from nums[0], refs[0] on. A
// reference operand that is not overwritten by a result is set to null. Type indices of the
// instruction are those of inst.mod; inst.types gives canonical ids, inst.prog.layouts the layouts
// by type index. A trap of 0 means none; an instruction that traps changes nothing.
func (inst *Instance) object(in *wasm.Instr, nums []uint64, refs []Ref) wasm.TrapKind {
	switch in.Op {
	case wasm.OpStructNew:
		l := inst.prog.layouts[in.A]
		if tk := inst.mach.paidStruct(l); tk != 0 {
			return tk
		}
		s := newStruct(l)
		copy(s.nums, nums[:l.nums])
		copy(s.refs, refs[:l.refs])
		if l.packed {
			for _, f := range l.fields {
				if f.typ.Packed() {
					s.nums[f.slot] = pack(f.typ, s.nums[f.slot])
				}
			}
		}
		clear(refs[:l.refs])
		refs[0] = Ref{obj: &s.object}
	case wasm.OpStructNewDefault:
		l := inst.prog.layouts[in.A]
		if tk := inst.mach.paidStruct(l); tk != 0 {
			return tk
		}
		refs[0] = Ref{obj: &newStruct(l).object}
	case wasm.OpStructGet, wasm.OpStructGetS, wasm.OpStructGetU:
		if refs[0].IsNull() {
			return wasm.TrapNullStructure
		}
		s := refs[0].asStruct()
		f := &s.layout.fields[in.B]
		if f.typ.IsRef() {
			refs[0] = s.refs[f.slot]
			return 0
		}
		refs[0] = Ref{}
		nums[0] = s.nums[f.slot]
		if in.Op == wasm.OpStructGetS {
			nums[0] = signed(f.typ, nums[0])
		} else if f.typ == wasm.V128 {
			nums[1] = s.nums[f.slot+1]
		}
	case wasm.OpStructSet:
		if refs[0].IsNull() {
			return wasm.TrapNullStructure
		}
		s := refs[0].asStruct()
		f := &s.layout.fields[in.B]
		switch {
		case f.typ.IsRef():
			s.refs[f.slot] = refs[1]
			refs[1] = Ref{}
		case f.typ == wasm.V128:
			s.nums[f.slot], s.nums[f.slot+1] = nums[0], nums[1]
		default:
			s.nums[f.slot] = pack(f.typ, nums[0])
		}
		refs[0] = Ref{}
	case wasm.OpRefTest:
		nums[0] = num.Truth(inst.matchesIn(refs[0], in.Ref()))
		refs[0] = Ref{}
	case wasm.OpRefCast:
		if !inst.matchesIn(refs[0], in.Ref()) {
			return wasm.TrapCastFailure
		}
	case wasm.OpAnyConvertExtern, wasm.OpExternConvertAny:
		// A reference is the same on both sides.
	case wasm.OpRefI31:
		refs[0] = I31Ref(uint32(nums[0]))
	case wasm.OpI31GetS, wasm.OpI31GetU:
		if refs[0].IsNull() {
			return wasm.TrapNullI31
		}
		x := uint32(refs[0].aux)
		if in.Op == wasm.OpI31GetS {
			x = uint32(int32(x<<1) >> 1)
		}
		nums[0], refs[0] = uint64(x), Ref{}
	case wasm.OpMemorySize, wasm.OpTableSize, wasm.OpDataDrop, wasm.OpElemDrop:
		return inst.bulk(in, nums, refs)
	default:
		return inst.array(in, nums, refs)
	}
	return 0
}

// matchesIn is matches for a type with the type indices of an instance's module.
func (inst *Instance) matchesIn(r Ref, t wasm.ValType) bool {
	h := t.Heap()
	if h < 0 || r.IsNull() {
		return matches(inst.mach.types, r, t)
	}
	if l := inst.prog.layouts[h]; l != nil {
		switch r.obj.kind {
		case objStruct:
			return r.asStruct().layout.below(l)
		case objArray:
			return r.asArray().layout.below(l)
		}
		return false
	}
	return matches(inst.mach.types, r, wasm.Ref(t.Nullable(), wasm.HeapType(inst.types[h])))
}

// matches reports whether a reference is of a type whose type index, if any, is a canonical id:
// ref.test. The reference is in the type's hierarchy, as validation makes sure of.
func matches(types *wasm.TypeStore, r Ref, t wasm.ValType) bool {
	if r.IsNull() {
		return t.Nullable()
	}
	k := r.obj.kind
	h := t.Heap()
	if h >= 0 {
		var c wasm.Canon
		switch k {
		case objFunc:
			c = r.asFunc().canon
		case objStruct:
			c = r.asStruct().layout.canon
		case objArray:
			c = r.asArray().layout.canon
		default:
			return false
		}
		return types.Sub(c, wasm.Canon(h))
	}
	switch h {
	case wasm.HeapNone, wasm.HeapNoFunc, wasm.HeapNoExtern, wasm.HeapNoExn, wasm.HeapNoCont, wasm.HeapNoStack:
		return false
	case wasm.HeapEq:
		return k == objI31 || k == objStruct || k == objArray
	case wasm.HeapI31:
		return k == objI31
	case wasm.HeapStruct:
		return k == objStruct
	case wasm.HeapArray:
		return k == objArray
	}
	return true // the top of a hierarchy
}
