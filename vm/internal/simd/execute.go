package simd

import "stackscope/wasm"

// Supported reports whether Execute executes the instruction.
func Supported(op wasm.Op) bool {
	return op == wasm.OpV128Const || Arity(op) > 0 || Width(op) > 0
}

// Execute executes a vector instruction. v are the frame's number slots from the instruction's
// first operand upward: the operands lie one after the other, a v128 in two slots (low half first),
// a scalar in one; the result is written from v[0] on. v is long enough for both. lane is the lane
// immediate. imm is the low half of an immediate vector (const, i8x16.shuffle) or the offset of a
// memory access, hi the high half. mem is the memory of a memory access. A trap of 0 means none; an
// instruction that traps changes nothing.
func Execute(op wasm.Op, v []uint64, lane uint8, imm, hi uint64, mem []byte) wasm.TrapKind {
	if op == wasm.OpV128Const {
		v[0], v[1] = imm, hi
		return 0
	}
	in := op.Info()
	if Width(op) > 0 {
		var x V
		if len(in.Params) > 1 {
			x = V{Lo: v[1], Hi: v[2]}
		}
		if len(in.Results) == 0 {
			if !Store(op, lane, mem, v[0], imm, x) {
				return wasm.TrapMemoryOutOfBounds
			}
			return 0
		}
		x, ok := Load(op, lane, mem, v[0], imm, x)
		if !ok {
			return wasm.TrapMemoryOutOfBounds
		}
		v[0], v[1] = x.Lo, x.Hi
		return 0
	}
	var x [3]V
	n := 0
	for i, t := range in.Params {
		if t == wasm.V128 {
			x[i] = V{Lo: v[n], Hi: v[n+1]}
			n += 2
		} else {
			x[i].Lo = v[n]
			n++
		}
	}
	if op == wasm.OpI8x16Shuffle {
		x[2] = V{Lo: imm, Hi: hi}
	}
	r, _ := Do(op, lane, x[0], x[1], x[2])
	v[0] = r.Lo
	if in.Results[0] == wasm.V128 {
		v[1] = r.Hi
	}
	return 0
}
