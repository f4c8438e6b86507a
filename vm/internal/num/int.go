// Package num is the arithmetic of WebAssembly where Go's own differs from it or needs care: traps,
// NaNs, rounding and conversions. Everything is a pure function; see the specification, release
// 3.0, section 4.3 "Numerics". A wasm.TrapKind of zero says that there was no trap.
package num

import (
	"math"

	"stackscope/wasm"
)

// I32DivS is i32.div_s.
func I32DivS(a, b int32) (int32, wasm.TrapKind) {
	switch {
	case b == 0:
		return 0, wasm.TrapIntegerDivideByZero
	case b == -1 && a == math.MinInt32:
		return 0, wasm.TrapIntegerOverflow
	}
	return a / b, 0
}

// I32DivU is i32.div_u.
func I32DivU(a, b uint32) (uint32, wasm.TrapKind) {
	if b == 0 {
		return 0, wasm.TrapIntegerDivideByZero
	}
	return a / b, 0
}

// I32RemS is i32.rem_s; the smallest number modulo -1 is 0.
func I32RemS(a, b int32) (int32, wasm.TrapKind) {
	switch b {
	case 0:
		return 0, wasm.TrapIntegerDivideByZero
	case -1:
		return 0, 0
	}
	return a % b, 0
}

// I32RemU is i32.rem_u.
func I32RemU(a, b uint32) (uint32, wasm.TrapKind) {
	if b == 0 {
		return 0, wasm.TrapIntegerDivideByZero
	}
	return a % b, 0
}

// I64DivS is i64.div_s.
func I64DivS(a, b int64) (int64, wasm.TrapKind) {
	switch {
	case b == 0:
		return 0, wasm.TrapIntegerDivideByZero
	case b == -1 && a == math.MinInt64:
		return 0, wasm.TrapIntegerOverflow
	}
	return a / b, 0
}

// I64DivU is i64.div_u.
func I64DivU(a, b uint64) (uint64, wasm.TrapKind) {
	if b == 0 {
		return 0, wasm.TrapIntegerDivideByZero
	}
	return a / b, 0
}

// I64RemS is i64.rem_s; the smallest number modulo -1 is 0.
func I64RemS(a, b int64) (int64, wasm.TrapKind) {
	switch b {
	case 0:
		return 0, wasm.TrapIntegerDivideByZero
	case -1:
		return 0, 0
	}
	return a % b, 0
}

// I64RemU is i64.rem_u.
func I64RemU(a, b uint64) (uint64, wasm.TrapKind) {
	if b == 0 {
		return 0, wasm.TrapIntegerDivideByZero
	}
	return a % b, 0
}
