package compile

import (
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/fused"
	"stackscope/wasm"
)

// A branch to a loop's head is a safe point: it has a code of its own, does what the head does, and
// lands after it. The pc of such an op is the head's, where the frame stands if it stops there.

const toBack = fused.JumpBack - fused.Jump // from a branch's code to the one that leads to a loop

// isLoop reports whether a pc is a loop's head that has been met.
func (f *fuser) isLoop(pc int) bool {
	return pc <= f.pc && f.c.Baseline[pc].Code == uint16(wasm.OpLoop)
}

// leap emits a branch to a pc.
func (f *fuser) leap(o code.Op, to int) {
	kind, at := toPC, f.pc
	if f.isLoop(to) {
		kind, f.pc = toLoop, to
		if o.Code < fused.JumpBack {
			o.Code += toBack
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
	for f.c.Baseline[pc].Code == code.OpEnd {
		pc++
	}
	o := f.c.Baseline[pc]
	if o.Code != code.OpReturn || o.Imm != 0 || o.C > 1 || o.C == 1 && src != dst && o.A != dst {
		return false
	}
	at := f.pc
	f.pc = pc
	switch {
	case o.C == 0:
		f.emitFence(code.Op{Code: fused.Ret0})
	case src != dst:
		f.ret(src, o.A)
	default:
		f.ret(o.A, o.A)
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
			if opcode, ok := fam.returning(l.Code); ok {
				f.remove(n)
				l.Code, l.A = opcode, dst
				f.emitFence(l)
				return
			}
		}
	}
	f.emitFence(code.Op{Code: fused.Ret1, A: dst, B: f.read(src)})
}

// returning returns the code of an operator whose result is returned.
func (fam family) returning(opcode uint16) (uint16, bool) {
	if k, ok := among(opcode, fam.two, binEq); ok {
		return fam.ret + k, true
	}
	k, ok := among(opcode, fam.constant, binEq)
	return fam.retConstant + k, ok
}

// jump takes a jump that moves nothing.
func (f *fuser) jump(height uint16) {
	to := f.target(f.pc)
	if f.returns(to, 0, 0) {
		f.list = f.list[:0]
		return
	}
	f.flush(height)
	f.goTo(to)
}

// goTo emits a jump. A loop that begins with a conditional branch out of it gets the opposite
// branch here instead.
func (f *fuser) goTo(to int) {
	if f.isLoop(to) {
		head := int(f.c.FusedAt[to]) + 1
		if head < len(f.out) {
			if opcode, ok := opposite(f.out[head].Code); ok {
				for _, j := range f.jumps {
					if j.at != head || j.kind == toLoop {
						continue
					}
					at := f.pc
					f.pc = to
					again := f.out[head]
					again.Code = opcode + toBack
					f.counted(&again)
					f.jumps = append(
						f.jumps, jump{at: len(f.out), to: head + 1, kind: toOp},
						jump{at: len(f.out) + 1, to: j.to, kind: j.kind},
					)
					f.emitFence(again)
					// the head's branch may as well lead into the loop: a safe point too
					f.emitFence(code.Op{Code: fused.JumpBack})
					f.pc = at
					return
				}
			}
		}
	}
	f.leap(code.Op{Code: fused.Jump}, to)
}

// compareRows are the rows of branches on comparisons of integers: by width, with two slots or a
// constant.
var compareRows = [4]uint16{fused.BrI32Eq, fused.BrI32EqK, fused.BrI64Eq, fused.BrI64EqK}

// opposite returns the code of the branch on the opposite condition of one that does not lead to a
// loop.
func opposite(opcode uint16) (uint16, bool) {
	for _, row := range compareRows {
		if c, ok := among(opcode, row, numCompares); ok {
			return row + negated[c], true
		}
	}
	const floats = 6
	for _, rows := range [2][2]uint16{{fused.BrF32Eq, fused.BrNotF32Eq}, {fused.BrF64Eq, fused.BrNotF64Eq}} {
		for i := range rows {
			if c, ok := among(opcode, rows[i], floats); ok {
				return rows[1-i] + c, true
			}
		}
	}
	switch opcode {
	case fused.BrI32Test:
		return fused.BrI32TestNot, true
	case fused.BrI32TestNot:
		return fused.BrI32Test, true
	case fused.BrI64Test:
		return fused.BrI64TestNot, true
	case fused.BrI64TestNot:
		return fused.BrI64Test, true
	}
	return 0, false
}

// condition returns the branch on an operand slot, joined with what made it; the operand is popped.
func (f *fuser) condition(slot uint16, unless bool) code.Op {
	o, ok := code.Op{}, false
	if i := f.producer(slot); i >= 0 {
		if o, ok = branchOn(f.out[i]); ok {
			f.remove(i)
		}
	}
	if !ok {
		o = code.Op{Code: fused.BrI32NeK, B: f.read32(slot)}
	}
	if unless {
		o.Code, _ = opposite(o.Code)
	}
	return o
}

// branchOn returns the branch on a comparison.
func branchOn(l code.Op) (code.Op, bool) {
	const floats = 6
	if c, ok := among(l.Code, fused.I32Add+binEq, numCompares); ok {
		return code.Op{Code: fused.BrI32Eq + c, B: l.B, C: l.C}, true
	}
	if c, ok := among(l.Code, fused.I64Add+binEq, numCompares); ok {
		return code.Op{Code: fused.BrI64Eq + c, B: l.B, C: l.C}, true
	}
	if c, ok := among(l.Code, fused.I32AddK+binEq, numCompares); ok {
		return code.Op{Code: fused.BrI32EqK + c, B: l.B, Imm: l.Imm << 32}, true
	}
	if c, ok := among(l.Code, fused.I64AddK+binEq, numCompares); ok && fits32(l.Imm) {
		return code.Op{Code: fused.BrI64EqK + c, B: l.B, Imm: l.Imm << 32}, true
	}
	if c, ok := among(l.Code, fused.F32Eq, floats); ok {
		return code.Op{Code: fused.BrF32Eq + c, B: l.B, C: l.C}, true
	}
	if c, ok := among(l.Code, fused.F64Eq, floats); ok {
		return code.Op{Code: fused.BrF64Eq + c, B: l.B, C: l.C}, true
	}
	switch {
	case l.Code == fused.I32Eqz:
		return code.Op{Code: fused.BrI32EqK, B: l.B}, true
	case l.Code == fused.I64Eqz:
		return code.Op{Code: fused.BrI64EqK, B: l.B}, true
	case l.Code == fused.I32AddK+binAnd:
		return code.Op{Code: fused.BrI32Test, B: l.B, Imm: l.Imm << 32}, true
	}
	return code.Op{}, false
}

// fits32 reports whether a number is the sign extension of its low half.
func fits32(x uint64) bool { return uint64(int64(int32(uint32(x)))) == x }

// branchIf takes a conditional branch to a pc that moves nothing.
func (f *fuser) branchIf(slot uint16, unless bool, to int, height uint16) {
	o := f.condition(slot, unless)
	f.flush(height - 1)
	if f.isLoop(to) {
		o.Code += toBack
		f.counted(&o)
	}
	f.leap(o, to)
}

// counted joins a branch to a loop with the addition of a constant to what it compares, if that
// comes right before.
func (f *fuser) counted(o *code.Op) {
	n := len(f.out) - 1
	if n < f.first {
		return
	}
	l := f.out[n]
	for w, fam := range families {
		fused, ok := code.Op{}, false
		switch l.Code {
		case fam.two + binAdd:
			fused, ok = stepped(l, *o, fam)
		case fam.constant + binAdd:
			inc := int64(l.Imm)
			if w == 0 {
				inc = int64(int32(uint32(l.Imm)))
			}
			if l.A == l.B && inc == int64(int16(inc)) {
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
func incremented(l, o code.Op, fam family) (code.Op, bool) {
	if c, ok := among(o.Code, fam.branch, numCompares); ok {
		if c, limit, ok := compared(l.A, o, c); ok {
			return code.Op{Code: fam.incr + c, A: l.A, B: limit, C: uint16(l.Imm)}, true
		}
	} else if c, ok := among(o.Code, fam.branch+numCompares, numCompares); ok && o.B == l.A {
		return code.Op{Code: fam.incr + numCompares + c, A: l.A, C: uint16(l.Imm), Imm: o.Imm}, true
	}
	return code.Op{}, false
}

// stepped joins a ← a + slot with the branch o to a loop.
func stepped(l, o code.Op, fam family) (code.Op, bool) {
	step := l.C
	if l.A != l.B {
		step = l.B
		if l.A != l.C {
			return code.Op{}, false
		}
	}
	if c, ok := among(o.Code, fam.branch, numCompares); ok {
		if c, limit, ok := compared(l.A, o, c); ok {
			return code.Op{Code: fam.step + c, A: l.A, B: limit, C: step}, true
		}
	}
	return code.Op{}, false
}

// compared returns the comparison of the slot a with another one that the branch o with the
// comparison c is on.
func compared(a uint16, o code.Op, c uint16) (uint16, uint16, bool) {
	switch {
	case o.B == a && o.C != a:
		return c, o.C, true
	case o.C == a && o.B != a:
		return exchanged[c], o.B, true
	}
	return 0, 0, false
}

// moved emits the moves of a branch that takes only numbers along, and returns where the branch
// leads.
func (f *fuser) moved(b *code.Branch) {
	var ps []pending
	for i := uint16(0); i < b.NumN; i++ {
		p, ok := f.find(b.SrcN + i)
		if !ok {
			p = pending{local: b.SrcN + i}
		}
		ps = append(ps, p)
	}
	f.flush(b.DstN)
	for i, p := range ps {
		if dst := b.DstN + uint16(i); p.const_ || p.wrap || p.local != dst {
			f.copyTo(dst, p)
		}
	}
}

// jumpMove takes a jump that takes operands along.
func (f *fuser) jumpMove(b *code.Branch, index uint64, height uint16) {
	switch {
	case b.NumR > 0:
		f.flush(height)
		f.emitFence(code.Op{Code: fused.Move, Imm: index})
	case b.NumN == 1 && f.returns(int(b.PC), b.SrcN, b.DstN):
	default:
		f.moved(b)
		f.goTo(int(b.PC))
	}
	f.list = f.list[:0]
}

// branchMove takes a conditional branch that takes operands along.
func (f *fuser) branchMove(o code.Op, height uint16) {
	cond := f.condition(o.A, true)
	f.flush(height - 1)
	skip := len(f.out)
	f.emitFence(cond)
	f.jumpMove(&f.c.Branches[o.Imm], o.Imm, height-1)
	f.jumps = append(f.jumps, jump{at: skip, to: len(f.out), kind: toOp})
}

// table takes a br_table: the targets follow as jumps. Where operands go along, a target is a move.
func (f *fuser) table(o code.Op, height uint16) {
	a := f.read32(o.A)
	f.flush(height - 1)
	first, n := o.Imm>>32, uint64(uint32(o.Imm))
	f.emitFence(code.Op{Code: fused.Table, A: a, Imm: n - 1})
	at := len(f.out)
	for range n {
		f.emitFence(code.Op{Code: fused.Jump})
	}
	for i := range n {
		b := &f.c.Branches[first+i]
		if (b.NumN == 0 || b.SrcN == b.DstN) && (b.NumR == 0 || b.SrcR == b.DstR) {
			f.jumps = append(f.jumps, jump{at: at + int(i), to: int(b.PC), entry: true})
			continue
		}
		f.jumps = append(f.jumps, jump{at: at + int(i), to: len(f.out), kind: toOp, entry: true})
		f.emitFence(code.Op{Code: fused.Move, Imm: first + i})
	}
}
