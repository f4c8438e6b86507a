package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// The dialect fibers-handle (docs/design/dialects.md §5). The stack that is resumed takes the event
// in the innermost clause in scope at the instruction where it stands; there is no going on behind
// it.

func init() {
	designs[wasm.DialectFibersHandle] = design{
		returns: (*Machine).handleReturns,
	}
	controls[wasm.OpHandleFiberNew] = (*Machine).handleNew
	controls[wasm.OpFiberSpawn] = (*Machine).handleSpawn
	controls[wasm.OpFiberResume] = (*Machine).handleResume
	controls[wasm.OpFiberSuspend] = withFlag((*Machine).handleSuspend, false)
	controls[wasm.OpFiberRetire] = withFlag((*Machine).handleSuspend, true)
	controls[wasm.OpHandleFiberSwitch] = withFlag((*Machine).handleSwitch, false)
	controls[wasm.OpFiberRetireto] = withFlag((*Machine).handleSwitch, true)
	controls[wasm.OpHandleFiberRelease] = func(
		m *Machine, s *Stack, fr *frame, _ *code.ResumePoint, o *code.Op,
	) (*Stack, wasm.TrapKind) {
		return m.identRelease(
			s, fr, o, wasm.DialectFibersHandle, wasm.TrapNullFiber, wasm.TrapFiberMoribund, wasm.TrapFiberNotSuspended,
		)
	}
}

// unhandledEvent returns the trap of an event that no clause of at, which was to take it, is for.
func (m *Machine) unhandledEvent(tag *Tag, at *Stack) wasm.TrapKind {
	m.detail = tag.String()
	m.missed, m.missedAt = tag, at
	return wasm.TrapUnhandledEvent
}

// suspended checks an operand that is to be a suspended fiber.
func (m *Machine) suspended(r Ref) (*Stack, wasm.TrapKind) {
	t, tk := fiberOperand(r)
	if tk == 0 && !m.detached(t, wasm.DialectFibersHandle) {
		tk = wasm.TrapFiberNotSuspended
	}
	return t, tk
}

// handleNew makes a fiber with its arguments.
func (m *Machine) handleNew(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	return m.selfNew(s, fr, pt, o, wasm.DialectFibersHandle)
}

// handleSpawn makes a fiber and runs it as a child of s, from its function's beginning.
func (m *Machine) handleSpawn(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	t := m.create(s, fr, fr.fn.inst.funcs[pt.Func], wasm.DialectFibersHandle)
	if t == nil {
		return nil, m.exhausted()
	}
	if m.watched {
		m.emitSwitch(EventResume, t, s, s, fr, nil, fr.fn.inst.prog.FuncType(pt.Func).Params[1:], nb, rb)
		m.emitStart(t, s.id)
	}
	m.sendPayload(s, nb, rb, t, 0, 1, pt.Nums, pt.Refs)
	t.refs[0] = t.ref()
	s.awaitChild(fr)
	m.linkIdentified(t, t, s)
	return t, 0
}

// handleResume runs a suspended fiber as a child of s.
func (m *Machine) handleResume(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	t, tk := m.suspended(s.refs[rb])
	if tk != 0 {
		return nil, tk
	}
	tag := fr.fn.inst.tags[pt.Tag]
	leaf := t.Leaf()
	h := leaf.eventClause(tag)
	if h == nil {
		return nil, m.unhandledEvent(tag, leaf)
	}
	if m.watched {
		m.emitSwitch(EventResume, t, s, s, fr, tag, tag.params, nb, rb+1)
	}
	s.refs[rb] = Ref{}
	m.deliver(s, nb, rb+1, leaf, tag, h)
	if m.watched {
		m.emitStart(leaf, s.id) // in the clause
	}
	s.awaitChild(fr)
	m.linkIdentified(t, leaf, s)
	return leaf, 0
}

// handleSuspend returns an event to the resume parent of an active fiber, which is suspended or
// ends.
func (m *Machine) handleSuspend(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op, retire bool) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	t, tk := m.mounted(s, s.refs[rb], wasm.DialectFibersHandle)
	if tk != 0 {
		return nil, tk
	}
	tag := fr.fn.inst.tags[pt.Tag]
	p := t.parent
	h := p.eventClause(tag)
	if h == nil {
		return nil, m.unhandledEvent(tag, p)
	}
	if m.watched {
		m.emitSwitch(EventSuspend, t, p, s, fr, tag, tag.params, nb, rb+1)
	}
	s.refs[rb] = Ref{}
	m.deliver(s, nb, rb+1, p, tag, h)
	m.unlinkSender(t, s, fr, o, tag, p, retire)
	m.resumeParent(p)
	return p, 0
}

// handleSwitch suspends, or ends, an active fiber and resumes another in its place.
func (m *Machine) handleSwitch(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op, retire bool) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	from, tk := m.mounted(s, s.refs[rb], wasm.DialectFibersHandle)
	if tk != 0 {
		return nil, tk
	}
	to, tk := fiberOperand(s.refs[rb+1])
	if tk != 0 {
		return nil, tk
	}
	leaf := s
	if to != from || retire {
		if !m.detached(to, wasm.DialectFibersHandle) {
			return nil, wasm.TrapFiberNotSuspended
		}
		leaf = to.Leaf()
	}
	tag := fr.fn.inst.tags[pt.Tag]
	h := leaf.eventClause(tag)
	if h == nil {
		return nil, m.unhandledEvent(tag, leaf)
	}
	if m.watched {
		m.emitSwitch(EventSwitch, from, to, s, fr, tag, tag.params, nb, rb+2)
	}
	s.refs[rb], s.refs[rb+1] = Ref{}, Ref{}
	m.deliver(s, nb, rb+2, leaf, tag, h)
	if m.watched {
		m.emitStart(leaf, s.id)
	}
	if to == from {
		m.stats.Switches++
		return s, 0
	}
	p := from.parent
	m.unlinkSender(from, s, fr, o, tag, to, retire)
	m.linkIdentified(to, leaf, p)
	return leaf, 0
}

// handleReturns checks that what s returns is what its parent expects: it may have resumed another
// fiber.
func (m *Machine) handleReturns(s *Stack) wasm.TrapKind {
	pt, _ := s.parent.top().point()
	got := m.types.Type(s.base.canon).Results
	if len(got) != len(pt.Results) {
		return wasm.TrapFiberResult
	}
	for i, t := range got {
		if t != pt.Results[i] && !m.types.MatchVal(t, pt.Results[i]) {
			return wasm.TrapFiberResult
		}
	}
	return 0
}
