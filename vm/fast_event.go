package vm

import "stackscope/wasm"

// The switches of the dialects fibers-mount, fibers-handle and tasks out of the fast form: see
// fast_switch.go. The event's values are in the slots from a, b of the op on, the stack that the
// instruction names in c; imm has the instruction's clauses, and its pc. Where the three differ is
// in the order of their operands, which the op does not show, and in the clauses.

// fastFind is find for a stack that has noted what it takes.
func (t *Stack) fastFind(tag *Tag) *handler {
	c := t.takes
	if checked && c != nil && c != t.standing() {
		panic("vm: a stack takes other events than those of where it stands")
	}
	if c == nil {
		return nil
	}
	return c.handle(tag)
}

// apart reports whether t is the head of a suspended segment, and of dialect d.
func (t *Stack) apart(d wasm.Dialect) bool {
	return t.dialect == d && t.parent == nil && t.state != StackRunning
}

// linked reports whether t is the stack of v, or links of a dialect lead to it from there.
func (v *vars) linked(t *Stack, d wasm.Dialect) bool {
	for s := v.s; s.dialect == d; s = s.parent {
		if s == t {
			return true
		}
	}
	return false
}

// plainly reports whether t, whose innermost frame is fr, is to take its event in the plain form: a
// new fiber whose frame has been made for another function than that of the clause, a stack that a
// debugger has moved, or one whose function has no fast form: there may be a breakpoint at the
// event.switch.
func (h *handler) plainly(t *Stack, fr *frame) bool {
	switch h.lands {
	case landsPair:
		return fr.fn.code.fastBase == nil
	case landsMoved:
		return true
	case landsEntry:
		return t.maker.inst.funcs[h.pc] != t.base
	}
	return false
}

// land makes t, whose innermost frame is fr, go on in a clause, and gives the slots for the event's
// values.
func (t *Stack) land(fr *frame, h *handler) (nslots, rslots) {
	fr.pc = h.pc
	return t.numsAt(fr.numBase + uint32(h.dstN)), t.refsAt(fr.refBase + uint32(h.dstR))
}

// begin is land for a new fiber that begins with an entry.
func (t *Stack) begin() (nslots, rslots) {
	*t.refsAt(t.recvR).at(0) = t.ref()
	return t.numsAt(t.recvN), t.refsAt(t.recvR + 1)
}

// alongNums and alongRefs are along, in loops that the compiler writes out where they are used.
func (t *Stack) alongNums(fr *frame, h *handler) {
	for i, f := uint16(0), t.numsAt(fr.numBase); i < h.savedN; i++ {
		f.set(h.dstN-h.savedN+i, f.u64(h.saveN+i))
	}
}

func (t *Stack) alongRefs(fr *frame, h *handler) {
	for i, r := uint16(0), t.refsAt(fr.refBase); i < h.savedR; i++ {
		*r.at(h.dstR - h.savedR + i) = *r.at(h.saveR + i)
	}
}

// stands records what a stack takes.
func (t *Stack) stands(at *clauses) {
	if t.takes != at {
		t.takes = at
	}
}

// marked records the tag of the last switch.
func (t *Stack) marked(tag *Tag) {
	if t.tag != tag {
		t.tag = tag
	}
}

// leave is Machine.leave for the stack of v where that does not end. Nothing is stored of where it
// gets values, which the clause will tell.
func (v *vars) leave(head, s *Stack, at *clauses) {
	s.frames = s.frames[:v.depth]
	s.state = StackSuspended
	s.marked(at.sends)
	s.stands(at)
	head.parent = nil
	if head != s {
		head.leaf = s
	}
}

// revive makes the leaf of a segment that has been linked run; references to it stay good.
func (m *Machine) revive(t, leaf *Stack) {
	t.resumes++
	leaf.state, leaf.recvR = StackRunning, 0
	m.stats.Switches++
}

// fall goes on behind the op, whose event nobody takes, where that is not for the plain form: n
// operands from c on are consumed, and the values.
func (v *vars) fall(o *op, at *clauses, n uint16) (*Stack, *frame, *op) {
	if at.dialect != wasm.DialectFibersMount {
		return nil, nil, nil
	}
	for i := range n {
		*v.r.at(o.c + i) = Ref{}
	}
	for i := range uint16(at.sends.parRefs) {
		*v.r.at(o.b + i) = Ref{}
	}
	s, fr := v.s, v.fr
	s.frames = s.frames[:v.depth]
	fr.pc = uint32(o.imm>>32) + 1
	return s, fr, nextOp(o)
}

// fastMount runs a suspended stack as a child: fiber.mount, fiber.resume, task.resume.
//
//go:noinline
func (m *Machine) fastMount(v *vars, o *op) (*Stack, *frame, *op) {
	s, cr, at := v.s, v.r.at(o.c), &v.inst.clauses[uint32(o.imm)]
	t := cr.asStack()
	if t == nil || t.generation != cr.aux || !t.apart(at.dialect) || m.observer != nil {
		return nil, nil, nil
	}
	leaf, tag := t, at.sends
	if t.leaf != nil {
		leaf = t.leaf
	}
	h := leaf.fastFind(tag)
	if h == nil {
		return v.fall(o, at, 1)
	}
	fr := leaf.last()
	if !(h.straight && h.lands == landsAt) && h.plainly(leaf, fr) {
		return nil, nil, nil
	}
	v.fr.pc = uint32(o.imm >> 32)
	var (
		nums nslots
		refs rslots
		next = h.at
	)
	if h.straight {
		nums, refs = leaf.land(fr, h)
	} else if h.lands == landsEntry {
		nums, refs = leaf.begin()
		next = leaf.at
	} else {
		leaf.alongNums(fr, h)
		leaf.alongRefs(fr, h)
		nums, refs = leaf.land(fr, h)
	}
	v.moveNums(o.a, uint16(tag.parNums), nums)
	v.moveRefs(o.b, uint16(tag.parRefs), refs)
	*cr = Ref{}
	leaf.marked(tag)
	s.state = StackWaiting
	s.frames = s.frames[:v.depth]
	s.stands(at)
	t.parent = s
	if leaf != t {
		t.leaf = nil
	}
	if r := m.recorder; r != nil {
		return r.sent(v, EventResume, t, s, tag, leaf, fr, next)
	}
	m.revive(t, leaf)
	return leaf, fr, next
}

// fastDismount returns an event to the parent of an active stack, which is suspended or ends:
// fiber.dismount and .dismount_release; fiber.suspend and .retire; task.suspend and .retire.
//
//go:noinline
func (m *Machine) fastDismount(v *vars, o *op) (*Stack, *frame, *op) {
	s, cr, at := v.s, v.r.at(o.c), &v.inst.clauses[uint32(o.imm)]
	t, p := cr.asStack(), s.parent
	if t == nil || t.generation != cr.aux || s.dialect != at.dialect || m.observer != nil || m.barriers ||
		at.ends && !m.canEnd(v, t, at.dialect) {
		return nil, nil, nil
	}
	if t != s {
		if !v.linked(t, at.dialect) {
			return nil, nil, nil
		}
		p = t.parent
	}
	tag := at.sends
	h := p.fastFind(tag)
	if h == nil {
		return v.fall(o, at, 1)
	}
	fr := p.last()
	if !(h.straight && h.lands == landsAt) && h.plainly(p, fr) {
		return nil, nil, nil
	}
	v.fr.pc = uint32(o.imm >> 32)
	if !h.straight {
		p.alongNums(fr, h)
		p.alongRefs(fr, h)
	}
	nums, refs := p.land(fr, h)
	v.moveNums(o.a, uint16(tag.parNums), nums)
	v.moveRefs(o.b, uint16(tag.parRefs), refs)
	*cr = Ref{}
	p.marked(tag)
	if at.ends {
		m.end(v)
	} else {
		v.leave(t, s, at)
	}
	p.state, p.recvR = StackRunning, 0
	m.stats.Switches++
	if r := m.recorder; r != nil {
		return r.sent(v, EventSuspend, t, p, tag, p, fr, h.at)
	}
	return p, fr, h.at
}

// fastExchange runs a suspended stack in place of an active one, which is suspended or ends:
// fiber.switch and .switch_release; fiber.switch and .retireto; task.switchto.
//
//go:noinline
func (m *Machine) fastExchange(v *vars, o *op) (*Stack, *frame, *op) {
	s, at := v.s, &v.inst.clauses[uint32(o.imm)]
	ar, cr := v.r.at(o.c), v.r.at(o.c+1)
	a, t := ar.asStack(), cr.asStack()
	if a == nil || a.generation != ar.aux || t == nil || t.generation != cr.aux || !t.apart(at.dialect) ||
		!v.linked(a, at.dialect) || m.observer != nil || m.barriers || at.ends && !m.canEnd(v, a, at.dialect) {
		return nil, nil, nil
	}
	leaf, p, tag := t, a.parent, at.sends
	if t.leaf != nil {
		leaf = t.leaf
	}
	h := leaf.fastFind(tag)
	if h == nil {
		return v.fall(o, at, 2)
	}
	fr := leaf.last()
	if !(h.straight && h.lands == landsAt) && h.plainly(leaf, fr) {
		return nil, nil, nil
	}
	v.fr.pc = uint32(o.imm >> 32)
	var (
		nums nslots
		refs rslots
		next = h.at
	)
	if h.straight {
		nums, refs = leaf.land(fr, h)
	} else if h.lands == landsEntry {
		nums, refs = leaf.begin()
		next = leaf.at
	} else {
		leaf.alongNums(fr, h)
		leaf.alongRefs(fr, h)
		nums, refs = leaf.land(fr, h)
	}
	v.moveNums(o.a, uint16(tag.parNums), nums)
	v.moveRefs(o.b, uint16(tag.parRefs), refs)
	*ar, *cr = Ref{}, Ref{}
	leaf.marked(tag)
	if at.ends {
		m.end(v)
	} else {
		v.leave(a, s, at)
	}
	t.parent = p
	if leaf != t {
		t.leaf = nil
	}
	if r := m.recorder; r != nil {
		return r.sent(v, EventSwitch, a, t, tag, leaf, fr, next)
	}
	m.revive(t, leaf)
	return leaf, fr, next
}

// fastEnter makes a stack and runs it as a child: fiber.mount_new, fiber.spawn.
//
//go:noinline
func (m *Machine) fastEnter(v *vars, o *op) (*Stack, *frame, *op) {
	t := m.fastMake(v, o)
	if t == nil {
		return nil, nil, nil
	}
	s, pt := v.s, &v.cd.resumes[o.c]
	s.state = StackWaiting
	s.frames = s.frames[:v.depth]
	s.stands(&v.inst.clauses[pt.set])
	if pt.kind == wasm.OpFiberMountNew { // the fiber stays in the slot of the first result
		s.recvR = v.fr.refBase + uint32(o.b) + 1
	}
	t.parent = s
	fr := t.last()
	if r := m.recorder; r != nil {
		return r.sent(v, EventResume, t, s, nil, t, fr, t.at)
	}
	m.revive(t, t)
	return t, fr, t.at
}

// sent records a switch of v's stack with an event, about t and another stack, after which to goes
// on, and revives that.
//
//go:noinline
func (r *Recorder) sent(
	v *vars, k EventKind, t, other *Stack, tag *Tag, to *Stack, fr *frame, at *op,
) (*Stack, *frame, *op) {
	fn, pc := v.fr.fn, v.fr.pc
	r.note(k, t, other.id, fn, pc, tag, nil)
	if to.state == StackNew {
		r.note(EventStart, to, v.s.id, to.base, 0, nil, nil)
	}
	if v.s.state == StackMoribund {
		r.note(EventFinish, v.s, other.id, fn, pc, nil, nil)
	}
	switch k {
	case EventResume:
		r.m.revive(t, to)
	case EventSwitch:
		r.m.revive(other, to)
	}
	return to, fr, at
}
