package vm

import (
	"math"

	"stackscope/wasm"
)

// Value is a WebAssembly value outside the VM: an argument, a result, a variable that is looked at.
type Value struct {
	Type wasm.ValType // of references: with the type indices of no module; the heap type is the abstract one
	Lo   uint64       // i32 (zero-extended), i64, bits of f32 and f64, low half of v128
	Hi   uint64       // high half of v128
	Ref  Ref
}

// I32 returns an i32 value.
func I32(x int32) Value { return Value{Type: wasm.I32, Lo: uint64(uint32(x))} }

// I64 returns an i64 value.
func I64(x int64) Value { return Value{Type: wasm.I64, Lo: uint64(x)} }

// F32 returns an f32 value. A NaN may lose its payload on the way; use Value{Type: wasm.F32, Lo:
// bits} to keep it.
func F32(x float32) Value { return Value{Type: wasm.F32, Lo: uint64(math.Float32bits(x))} }

// F64 returns an f64 value.
func F64(x float64) Value { return Value{Type: wasm.F64, Lo: math.Float64bits(x)} }

// V128 returns a v128 value of its two halves, lane 0 in the low bits of lo.
func V128(lo, hi uint64) Value { return Value{Type: wasm.V128, Lo: lo, Hi: hi} }

// RefValue returns a reference value; its type is the abstract type of what it refers to (null:
// none).
func RefValue(r Ref) Value { return Value{Type: refType(r), Ref: r} }

// NullValue returns the null reference of a type.
func NullValue(t wasm.ValType) Value { return Value{Type: t.OrNull()} }

// HostValue returns an externref with a value of the host.
func HostValue(v any) Value { return Value{Type: wasm.ExternRef, Ref: HostRef(v)} }

// I32 returns an i32.
func (v Value) I32() int32 { return int32(uint32(v.Lo)) }

// I64 returns an i64.
func (v Value) I64() int64 { return int64(v.Lo) }

// F32 returns an f32.
func (v Value) F32() float32 { return math.Float32frombits(uint32(v.Lo)) }

// F64 returns an f64.
func (v Value) F64() float64 { return math.Float64frombits(v.Lo) }

// refType is the abstract type of a reference by what it refers to.
func refType(r Ref) wasm.ValType {
	switch r.kind() {
	case objFunc:
		return wasm.Ref(false, wasm.HeapFunc)
	case objStruct:
		return wasm.Ref(false, wasm.HeapStruct)
	case objArray:
		return wasm.Ref(false, wasm.HeapArray)
	case objI31:
		return wasm.Ref(false, wasm.HeapI31)
	case objExn:
		return wasm.Ref(false, wasm.HeapExn)
	case objHost:
		return wasm.Ref(false, wasm.HeapExtern)
	case objStack:
		return wasm.Ref(false, r.asStack().dialect.Info().Ref)
	}
	return wasm.Ref(true, wasm.HeapNone)
}

// putValues stores values by their types into the two areas and returns how much of each they took.
func putValues(vs []Value, nums []uint64, refs []Ref) (n, r int) {
	for _, v := range vs {
		switch v.Type.Kind() {
		case wasm.KindRef:
			refs[r] = v.Ref
			r++
		case wasm.KindV128:
			nums[n], nums[n+1] = v.Lo, v.Hi
			n += 2
		default:
			nums[n] = v.Lo
			n++
		}
	}
	return n, r
}

// getValues reads values of the types from the two areas.
func getValues(ts []wasm.ValType, nums []uint64, refs []Ref) []Value {
	out := make([]Value, len(ts))
	n, r := 0, 0
	for i, t := range ts {
		v := &out[i]
		v.Type = abstractType(t)
		switch t.Kind() {
		case wasm.KindRef:
			v.Ref = refs[r]
			r++
		case wasm.KindV128:
			v.Lo, v.Hi = nums[n], nums[n+1]
			n += 2
		default:
			v.Lo = nums[n]
			n++
		}
	}
	return out
}

// abstractType replaces a type index, which means nothing outside its module or store, by unknown.
func abstractType(t wasm.ValType) wasm.ValType {
	if t.IsRef() && t.Heap() >= 0 {
		return wasm.Ref(t.Nullable(), wasm.HeapBad)
	}
	return t
}

// Fits reports whether a value is of a type whose type index, if any, is a canonical id. A
// reference to a stack fits only the top type of its dialect: what it expects is not known here.
func (m *Machine) Fits(v Value, t wasm.ValType) bool {
	if !t.IsRef() || v.Ref.IsNull() {
		return v.Type.Kind() == t.Kind() && (!t.IsRef() || t.Nullable())
	}
	if !v.Type.IsRef() {
		return false
	}
	h := t.Heap()
	top := m.types.Top(h)
	switch v.Ref.kind() {
	case objFunc:
		return top == wasm.HeapFunc && matches(m.types, v.Ref, t)
	case objExn:
		return h == wasm.HeapExn
	case objStack:
		return h == refType(v.Ref).Heap()
	case objHost:
		return h == wasm.HeapAny || h == wasm.HeapExtern
	}
	return h == wasm.HeapExtern || top == wasm.HeapAny && matches(m.types, v.Ref, t)
}
