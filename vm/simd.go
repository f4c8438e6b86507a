package vm

import (
	v128 "stackscope/vm/internal/simd"
	"stackscope/wasm"
)

// simdSupported reports whether simd executes the instruction.
func simdSupported(op wasm.Op) bool {
	return op == wasm.OpV128Const || v128.Arity(op) > 0 || v128.Width(op) > 0
}

// simd executes a vector instruction. v are the frame's number slots from the instruction's first
// operand upward: the operands lie one behind the other, a v128 in two slots (low half first), a
// scalar in one; the result is written from v[0] on. v is long enough for both. lane is the lane
// immediate. imm is the low half of an immediate vector (v128.const, i8x16.shuffle) or the offset
// of a memory access, hi the high half. mem is the memory of a memory access. A trap of 0 means
// none; an instruction that traps changes nothing.
func simd(op wasm.Op, v []uint64, lane uint8, imm, hi uint64, mem *Memory) wasm.TrapKind {
	if op == wasm.OpV128Const {
		v[0], v[1] = imm, hi
		return 0
	}
	in := op.Info()
	if v128.Width(op) > 0 {
		var x v128.V
		if len(in.Params) > 1 {
			x = v128.V{Lo: v[1], Hi: v[2]}
		}
		if len(in.Results) == 0 {
			if !v128.Store(op, lane, mem.bytes, v[0], imm, x) {
				return wasm.TrapMemoryOutOfBounds
			}
			return 0
		}
		x, ok := v128.Load(op, lane, mem.bytes, v[0], imm, x)
		if !ok {
			return wasm.TrapMemoryOutOfBounds
		}
		v[0], v[1] = x.Lo, x.Hi
		return 0
	}
	var x [3]v128.V
	n := 0
	for i, t := range in.Params {
		if t == wasm.V128 {
			x[i] = v128.V{Lo: v[n], Hi: v[n+1]}
			n += 2
		} else {
			x[i].Lo = v[n]
			n++
		}
	}
	if op == wasm.OpI8x16Shuffle {
		x[2] = v128.V{Lo: imm, Hi: hi}
	}
	r, _ := v128.Do(op, lane, x[0], x[1], x[2])
	v[0] = r.Lo
	if in.Results[0] == wasm.V128 {
		v[1] = r.Hi
	}
	return 0
}
