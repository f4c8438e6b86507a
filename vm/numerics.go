package vm

import "stackscope/wasm"

// numeric executes a scalar numeric instruction that the dispatch loop does not inline: conversions,
// truncations, division and remainder, min, max, nearest, copysign and so on. x and y are the operands
// (y is unused of unary ones) as slots: i32 zero-extended, floats as bits. The result is a slot in
// the same form. A trap of 0 means none.
func numeric(op wasm.Op, x, y uint64) (r uint64, trap wasm.TrapKind) {
	return 0, wasm.TrapUnreachable
}

// numericSupported tells whether numeric executes the instruction.
func numericSupported(op wasm.Op) bool { return false }
