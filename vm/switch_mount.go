package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// The dialect fibers-mount (docs/design/dialects.md §4). The stack that is resumed looks the event
// up in the table of the instruction where it stands. Without a match the instruction that sent it
// falls through, and nothing has changed.

func init() {
	designs[wasm.DialectFibersMount] = design{
		returns: (*Machine).mountReturns,
		finish:  (*Machine).mountReturn,
	}
	controls[wasm.OpMountFiberNew] = (*Machine).mountNew
	controls[wasm.OpFiberMount] = (*Machine).mount
	controls[wasm.OpFiberDismount] = withFlag((*Machine).dismount, false)
	controls[wasm.OpFiberDismountRelease] = withFlag((*Machine).dismount, true)
	controls[wasm.OpMountFiberSwitch] = withFlag((*Machine).mountSwitch, false)
	controls[wasm.OpFiberSwitchRelease] = withFlag((*Machine).mountSwitch, true)
	controls[wasm.OpFiberMountNew] = (*Machine).mountEnter
	controls[wasm.OpFiberSwitchNew] = (*Machine).mountEnter
	controls[wasm.OpMountFiberRelease] = func(
		m *Machine, s *Stack, fr *frame, _ *code.ResumePoint, o *code.Op,
	) (*Stack, wasm.TrapKind) {
		return m.mountRelease(s, fr, o)
	}
}

// setEntry makes a new fiber begin with an entry.
func (m *Machine) setEntry(t *Stack, h *code.HandlerClause) {
	fn := t.maker.inst.funcs[h.PC]
	if fn.code == nil {
		fn = m.thunk(fn)
	}
	cd := fn.code
	m.account.left -= int64(missing(t, cd.Nums, cd.Refs)) // the next allocation looks at that
	t.room(cd.Nums, cd.Refs)
	t.base, t.frames[0].fn = fn, fn
	clear(t.nums[min(cd.ParNums, cd.LocNums):cd.LocNums])
}

func fiberOperand(r Ref) (*Stack, wasm.TrapKind) {
	return named(r, wasm.TrapNullFiber, wasm.TrapFiberMoribund)
}

// unmounted checks an operand that is to have no control parent.
func (m *Machine) unmounted(r Ref) (*Stack, wasm.TrapKind) {
	t, tk := fiberOperand(r)
	if tk == 0 && !m.detached(t, wasm.DialectFibersMount) {
		tk = wasm.TrapFiberHasParent
	}
	return t, tk
}

// mounted checks an operand that is to be the running fiber or a control ancestor.
func (m *Machine) mounted(s *Stack, r Ref, d wasm.Dialect) (*Stack, wasm.TrapKind) {
	t, tk := fiberOperand(r)
	if tk == 0 && !m.active(s, t, d) {
		tk = wasm.TrapFiberNotAncestor
	}
	return t, tk
}

// fallThrough goes on behind an instruction whose event nobody takes: its operands are consumed.
func fallThrough(s *Stack, fr *frame, rb uint32, refs uint32) (*Stack, wasm.TrapKind) {
	clear(s.refs[rb : rb+refs])
	return next(s, fr)
}

// mountNew makes a fiber with its arguments. Which function it runs depends on the first event.
func (m *Machine) mountNew(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	fn := m.noEntryFunc()
	if len(pt.Clauses) > 0 {
		fn = fr.fn.inst.funcs[pt.Clauses[0].PC]
	}
	t := m.create(s, fr, fn, wasm.DialectFibersMount)
	if t == nil {
		return nil, m.exhausted()
	}
	rb := fr.refBase + uint32(o.B)
	m.sendPayload(s, fr.numBase+uint32(o.A), rb, t, 0, 0, pt.Nums, pt.Refs)
	t.recvN, t.recvR = uint32(pt.Nums), uint32(pt.Refs)
	s.refs[rb] = t.ref()
	return next(s, fr)
}

// noEntryFunc returns the function of a fiber without entries, which never runs.
func (m *Machine) noEntryFunc() *Func {
	if m.noEntry == nil {
		m.noEntry = m.register(
			&Func{object: object{kind: objFunc}, canon: m.funcType(nil, nil), host: &hostFunc{}, name: "no entry"},
		)
	}
	return m.noEntry
}

// mount runs a fiber as a child of s.
func (m *Machine) mount(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	at := rb + uint32(pt.Refs)
	t, tk := m.unmounted(s.refs[at])
	if tk != 0 {
		return nil, tk
	}
	tag := fr.fn.inst.tags[pt.Tag]
	leaf := t.Leaf()
	h := leaf.eventClause(tag)
	if h == nil {
		return fallThrough(s, fr, rb, uint32(pt.Refs)+1)
	}
	if h.Target == code.TargetEntry {
		m.setEntry(leaf, h)
	}
	if m.watched {
		m.emitSwitch(EventResume, t, s, s, fr, tag, tag.params, nb, rb)
		m.emitStart(leaf, s.id)
	}
	s.refs[at] = Ref{}
	s.awaitChild(fr)
	m.deliver(s, nb, rb, leaf, tag, h)
	m.linkIdentified(t, leaf, s)
	return leaf, 0
}

// dismount takes an active fiber off its control parent, which goes on.
func (m *Machine) dismount(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op, release bool) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	at := rb + uint32(pt.Refs)
	t, tk := m.mounted(s, s.refs[at], wasm.DialectFibersMount)
	if tk != 0 {
		return nil, tk
	}
	tag := fr.fn.inst.tags[pt.Tag]
	p := t.parent
	h := p.eventClause(tag)
	if h == nil {
		return fallThrough(s, fr, rb, uint32(pt.Refs)+1)
	}
	if m.watched {
		m.emitSwitch(EventSuspend, t, p, s, fr, tag, tag.params, nb, rb)
	}
	s.refs[at] = Ref{}
	m.deliver(s, nb, rb, p, tag, h)
	m.unlinkSender(t, s, fr, o, tag, p, release)
	m.resumeParent(p)
	return p, 0
}

// mountSwitch mounts a fiber in place of an active one.
func (m *Machine) mountSwitch(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op, release bool) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	at := rb + uint32(pt.Refs)
	from, tk := m.mounted(s, s.refs[at], wasm.DialectFibersMount)
	if tk != 0 {
		return nil, tk
	}
	to, tk := fiberOperand(s.refs[at+1])
	if tk != 0 {
		return nil, tk
	}
	tag := fr.fn.inst.tags[pt.Tag]
	if to == from { // nothing moves
		h := s.eventClause(tag)
		if h == nil {
			return fallThrough(s, fr, rb, uint32(pt.Refs)+2)
		}
		if m.watched {
			m.emitSwitch(EventSwitch, from, to, s, fr, tag, tag.params, nb, rb)
		}
		s.refs[at], s.refs[at+1] = Ref{}, Ref{}
		m.deliver(s, nb, rb, s, tag, h)
		m.stats.Switches++
		return s, 0
	}
	if !m.detached(to, wasm.DialectFibersMount) {
		return nil, wasm.TrapFiberHasParent
	}
	leaf := to.Leaf()
	h := leaf.eventClause(tag)
	if h == nil {
		return fallThrough(s, fr, rb, uint32(pt.Refs)+2)
	}
	if h.Target == code.TargetEntry {
		m.setEntry(leaf, h)
	}
	if m.watched {
		m.emitSwitch(EventSwitch, from, to, s, fr, tag, tag.params, nb, rb)
		m.emitStart(leaf, s.id)
	}
	s.refs[at], s.refs[at+1] = Ref{}, Ref{}
	m.deliver(s, nb, rb, leaf, tag, h)
	p := from.parent
	m.unlinkSender(from, s, fr, o, tag, to, release)
	m.linkIdentified(to, leaf, p)
	return leaf, 0
}

// mountEnter makes a fiber and runs it, as a child of s or in place of an active fiber. What it is
// stays in the slot of the instruction's first result.
func (m *Machine) mountEnter(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	at := rb + uint32(pt.Refs)
	var from *Stack
	if pt.Kind == wasm.OpFiberSwitchNew {
		var tk wasm.TrapKind
		if from, tk = m.mounted(s, s.refs[at], wasm.DialectFibersMount); tk != 0 {
			return nil, tk
		}
	}
	t := m.create(s, fr, fr.fn.inst.funcs[pt.Func], wasm.DialectFibersMount)
	if t == nil {
		return nil, m.exhausted()
	}
	parent := s
	if m.watched {
		ts := fr.fn.inst.prog.FuncType(pt.Func).Params
		ts = ts[:len(ts)-1]
		if from != nil {
			m.emitSwitch(EventSwitch, from, t, s, fr, nil, ts, nb, rb)
		} else {
			m.emitSwitch(EventResume, t, s, s, fr, nil, ts, nb, rb)
		}
		m.emitStart(t, s.id)
	}
	if from != nil {
		s.refs[at] = Ref{}
	}
	m.sendPayload(s, nb, rb, t, 0, 0, pt.Nums, pt.Refs)
	t.refs[pt.Refs] = t.ref()
	s.refs[rb] = t.ref()
	if from != nil {
		parent = from.parent
		m.unlinkSender(from, s, fr, o, nil, t, false)
	} else {
		s.awaitChild(fr)
	}
	s.recvR = rb + 1
	m.linkIdentified(t, t, parent)
	return t, 0
}

// mountRelease ends a segment that has no control parent.
func (m *Machine) mountRelease(s *Stack, fr *frame, o *code.Op) (*Stack, wasm.TrapKind) {
	r := &s.refs[fr.refBase+uint32(o.B)]
	switch t, tk := m.unmounted(*r); tk {
	case 0:
		m.endSegment(t, t.Leaf(), nil, EventRelease, fr.site())
	case wasm.TrapFiberMoribund:
	default:
		return nil, tk
	}
	*r = Ref{}
	return next(s, fr)
}

// returnTag returns the event that the return of a fiber sends.
func (s *Stack) returnTag() *Tag {
	fr := s.makerFrame()
	return fr.table().sentTag
}

// mountReturns checks that the parent takes the event that the return of s sends.
func (m *Machine) mountReturns(s *Stack) wasm.TrapKind {
	tag := s.returnTag()
	if h := s.parent.eventClause(tag); h == nil {
		return m.unhandledEvent(tag, s.parent)
	}
	return 0
}

// mountReturn is finish for a fiber: the results, in its first slots, are the event's values.
func (m *Machine) mountReturn(s *Stack) *Stack {
	p, tag := s.parent, s.returnTag()
	if m.watched {
		m.emit(
			Event{
				Kind: EventFinish, Stack: s.id, Base: s.base, Other: p.id,
				Site: Site{s.base, len(s.base.code.Body) - 1}, Tag: tag,
				Values: getValues(tag.params, s.nums, s.refs), Dialect: s.dialect,
			},
		)
	}
	h := p.eventClause(tag)
	m.deliver(s, 0, 0, p, tag, h)
	m.retire(s)
	m.resumeParent(p)
	return p
}
