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
	controls[wasm.OpTaskNew] = transfer.taskNew
	controls[wasm.OpTaskResume] = transfer.taskResume
	controls[wasm.OpTaskSuspend] = withFlag(transfer.taskSuspend, false)
	controls[wasm.OpTaskRetire] = withFlag(transfer.taskSuspend, true)
	controls[wasm.OpTaskSwitchto] = transfer.taskSwitch
	controls[wasm.OpTaskRelease] = func(x transfer) (*Stack, wasm.TrapKind) {
		return x.identRelease(
			wasm.DialectTasks, wasm.TrapNullTask, wasm.TrapTaskMoribund, wasm.TrapTaskNotSuspended,
		)
	}
}

// unmatched is the pending event that no pair of the event.switch is for.
const unmatched = -1

// noEvent returns the trap of an event.switch that cannot branch.
func noEvent(s *Stack) wasm.TrapKind {
	if s.pending == unmatched {
		return wasm.TrapUnhandledEvent
	}
	return wasm.TrapNoEvent
}

func taskOperand(r Ref) (*Stack, wasm.TrapKind) {
	return named(r, wasm.TrapNullTask, wasm.TrapTaskMoribund)
}

// taskNew makes a task with its arguments.
func (x transfer) taskNew() (*Stack, wasm.TrapKind) {
	return x.selfNew(wasm.DialectTasks)
}

// dispatchEvent hands an event with its values, at the slots nb, rb of s, to t, which is running
// now and goes on after the instruction where it stood. Where nobody looks, it takes the
// event.switch along.
func (x transfer) dispatchEvent(nb, rb uint32, t *Stack, tag *Tag, new bool) (*Stack, wasm.TrapKind) {
	fr := t.top()
	cd := fr.fn.code
	pc, direct := cd.EntryEvent, cd.EntryIsFirst
	switch moved := t.eventTable != nil && t.eventTable.moved; {
	case moved:
		t.eventTable = nil
		if pc, direct = fr.pc, false; cd.Body[pc].Op != wasm.OpEventSwitch { // nobody there takes the event
			t.tag = tag
			clear(x.s.refs[rb : rb+uint32(tag.parRefs)])
			return t, 0
		}
	case !new:
		pt := &cd.Points[cd.Baseline[fr.pc].C]
		pc, direct = pt.NextEvent, pt.NextIsFirst
		fr.pc++
	}
	t.tag = tag
	if pc == code.NoEvent {
		return t, x.m.unhandledEvent(tag, t)
	}
	at := &cd.Baseline[pc]
	nn, nr := uint16(tag.parNums), uint16(tag.parRefs)
	pt := &cd.Points[at.C]
	i := fr.fn.inst.clauses[pt.Table].pair(pt.Clauses, tag)
	switch {
	case i < 0:
		t.pending = unmatched
	case !direct || x.m.mode != formFused || cd.FusedBase == nil ||
		x.m.aside: // there may be a breakpoint at it, or one is about to be set
		t.pending = int32(i) + 1
		if x.m.noting() {
			x.m.note(t, pc, Arrival{fr.fn, int(pc), i, tag, new}, true)
		}
		x.m.sendPayload(x.s, nb, rb, t, fr.numBase+uint32(at.A), fr.refBase+uint32(at.B), nn, nr)
	default:
		x.m.deliver(x.s, nb, rb, t, tag, &pt.Clauses[i])
	}
	return t, 0
}

// taskResume runs a suspended task as a child of s.
func (x transfer) taskResume() (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	t, tk := taskOperand(x.s.refs[rb])
	if tk == 0 && !x.detached(t, wasm.DialectTasks) {
		tk = wasm.TrapTaskNotSuspended
	}
	if tk != 0 {
		return nil, tk
	}
	tag := x.fr.fn.inst.tags[x.pt.Tag]
	leaf := t.Leaf()
	new := leaf.state == StackNew
	if x.m.watched {
		x.m.emitSwitch(EventResume, t, x.s, x.s, x.fr, tag, tag.params, nb, rb+1)
		x.m.emitStart(leaf, x.s.id)
	}
	x.s.refs[rb] = Ref{}
	x.s.awaitChild(x.fr)
	x.linkIdentified(t, leaf, x.s)
	return x.dispatchEvent(nb, rb+1, leaf, tag, new)
}

// taskSuspend returns an event to the parent of an active task, and suspends or ends the task.
func (x transfer) taskSuspend(retire bool) (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	t, tk := taskOperand(x.s.refs[rb])
	if tk == 0 && !x.active(t, wasm.DialectTasks) {
		tk = wasm.TrapTaskNotActive
	}
	if tk != 0 {
		return nil, tk
	}
	tag := x.fr.fn.inst.tags[x.pt.Tag]
	p := t.parent
	if x.m.watched {
		x.m.emitSwitch(EventSuspend, t, p, x.s, x.fr, tag, tag.params, nb, rb+1)
	}
	x.s.refs[rb] = Ref{}
	x.m.resumeParent(p)
	_, tk = x.dispatchEvent(nb, rb+1, p, tag, false)
	x.unlinkSender(t, tag, p, retire)
	return p, tk
}

// taskSwitch suspends an active task and resumes another in its place.
func (x transfer) taskSwitch() (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	from, tk := taskOperand(x.s.refs[rb])
	if tk == 0 && !x.active(from, wasm.DialectTasks) {
		tk = wasm.TrapTaskNotActive
	}
	if tk != 0 {
		return nil, tk
	}
	to, tk := taskOperand(x.s.refs[rb+1])
	if tk == 0 && to != from && !x.detached(to, wasm.DialectTasks) {
		tk = wasm.TrapTaskNotSuspended
	}
	if tk != 0 {
		return nil, tk
	}
	tag := x.fr.fn.inst.tags[x.pt.Tag]
	leaf := x.s
	if to != from {
		leaf = to.Leaf()
	}
	new := leaf.state == StackNew
	if x.m.watched {
		x.m.emitSwitch(EventSwitch, from, to, x.s, x.fr, tag, tag.params, nb, rb+2)
		x.m.emitStart(leaf, x.s.id)
	}
	x.s.refs[rb], x.s.refs[rb+1] = Ref{}, Ref{}
	if to != from {
		p := from.parent
		x.unlinkSender(from, tag, to, false)
		x.linkIdentified(to, leaf, p)
	}
	return x.dispatchEvent(nb, rb+2, leaf, tag, new)
}
