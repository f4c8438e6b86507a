package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// The switches of the dialects fibers-mount, fibers-handle and tasks out of the fused form: see
// switch_cont_fused.go. The event's values are in the slots from a, b of the op on, the stack that
// the instruction names in c; imm has the instruction's clauses, and its pc. Where the three differ
// is in the order of their operands, which the op does not show, and in the clauses.

// fusedEventClause is lookupFew for a stack that has noted what it takes.
func (t *Stack) fusedEventClause(tag *Tag) *code.HandlerClause {
	c := t.eventTable
	if checked && c != nil && c != t.findEventTable() {
		panic("vm: a stack takes other events than those of where it stands")
	}
	if c == nil {
		return nil
	}
	return c.lookupFew(tag)
}

// fusedIndexedClause finds it where there are many clauses.
func (t *Stack) fusedIndexedClause(tag *Tag) *code.HandlerClause {
	if t.eventTable == nil {
		return nil
	}
	return t.eventTable.others.many.find(tag)
}

// isDetached reports whether t is the head of a suspended segment, and of dialect d.
func (t *Stack) isDetached(d wasm.Dialect) bool {
	return t.dialect == d && t.parent == nil && t.state != StackRunning
}

// isAncestor reports whether t is the stack of v, or links of a dialect lead to it from there.
func (v *vars) isAncestor(t *Stack, d wasm.Dialect) bool {
	for s := v.s; s.dialect == d; s = s.parent {
		if s == t {
			return true
		}
	}
	return false
}

// needsBaseline reports whether t, whose innermost frame is fr, is to take its event in the
// baseline form: a new fiber whose frame has been made for another function than that of the
// clause, a stack that a debugger has moved, or one whose function has no fused form: there may be
// a breakpoint at the event.switch.
func needsBaseline(h *code.HandlerClause, t *Stack, fr *frame) bool {
	switch h.Target {
	case code.TargetPair:
		return fr.fn.code.FusedBase == nil
	case code.TargetMoved:
		return true
	case code.TargetEntry:
		return t.maker.inst.funcs[h.PC] != t.base
	}
	return false
}

// enterClause makes t, whose innermost frame is fr, go on in a clause, and returns the slots for
// the event's values.
func enterClause(t *Stack, fr *frame, h *code.HandlerClause) (nslots, rslots) {
	fr.pc = h.PC
	return t.numsAt(fr.numBase + uint32(h.DstN)), t.refsAt(fr.refBase + uint32(h.DstR))
}

// enterEntry is land for a new fiber that begins with an entry.
func enterEntry(t *Stack) (nslots, rslots) {
	*t.refsAt(t.recvR).at(0) = t.ref()
	return t.numsAt(t.recvN), t.refsAt(t.recvR + 1)
}

// copySavedNums and alongRefs are along, in loops that the compiler writes out where they are used.
func copySavedNums(t *Stack, fr *frame, h *code.HandlerClause) {
	for i, f := uint16(0), t.numsAt(fr.numBase); i < h.SavedN; i++ {
		f.set(h.DstN-h.SavedN+i, f.u64(h.SaveN+i))
	}
}

func copySavedRefs(t *Stack, fr *frame, h *code.HandlerClause) {
	for i, r := uint16(0), t.refsAt(fr.refBase); i < h.SavedR; i++ {
		*r.at(h.DstR - h.SavedR + i) = *r.at(h.SaveR + i)
	}
}

// setEventTable records what a stack takes.
func (t *Stack) setEventTable(at *clauseTable) {
	if t.eventTable != at {
		t.eventTable = at
	}
}

// setTag records the tag of the last switch.
func (t *Stack) setTag(tag *Tag) {
	if t.tag != tag {
		t.tag = tag
	}
}

// suspendSender is Machine.leave for the stack of v where that does not end. Nothing is stored of
// where it gets values, which the clause will tell.
func (v *vars) suspendSender(head, s *Stack, at *clauseTable) {
	s.frames = s.frames[:v.depth]
	s.state = StackSuspended
	s.setTag(at.sentTag)
	s.setEventTable(at)
	head.parent = nil
	if head != s {
		head.leaf = s
	}
}

// resumeIdentified makes the leaf of a segment that has been linked run; references to it stay
// good.
func (m *Machine) resumeIdentified(t, leaf *Stack) {
	t.resumes++
	leaf.state, leaf.recvR = StackRunning, 0
	m.stats.Switches++
}

// fallThrough goes on after the op, whose event nobody takes, where that is not for the baseline
// form: n operands from c on are consumed, and the values.
func (v *vars) fallThrough(o *code.Op, at *clauseTable, n uint16) (*Stack, *frame, *code.Op) {
	if !at.dialect.Info().FallsThrough {
		return nil, nil, nil
	}
	for i := range n {
		*v.r.at(o.C + i) = Ref{}
	}
	for i := range uint16(at.sentTag.parRefs) {
		*v.r.at(o.B + i) = Ref{}
	}
	s, fr := v.s, v.fr
	s.frames = s.frames[:v.depth]
	fr.pc = uint32(o.Imm>>32) + 1
	return s, fr, code.Next(o)
}

// fusedMount runs a suspended stack as a child: fiber.mount, fiber.resume, task.resume.
//
//go:noinline
func (v *vars) fusedMount(m *Machine, o *code.Op) (*Stack, *frame, *code.Op) {
	s, cr, at := v.s, v.r.at(o.C), &v.inst.clauses[uint32(o.Imm)]
	t := cr.asStack()
	if t == nil || t.generation != cr.aux || !t.isDetached(at.dialect) || m.aside {
		return nil, nil, nil
	}
	leaf, tag := t, at.sentTag
	if t.leaf != nil {
		leaf = t.leaf
	}
	h := leaf.fusedEventClause(tag)
	if h == nil {
		if h = leaf.fusedIndexedClause(tag); h == nil {
			return v.fallThrough(o, at, 1)
		}
	}
	fr := leaf.last()
	if !(h.DirectJump && h.Target == code.TargetLabel) && needsBaseline(h, leaf, fr) {
		return nil, nil, nil
	}
	v.fr.pc = uint32(o.Imm >> 32)
	var (
		nums nslots
		refs rslots
		next = h.Op
	)
	if h.DirectJump {
		nums, refs = enterClause(leaf, fr, h)
	} else if h.Target == code.TargetEntry {
		nums, refs = enterEntry(leaf)
		next = leaf.at
	} else {
		copySavedNums(leaf, fr, h)
		copySavedRefs(leaf, fr, h)
		nums, refs = enterClause(leaf, fr, h)
	}
	v.moveNums(o.A, uint16(tag.parNums), nums)
	v.moveRefs(o.B, uint16(tag.parRefs), refs)
	*cr = Ref{}
	leaf.setTag(tag)
	s.state = StackWaiting
	s.frames = s.frames[:v.depth]
	s.setEventTable(at)
	t.parent = s
	if leaf != t {
		t.leaf = nil
	}
	if r := m.recorder; r != nil {
		return r.recordSent(v, EventResume, t, s, tag, leaf, fr, next)
	}
	m.resumeIdentified(t, leaf)
	return leaf, fr, next
}

// fusedDismount returns an event to the parent of an active stack, which is suspended or ends:
// fiber.dismount and .dismount_release; fiber.suspend and .retire; task.suspend and .retire.
//
//go:noinline
func (v *vars) fusedDismount(m *Machine, o *code.Op) (*Stack, *frame, *code.Op) {
	s, cr, at := v.s, v.r.at(o.C), &v.inst.clauses[uint32(o.Imm)]
	t, p := cr.asStack(), s.parent
	if t == nil || t.generation != cr.aux || s.dialect != at.dialect || m.aside || m.barriers ||
		at.retires && !v.canEnd(m, t, at.dialect) {
		return nil, nil, nil
	}
	if t != s {
		if !v.isAncestor(t, at.dialect) {
			return nil, nil, nil
		}
		p = t.parent
	}
	tag := at.sentTag
	h := p.fusedEventClause(tag)
	if h == nil {
		if h = p.fusedIndexedClause(tag); h == nil {
			return v.fallThrough(o, at, 1)
		}
	}
	fr := p.last()
	if !(h.DirectJump && h.Target == code.TargetLabel) && needsBaseline(h, p, fr) {
		return nil, nil, nil
	}
	v.fr.pc = uint32(o.Imm >> 32)
	if !h.DirectJump {
		copySavedNums(p, fr, h)
		copySavedRefs(p, fr, h)
	}
	nums, refs := enterClause(p, fr, h)
	v.moveNums(o.A, uint16(tag.parNums), nums)
	v.moveRefs(o.B, uint16(tag.parRefs), refs)
	*cr = Ref{}
	p.setTag(tag)
	if at.retires {
		v.end(m)
	} else {
		v.suspendSender(t, s, at)
	}
	p.state, p.recvR = StackRunning, 0
	m.stats.Switches++
	if r := m.recorder; r != nil {
		return r.recordSent(v, EventSuspend, t, p, tag, p, fr, h.Op)
	}
	return p, fr, h.Op
}

// fusedExchange runs a suspended stack in place of an active one, which is suspended or ends:
// fiber.switch and .switch_release; fiber.switch and .retireto; task.switchto.
//
//go:noinline
func (v *vars) fusedExchange(m *Machine, o *code.Op) (*Stack, *frame, *code.Op) {
	s, at := v.s, &v.inst.clauses[uint32(o.Imm)]
	ar, cr := v.r.at(o.C), v.r.at(o.C+1)
	a, t := ar.asStack(), cr.asStack()
	if a == nil || a.generation != ar.aux || t == nil || t.generation != cr.aux || !t.isDetached(at.dialect) ||
		!v.isAncestor(a, at.dialect) || m.aside || m.barriers || at.retires && !v.canEnd(m, a, at.dialect) {
		return nil, nil, nil
	}
	leaf, p, tag := t, a.parent, at.sentTag
	if t.leaf != nil {
		leaf = t.leaf
	}
	h := leaf.fusedEventClause(tag)
	if h == nil {
		if h = leaf.fusedIndexedClause(tag); h == nil {
			return v.fallThrough(o, at, 2)
		}
	}
	fr := leaf.last()
	if !(h.DirectJump && h.Target == code.TargetLabel) && needsBaseline(h, leaf, fr) {
		return nil, nil, nil
	}
	v.fr.pc = uint32(o.Imm >> 32)
	var (
		nums nslots
		refs rslots
		next = h.Op
	)
	if h.DirectJump {
		nums, refs = enterClause(leaf, fr, h)
	} else if h.Target == code.TargetEntry {
		nums, refs = enterEntry(leaf)
		next = leaf.at
	} else {
		copySavedNums(leaf, fr, h)
		copySavedRefs(leaf, fr, h)
		nums, refs = enterClause(leaf, fr, h)
	}
	v.moveNums(o.A, uint16(tag.parNums), nums)
	v.moveRefs(o.B, uint16(tag.parRefs), refs)
	*ar, *cr = Ref{}, Ref{}
	leaf.setTag(tag)
	if at.retires {
		v.end(m)
	} else {
		v.suspendSender(a, s, at)
	}
	t.parent = p
	if leaf != t {
		t.leaf = nil
	}
	if r := m.recorder; r != nil {
		return r.recordSent(v, EventSwitch, a, t, tag, leaf, fr, next)
	}
	m.resumeIdentified(t, leaf)
	return leaf, fr, next
}

// fusedEnter makes a stack and runs it as a child: fiber.mount_new, fiber.spawn.
//
//go:noinline
func (v *vars) fusedEnter(m *Machine, o *code.Op) (*Stack, *frame, *code.Op) {
	t := v.fusedMake(m, o)
	if t == nil {
		return nil, nil, nil
	}
	s, pt := v.s, &v.cd.Points[o.C]
	s.state = StackWaiting
	s.frames = s.frames[:v.depth]
	s.setEventTable(&v.inst.clauses[pt.Table])
	if pt.Kind == wasm.OpFiberMountNew { // the fiber stays in the slot of the first result
		s.recvR = v.fr.refBase + uint32(o.B) + 1
	}
	t.parent = s
	fr := t.last()
	if r := m.recorder; r != nil {
		return r.recordSent(v, EventResume, t, s, nil, t, fr, t.at)
	}
	m.resumeIdentified(t, t)
	return t, fr, t.at
}

// recordSent records a switch of v's stack with an event, about t and another stack, after which to
// goes on, and revives that.
//
//go:noinline
func (r *Recorder) recordSent(
	v *vars, k EventKind, t, other *Stack, tag *Tag, to *Stack, fr *frame, at *code.Op,
) (*Stack, *frame, *code.Op) {
	fn, pc := v.fr.fn, v.fr.pc
	r.recordSwitch(k, t, other.id, fn, pc, tag, nil)
	if to.state == StackNew {
		r.recordSwitch(EventStart, to, v.s.id, to.base, 0, nil, nil)
	}
	if v.s.state == StackMoribund {
		r.recordFused(v.s, other.id, v.fr, fn, pc, end{kind: EndRetired, by: v.s.id, tag: tag})
	}
	switch k {
	case EventResume:
		r.m.resumeIdentified(t, to)
	case EventSwitch:
		r.m.resumeIdentified(other, to)
	}
	return to, fr, at
}
