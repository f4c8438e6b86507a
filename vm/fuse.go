package vm

import (
	"math"
	"unsafe"

	"stackscope/wasm"
)

// The fast form of a function does the same on the same slots in fewer ops. Within a stretch of code
// that is entered only at its start, copies of locals and constants to operand slots are put off:
// an op that reads such a slot reads the local, or has the constant in it, and the copy is never made;
// a result that goes to a local at once is written there; a comparison joins the branch on it.
//
// At every place where something outside may look, or where execution can come from elsewhere (a
// call and what is behind it, a branch target, a loop head, a switch), all slots are as in the plain form. Frames
// keep plain pcs, whatever form they run in; fastAt leads from such a place to its op, fastPC back.

// noFast is the fastAt of a pc where the fast form cannot be entered.
const noFast = math.MaxUint32

// The ops with a constant and the comparisons with a branch, by instruction. The number of an i64
// instruction is that of the i32 one and 20.
const (
	immAdd = iota
	immMul
	immAnd
	immOr
	immXor
	immShl
	immShrS
	immShrU
	immRotl
	immEq
	immNe
	immLtS
	immLtU
	immGtS
	immGtU
	immLeS
	immLeU
	immGeS
	immGeU

	imm64 = 20
	// numbers of comparisons from 0 on: those above minus immEq
	cmp64 = 10
)

const (
	opImm    = opWideEnd + 1 // opImm + imm…: a ← b op imm
	opBrCmp  = opImm + 40    // opBrCmp + comparison: branch if b cmp c; distance in the low half of imm
	opBrCmpI = opBrCmp + 20  // opBrCmpI + comparison: branch if b cmp high half of imm, sign-extended
)

// immOf gives the number of an instruction in opImm, and whether its operands may be exchanged.
func immOf(op wasm.Op) (n uint16, commutes, ok bool) {
	switch op {
	case wasm.OpI32Add, wasm.OpI64Add:
		n, commutes = immAdd, true
	case wasm.OpI32Mul, wasm.OpI64Mul:
		n, commutes = immMul, true
	case wasm.OpI32And, wasm.OpI64And:
		n, commutes = immAnd, true
	case wasm.OpI32Or, wasm.OpI64Or:
		n, commutes = immOr, true
	case wasm.OpI32Xor, wasm.OpI64Xor:
		n, commutes = immXor, true
	case wasm.OpI32Shl, wasm.OpI64Shl:
		n = immShl
	case wasm.OpI32ShrS, wasm.OpI64ShrS:
		n = immShrS
	case wasm.OpI32ShrU, wasm.OpI64ShrU:
		n = immShrU
	case wasm.OpI32Rotl, wasm.OpI64Rotl:
		n = immRotl
	default:
		c, is64, ok := comparison(op)
		if is64 {
			c -= cmp64
		}
		n = immEq + c
		if is64 {
			n += imm64
		}
		return n, c <= 1, ok
	}
	if op >= wasm.OpI64Clz && op <= wasm.OpI64Rotr {
		n += imm64
	}
	return n, commutes, true
}

// comparison gives the number of an integer comparison.
func comparison(op wasm.Op) (n uint16, is64, ok bool) {
	switch {
	case op >= wasm.OpI32Eq && op <= wasm.OpI32GeU:
		return uint16(op - wasm.OpI32Eq), false, true
	case op >= wasm.OpI64Eq && op <= wasm.OpI64GeU:
		return uint16(op-wasm.OpI64Eq) + cmp64, true, true
	}
	return 0, false, false
}

// negated gives the opposite of comparisons eq, ne, lt_s, lt_u, gt_s, gt_u, le_s, le_u, ge_s, ge_u.
var negated = [10]uint16{1, 0, 8, 9, 6, 7, 4, 5, 2, 3}

// put is an operand slot whose value has been put off.
type put struct {
	slot   uint16
	const_ bool
	local  uint16
	imm    uint64
}

// fuser makes the fast form.
type fuser struct {
	c       *code
	heights []uint16 // number slots in use before each instruction
	entry   []bool   // pcs where execution can come from elsewhere
	off     []put    // put off, by slot
	out     []op
	pcs     []uint32
	last    int // the op emitted last if its result may still be moved elsewhere, else -1
	jumps   []jump
	pc      int
}

// jump is a fast op whose distance is to be set.
type jump struct{ at, to int }

// fuse makes the fast form of a function.
func (c *code) fuse(heights []uint16) {
	f := &fuser{c: c, heights: heights, entry: make([]bool, len(c.plain)+1), last: -1}
	f.entries()
	c.fastAt = make([]uint32, len(c.plain))
	for pc := range c.plain {
		c.fastAt[pc] = noFast
	}
	for pc := range c.plain {
		f.pc = pc
		o := c.plain[pc]
		if o.code == opDead {
			continue
		}
		f.prune(heights[pc])
		if f.entry[pc] {
			f.settle(heights[pc])
			c.fastAt[pc] = uint32(len(f.out))
		}
		f.op(o)
	}
	for _, j := range f.jumps {
		d := uint64(uint32(int32((int(c.fastAt[j.to]) - j.at) * opSize)))
		o := &f.out[j.at]
		if o.code >= opBrCmp {
			o.imm = o.imm&^math.MaxUint32 | d
		} else {
			o.imm = uint64(int64(int32(uint32(d))))
		}
	}
	for i := range c.branches {
		b := &c.branches[i]
		b.fast = c.fastAt[b.pc]
	}
	c.fast, c.fastPC = f.out, f.pcs
	c.fastBase, c.fastPCs = unsafe.Pointer(unsafe.SliceData(c.fast)), unsafe.Pointer(unsafe.SliceData(c.fastPC))
}

// entries finds where execution can come from elsewhere, besides calls, which see to themselves.
func (f *fuser) entries() {
	c := f.c
	f.entry[0] = true
	for pc := range c.plain {
		switch o := &c.plain[pc]; o.code {
		case opJump, opBrIf, opBrUnless:
			f.entry[pc+int(int64(o.imm))/opSize] = true
		case uint16(wasm.OpLoop):
			f.entry[pc] = true
		}
	}
	for i := range c.branches {
		f.entry[c.branches[i].pc] = true
	}
	for _, h := range c.clauses {
		f.entry[h.pc] = true
	}
	for i := range c.resumes {
		for _, h := range c.resumes[i].handlers {
			if !h.isSwitch && h.lands <= landsWith {
				f.entry[h.pc] = true
			}
		}
	}
	for i := range c.regions {
		for _, cl := range c.regions[i].clauses {
			f.entry[cl.pc] = true
		}
	}
}

// emit adds an op; movable tells that its result, in a, may be written elsewhere instead.
func (f *fuser) emit(o op, movable bool) {
	f.last = -1
	if movable {
		f.last = len(f.out)
	}
	f.out = append(f.out, o)
	f.pcs = append(f.pcs, uint32(f.pc))
}

// prune forgets what was put off for slots from a height on: it has been popped.
func (f *fuser) prune(height uint16) {
	n := len(f.off)
	for n > 0 && f.off[n-1].slot >= height {
		n--
	}
	f.off = f.off[:n]
}

// make emits what was put off for a slot.
func (f *fuser) make(p put) {
	if p.const_ {
		f.emit(op{code: opConst, a: p.slot, imm: p.imm}, false)
	} else {
		f.emit(op{code: opMovN, a: p.slot, b: p.local}, false)
	}
}

// settle emits all that was put off below a height.
func (f *fuser) settle(height uint16) {
	f.prune(height)
	for _, p := range f.off {
		f.make(p)
	}
	f.off = f.off[:0]
	f.last = -1
}

// find gives what was put off for a slot.
func (f *fuser) find(slot uint16) (put, bool) {
	for i := len(f.off) - 1; i >= 0 && f.off[i].slot >= slot; i-- {
		if f.off[i].slot == slot {
			return f.off[i], true
		}
	}
	return put{}, false
}

// read gives the slot to read in place of an operand slot; a constant is emitted.
func (f *fuser) read(slot uint16) uint16 {
	p, ok := f.find(slot)
	switch {
	case !ok:
		return slot
	case p.const_:
		f.make(p)
		return slot
	}
	return p.local
}

// release emits copies of a local that are put off, before the local changes; it tells whether there were any.
func (f *fuser) release(local uint16) bool {
	n := 0
	for _, p := range f.off {
		if !p.const_ && p.local == local {
			f.make(p)
			continue
		}
		f.off[n] = p
		n++
	}
	any := n < len(f.off)
	f.off = f.off[:n]
	return any
}

// op takes the next plain op.
func (f *fuser) op(o op) {
	height := f.heights[f.pc]
	switch in := wasm.Op(o.code); {
	case o.code == opEnd:
	case o.code == opMovN && uint32(o.b) < f.c.locNums:
		if uint32(o.a) < f.c.locNums { // cannot be: a copy goes from or to an operand
			f.emit(o, false)
			return
		}
		f.off = append(f.off, put{slot: o.a, local: o.b})
	case o.code == opMovN:
		f.set(o)
	case o.code == opConst:
		f.off = append(f.off, put{slot: o.a, const_: true, imm: o.imm})
	case o.code == opNumeric && len(wasm.Op(o.imm).Info().Params) == 1, in >= wasm.OpI32Eqz && in <= wasm.OpI64TruncSatF64U && len(in.Info().Params) == 1:
		o.b = f.read(o.b)
		f.result(o)
	case o.code == opNumeric:
		o.b, o.c = f.read(o.b), f.read(o.c)
		f.result(o)
	case in >= wasm.OpI32Eqz && in <= wasm.OpI64TruncSatF64U:
		f.binary(o, in)
	case in >= wasm.OpI32Load && in <= wasm.OpI64Load32U:
		o.b = f.read(o.b)
		f.result(o)
	case in >= wasm.OpI32Store && in <= wasm.OpI64Store32:
		o.a, o.b = f.read(o.a), f.read(o.b)
		f.prune(height - 2)
		f.emit(o, false)
	case o.code == opGlobalGetN:
		f.result(o)
	case o.code == opGlobalSetN:
		o.a = f.read(o.a)
		f.prune(height - 1)
		f.emit(o, false)
	case o.code == opBrIf || o.code == opBrUnless:
		f.branchIf(o, height)
	case o.code == opReturn && o.c == 1 && o.imm == 0:
		o.a = f.read(o.a)
		f.emit(o, false)
		f.off = f.off[:0]
	case o.code == opJump:
		f.settle(height)
		f.jumps = append(f.jumps, jump{len(f.out), f.pc + int(int64(o.imm))/opSize})
		f.emit(o, false)
	default: // calls and the like, which may be entered and left from elsewhere
		f.settle(height)
		f.c.fastAt[f.pc] = uint32(len(f.out))
		f.emit(o, false)
		if f.pc+1 < len(f.c.plain) {
			f.c.fastAt[f.pc+1] = uint32(len(f.out))
		}
	}
}

// result emits an op whose operands have been popped and whose result is in a.
func (f *fuser) result(o op) {
	f.prune(o.a)
	f.emit(o, true)
}

// set copies an operand to a local (local.set, local.tee).
func (f *fuser) set(o op) {
	tee := f.c.body[f.pc].Op == wasm.OpLocalTee
	p, off := f.find(o.b)
	if !tee {
		f.prune(o.b)
	}
	switch {
	case off && !p.const_ && p.local == o.a:
		return // to itself
	case off && p.const_:
		f.release(o.a)
		f.emit(op{code: opConst, a: o.a, imm: p.imm}, false)
		return
	case off:
		f.release(o.a)
		f.emit(op{code: opMovN, a: o.a, b: p.local}, false)
		return
	}
	last := f.last
	if f.release(o.a) || last < 0 || last != len(f.out)-1 || f.out[last].a != o.b {
		f.emit(o, false)
		return
	}
	f.out[last].a = o.a
	f.last = -1
	if tee {
		f.off = append(f.off, put{slot: o.b, local: o.a})
	}
}

// binary takes an op with two operands.
func (f *fuser) binary(o op, in wasm.Op) {
	x, xoff := f.find(o.b)
	y, yoff := f.find(o.c)
	if in == wasm.OpI32Sub && yoff && y.const_ {
		in, y.imm = wasm.OpI32Add, uint64(-uint32(y.imm))
	} else if in == wasm.OpI64Sub && yoff && y.const_ {
		in, y.imm = wasm.OpI64Add, -y.imm
	}
	n, commutes, ok := immOf(in)
	switch {
	case ok && yoff && y.const_:
		f.result(op{code: opImm + n, a: o.a, b: f.read(o.b), imm: y.imm})
	case ok && commutes && xoff && x.const_:
		f.result(op{code: opImm + n, a: o.a, b: f.read(o.c), imm: x.imm})
	default:
		o.b, o.c = f.read(o.b), f.read(o.c)
		f.result(o)
	}
}

// branchIf takes a conditional branch, with the comparison before it if there is one.
func (f *fuser) branchIf(o op, height uint16) {
	to := f.pc + int(int64(o.imm))/opSize
	o.imm = 0
	if i := f.last; i >= 0 && i == len(f.out)-1 && f.out[i].a == o.a {
		l := f.out[i]
		if fused, ok := fuseBranch(l, o.code == opBrUnless); ok {
			f.out, f.pcs = f.out[:i], f.pcs[:i]
			f.settle(height - 1)
			f.jumps = append(f.jumps, jump{len(f.out), to})
			f.emit(fused, false)
			return
		}
	}
	o.a = f.read(o.a)
	f.settle(height - 1)
	f.jumps = append(f.jumps, jump{len(f.out), to})
	f.emit(o, false)
}

// fuseBranch joins a comparison and the branch on its result, or the opposite of it.
func fuseBranch(l op, unless bool) (op, bool) {
	in := wasm.Op(l.code)
	if in == wasm.OpI32Eqz {
		if unless {
			return op{code: opBrIf, a: l.b}, true
		}
		return op{code: opBrUnless, a: l.b}, true
	}
	code, n, imm := opBrCmp, uint16(0), uint64(0)
	switch {
	case in == wasm.OpI64Eqz:
		code, n = opBrCmpI, cmp64
	case l.code >= opImm+immEq && l.code <= opImm+immGeU:
		code, n, imm = opBrCmpI, l.code-opImm-immEq, l.imm
	case l.code >= opImm+imm64+immEq && l.code <= opImm+imm64+immGeU:
		code, n, imm = opBrCmpI, l.code-opImm-imm64-immEq+cmp64, l.imm
		if int64(int32(uint32(imm))) != int64(imm) {
			return op{}, false
		}
	default:
		var ok bool
		if n, _, ok = comparison(in); !ok || l.code >= opImm {
			return op{}, false
		}
	}
	if unless {
		if n >= cmp64 {
			n = negated[n-cmp64] + cmp64
		} else {
			n = negated[n]
		}
	}
	return op{code: code + n, b: l.b, c: l.c, imm: imm << 32}, true
}
