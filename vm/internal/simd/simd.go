// Package simd executes the vector instructions of WebAssembly, relaxed ones included: pure
// functions on values of 128 bits, looked up by instruction in tables. See the specification,
// release 3.0, section 4.3.6 "Vector Operations". Lane 0 is the lowest; the code takes lanes for
// parts of a value in memory, which holds on little-endian machines (simd_test.go checks it).
//
// Where a relaxed instruction leaves a choice, the one of the deterministic profile is made.
package simd

import (
	"unsafe"

	"stackscope/wasm"
)

// V is a value: a v128, or a scalar operand or result, which is in Lo (an i32 zero-extended).
type V struct{ Lo, Hi uint64 }

// Do executes an instruction that does not touch memory. Operands are in order from a; lane is
// the immediate of extract and replace; c is the immediate of i8x16.shuffle (lane index 0 lowest).
// ok is false if op is no such instruction; v128.const is not one, having nothing to do.
func Do(op wasm.Op, lane uint8, a, b, c V) (r V, ok bool) {
	if op >= wasm.NumOps {
		return V{}, false
	}
	if f := binaryOps[op]; f != nil {
		return f(a, b), true
	}
	if f := unaryOps[op]; f != nil {
		return f(a), true
	}
	if f := laneOps[op]; f != nil {
		return f(a, b, lane), true
	}
	if f := ternaryOps[op]; f != nil {
		return f(a, b, c), true
	}
	return V{}, false
}

// Arity returns how many operands Do takes of an instruction, immediates not counted, and 0 if it
// is not one of Do's.
func Arity(op wasm.Op) int {
	switch {
	case op >= wasm.NumOps:
		return 0
	case unaryOps[op] != nil:
		return 1
	case binaryOps[op] != nil:
		return 2
	case ternaryOps[op] != nil || laneOps[op] != nil:
		return len(op.Info().Params)
	}
	return 0
}

type (
	signed   interface{ int8 | int16 | int32 | int64 }
	unsigned interface {
		uint8 | uint16 | uint32 | uint64
	}
	integer interface{ signed | unsigned }
	float   interface{ float32 | float64 }
	number  interface{ integer | float }
)

// lanes returns the lanes of a value, lane 0 first.
func lanes[T number](v *V) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(v)), 16/unsafe.Sizeof(t))
}

// width returns the number of bits of a lane.
func width[T number]() uint64 {
	var t T
	return 8 * uint64(unsafe.Sizeof(t))
}

// truth returns an i32 result.
func truth(b bool) V {
	if b {
		return V{Lo: 1}
	}
	return V{}
}
