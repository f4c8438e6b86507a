package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/fused"
	"stackscope/vm/internal/num"
	"stackscope/wasm"
)

// rematerialize puts into the operand slots of the innermost frame what the baseline form would
// have there. A trap in the fused form happens in the midst of a stretch of code in which copies,
// constants and arithmetic whose only reader is another op may not have been written to their
// slots; from the last place where all slots are right (code.fusedAt), the baseline ops tell what
// belongs there. Only what follows from constants, and from locals that have not changed since,
// needs to be made again: the fused form has stored the rest. The frame's pc must be right.
func rematerialize(s *Stack) {
	fr := s.top()
	c := fr.fn.code
	if c.FusedAt == nil || fr.fn.thunk != nil {
		return
	}
	r := replay{c: c, nums: s.nums[fr.numBase:], end: int(fr.pc), from: int(fr.pc), budget: replayBudget}
	for r.from > 0 && c.FusedAt[r.from] == code.NoFused {
		r.from--
	}
	f := Frame{s, len(s.frames) - 1}
	n, _ := code.SlotsOf(f.types())
	vals := make([]uint64, n)
	for i := range vals { // first all, then write: they are computed from each other
		slot := uint16(c.LocNums) + uint16(i)
		vals[i] = r.nums[slot]
		if x, ok := r.value(slot, r.end); ok {
			vals[i] = x
		}
	}
	copy(r.nums[c.LocNums:], vals)
}

// replayBudget bounds the ops that settle looks at: a stretch of a generated function may be
// enormous.
const replayBudget = 1 << 22

// replay computes operands of the baseline ops in a stretch.
type replay struct {
	c         *code.Func
	nums      []uint64
	from, end int
	budget    int
}

// writer returns the op before pc that wrote a slot last, -1 if none has in the stretch.
func (r *replay) writer(slot uint16, pc int) int {
	for pc--; pc >= r.from && r.budget > 0; pc-- {
		r.budget--
		o := &r.c.Baseline[pc]
		opcode := r.c.Original(uint32(pc))
		if writes(opcode, o, slot) &&
			!(opcode == code.OpMovN && uint32(slot) < r.c.LocNums && r.toItself(slot, o.B, pc)) {
			return pc
		}
	}
	return -1
}

// writes reports whether a baseline op writes a number slot; an op of references may have it as the
// index of one of those. What ends a stretch need not be told, nor what takes a number and gives
// none, as its slot is free then.
func writes(opcode uint16, o *code.Op, slot uint16) bool {
	switch opcode {
	case code.OpEnd,
		code.OpBrIf,
		code.OpBrUnless,
		code.OpDead,
		code.OpMovR,
		code.OpTakeR,
		code.OpClearR,
		code.OpSelR,
		code.OpGlobalGetR,
		code.OpGlobalSetN,
		code.OpGlobalSetV,
		code.OpGlobalSetR,
		uint16(wasm.OpRefFunc),
		uint16(wasm.OpRefAsNonNull),
		uint16(wasm.OpTableGet),
		uint16(wasm.OpTableSet):
		return false
	case code.OpMovV, code.OpConstV, code.OpSelV, code.OpGlobalGetV:
		return o.A == slot || o.A+1 == slot
	}
	return o.A == slot && !(wasm.Op(opcode) >= wasm.OpI32Store && wasm.Op(opcode) <= wasm.OpI64Store32)
}

// toItself reports whether what an op copies from a slot to a local is a copy of the local: nothing
// changes.
func (r *replay) toItself(local, slot uint16, pc int) bool {
	w := r.writer(slot, pc)
	return w >= 0 && r.c.Original(uint32(w)) == code.OpMovN && r.c.Baseline[w].B == local &&
		r.writer(local, pc) == r.writer(local, w)
}

// value returns what a slot has before the op at pc.
func (r *replay) value(slot uint16, pc int) (uint64, bool) {
	w := r.writer(slot, pc)
	stays := r.writer(slot, r.end) == w // nothing has been written over it
	if r.budget <= 0 {
		return 0, false
	}
	if w < 0 || uint32(slot) < r.c.LocNums {
		return r.nums[slot], stays
	}
	o := &r.c.Baseline[w]
	op := wasm.Op(r.c.Original(uint32(w)))
	stored := stays // also in the fused form
	switch {
	case uint16(op) == code.OpConst:
		return o.Imm, true
	case uint16(op) == code.OpMovN:
		if x, ok := r.value(o.B, w); ok {
			return x, true
		}
	case uint16(op) == code.OpNumeric || num.Supported(op):
		if uint16(op) == code.OpNumeric {
			op = wasm.Op(o.Imm)
		}
		x, ok := r.value(o.B, w)
		y := uint64(0)
		if ok && len(op.Info().Params) == 2 {
			y, ok = r.value(o.C, w)
		}
		if v, trap := num.Do(op, x, y); ok && trap == 0 {
			return v, true
		}
		stored = false // perhaps joined with its reader; if it has none yet, who asks takes the slot
	}
	for pc := w + 1; pc < r.end && r.budget > 0; pc++ { // a tee has it in its local, perhaps only there
		r.budget--
		t := &r.c.Baseline[pc]
		if r.c.Original(uint32(pc)) == code.OpMovN && t.B == slot && uint32(t.A) < r.c.LocNums &&
			r.writer(t.A, r.end) == pc &&
			r.writer(slot, pc) == w {
			return r.nums[t.A], true
		}
	}
	return r.nums[slot], stored
}

// rematerialize makes the operands of the innermost frame as in the baseline form after the trap of
// the op o. Those of an access to memory follow from the op, which may have computed its address
// itself.
func (v *vars) rematerialize() {
	rematerialize(v.s)
	pc := v.fusedPC()
	o, base, f := v.o, &v.cd.Baseline[pc], v.f
	in := v.cd.Body[pc].Op
	if in < wasm.OpI32Load || in > wasm.OpI64Store32 || o.Code < fused.Load32 ||
		o.Code >= fused.I32AddLoad+2*fused.NumLoad {
		return
	}
	if o.Code >= fused.I32AddLoad { // an operator with its operand in memory
		addr := f.u32(o.C)
		if o.Code >= fused.I32AddLoad+fused.NumLoad {
			addr <<= o.Imm >> 32 & 31
		}
		f.set(base.B, uint64(addr))
		return
	}
	addr := f.u32(o.B)
	constant := o.Code >= fused.Store32K
	if !constant {
		switch (o.Code - fused.Load32) / fused.NumAccess {
		case fused.AddrSum:
			addr += f.u32(o.C)
		case fused.AddrPlus:
			addr += uint32(o.Imm >> 32)
		case fused.AddrShl:
			addr <<= o.C & 31
		case fused.AddrShl2:
			addr += f.u32(o.C) << (o.Imm >> 32 & 31)
		case fused.AddrAt:
			addr = uint32(o.Imm - v.cd.Body[pc].Imm)
		}
	}
	if in < wasm.OpI32Store {
		f.set(base.B, uint64(addr))
		return
	}
	value := f.u64(o.A)
	if constant {
		if value = f.u64(base.B); uint32(value) == uint32(o.Imm>>32) { // as the replay has found it
			f.set(base.A, uint64(addr))
			return
		}
		value = uint64(int64(o.Imm) >> 32)
		if in.Info().Params[1] != wasm.I64 {
			value = uint64(uint32(value))
		}
	}
	f.set(base.B, value)
	f.set(base.A, uint64(addr))
}
