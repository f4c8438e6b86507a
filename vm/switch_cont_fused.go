package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/fused"
	"stackscope/wasm"
	"unsafe"
)

// The switches out of the fused form: those with references that are good once, of the dialects
// cont and stacks; switch_event_fused.go has those of the others, switch_new_fused.go what makes
// and ends these. They do what the functions of switch_cont.go and its neighbours do, for the case
// that is common: nothing traps, nobody observes (a recorder may), no stack is to be made whose
// storage is not at hand. They give the stack that goes on, its innermost frame, whose pc is what
// comes next, and the op of it if that is known. Where they give no stack nothing has changed, and
// the baseline form does it. Machine.cur is set when the loop is left.
//
// What bounds a switch is not the number of its instructions but the longest chain of loads that
// lead from one to the next. Therefore a suspended stack and a handler know the op where they go
// on; a stack, frame, function, code, table of ops, op would be six loads, each waiting for the one
// before.

//go:noinline
func (v *vars) fusedResume(m *Machine, o *code.Op) (*Stack, *frame, *code.Op) {
	s := v.s
	cr := v.r.at(o.C)
	t := cr.asStack()
	if t == nil || t.generation != cr.aux || m.observer != nil {
		return nil, nil, nil
	}
	leaf := t
	if t.leaf != nil {
		leaf = t.leaf
		t.leaf = nil
	}
	pc := uint32(o.Imm >> 32)
	v.fr.pc = pc
	if o.Imm&(1<<(2*code.PassBits)-1) != 0 {
		v.copyArgs(o, leaf)
	}
	*cr = Ref{}
	s.state = StackWaiting
	s.frames = s.frames[:v.depth]
	t.resumes++
	t.parent = s
	if on := &v.inst.clauses[uint32(o.Imm)>>(2*code.PassBits)]; t.resumeTable != on {
		t.resumeTable = on
	}
	if r := m.recorder; r != nil {
		return r.recordResumed(t, leaf, s, v.fr.fn, pc)
	}
	return m.resumeLeaf(t, leaf)
}

// resumeLeaf makes the leaf of a segment that has been linked run.
func (m *Machine) resumeLeaf(t, leaf *Stack) (*Stack, *frame, *code.Op) {
	t.generation++
	fr := leaf.last()
	if leaf.state != StackNew {
		fr.pc++
	} else if leaf.pending == entering {
		leaf.pending = 0
	}
	leaf.state, leaf.recvR = StackRunning, 0
	m.stats.Switches++
	return leaf, fr, leaf.at
}

// last is top without a check.
func (s *storage) last() *frame {
	return (*frame)(
		unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.frames)), (uintptr(len(s.frames))-1)*unsafe.Sizeof(frame{})),
	)
}

// copyArgs moves the arguments of a resume or switch to where the leaf gets them.
func (v *vars) copyArgs(o *code.Op, leaf *Stack) {
	if nn := uint16(o.Imm) & (1<<code.PassBits - 1); nn > 0 {
		to := leaf.numsAt(leaf.recvN)
		for i := uint16(0); i < nn; i++ {
			to.set(i, v.f.u64(o.A+i))
		}
	}
	if nr := uint16(o.Imm>>code.PassBits) & (1<<code.PassBits - 1); nr > 0 {
		to := leaf.refsAt(leaf.recvR)
		for i := uint16(0); i < nr; i++ {
			*to.at(i) = *v.r.at(o.B + i)
			*v.r.at(o.B + i) = Ref{}
		}
	}
}

//go:noinline
func (v *vars) fusedSuspend(m *Machine, o *code.Op) (*Stack, *frame, *code.Op) {
	s := v.s
	if m.aside || m.barriers {
		return nil, nil, nil
	}
	tag := v.inst.tags[uint32(o.Imm)]
	head, p := s, s.parent
	var h *code.HandlerClause
	for {
		if p == nil || head.resumeTable == nil {
			return nil, nil, nil
		}
		if head.resumeTable.tag == tag {
			h = &head.resumeTable.first
			break
		}
		if len(head.resumeTable.others.few) > 0 {
			if h = head.resumeTable.lookupFew(tag); h != nil {
				break
			}
			if h = head.resumeTable.others.many.find(tag); h != nil {
				break
			}
		}
		head, p = p, p.parent
	}
	fr, pc := v.fr, uint32(o.Imm>>32)
	fr.pc = pc
	pf := p.last()
	if tag.parNums > 0 {
		to := p.numsAt(pf.numBase + uint32(h.DstN))
		to.set(0, v.f.u64(o.A))
		for i := uint16(1); i < uint16(tag.parNums); i++ {
			to.set(i, v.f.u64(o.A+i))
		}
	}
	rto := p.refsAt(pf.refBase + uint32(h.DstR))
	nr := uint16(tag.parRefs)
	for i := uint16(0); i < nr; i++ {
		*rto.at(i) = *v.r.at(o.B + i)
		*v.r.at(o.B + i) = Ref{}
	}
	*rto.at(nr) = Ref{&head.object, head.generation}
	v.suspendLeaf(head, s, fr, o, tag)
	pf.pc = h.PC
	p.state = StackRunning
	m.stats.Switches++
	if r := m.recorder; r != nil {
		return r.recordSuspended(head, p, fr.fn, pc, tag, pf, h.Op)
	}
	return p, pf, h.Op
}

// suspendLeaf is detach for the frame of v.
func (v *vars) suspendLeaf(head, s *Stack, fr *frame, o *code.Op, tag *Tag) {
	s.frames = s.frames[:v.depth]
	s.recvN, s.recvR = fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	s.state = StackSuspended
	if at := code.Next(o); s.tag != tag || s.at != at {
		s.tag, s.at = tag, at
	}
	head.parent = nil
	if head != s {
		head.leaf = s
	}
}

//go:noinline
func (v *vars) fusedSwitch(m *Machine, o *code.Op) (*Stack, *frame, *code.Op) {
	s, fr := v.s, v.fr
	cr := v.r.at(o.C)
	t := cr.asStack()
	if t == nil || t.generation != cr.aux || m.observer != nil || m.barriers {
		return nil, nil, nil
	}
	tag := v.inst.tags[uint32(o.Imm)>>(2*code.PassBits)]
	head, p := s, s.parent
search:
	for {
		if p == nil || head.resumeTable == nil {
			return nil, nil, nil
		}
		xs := &head.resumeTable.switches
		for i := range xs.few {
			if xs.few[i].tag == tag {
				break search
			}
		}
		if len(xs.few) > 0 && xs.many.find(tag) != nil {
			break
		}
		head, p = p, p.parent
	}
	leaf := t
	if t.leaf != nil {
		leaf = t.leaf
		t.leaf = nil
	}
	pc := uint32(o.Imm >> 32)
	fr.pc = pc
	if o.Imm&(1<<(2*code.PassBits)-1) != 0 {
		v.copyArgs(o, leaf)
	}
	*cr = Ref{}
	*leaf.refsAt(leaf.recvR).at(uint16(o.Imm >> code.PassBits & (1<<code.PassBits - 1))) = Ref{
		&head.object, head.generation,
	}
	on := head.resumeTable
	v.suspendLeaf(head, s, fr, o, tag)
	t.resumes++
	t.parent = p
	if t.resumeTable != on {
		t.resumeTable = on
	}
	if r := m.recorder; r != nil {
		return r.recordSwitched(head, t, leaf, s, fr, tag)
	}
	return m.resumeLeaf(t, leaf)
}

// fusedNew makes a stack for a function out of storage that is at hand, nil if none is.
//
//go:noinline
func (v *vars) fusedNew(m *Machine, o *code.Op, fn *Func, free *[]*Stack) *Stack {
	fr := v.fr
	n := len(*free) - 1
	if fn == nil || m.observer != nil || n < 0 || m.live >= m.liveMark {
		return nil
	}
	cd := fn.code
	t := (*free)[n]
	if cd == nil || uint32(len(t.nums)) < cd.Nums || uint32(len(t.refs)) < cd.Refs || cap(t.frames) == 0 {
		return nil
	}
	(*free)[n] = nil
	*free = (*free)[:n]
	m.live++
	m.stats.Created++
	m.most = max(m.most, m.live)
	nums := t.numsAt(0)
	for i := cd.ParNums; i < cd.LocNums; i++ {
		nums.set(uint16(i), 0)
	}
	t.frames = t.frames[:1]
	f := &t.frames[0]
	f.fn, f.pc, f.mark, f.numBase, f.refBase = fn, 0, 0, 0, 0
	m.lastID++
	nameStack(t, m.lastID)
	t.state, t.base, t.recvN, t.recvR = StackNew, fn, 0, 0
	t.creator, t.resumes = v.s.id, 0
	t.at = (*code.Op)(cd.FusedBase)
	pc := uint32(o.Imm >> 32)
	fr.pc = pc
	t.maker, t.makerPC = fr.fn, int32(pc)
	if o.Code == fused.ContNew {
		*v.r.at(o.B) = Ref{&t.object, t.generation}
	}
	if rec := m.recorder; rec != nil {
		rec.recordSwitch(EventCreate, t, v.s.id, fr.fn, pc, nil, nil)
	}
	return t
}

// fusedFinish ends the running stack, whose base function returns nn numbers and nr references from
// the slots na, ra on.
//
//go:noinline
func (v *vars) fusedFinish(m *Machine, na, nn, ra, nr uint16) (*Stack, *frame, *code.Op) {
	s, p := v.s, v.s.parent
	if s.dialect != wasm.DialectCont {
		return v.fusedEnd(m, na, nn, ra, nr)
	}
	free := &m.pool[wasm.DialectCont]
	if m.observer != nil || !s.recyclable(*free) {
		return nil, nil, nil
	}
	pf := p.last()
	po := &pf.fn.code.Baseline[pf.pc]
	to := p.numsAt(pf.numBase + uint32(po.A))
	for i := uint16(0); i < nn; i++ {
		to.set(i, v.f.u64(na+i))
	}
	if v.cd.Refs > 0 {
		rto := p.refsAt(pf.refBase + uint32(po.B))
		for i := uint16(0); i < nr; i++ {
			*rto.at(i) = *v.r.at(ra + i)
		}
		v.clear()
	}
	m.recycle(s, free)
	pf.pc++
	p.state = StackRunning
	m.stats.Switches++
	if r := m.recorder; r != nil {
		r.recordFused(s, p.id, nil, s.base, uint32(len(s.base.code.Body)-1), end{kind: EndReturned})
	}
	return p, pf, nil
}

// recyclable reports whether recycle can have the stack.
func (s *storage) recyclable(free []*Stack) bool {
	return len(free) < cap(free) && len(free) < keepStacks && len(s.nums) <= keepSlots && len(s.refs) <= keepSlots
}

// canEnd reports whether end can end the segment with the head t, of dialect d: that is the stack
// of v alone, which has no other frame.
func (v *vars) canEnd(m *Machine, t *Stack, d wasm.Dialect) bool {
	return t == v.s && v.depth == 1 && t.dialect == d && t.recyclable(m.pool[d])
}

// end is retire for the stack of v, which is in the midst of its frame.
//
//go:noinline
func (v *vars) end(m *Machine) {
	v.clear()
	m.recycle(v.s, &m.pool[v.s.dialect])
}

// clear clears the references of the frame.
func (v *vars) clear() {
	for i := uint16(0); i < uint16(v.cd.Refs); i++ {
		*v.r.at(i) = Ref{}
	}
}

// recycle is retire for the running stack, whose references have been cleared and whose storage
// goes to free.
func (st *stackStore) recycle(s *Stack, free *[]*Stack) {
	st.live--
	s.generation++
	s.state = StackMoribund
	s.parent = nil
	if s.tag != nil {
		s.tag = nil
	}
	s.pending = 0
	s.frames = s.frames[:0]
	n := len(*free)
	*free = (*free)[:n+1]
	(*free)[n] = s
}

// What the recorder is told of a switch comes last, and is given on what the switch gives: a call
// in the midst of one makes it wait for the variables that live across the call.

//go:noinline
func (r *Recorder) recordResumed(t, leaf, s *Stack, fn *Func, pc uint32) (*Stack, *frame, *code.Op) {
	r.record(whatOf(EventResume, wasm.DialectCont, 0), t, s.id, fn, pc, t)
	if leaf.state == StackNew && leaf.begins() {
		r.record(whatOf(EventStart, wasm.DialectCont, 0), leaf, s.id, leaf.base, 0, nil)
	}
	return r.m.resumeLeaf(t, leaf)
}

//
//go:noinline
func (r *Recorder) recordSuspended(
	head, p *Stack, fn *Func, pc uint32, tag *Tag, pf *frame, at *code.Op,
) (*Stack, *frame, *code.Op) {
	r.record(whatOf(EventSuspend, wasm.DialectCont, tag.number), head, p.id, fn, pc, nil)
	return p, pf, at
}

//go:noinline
func (r *Recorder) recordSwitched(head, t, leaf, s *Stack, fr *frame, tag *Tag) (*Stack, *frame, *code.Op) {
	r.recordSwitch(EventSwitch, head, t.id, fr.fn, fr.pc, tag, t)
	if leaf.state == StackNew && leaf.begins() {
		r.recordSwitch(EventStart, leaf, s.id, leaf.base, 0, nil, nil)
	}
	if s.state == StackMoribund {
		r.recordFused(s, t.id, fr, fr.fn, fr.pc, end{kind: EndRetired, by: s.id})
	}
	return r.m.resumeLeaf(t, leaf)
}

//go:noinline
func (r *Recorder) recordSwitch(k EventKind, s *Stack, other uint64, fn *Func, pc uint32, tag *Tag, used *Stack) {
	known := uint32(0)
	if tag != nil {
		known = tag.number
	}
	r.record(whatOf(k, s.dialect, known), s, other, fn, pc, used)
}
