package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// The dialect tasks (docs/design/dialects.md §6). An event is handed over in two steps: the switch
// leaves it with the stack that goes on, its values where that stack's next event.switch finds
// them; then that event.switch takes it. So it is an instruction of its own, for debuggers as well.

func init() {
	designs[wasm.DialectTasks] = design{
		returns: func(*Machine, *Stack) wasm.TrapKind { return wasm.TrapTaskReturned },
	}
	controls[wasm.OpTaskNew] = (*Machine).taskNew
	controls[wasm.OpTaskResume] = (*Machine).taskResume
	controls[wasm.OpTaskSuspend] = withFlag((*Machine).taskSuspend, false)
	controls[wasm.OpTaskRetire] = withFlag((*Machine).taskSuspend, true)
	controls[wasm.OpTaskSwitchto] = (*Machine).taskSwitch
	controls[wasm.OpTaskRelease] = func(
		m *Machine, s *Stack, fr *frame, _ *code.ResumePoint, o *code.Op,
	) (*Stack, wasm.TrapKind) {
		return m.identRelease(
			s, fr, o, wasm.DialectTasks, wasm.TrapNullTask, wasm.TrapTaskMoribund, wasm.TrapTaskNotSuspended,
		)
	}
}

// unmatched is the pending event that no pair of the event.switch is for.
const unmatched = -1

// noEvent returns the trap of an event.switch that cannot branch.
func (s *Stack) noEvent() wasm.TrapKind {
	if s.pending == unmatched {
		return wasm.TrapUnhandledEvent
	}
	return wasm.TrapNoEvent
}

func taskOperand(r Ref) (*Stack, wasm.TrapKind) {
	return named(r, wasm.TrapNullTask, wasm.TrapTaskMoribund)
}

// taskNew makes a task with its arguments.
func (m *Machine) taskNew(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	return m.selfNew(s, fr, pt, o, wasm.DialectTasks)
}

// dispatchEvent hands an event with its values, at the slots nb, rb of s, to t, which is running
// now and goes on behind the instruction where it stood. Where nobody looks, it takes the
// event.switch along.
func (m *Machine) dispatchEvent(s *Stack, nb, rb uint32, t *Stack, tag *Tag, new bool) (*Stack, wasm.TrapKind) {
	fr := t.top()
	cd := fr.fn.code
	pc, direct := cd.EntryEvent, cd.EntryIsFirst
	switch moved := t.eventTable != nil && t.eventTable.moved; {
	case moved:
		t.eventTable = nil
		if pc, direct = fr.pc, false; cd.Body[pc].Op != wasm.OpEventSwitch { // nobody there takes the event
			t.tag = tag
			clear(s.refs[rb : rb+uint32(tag.parRefs)])
			return t, 0
		}
	case !new:
		pt := &cd.Points[cd.Baseline[fr.pc].C]
		pc, direct = pt.NextEvent, pt.NextIsFirst
		fr.pc++
	}
	t.tag = tag
	if pc == code.NoEvent {
		return t, m.unhandledEvent(tag, t)
	}
	at := &cd.Baseline[pc]
	nn, nr := uint16(tag.parNums), uint16(tag.parRefs)
	hs := cd.Points[at.C].Clauses
	for i := range hs {
		if fr.fn.inst.tags[hs[i].Tag] != tag {
			continue
		}
		if !direct || m.mode != formFused || cd.FusedBase == nil ||
			m.observer != nil { // there may be a breakpoint at it, or one is about to be set
			t.pending = int32(i) + 1
			m.sendPayload(s, nb, rb, t, fr.numBase+uint32(at.A), fr.refBase+uint32(at.B), nn, nr)
			return t, 0
		}
		m.deliver(s, nb, rb, t, tag, &hs[i])
		return t, 0
	}
	t.pending = unmatched
	return t, 0
}

// taskResume runs a suspended task as a child of s.
func (m *Machine) taskResume(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	t, tk := taskOperand(s.refs[rb])
	if tk == 0 && !m.detached(t, wasm.DialectTasks) {
		tk = wasm.TrapTaskNotSuspended
	}
	if tk != 0 {
		return nil, tk
	}
	tag := fr.fn.inst.tags[pt.Tag]
	leaf := t.Leaf()
	new := leaf.state == StackNew
	if m.watched {
		m.emitSwitch(EventResume, t, s, s, fr, tag, tag.params, nb, rb+1)
		m.emitStart(leaf, s.id)
	}
	s.refs[rb] = Ref{}
	s.awaitChild(fr)
	m.linkIdentified(t, leaf, s)
	return m.dispatchEvent(s, nb, rb+1, leaf, tag, new)
}

// taskSuspend returns an event to the parent of an active task, and suspends or ends the task.
func (m *Machine) taskSuspend(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op, retire bool) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	t, tk := taskOperand(s.refs[rb])
	if tk == 0 && !m.active(s, t, wasm.DialectTasks) {
		tk = wasm.TrapTaskNotActive
	}
	if tk != 0 {
		return nil, tk
	}
	tag := fr.fn.inst.tags[pt.Tag]
	p := t.parent
	if m.watched {
		m.emitSwitch(EventSuspend, t, p, s, fr, tag, tag.params, nb, rb+1)
	}
	s.refs[rb] = Ref{}
	m.resumeParent(p)
	_, tk = m.dispatchEvent(s, nb, rb+1, p, tag, false)
	m.unlinkSender(t, s, fr, o, tag, p, retire)
	return p, tk
}

// taskSwitch suspends an active task and resumes another in its place.
func (m *Machine) taskSwitch(s *Stack, fr *frame, pt *code.ResumePoint, o *code.Op) (*Stack, wasm.TrapKind) {
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	from, tk := taskOperand(s.refs[rb])
	if tk == 0 && !m.active(s, from, wasm.DialectTasks) {
		tk = wasm.TrapTaskNotActive
	}
	if tk != 0 {
		return nil, tk
	}
	to, tk := taskOperand(s.refs[rb+1])
	if tk == 0 && to != from && !m.detached(to, wasm.DialectTasks) {
		tk = wasm.TrapTaskNotSuspended
	}
	if tk != 0 {
		return nil, tk
	}
	tag := fr.fn.inst.tags[pt.Tag]
	leaf := s
	if to != from {
		leaf = to.Leaf()
	}
	new := leaf.state == StackNew
	if m.watched {
		m.emitSwitch(EventSwitch, from, to, s, fr, tag, tag.params, nb, rb+2)
		m.emitStart(leaf, s.id)
	}
	s.refs[rb], s.refs[rb+1] = Ref{}, Ref{}
	if to != from {
		p := from.parent
		m.unlinkSender(from, s, fr, o, tag, to, false)
		m.linkIdentified(to, leaf, p)
	}
	return m.dispatchEvent(s, nb, rb+2, leaf, tag, new)
}
