package vm

import (
	"math"
	"slices"
	"unsafe"

	"stackscope/wasm"
)

// The fast form of a function does the same on the same slots in fewer ops, which have codes of
// their own (fast_codes.go). Within a stretch of code that is entered only at its start, copies of
// locals and constants to operand slots are put off: an op that reads such a slot reads the local,
// or has the constant in it, and the copy is never made; a result that goes to a local at once is
// written there; ops that feed one another become one (fuse_join.go), a comparison joins the branch
// on it (fuse_branch.go).
//
// At every place where something outside may look, or where execution can come from elsewhere (a
// call and what is behind it, a branch target, a loop head, a switch), all slots are as in the
// plain form. Frames keep plain pcs, whatever form they run in; fastAt leads from such a place to
// its op, fastPC back.

// noFast is the fastAt of a pc where the fast form cannot be entered.
const noFast = math.MaxUint32

// put is an operand slot whose value has been put off.
type put struct {
	slot   uint16
	const_ bool
	wrap   bool // the low half of the local, an i64: the slot is an i32
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
	first   int // of the ops since execution could last come or go elsewhere
	jumps   []jump
	tails   []tail
	pc      int
}

// jump is a fast op whose distance is to be set: to the op of a pc, or behind the one of a loop, or
// to an op.
type jump struct {
	at, to int
	kind   jumpKind
	entry  bool // of a table: it stays where it is
}

type jumpKind uint8

const (
	toPC jumpKind = iota
	toLoop
	toOp
)

// fuse makes the fast form of a function, in the memory of a fuser that is no longer in use.
func (c *code) fuse(f *fuser, heights []uint16) {
	*f = fuser{
		c: c, heights: heights, off: f.off[:0], out: f.out[:0], pcs: f.pcs[:0],
		jumps: f.jumps[:0], tails: f.tails[:0],
		entry: append(f.entry[:0], make([]bool, len(c.plain)+1)...),
	}
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
			f.mark(pc)
		}
		f.op(o)
	}
	f.shorten()
	for _, j := range f.jumps {
		o := &f.out[j.at]
		o.imm = o.imm&^math.MaxUint32 | uint64(uint32(int32((f.lands(j)-j.at)*opSize)))
	}
	for i := range c.branches {
		b := &c.branches[i]
		b.fast = c.fastAt[b.pc]
	}
	c.fast, c.fastPC = slices.Clone(f.out), slices.Clone(f.pcs)
	c.fastBase, c.fastPCs = unsafe.Pointer(unsafe.SliceData(c.fast)), unsafe.Pointer(unsafe.SliceData(c.fastPC))
	c.fastAts = unsafe.Pointer(unsafe.SliceData(c.fastAt))
	c.findOps(c.clauses)
	for i := range c.resumes {
		c.findOps(c.resumes[i].handlers)
	}
}

// findOps tells clauses the ops where they go on.
func (c *code) findOps(hs []handler) {
	for i := range hs {
		if h := &hs[i]; h.leads() && c.fastAt[h.pc] != noFast {
			h.at = opAt(c.fastBase, c.fastAt[h.pc])
			h.straight = h.lands <= landsOwn && h.savedN|h.savedR == 0
		}
	}
}

// lands returns the index of the op that a jump leads to.
func (f *fuser) lands(j jump) int {
	switch j.kind {
	case toOp:
		return j.to
	case toLoop:
		return int(f.c.fastAt[j.to]) + 1
	}
	return int(f.c.fastAt[j.to])
}

// leads reports whether a clause leads to its pc in the function that it is in.
func (h *handler) leads() bool { return !h.isSwitch && h.lands != landsEntry }

// entries finds where execution can come from elsewhere, besides calls, which see to themselves.
func (f *fuser) entries() {
	c := f.c
	f.entry[0] = true
	for pc := range c.plain {
		switch o := &c.plain[pc]; o.code {
		case opJump, opBrIf, opBrUnless:
			f.entry[f.target(pc)] = true
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
			if h.leads() {
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

// target returns the pc that a jump of the plain form leads to.
func (f *fuser) target(pc int) int { return pc + int(int64(f.c.plain[pc].imm))/opSize }

// mark makes the next op the one where execution at pc begins.
func (f *fuser) mark(pc int) {
	if pc < len(f.c.plain) {
		f.c.fastAt[pc] = uint32(len(f.out))
	}
	f.first = len(f.out)
}

// emit adds an op.
func (f *fuser) emit(o op) {
	if n := len(f.out) - 1; o.code == rMov && n >= f.first {
		switch l := &f.out[n]; l.code {
		case rMov:
			*l = op{code: rMov2, a: l.a, b: l.b, c: o.a, imm: uint64(o.b)}
			return
		case rMov2:
			l.code, l.imm = rMov3, l.imm|uint64(o.a)<<16|uint64(o.b)<<32
			return
		}
	}
	f.out = append(f.out, o)
	f.pcs = append(f.pcs, uint32(f.pc))
}

// part emits an op after which nothing may be moved back before it.
func (f *fuser) part(o op) {
	f.emit(o)
	f.first = len(f.out)
}

// prune forgets what was put off for slots from a height on: it has been popped.
func (f *fuser) prune(height uint16) {
	n := len(f.off)
	for n > 0 && f.off[n-1].slot >= height {
		n--
	}
	f.off = f.off[:n]
}

// copyTo emits what a value that was put off is, into a slot.
func (f *fuser) copyTo(slot uint16, p put) {
	switch {
	case p.const_:
		f.emit(op{code: rConst, a: slot, imm: p.imm})
	case p.wrap:
		f.emit(op{code: rI32WrapI64, a: slot, b: p.local})
	default:
		f.emit(op{code: rMov, a: slot, b: p.local})
	}
}

// settle emits all that was put off below a height.
func (f *fuser) settle(height uint16) {
	f.prune(height)
	for _, p := range f.off {
		f.copyTo(p.slot, p)
	}
	f.off = f.off[:0]
}

// find returns what was put off for a slot.
func (f *fuser) find(slot uint16) (put, bool) {
	for i := len(f.off) - 1; i >= 0 && f.off[i].slot >= slot; i-- {
		if f.off[i].slot == slot {
			return f.off[i], true
		}
	}
	return put{}, false
}

// constant returns the constant in an operand slot, if it was put off.
func (f *fuser) constant(slot uint16) (uint64, bool) {
	p, ok := f.find(slot)
	return p.imm, ok && p.const_
}

// read returns the slot to read in place of an operand slot; a constant is emitted.
func (f *fuser) read(slot uint16) uint16 {
	p, ok := f.find(slot)
	if !ok {
		return slot
	}
	if p.const_ || p.wrap {
		f.copyTo(slot, p)
		return slot
	}
	return p.local
}

// read32 is read for an op that looks at the low half only.
func (f *fuser) read32(slot uint16) uint16 {
	if p, ok := f.find(slot); ok && p.wrap {
		return p.local
	}
	return f.read(slot)
}

// release emits copies of a local that are put off, before the local changes.
func (f *fuser) release(local uint16) {
	n := 0
	for _, p := range f.off {
		if !p.const_ && p.local == local {
			f.copyTo(p.slot, p)
			continue
		}
		f.off[n] = p
		n++
	}
	f.off = f.off[:n]
}

// result emits an op whose operands have been popped and whose result is in a.
func (f *fuser) result(o op) {
	f.prune(o.a)
	f.emit(o)
}

// set copies an operand to a local (local.set, local.tee).
func (f *fuser) set(o op) {
	tee := f.c.body[f.pc].Op == wasm.OpLocalTee
	p, off := f.find(o.b)
	if !tee {
		f.prune(o.b)
	}
	if off {
		if p.const_ || p.wrap || p.local != o.a {
			f.release(o.a)
			f.copyTo(o.a, p)
		}
		return
	}
	n := len(f.out) - 1
	if n < f.first || f.out[n].a != o.b || fastOps[f.out[n].code].roles&roleDst == 0 {
		f.release(o.a)
		f.emit(op{code: rMov, a: o.a, b: o.b})
		return
	}
	last, pc := f.out[n], f.pcs[n]
	f.out, f.pcs = f.out[:n], f.pcs[:n]
	f.release(o.a) // of the old value: before the op
	last.a = o.a
	f.out, f.pcs = append(f.out, last), append(f.pcs, pc)
	if tee {
		f.off = append(f.off, put{slot: o.b, local: o.a})
	}
}
