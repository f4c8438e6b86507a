package vm

import (
	"math"
	"slices"
	"unsafe"

	"stackscope/wasm"
)

// The fused form of a function does the same on the same slots in fewer ops, which have codes of
// their own (fused_codes.go). Within a stretch of code that is entered only at its start, copies of
// locals and constants to operand slots are put off: an op that reads such a slot reads the local,
// or has the constant in it, and the copy is never made; a result that goes to a local at once is
// written there; ops that feed one another become one (fuse_join.go), a comparison joins the branch
// on it (fuse_branch.go).
//
// At every place where something outside may look, or where execution can come from elsewhere (a
// call and what is behind it, a branch target, a loop head, a switch), all slots are as in the
// baseline form. Frames keep baseline pcs, whatever form they run in; fusedAt leads from such a
// place to its op, fusedPC back.

// noFused is the fastAt of a pc where the fused form cannot be entered.
const noFused = math.MaxUint32

// pending is an operand slot whose value has been put off.
type pending struct {
	slot   uint16
	const_ bool
	wrap   bool // the low half of the local, an i64: the slot is an i32
	local  uint16
	imm    uint64
}

// fuser makes the fused form.
type fuser struct {
	c       *code
	heights []uint16  // number slots in use before each instruction
	entry   []bool    // pcs where execution can come from elsewhere
	pending []pending // put off, by slot
	out     []op
	pcs     []uint32
	first   int // of the ops since execution could last come or go elsewhere
	jumps   []jump
	tails   []tail
	pc      int
}

// jump is a fused op whose distance is to be set: to the op of a pc, or behind the one of a loop,
// or to an op.
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

// fuse makes the fused form of a function, in the memory of a fuser that is no longer in use.
func (c *code) fuse(f *fuser, heights []uint16) {
	*f = fuser{
		c: c, heights: heights, pending: f.pending[:0], out: f.out[:0], pcs: f.pcs[:0],
		jumps: f.jumps[:0], tails: f.tails[:0],
		entry: append(f.entry[:0], make([]bool, len(c.baseline)+1)...),
	}
	f.entries()
	c.fusedAt = make([]uint32, len(c.baseline))
	for pc := range c.baseline {
		c.fusedAt[pc] = noFused
	}
	for pc := range c.baseline {
		f.pc = pc
		o := c.baseline[pc]
		if o.code == opDead {
			continue
		}
		f.discard(heights[pc])
		if f.entry[pc] {
			f.flush(heights[pc])
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
		b.fused = c.fusedAt[b.pc]
	}
	c.fused, c.fusedPC = slices.Clone(f.out), slices.Clone(f.pcs)
	c.fusedBase, c.fusedPCs = unsafe.Pointer(unsafe.SliceData(c.fused)), unsafe.Pointer(unsafe.SliceData(c.fusedPC))
	c.fusedAts = unsafe.Pointer(unsafe.SliceData(c.fusedAt))
	c.findOps(c.entryClauses)
	for i := range c.points {
		c.findOps(c.points[i].clauses)
	}
}

// findOps tells clauses the ops where they go on.
func (c *code) findOps(hs []handlerClause) {
	for i := range hs {
		if h := &hs[i]; h.leads() && c.fusedAt[h.pc] != noFused {
			h.op = opAt(c.fusedBase, c.fusedAt[h.pc])
			h.directJump = h.target <= targetNext && h.savedN|h.savedR == 0
		}
	}
}

// lands returns the index of the op that a jump leads to.
func (f *fuser) lands(j jump) int {
	switch j.kind {
	case toOp:
		return j.to
	case toLoop:
		return int(f.c.fusedAt[j.to]) + 1
	}
	return int(f.c.fusedAt[j.to])
}

// leads reports whether a clause leads to its pc in the function that it is in.
func (h *handlerClause) leads() bool { return !h.isSwitch && h.target != targetEntry }

// entries finds where execution can come from elsewhere, besides calls, which see to themselves.
func (f *fuser) entries() {
	c := f.c
	f.entry[0] = true
	for pc := range c.baseline {
		switch o := &c.baseline[pc]; o.code {
		case opJump, opBrIf, opBrUnless:
			f.entry[f.target(pc)] = true
		case uint16(wasm.OpLoop):
			f.entry[pc] = true
		}
	}
	for i := range c.branches {
		f.entry[c.branches[i].pc] = true
	}
	for _, h := range c.entryClauses {
		f.entry[h.pc] = true
	}
	for i := range c.points {
		for _, h := range c.points[i].clauses {
			if h.leads() {
				f.entry[h.pc] = true
			}
		}
	}
	for i := range c.regions {
		for _, cl := range c.regions[i].catches {
			f.entry[cl.pc] = true
		}
	}
}

// target returns the pc that a jump of the baseline form leads to.
func (f *fuser) target(pc int) int { return pc + int(int64(f.c.baseline[pc].imm))/opSize }

// mark makes the next op the one where execution at pc begins.
func (f *fuser) mark(pc int) {
	if pc < len(f.c.baseline) {
		f.c.fusedAt[pc] = uint32(len(f.out))
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

// emitFence emits an op after which nothing may be moved back before it.
func (f *fuser) emitFence(o op) {
	f.emit(o)
	f.first = len(f.out)
}

// discard forgets what was put off for slots from a height on: it has been popped.
func (f *fuser) discard(height uint16) {
	n := len(f.pending)
	for n > 0 && f.pending[n-1].slot >= height {
		n--
	}
	f.pending = f.pending[:n]
}

// copyTo emits what a value that was put off is, into a slot.
func (f *fuser) copyTo(slot uint16, p pending) {
	switch {
	case p.const_:
		f.emit(op{code: rConst, a: slot, imm: p.imm})
	case p.wrap:
		f.emit(op{code: rI32WrapI64, a: slot, b: p.local})
	default:
		f.emit(op{code: rMov, a: slot, b: p.local})
	}
}

// flush emits all that was put off below a height.
func (f *fuser) flush(height uint16) {
	f.discard(height)
	for _, p := range f.pending {
		f.copyTo(p.slot, p)
	}
	f.pending = f.pending[:0]
}

// find returns what was put off for a slot.
func (f *fuser) find(slot uint16) (pending, bool) {
	for i := len(f.pending) - 1; i >= 0 && f.pending[i].slot >= slot; i-- {
		if f.pending[i].slot == slot {
			return f.pending[i], true
		}
	}
	return pending{}, false
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

// spill emits copies of a local that are put off, before the local changes.
func (f *fuser) spill(local uint16) {
	n := 0
	for _, p := range f.pending {
		if !p.const_ && p.local == local {
			f.copyTo(p.slot, p)
			continue
		}
		f.pending[n] = p
		n++
	}
	f.pending = f.pending[:n]
}

// result emits an op whose operands have been popped and whose result is in a.
func (f *fuser) result(o op) {
	f.discard(o.a)
	f.emit(o)
}

// set copies an operand to a local (local.set, local.tee).
func (f *fuser) set(o op) {
	tee := f.c.body[f.pc].Op == wasm.OpLocalTee
	p, off := f.find(o.b)
	if !tee {
		f.discard(o.b)
	}
	if off {
		if p.const_ || p.wrap || p.local != o.a {
			f.spill(o.a)
			f.copyTo(o.a, p)
		}
		return
	}
	n := len(f.out) - 1
	if n < f.first || f.out[n].a != o.b || fusedOps[f.out[n].code].roles&roleDst == 0 {
		f.spill(o.a)
		f.emit(op{code: rMov, a: o.a, b: o.b})
		return
	}
	last, pc := f.out[n], f.pcs[n]
	f.out, f.pcs = f.out[:n], f.pcs[:n]
	f.spill(o.a) // of the old value: before the op
	last.a = o.a
	f.out, f.pcs = append(f.out, last), append(f.pcs, pc)
	if tee {
		f.pending = append(f.pending, pending{slot: o.b, local: o.a})
	}
}
