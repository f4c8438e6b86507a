package compile

import (
	"math"
	"slices"
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/fused"
	"stackscope/wasm"
	"unsafe"
)

// The fused form of a function does the same on the same slots in fewer ops, which have codes of
// their own (fused_codes.go). Within a stretch of code that is entered only at its start, copies of
// locals and constants to operand slots are put off: an op that reads such a slot reads the local,
// or has the constant in it, and the copy is never made; a result that goes to a local at once is
// written there; ops that feed one another become one (fuse_join.go), a comparison joins the branch
// on it (fuse_branch.go).
//
// At every place where something outside may look, or where execution can come from elsewhere (a
// call and what is after it, a branch target, a loop head, a switch), all slots are as in the
// baseline form. Frames keep baseline pcs, whatever form they run in; fusedAt leads from such a
// place to its op, fusedPC back.

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
	emitter
	pendings
	heights []uint16 // number slots in use before each instruction
	entry   []bool   // pcs where execution can come from elsewhere
}

// emitter holds the ops that are made, and finishes them.
type emitter struct {
	c     *code.Func
	pc    int // of the instruction that ops come from
	out   []code.Op
	pcs   []uint32
	first int // of the ops since execution could last come or go elsewhere
	jumps []jump
	tails []tail
}

// pendings are the operand slots whose values are deferred, by slot.
type pendings struct{ list []pending }

// jump is a fused op whose distance is to be set: to the op of a pc, or after the one of a loop,
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
func fuse(c *code.Func, f *fuser, heights []uint16) {
	*f = fuser{
		emitter:  emitter{c: c, out: f.out[:0], pcs: f.pcs[:0], jumps: f.jumps[:0], tails: f.tails[:0]},
		pendings: pendings{f.list[:0]}, heights: heights,
		entry: append(f.entry[:0], make([]bool, len(c.Baseline)+1)...),
	}
	f.entries()
	c.FusedAt = make([]uint32, len(c.Baseline))
	for pc := range c.Baseline {
		c.FusedAt[pc] = code.NoFused
	}
	for pc := range c.Baseline {
		f.pc = pc
		o := c.Baseline[pc]
		if o.Code == code.OpDead {
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
		o.Imm = o.Imm&^math.MaxUint32 | uint64(uint32(int32((f.lands(j)-j.at)*code.OpSize)))
	}
	for i := range c.Branches {
		b := &c.Branches[i]
		b.Fused = c.FusedAt[b.PC]
	}
	c.Fused, c.FusedPC = slices.Clone(f.out), slices.Clone(f.pcs)
	c.FusedBase, c.FusedPCs = unsafe.Pointer(unsafe.SliceData(c.Fused)), unsafe.Pointer(unsafe.SliceData(c.FusedPC))
	c.FusedAts = unsafe.Pointer(unsafe.SliceData(c.FusedAt))
	c.FindOps()
}

// lands returns the index of the op that a jump leads to.
func (e *emitter) lands(j jump) int {
	switch j.kind {
	case toOp:
		return j.to
	case toLoop:
		return int(e.c.FusedAt[j.to]) + 1
	}
	return int(e.c.FusedAt[j.to])
}

// entries finds where execution can come from elsewhere, besides calls, which see to themselves.
func (f *fuser) entries() {
	c := f.c
	f.entry[0] = true
	for pc := range c.Baseline {
		switch o := &c.Baseline[pc]; o.Code {
		case code.OpJump, code.OpBrIf, code.OpBrUnless:
			f.entry[f.target(pc)] = true
		case uint16(wasm.OpLoop):
			f.entry[pc] = true
		}
	}
	for i := range c.Branches {
		f.entry[c.Branches[i].PC] = true
	}
	for hs := range c.ClauseLists {
		for i := range hs {
			if hs[i].Leads() {
				f.entry[hs[i].PC] = true
			}
		}
	}
	for i := range c.Regions {
		for _, cl := range c.Regions[i].Catches {
			f.entry[cl.PC] = true
		}
	}
}

// target returns the pc that a jump of the baseline form leads to.
func (f *fuser) target(pc int) int { return pc + int(int64(f.c.Baseline[pc].Imm))/code.OpSize }

// mark makes the next op the one where execution at pc begins.
func (e *emitter) mark(pc int) {
	if pc < len(e.c.Baseline) {
		e.c.FusedAt[pc] = uint32(len(e.out))
	}
	e.first = len(e.out)
}

// emit adds an op.
func (e *emitter) emit(o code.Op) {
	if n := len(e.out) - 1; o.Code == fused.Mov && n >= e.first {
		switch l := &e.out[n]; l.Code {
		case fused.Mov:
			*l = code.Op{Code: fused.Mov2, A: l.A, B: l.B, C: o.A, Imm: uint64(o.B)}
			return
		case fused.Mov2:
			l.Code, l.Imm = fused.Mov3, l.Imm|uint64(o.A)<<16|uint64(o.B)<<32
			return
		}
	}
	e.out = append(e.out, o)
	e.pcs = append(e.pcs, uint32(e.pc))
}

// emitFence emits an op after which nothing may be moved back before it.
func (e *emitter) emitFence(o code.Op) {
	e.emit(o)
	e.first = len(e.out)
}

// discard forgets what was put off for slots from a height on: it has been popped.
func (p *pendings) discard(height uint16) {
	n := len(p.list)
	for n > 0 && p.list[n-1].slot >= height {
		n--
	}
	p.list = p.list[:n]
}

// copyTo emits what a value that was put off is, into a slot.
func (f *fuser) copyTo(slot uint16, p pending) {
	switch {
	case p.const_:
		f.emit(code.Op{Code: fused.Const, A: slot, Imm: p.imm})
	case p.wrap:
		f.emit(code.Op{Code: fused.I32WrapI64, A: slot, B: p.local})
	default:
		f.emit(code.Op{Code: fused.Mov, A: slot, B: p.local})
	}
}

// flush emits all that was put off below a height.
func (f *fuser) flush(height uint16) {
	f.discard(height)
	for _, p := range f.list {
		f.copyTo(p.slot, p)
	}
	f.list = f.list[:0]
}

// find returns what was put off for a slot.
func (p *pendings) find(slot uint16) (pending, bool) {
	for i := len(p.list) - 1; i >= 0 && p.list[i].slot >= slot; i-- {
		if p.list[i].slot == slot {
			return p.list[i], true
		}
	}
	return pending{}, false
}

// constant returns the constant in an operand slot, if it was put off.
func (p *pendings) constant(slot uint16) (uint64, bool) {
	x, ok := p.find(slot)
	return x.imm, ok && x.const_
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
	for _, p := range f.list {
		if !p.const_ && p.local == local {
			f.copyTo(p.slot, p)
			continue
		}
		f.list[n] = p
		n++
	}
	f.list = f.list[:n]
}

// result emits an op whose operands have been popped and whose result is in a.
func (f *fuser) result(o code.Op) {
	f.discard(o.A)
	f.emit(o)
}

// set copies an operand to a local (local.set, local.tee).
func (f *fuser) set(o code.Op) {
	tee := f.c.Body[f.pc].Op == wasm.OpLocalTee
	p, off := f.find(o.B)
	if !tee {
		f.discard(o.B)
	}
	if off {
		if p.const_ || p.wrap || p.local != o.A {
			f.spill(o.A)
			f.copyTo(o.A, p)
		}
		return
	}
	n := len(f.out) - 1
	if n < f.first || f.out[n].A != o.B || fused.Ops[f.out[n].Code].Roles&fused.RoleDst == 0 {
		f.spill(o.A)
		f.emit(code.Op{Code: fused.Mov, A: o.A, B: o.B})
		return
	}
	last, pc := f.out[n], f.pcs[n]
	f.out, f.pcs = f.out[:n], f.pcs[:n]
	f.spill(o.A) // of the old value: before the op
	last.A = o.A
	f.out, f.pcs = append(f.out, last), append(f.pcs, pc)
	if tee {
		f.list = append(f.list, pending{slot: o.B, local: o.A})
	}
}
