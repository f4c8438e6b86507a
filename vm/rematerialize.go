package vm

import "stackscope/wasm"

// rematerialize puts into the operand slots of the innermost frame what the baseline form would
// have there. A trap in the fused form happens in the midst of a stretch of code in which copies,
// constants and arithmetic whose only reader is another op may not have been written to their
// slots; from the last place where all slots are right (code.fusedAt), the baseline ops tell what
// belongs there. Only what follows from constants, and from locals that have not changed since,
// needs to be made again: the fused form has stored the rest. The frame's pc must be right.
func (s *Stack) rematerialize() {
	fr := s.top()
	c := fr.fn.code
	if c.fusedAt == nil || fr.fn.thunk != nil {
		return
	}
	r := replay{c: c, nums: s.nums[fr.numBase:], end: int(fr.pc), from: int(fr.pc), budget: replayBudget}
	for r.from > 0 && c.fusedAt[r.from] == noFused {
		r.from--
	}
	f := Frame{s, len(s.frames) - 1}
	n, _ := slotsOf(f.types())
	vals := make([]uint64, n)
	for i := range vals { // first all, then write: they are computed from each other
		slot := uint16(c.locNums) + uint16(i)
		vals[i] = r.nums[slot]
		if x, ok := r.value(slot, r.end); ok {
			vals[i] = x
		}
	}
	copy(r.nums[c.locNums:], vals)
}

// replayBudget bounds the ops that settle looks at: a stretch of a generated function may be
// enormous.
const replayBudget = 1 << 22

// replay computes operands of the baseline ops in a stretch.
type replay struct {
	c         *code
	nums      []uint64
	from, end int
	budget    int
}

// writer returns the op before pc that wrote a slot last, -1 if none has in the stretch.
func (r *replay) writer(slot uint16, pc int) int {
	for pc--; pc >= r.from && r.budget > 0; pc-- {
		r.budget--
		o := &r.c.baseline[pc]
		code := r.c.original(uint32(pc))
		if writes(code, o, slot) && !(code == opMovN && uint32(slot) < r.c.locNums && r.toItself(slot, o.b, pc)) {
			return pc
		}
	}
	return -1
}

// writes reports whether a baseline op writes a number slot; an op of references may have it as the
// index of one of those. What ends a stretch need not be told, nor what takes a number and gives
// none, as its slot is free then.
func writes(code uint16, o *op, slot uint16) bool {
	switch code {
	case opEnd,
		opBrIf,
		opBrUnless,
		opDead,
		opMovR,
		opTakeR,
		opClearR,
		opSelR,
		opGlobalGetR,
		opGlobalSetN,
		opGlobalSetV,
		opGlobalSetR,
		uint16(wasm.OpRefFunc),
		uint16(wasm.OpRefAsNonNull),
		uint16(wasm.OpTableGet),
		uint16(wasm.OpTableSet):
		return false
	case opMovV, opConstV, opSelV, opGlobalGetV:
		return o.a == slot || o.a+1 == slot
	}
	return o.a == slot && !(wasm.Op(code) >= wasm.OpI32Store && wasm.Op(code) <= wasm.OpI64Store32)
}

// toItself reports whether what an op copies from a slot to a local is a copy of the local: nothing
// changes.
func (r *replay) toItself(local, slot uint16, pc int) bool {
	w := r.writer(slot, pc)
	return w >= 0 && r.c.original(uint32(w)) == opMovN && r.c.baseline[w].b == local &&
		r.writer(local, pc) == r.writer(local, w)
}

// value returns what a slot has before the op at pc.
func (r *replay) value(slot uint16, pc int) (uint64, bool) {
	w := r.writer(slot, pc)
	stays := r.writer(slot, r.end) == w // nothing has been written over it
	if r.budget <= 0 {
		return 0, false
	}
	if w < 0 || uint32(slot) < r.c.locNums {
		return r.nums[slot], stays
	}
	o := &r.c.baseline[w]
	op := wasm.Op(r.c.original(uint32(w)))
	stored := stays // also in the fused form
	switch {
	case uint16(op) == opConst:
		return o.imm, true
	case uint16(op) == opMovN:
		if x, ok := r.value(o.b, w); ok {
			return x, true
		}
	case uint16(op) == opNumeric || numericSupported(op):
		if uint16(op) == opNumeric {
			op = wasm.Op(o.imm)
		}
		x, ok := r.value(o.b, w)
		y := uint64(0)
		if ok && len(op.Info().Params) == 2 {
			y, ok = r.value(o.c, w)
		}
		if v, trap := numeric(op, x, y); ok && trap == 0 {
			return v, true
		}
		stored = false // perhaps joined with its reader; if it has none yet, who asks takes the slot
	}
	for pc := w + 1; pc < r.end && r.budget > 0; pc++ { // a tee has it in its local, perhaps only there
		r.budget--
		t := &r.c.baseline[pc]
		if r.c.original(uint32(pc)) == opMovN && t.b == slot && uint32(t.a) < r.c.locNums && r.writer(t.a, r.end) == pc &&
			r.writer(slot, pc) == w {
			return r.nums[t.a], true
		}
	}
	return r.nums[slot], stored
}

// rematerialize makes the operands of the innermost frame as in the baseline form after the trap of
// the op o. Those of an access to memory follow from the op, which may have computed its address
// itself.
func (v *vars) rematerialize() {
	v.s.rematerialize()
	pc := v.fusedPC()
	o, base, f := v.o, &v.cd.baseline[pc], v.f
	in := v.cd.body[pc].Op
	if in < wasm.OpI32Load || in > wasm.OpI64Store32 || o.code < rLoad32 || o.code >= rI32AddLoad+2*numLoad {
		return
	}
	if o.code >= rI32AddLoad { // an operator with its operand in memory
		addr := f.u32(o.c)
		if o.code >= rI32AddLoad+numLoad {
			addr <<= o.imm >> 32 & 31
		}
		f.set(base.b, uint64(addr))
		return
	}
	addr := f.u32(o.b)
	constant := o.code >= rStore32K
	if !constant {
		switch (o.code - rLoad32) / numAccess {
		case addrSum:
			addr += f.u32(o.c)
		case addrPlus:
			addr += uint32(o.imm >> 32)
		case addrShl:
			addr <<= o.c & 31
		case addrShl2:
			addr += f.u32(o.c) << (o.imm >> 32 & 31)
		case addrAt:
			addr = uint32(o.imm - v.cd.body[pc].Imm)
		}
	}
	if in < wasm.OpI32Store {
		f.set(base.b, uint64(addr))
		return
	}
	value := f.u64(o.a)
	if constant {
		if value = f.u64(base.b); uint32(value) == uint32(o.imm>>32) { // as the replay has found it
			f.set(base.a, uint64(addr))
			return
		}
		value = uint64(int64(o.imm) >> 32)
		if in.Info().Params[1] != wasm.I64 {
			value = uint64(uint32(value))
		}
	}
	f.set(base.b, value)
	f.set(base.a, uint64(addr))
}
