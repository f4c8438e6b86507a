package vm

import "stackscope/wasm"

// simd executes a SIMD instruction. v are the frame's number slots from the instruction's first
// operand upward: the operands lie one behind the other, a v128 in two slots (low half first), a
// scalar in one; the result is written from v[0] on. v is long enough for both. lane is the lane
// immediate. imm is the low half of an immediate vector (v128.const, i8x16.shuffle) or the offset of
// a memory access, hi the high half. mem is the memory of a memory access. A trap of 0 means none;
// an instruction that traps changes nothing.
func simd(op wasm.Op, v []uint64, lane uint8, imm, hi uint64, mem *Memory) wasm.TrapKind {
	return wasm.TrapUnreachable
}

// simdSupported tells whether simd executes the instruction.
func simdSupported(op wasm.Op) bool { return false }
