package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// What the dialects other than cont have in common: they differ in what names a stack, in who may
// be switched to and from, and in where an event lands; the switch itself is the one of cont. The
// functions are called with the frame.pc of s's innermost frame set. Where one returns a trap and
// no stack, nothing has changed; with a stack, the trap happened there, after the switch. Otherwise
// the stack that is returned is running, and its innermost frame.pc is what comes next.

// transfer is an instruction of one of these dialects that is being executed: o with its resume
// point pt, at the pc of fr, the innermost frame of s.
type transfer struct {
	m  *Machine
	s  *Stack
	fr *frame
	pt *code.ResumePoint
	o  *code.Op
}

// control executes an instruction.
type control func(transfer) (*Stack, wasm.TrapKind)

// controls has the instructions of these dialects. The file of each dialect fills in its own.
var controls [wasm.NumOps]control

// withFlag returns the control of an instruction that differs from another by a flag.
func withFlag(f func(transfer, bool) (*Stack, wasm.TrapKind), flag bool) control {
	return func(x transfer) (*Stack, wasm.TrapKind) { return f(x, flag) }
}

// design is what a dialect adds to the machine besides its instructions; nil where it adds nothing.
type design struct {
	// returns checks that the base function of a stack may return now, before it does.
	returns func(*Machine, *Stack) wasm.TrapKind
	// finish ends a stack whose base function has returned, and returns the stack that goes on.
	finish func(*Machine, *Stack) *Stack
}

// designs has what the dialects add. The file of each fills in its own.
var designs [wasm.NumDialects]design

// control executes an instruction of these dialects.
func (m *Machine) control(s *Stack, cd *code.Func, o *code.Op) (*Stack, wasm.TrapKind) {
	pt := &cd.Points[o.C]
	f := controls[pt.Kind]
	if f == nil {
		panic("no control instruction: " + pt.Kind.String())
	}
	return f(transfer{m, s, s.top(), pt, o})
}

// controlThrow executes an instruction of these dialects that throws where control goes: it returns
// the exception as well.
func controlThrow(m *Machine, s *Stack, cd *code.Func, o *code.Op) (*Stack, *Exn, wasm.TrapKind) {
	return transfer{m, s, s.top(), &cd.Points[o.C], o}.stackThrow()
}

// returns checks that the base function of a stack may return now, before it does.
func (m *Machine) returns(s *Stack) wasm.TrapKind {
	if f := designs[s.dialect].returns; f != nil {
		return f(m, s)
	}
	return 0
}

// site returns the place of a frame that stands still.
func (fr *frame) site() Site { return Site{fr.fn, int(fr.pc)} }

// point returns what the instruction at a frame's pc needs, and its op.
func (fr *frame) point() (*code.ResumePoint, *code.Op) {
	o := &fr.fn.code.Baseline[fr.pc]
	return &fr.fn.code.Points[o.C], o
}

// create makes a stack for an instruction that does, and notifies the observer.
func (x transfer) create(fn *Func, d wasm.Dialect) *Stack {
	if fn.code == nil {
		fn = x.m.thunk(fn)
	}
	t := x.m.newStack(fn, d)
	if t == nil {
		return nil
	}
	t.maker, t.makerPC = x.fr.fn, int32(x.fr.pc)
	t.eventTable = t.findEventTable()
	if x.m.watched {
		x.m.emit(Event{Kind: EventCreate, Stack: t.id, Base: t.base, Other: x.s.id, Site: t.CreatedAt(), Dialect: d})
	}
	return t
}

// emitSwitch is an event about t and another stack, made by the instruction at fr of s with a
// payload of types ts at the slots nb, rb. There is an observer.
func (h *history) emitSwitch(
	k EventKind, t, other *Stack, s *Stack, fr *frame, tag *Tag, ts []wasm.ValType, nb, rb uint32,
) {
	e := Event{Kind: k, Stack: t.id, Base: t.base, Site: fr.site(), Tag: tag, Dialect: t.dialect}
	if other != nil {
		e.Other = other.id
	}
	if ts != nil {
		e.Values = getValues(ts, s.nums[nb:], s.refs[rb:])
	}
	h.emit(e)
}

// active reports whether t is the running stack s or an ancestor of it that links of dialect d lead
// to, with no barrier in between.
func (x transfer) active(t *Stack, d wasm.Dialect) bool {
	for a := x.s; ; a = a.parent {
		switch {
		case a.dialect != d:
			x.explainBlocked(t, a)
			return false
		case x.m.barriers && crossesBarrier(a):
			x.m.detail = "(a barrier is in between)"
			return false
		case a == t:
			return true
		}
	}
}

// explainBlocked reports why a search for the ancestor t ended at a, if it is one.
func (x transfer) explainBlocked(t, a *Stack) {
	if t.state != StackRunning && t.state != StackWaiting || !t.Head().rooted {
		return
	}
	x.m.detail = "(a call of the host is in between)"
	if !a.rooted {
		x.m.detail = "(a stack of the dialect " + a.dialect.String() + " is in between)"
	}
}

// detached reports whether a stack that is not ended is of dialect d and suspended, alone or as
// the head of a segment.
func (x transfer) detached(t *Stack, d wasm.Dialect) bool {
	if t.dialect != d {
		x.m.detail = "(it is of the dialect " + t.dialect.String() + ")"
		return false
	}
	return t.parent == nil && t.state != StackRunning
}

// linkIdentified links a detached segment below a parent (nil: none) and makes its leaf the running
// stack. Its pc is not touched. A reference with identity stays good.
func (x transfer) linkIdentified(t, leaf, parent *Stack) {
	t.parent, t.leaf = parent, nil
	t.resumes++
	leaf.state = StackRunning
	leaf.recvR = 0
	x.m.cur = leaf
	x.m.stats.Switches++
}

// resumeParent makes a parent that has waited the running stack. Its pc is not touched.
func (m *Machine) resumeParent(p *Stack) {
	p.state = StackRunning
	p.recvR = 0
	m.cur = p
	m.stats.Switches++
}

// endSegment ends the stacks from leaf up to head, which are no longer linked to others. Other is
// the one that goes on, or that released them; the instruction at at ends them.
func (m *Machine) endSegment(head, leaf, other *Stack, k EventKind, at Site, e end) {
	for s := leaf; ; {
		p := s.parent
		if m.watched {
			with := e
			if s != head {
				with.kind, with.with, with.tag = EndReleased, head.id, nil
			}
			m.emitEnded(k, s, other.id, at, with, nil)
		}
		last := s == head
		m.retire(s)
		if last {
			return
		}
		s = p
	}
}

// payloadBuffer is a payload on its way within one frame, where it may have to move over itself.
type payloadBuffer struct {
	nums []uint64
	refs []Ref
}

// awaitChild makes s wait for a stack that it has resumed at the instruction at fr, its innermost
// frame.
func (s *Stack) awaitChild(fr *frame) { s.state, s.eventTable = StackWaiting, fr.table() }

// unlinkSender takes the segment from head to s off its parent, suspended or ended. Its leaf s,
// whose innermost frame is fr, has sent the event.
func (x transfer) unlinkSender(head *Stack, tag *Tag, other *Stack, retires bool) {
	if retires {
		x.m.endSegment(head, x.s, other, EventFinish, x.fr.site(), end{kind: EndRetired, by: x.s.id, tag: tag})
		return
	}
	unlink(head, x.s, x.fr, x.o, tag)
	x.s.eventTable = x.fr.table()
}

// deliver makes t go on in a clause, with an event's values that are at the slots nb, rb of s.
func (c *payloadBuffer) deliver(s *Stack, nb, rb uint32, t *Stack, tag *Tag, h *code.HandlerClause) {
	t.tag = tag
	fr := t.top()
	if m := fr.fn.inst.mach; m.noting() {
		m.noteClause(t, *fr, tag, h)
	}
	nn, nr := uint16(tag.parNums), uint16(tag.parRefs)
	if h.Target == code.TargetMoved {
		clear(s.refs[rb : rb+uint32(tag.parRefs)])
		t.eventTable, fr.pc = nil, h.PC
		return
	}
	if h.Target == code.TargetEntry { // after the stored arguments: the fiber, then the values
		t.refs[t.recvR] = t.ref()
		c.sendPayload(s, nb, rb, t, t.recvN, t.recvR+1, nn, nr)
		return
	}
	fr.pc = h.PC
	dn, dr := fr.numBase+uint32(h.DstN), fr.refBase+uint32(h.DstR)
	if s == t {
		c.takePayload(s, nb, rb, nn, nr)
		copySaved(t, fr, h)
		c.placePayload(t, dn, dr)
		return
	}
	copySaved(t, fr, h)
	c.sendPayload(s, nb, rb, t, dn, dr, nn, nr)
}

// copySaved moves what a clause takes along to where it is before the event's values.
func copySaved(t *Stack, fr *frame, h *code.HandlerClause) {
	if h.SavedN > 0 {
		from, to := fr.numBase+uint32(h.SaveN), fr.numBase+uint32(h.DstN-h.SavedN)
		copy(t.nums[to:to+uint32(h.SavedN)], t.nums[from:])
	}
	if h.SavedR > 0 {
		from, to := fr.refBase+uint32(h.SaveR), fr.refBase+uint32(h.DstR-h.SavedR)
		copy(t.refs[to:to+uint32(h.SavedR)], t.refs[from:])
	}
}

// takePayload takes a payload out of the slots nb, rb of s.
func (c *payloadBuffer) takePayload(s *Stack, nb, rb uint32, nn, nr uint16) {
	c.nums = append(c.nums[:0], s.nums[nb:nb+uint32(nn)]...)
	c.refs = append(c.refs[:0], s.refs[rb:rb+uint32(nr)]...)
	clear(s.refs[rb : rb+uint32(nr)])
}

// placePayload puts it into the slots dn, dr.
func (c *payloadBuffer) placePayload(s *Stack, dn, dr uint32) {
	copy(s.nums[dn:], c.nums)
	copy(s.refs[dr:], c.refs)
	clear(c.refs)
}

// sendPayload moves a payload from the slots nb, rb of s to dn, dr of t.
func (c *payloadBuffer) sendPayload(s *Stack, nb, rb uint32, t *Stack, dn, dr uint32, nn, nr uint16) {
	if s == t {
		c.takePayload(s, nb, rb, nn, nr)
		c.placePayload(s, dn, dr)
		return
	}
	for i := uint32(0); i < uint32(nn); i++ {
		t.nums[dn+i] = s.nums[nb+i]
	}
	for i := uint32(0); i < uint32(nr); i++ {
		t.refs[dr+i] = s.refs[rb+i]
		s.refs[rb+i] = Ref{}
	}
}

// named finds the stack of an operand that names it by identity.
func named(r Ref, null, ended wasm.TrapKind) (*Stack, wasm.TrapKind) {
	if r.obj == nil {
		return nil, null
	}
	t := r.asStack()
	if t.generation != r.aux {
		return nil, ended
	}
	return t, 0
}

func (t *Stack) ref() Ref { return Ref{&t.object, t.generation} }

// next goes on after the instruction of s.
func next(s *Stack, fr *frame) (*Stack, wasm.TrapKind) {
	fr.pc++
	return s, 0
}

// selfNew makes a suspended stack whose function gets the reference to it first, then the operands.
func (x transfer) selfNew(d wasm.Dialect) (*Stack, wasm.TrapKind) {
	t := x.create(x.fr.fn.inst.funcs[x.pt.Func], d)
	if t == nil {
		return nil, x.m.exhausted()
	}
	rb := x.fr.refBase + uint32(x.o.B)
	x.m.sendPayload(x.s, x.fr.numBase+uint32(x.o.A), rb, t, 0, 1, x.pt.Nums, x.pt.Refs)
	t.recvN, t.recvR = uint32(x.pt.Nums), uint32(x.pt.Refs)+1
	t.refs[0] = t.ref()
	x.s.refs[rb] = t.ref()
	return next(x.s, x.fr)
}

// identRelease ends a suspended segment that an operand with identity names.
func (x transfer) identRelease(
	d wasm.Dialect, null, ended, not wasm.TrapKind,
) (*Stack, wasm.TrapKind) {
	r := &x.s.refs[x.fr.refBase+uint32(x.o.B)]
	t, tk := named(*r, null, ended)
	if tk == 0 && !x.detached(t, d) {
		tk = not
	}
	if tk != 0 {
		return nil, tk
	}
	*r = Ref{}
	x.m.endSegment(t, t.Leaf(), x.s, EventRelease, x.fr.site(), end{kind: EndReleased, by: x.s.id})
	return next(x.s, x.fr)
}
