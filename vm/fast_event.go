package vm

import "stackscope/wasm"

// The switches of the dialects fibers-mount, fibers-handle and tasks out of the fast form: see
// fast_switch.go. The event's values are in the slots from a, b of the op on, the stack that the
// instruction names in c; imm has the instruction's clauses, and its pc. Where the three differ is in
// the order of their operands, which the op does not show, and in the clauses.

// fastFind is find for a stack that has noted what it takes.
func (t *Stack) fastFind(tag *Tag) *handler {
	c := t.takes
	if checked && c != nil && c != t.standing() {
		panic("vm: a stack takes other events than those of where it stands")
	}
	switch {
	case c == nil:
		return nil
	case c.tag == tag:
		return c.first
	}
	return c.handle(tag)
}

// detached finds the stack that an operand names, if that is suspended and of a dialect; else nil.
func (r *Ref) detached(d wasm.Dialect) *Stack {
	t := r.asStack()
	if t == nil || t.generation != r.aux || t.dialect != d || t.parent != nil || t.state == StackRunning {
		return nil
	}
	return t
}

// active finds the stack that an operand names, if it is v's or links of a dialect lead to it; else nil.
func (v *vars) active(r *Ref, d wasm.Dialect) *Stack {
	t := r.asStack()
	if t == nil || t.generation != r.aux {
		return nil
	}
	for s := v.s; ; s = s.parent {
		if s.dialect != d {
			return nil
		}
		if s == t {
			return t
		}
	}
}

// plainly tells whether t, whose innermost frame is fr, is to take its event in the plain form: a new
// fiber whose frame has been made for another function than that of the clause; one that a debugger has
// moved; and where there is no
// fast form, because of a breakpoint perhaps, which may be at the event.switch.
func (h *handler) plainly(t *Stack, fr *frame) bool {
	return fr.fn.code.fastBase == nil || h.lands == landsMoved || h.lands == landsEntry && t.maker.inst.funcs[h.pc] != t.base
}

// land is arrive for values in the slots a, b of v, which t is not the stack of. It gives the op that t
// goes on at, if that is known.
func (v *vars) land(a, b uint16, t *Stack, fr *frame, tag *Tag, h *handler) *op {
	var (
		nums nslots
		refs rslots
		at   = h.at
	)
	if h.lands == landsEntry {
		*t.refsAt(t.recvR).at(0) = t.ref()
		nums, refs, at = t.numsAt(t.recvN), t.refsAt(t.recvR+1), t.at
	} else {
		if h.savedN|h.savedR != 0 {
			t.along(fr, h)
		}
		nums, refs = t.numsAt(fr.numBase+uint32(h.dstN)), t.refsAt(fr.refBase+uint32(h.dstR))
		fr.pc = h.pc
	}
	for i := range uint16(tag.parNums) {
		nums.set(i, v.f.u64(a+i))
	}
	for i := range uint16(tag.parRefs) {
		*refs.at(i) = *v.r.at(b + i)
		*v.r.at(b + i) = Ref{}
	}
	if t.tag != tag {
		t.tag = tag
	}
	return at
}

// fall goes on behind the op, whose event nobody takes, where that is not for the plain form: n operands
// from c on are consumed, and the values.
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

// part takes the segment from head to the stack of v, which has sent an event, off its parent,
// suspended or ended.
func (m *Machine) part(v *vars, head *Stack, o *op, at *clauses) {
	if at.ends {
		m.end(v)
		return
	}
	s, fr := v.s, v.fr
	v.park(head, s, fr, o, at.sends)
	s.recvR = fr.refBase + uint32(min(o.b, o.c))
	if s.takes != at {
		s.takes = at
	}
}

// fastMount runs a suspended stack as a child: fiber.mount, fiber.resume, task.resume.
//
//go:noinline
func (m *Machine) fastMount(v *vars, o *op) (*Stack, *frame, *op) {
	s, cr, at := v.s, v.r.at(o.c), &v.inst.clauses[uint32(o.imm)]
	t := cr.detached(at.dialect)
	if t == nil || m.observer != nil {
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
	if h.plainly(leaf, fr) {
		return nil, nil, nil
	}
	v.fr.pc = uint32(o.imm >> 32)
	next := v.land(o.a, o.b, leaf, fr, tag, h)
	*cr = Ref{}
	s.state = StackWaiting
	s.frames = s.frames[:v.depth]
	if s.takes != at {
		s.takes = at
	}
	began := m.take(t, leaf, s)
	if r := m.recorder; r != nil {
		return r.sent(v, EventResume, t, s, tag, began, leaf, fr, next)
	}
	return leaf, fr, next
}

// take is join; it gives the leaf if that begins.
func (m *Machine) take(t, leaf, parent *Stack) (began *Stack) {
	if leaf.state == StackNew {
		began = leaf
	}
	if t.leaf != nil {
		t.leaf = nil
	}
	t.parent = parent
	t.resumes++
	leaf.state, leaf.recvR = StackRunning, 0
	m.stats.Switches++
	return began
}

// fastDismount gives an event to the parent of an active stack, which is suspended or ends:
// fiber.dismount and .dismount_release; fiber.suspend and .retire; task.suspend and .retire.
//
//go:noinline
func (m *Machine) fastDismount(v *vars, o *op) (*Stack, *frame, *op) {
	cr, at := v.r.at(o.c), &v.inst.clauses[uint32(o.imm)]
	t, tag := v.active(cr, at.dialect), at.sends
	if t == nil || m.observer != nil || m.barriers || at.ends && (t != v.s || !m.canEnd(v)) {
		return nil, nil, nil
	}
	p := t.parent
	h := p.fastFind(tag)
	if h == nil {
		return v.fall(o, at, 1)
	}
	fr := p.last()
	if h.plainly(p, fr) {
		return nil, nil, nil
	}
	v.fr.pc = uint32(o.imm >> 32)
	next := v.land(o.a, o.b, p, fr, tag, h)
	*cr = Ref{}
	m.part(v, t, o, at)
	p.state, p.recvR = StackRunning, 0
	m.stats.Switches++
	if r := m.recorder; r != nil {
		return r.sent(v, EventSuspend, t, p, tag, nil, p, fr, next)
	}
	return p, fr, next
}

// fastExchange runs a suspended stack in place of an active one, which is suspended or ends:
// fiber.switch and .switch_release; fiber.switch and .retireto; task.switchto.
//
//go:noinline
func (m *Machine) fastExchange(v *vars, o *op) (*Stack, *frame, *op) {
	cr, cr2, at := v.r.at(o.c), v.r.at(o.c+1), &v.inst.clauses[uint32(o.imm)]
	from, t, tag := v.active(cr, at.dialect), cr2.detached(at.dialect), at.sends
	if from == nil || t == nil || m.observer != nil || m.barriers || at.ends && (from != v.s || !m.canEnd(v)) {
		return nil, nil, nil
	}
	leaf := t
	if t.leaf != nil {
		leaf = t.leaf
	}
	h := leaf.fastFind(tag)
	if h == nil {
		return v.fall(o, at, 2)
	}
	fr := leaf.last()
	if h.plainly(leaf, fr) {
		return nil, nil, nil
	}
	v.fr.pc = uint32(o.imm >> 32)
	next := v.land(o.a, o.b, leaf, fr, tag, h)
	*cr, *cr2 = Ref{}, Ref{}
	p := from.parent
	m.part(v, from, o, at)
	began := m.take(t, leaf, p)
	if r := m.recorder; r != nil {
		return r.sent(v, EventSwitch, from, t, tag, began, leaf, fr, next)
	}
	return leaf, fr, next
}

// fastEnter makes a stack and runs it as a child: fiber.mount_new, fiber.spawn.
//
//go:noinline
func (m *Machine) fastEnter(v *vars, o *op) (*Stack, *frame, *op) {
	t := m.fastNew(v, o)
	if t == nil {
		return nil, nil, nil
	}
	s, pt := v.s, &v.cd.resumes[o.c]
	s.state = StackWaiting
	s.frames = s.frames[:v.depth]
	s.takes = &v.inst.clauses[pt.set]
	if pt.kind == wasm.OpFiberMountNew { // the fiber stays in the slot of the first result
		s.recvR = v.fr.refBase + uint32(o.b) + 1
	}
	began, fr := m.take(t, t, s), t.last()
	if r := m.recorder; r != nil {
		return r.sent(v, EventResume, t, s, nil, began, t, fr, t.at)
	}
	return t, fr, t.at
}

// fastReturn is fastFinish for a fiber of fibers-mount: its results are the values of an event.
func (m *Machine) fastReturn(v *vars, na, ra uint16) (*Stack, *frame, *op) {
	s, p, tag := v.s, v.s.parent, v.s.sends()
	h := p.fastFind(tag)
	if h == nil {
		return nil, nil, nil
	}
	fr := p.last()
	next := v.land(na, ra, p, fr, tag, h)
	m.end(v)
	p.state, p.recvR = StackRunning, 0
	m.stats.Switches++
	if r := m.recorder; r != nil {
		r.note(EventFinish, s, p.id, s.base, uint32(len(v.cd.body)-1), tag, nil)
	}
	return p, fr, next
}

// sent records a switch of v's stack with an event, about t and another stack, after which to goes on,
// and that one has begun by it.
//
//go:noinline
func (r *Recorder) sent(v *vars, k EventKind, t, other *Stack, tag *Tag, began, to *Stack, fr *frame, at *op) (*Stack, *frame, *op) {
	fn, pc := v.fr.fn, v.fr.pc
	r.note(k, t, other.id, fn, pc, tag, nil)
	if began != nil {
		r.note(EventStart, began, v.s.id, began.base, 0, nil, nil)
	}
	if v.s.state == StackMoribund {
		r.note(EventFinish, v.s, other.id, fn, pc, nil, nil)
	}
	return to, fr, at
}
