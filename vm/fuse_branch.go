package vm

import "stackscope/wasm"

// A branch to a loop's head is a safe point: it has a code of its own, does what the head does, and
// lands behind it. The pc of such an op is the head's, where the frame stands if it stops there.

const toBack = rJumpBack - rJump // from a branch's code to the one that leads to a loop

// isLoop reports whether a pc is a loop's head that has been met.
func (f *fuser) isLoop(pc int) bool {
	return pc <= f.pc && f.c.baseline[pc].code == uint16(wasm.OpLoop)
}

// leap emits a branch to a pc.
func (f *fuser) leap(o op, to int) {
	kind, at := toPC, f.pc
	if f.isLoop(to) {
		kind, f.pc = toLoop, to
		if o.code < rJumpBack {
			o.code += toBack
		}
	}
	f.jumps = append(f.jumps, jump{at: len(f.out), to: to, kind: kind})
	f.emitFence(o)
	f.pc = at
}

// returns emits, in place of a jump to a pc, the return that it leads to without doing anything
// else, and reports whether there is one. The number that the return finds in the slot dst is in
// src now.
func (f *fuser) returns(pc int, src, dst uint16) bool {
	for f.c.baseline[pc].code == opEnd {
		pc++
	}
	o := f.c.baseline[pc]
	if o.code != opReturn || o.imm != 0 || o.c > 1 || o.c == 1 && src != dst && o.a != dst {
		return false
	}
	at := f.pc
	f.pc = pc
	switch {
	case o.c == 0:
		f.emitFence(op{code: rRet0})
	case src != dst:
		f.ret(src, o.a)
	default:
		f.ret(o.a, o.a)
	}
	f.pc = at
	return true
}

// ret emits the return of the number in a slot, which the return finds in the slot dst, as one with
// the operator that made it if there is one right before.
func (f *fuser) ret(src, dst uint16) {
	if n := len(f.out) - 1; n >= f.first && f.producer(src) == n {
		for _, fam := range families {
			l := f.out[n]
			if code, ok := fam.returning(l.code); ok {
				f.remove(n)
				l.code, l.a = code, dst
				f.emitFence(l)
				return
			}
		}
	}
	f.emitFence(op{code: rRet1, a: dst, b: f.read(src)})
}

// returning returns the code of an operator whose result is returned.
func (fam family) returning(code uint16) (uint16, bool) {
	if k, ok := among(code, fam.two, binEq); ok {
		return fam.ret + k, true
	}
	k, ok := among(code, fam.constant, binEq)
	return fam.retConstant + k, ok
}

// jump takes a jump that moves nothing.
func (f *fuser) jump(height uint16) {
	to := f.target(f.pc)
	if f.returns(to, 0, 0) {
		f.pending = f.pending[:0]
		return
	}
	f.flush(height)
	f.goTo(to)
}

// goTo emits a jump. A loop that begins with a conditional branch out of it gets the opposite
// branch here instead.
func (f *fuser) goTo(to int) {
	if f.isLoop(to) {
		head := int(f.c.fusedAt[to]) + 1
		if head < len(f.out) {
			if code, ok := opposite(f.out[head].code); ok {
				for _, j := range f.jumps {
					if j.at != head || j.kind == toLoop {
						continue
					}
					at := f.pc
					f.pc = to
					again := f.out[head]
					again.code = code + toBack
					f.counted(&again)
					f.jumps = append(
						f.jumps, jump{at: len(f.out), to: head + 1, kind: toOp},
						jump{at: len(f.out) + 1, to: j.to, kind: j.kind},
					)
					f.emitFence(again)
					// the head's branch may as well lead into the loop: a safe point too
					f.emitFence(op{code: rJumpBack})
					f.pc = at
					return
				}
			}
		}
	}
	f.leap(op{code: rJump}, to)
}

// compareRows are the rows of branches on comparisons of integers: by width, with two slots or a
// constant.
var compareRows = [4]uint16{rBrI32Eq, rBrI32EqK, rBrI64Eq, rBrI64EqK}

// opposite returns the code of the branch on the opposite condition of one that does not lead to a
// loop.
func opposite(code uint16) (uint16, bool) {
	for _, row := range compareRows {
		if c, ok := among(code, row, numCompares); ok {
			return row + negated[c], true
		}
	}
	const floats = 6
	for _, rows := range [2][2]uint16{{rBrF32Eq, rBrNotF32Eq}, {rBrF64Eq, rBrNotF64Eq}} {
		for i := range rows {
			if c, ok := among(code, rows[i], floats); ok {
				return rows[1-i] + c, true
			}
		}
	}
	switch code {
	case rBrI32Test:
		return rBrI32TestNot, true
	case rBrI32TestNot:
		return rBrI32Test, true
	case rBrI64Test:
		return rBrI64TestNot, true
	case rBrI64TestNot:
		return rBrI64Test, true
	}
	return 0, false
}

// condition returns the branch on an operand slot, joined with what made it; the operand is popped.
func (f *fuser) condition(slot uint16, unless bool) op {
	o, ok := op{}, false
	if i := f.producer(slot); i >= 0 {
		if o, ok = branchOn(f.out[i]); ok {
			f.remove(i)
		}
	}
	if !ok {
		o = op{code: rBrI32NeK, b: f.read32(slot)}
	}
	if unless {
		o.code, _ = opposite(o.code)
	}
	return o
}

// branchOn returns the branch on a comparison.
func branchOn(l op) (op, bool) {
	const floats = 6
	if c, ok := among(l.code, rI32Add+binEq, numCompares); ok {
		return op{code: rBrI32Eq + c, b: l.b, c: l.c}, true
	}
	if c, ok := among(l.code, rI64Add+binEq, numCompares); ok {
		return op{code: rBrI64Eq + c, b: l.b, c: l.c}, true
	}
	if c, ok := among(l.code, rI32AddK+binEq, numCompares); ok {
		return op{code: rBrI32EqK + c, b: l.b, imm: l.imm << 32}, true
	}
	if c, ok := among(l.code, rI64AddK+binEq, numCompares); ok && fits32(l.imm) {
		return op{code: rBrI64EqK + c, b: l.b, imm: l.imm << 32}, true
	}
	if c, ok := among(l.code, rF32Eq, floats); ok {
		return op{code: rBrF32Eq + c, b: l.b, c: l.c}, true
	}
	if c, ok := among(l.code, rF64Eq, floats); ok {
		return op{code: rBrF64Eq + c, b: l.b, c: l.c}, true
	}
	switch {
	case l.code == rI32Eqz:
		return op{code: rBrI32EqK, b: l.b}, true
	case l.code == rI64Eqz:
		return op{code: rBrI64EqK, b: l.b}, true
	case l.code == rI32AddK+binAnd:
		return op{code: rBrI32Test, b: l.b, imm: l.imm << 32}, true
	}
	return op{}, false
}

// fits32 reports whether a number is the sign extension of its low half.
func fits32(x uint64) bool { return uint64(int64(int32(uint32(x)))) == x }

// branchIf takes a conditional branch to a pc that moves nothing.
func (f *fuser) branchIf(slot uint16, unless bool, to int, height uint16) {
	o := f.condition(slot, unless)
	f.flush(height - 1)
	if f.isLoop(to) {
		o.code += toBack
		f.counted(&o)
	}
	f.leap(o, to)
}

// counted joins a branch to a loop with the addition of a constant to what it compares, if that
// comes right before.
func (f *fuser) counted(o *op) {
	n := len(f.out) - 1
	if n < f.first {
		return
	}
	l := f.out[n]
	for w, fam := range families {
		fused, ok := op{}, false
		switch l.code {
		case fam.two + binAdd:
			fused, ok = stepped(l, *o, fam)
		case fam.constant + binAdd:
			inc := int64(l.imm)
			if w == 0 {
				inc = int64(int32(uint32(l.imm)))
			}
			if l.a == l.b && inc == int64(int16(inc)) {
				fused, ok = incremented(l, *o, fam)
			}
		}
		if ok {
			f.remove(n)
			*o = fused
			return
		}
	}
}

// incremented joins a ← a + constant with the branch o to a loop.
func incremented(l, o op, fam family) (op, bool) {
	if c, ok := among(o.code, fam.branch, numCompares); ok {
		if c, limit, ok := compared(l.a, o, c); ok {
			return op{code: fam.incr + c, a: l.a, b: limit, c: uint16(l.imm)}, true
		}
	} else if c, ok := among(o.code, fam.branch+numCompares, numCompares); ok && o.b == l.a {
		return op{code: fam.incr + numCompares + c, a: l.a, c: uint16(l.imm), imm: o.imm}, true
	}
	return op{}, false
}

// stepped joins a ← a + slot with the branch o to a loop.
func stepped(l, o op, fam family) (op, bool) {
	step := l.c
	if l.a != l.b {
		step = l.b
		if l.a != l.c {
			return op{}, false
		}
	}
	if c, ok := among(o.code, fam.branch, numCompares); ok {
		if c, limit, ok := compared(l.a, o, c); ok {
			return op{code: fam.step + c, a: l.a, b: limit, c: step}, true
		}
	}
	return op{}, false
}

// compared returns the comparison of the slot a with another one that the branch o with the
// comparison c is on.
func compared(a uint16, o op, c uint16) (uint16, uint16, bool) {
	switch {
	case o.b == a && o.c != a:
		return c, o.c, true
	case o.c == a && o.b != a:
		return exchanged[c], o.b, true
	}
	return 0, 0, false
}

// moved emits the moves of a branch that takes only numbers along, and gives where the branch
// leads.
func (f *fuser) moved(b *branch) {
	var ps []pending
	for i := uint16(0); i < b.numN; i++ {
		p, ok := f.find(b.srcN + i)
		if !ok {
			p = pending{local: b.srcN + i}
		}
		ps = append(ps, p)
	}
	f.flush(b.dstN)
	for i, p := range ps {
		if dst := b.dstN + uint16(i); p.const_ || p.wrap || p.local != dst {
			f.copyTo(dst, p)
		}
	}
}

// jumpMove takes a jump that takes operands along.
func (f *fuser) jumpMove(b *branch, index uint64, height uint16) {
	switch {
	case b.numR > 0:
		f.flush(height)
		f.emitFence(op{code: rMove, imm: index})
	case b.numN == 1 && f.returns(int(b.pc), b.srcN, b.dstN):
	default:
		f.moved(b)
		f.goTo(int(b.pc))
	}
	f.pending = f.pending[:0]
}

// branchMove takes a conditional branch that takes operands along.
func (f *fuser) branchMove(o op, height uint16) {
	cond := f.condition(o.a, true)
	f.flush(height - 1)
	skip := len(f.out)
	f.emitFence(cond)
	f.jumpMove(&f.c.branches[o.imm], o.imm, height-1)
	f.jumps = append(f.jumps, jump{at: skip, to: len(f.out), kind: toOp})
}

// table takes a br_table: the targets follow as jumps. Where operands go along, a target is a move.
func (f *fuser) table(o op, height uint16) {
	a := f.read32(o.a)
	f.flush(height - 1)
	first, n := o.imm>>32, uint64(uint32(o.imm))
	f.emitFence(op{code: rTable, a: a, imm: n - 1})
	at := len(f.out)
	for range n {
		f.emitFence(op{code: rJump})
	}
	for i := range n {
		b := &f.c.branches[first+i]
		if (b.numN == 0 || b.srcN == b.dstN) && (b.numR == 0 || b.srcR == b.dstR) {
			f.jumps = append(f.jumps, jump{at: at + int(i), to: int(b.pc), entry: true})
			continue
		}
		f.jumps = append(f.jumps, jump{at: at + int(i), to: len(f.out), kind: toOp, entry: true})
		f.emitFence(op{code: rMove, imm: first + i})
	}
}
