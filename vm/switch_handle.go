package vm

import (
	"stackscope/wasm"
)

// The dialect fibers-handle (docs/design/dialects.md §5). The stack that is resumed takes the event
// in the innermost clause in scope at the instruction where it stands; there is no going on after
// it.

func init() {
	designs[wasm.DialectFibersHandle] = design{
		returns: handleReturns,
	}
	controls[wasm.OpHandleFiberNew] = transfer.handleNew
	controls[wasm.OpFiberSpawn] = transfer.handleSpawn
	controls[wasm.OpFiberResume] = transfer.handleResume
	controls[wasm.OpFiberSuspend] = withFlag(transfer.handleSuspend, false)
	controls[wasm.OpFiberRetire] = withFlag(transfer.handleSuspend, true)
	controls[wasm.OpHandleFiberSwitch] = withFlag(transfer.handleSwitch, false)
	controls[wasm.OpFiberRetireto] = withFlag(transfer.handleSwitch, true)
	controls[wasm.OpHandleFiberRelease] = func(x transfer) (*Stack, wasm.TrapKind) {
		return x.identRelease(
			wasm.DialectFibersHandle, wasm.TrapNullFiber, wasm.TrapFiberMoribund, wasm.TrapFiberNotSuspended,
		)
	}
}

// unhandledEvent returns the trap of an event that no clause of at, which was to take it, is for.
func (fs *faults) unhandledEvent(tag *Tag, at *Stack) wasm.TrapKind {
	fs.detail = tag.String()
	fs.missed, fs.missedAt = tag, at
	return wasm.TrapUnhandledEvent
}

// suspended checks an operand that is to be a suspended fiber.
func (x transfer) suspended(r Ref) (*Stack, wasm.TrapKind) {
	t, tk := fiberOperand(r)
	if tk == 0 && !x.detached(t, wasm.DialectFibersHandle) {
		tk = wasm.TrapFiberNotSuspended
	}
	return t, tk
}

// handleNew makes a fiber with its arguments.
func (x transfer) handleNew() (*Stack, wasm.TrapKind) {
	return x.selfNew(wasm.DialectFibersHandle)
}

// handleSpawn makes a fiber and runs it as a child of s, from its function's beginning.
func (x transfer) handleSpawn() (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	t := x.create(x.fr.fn.inst.funcs[x.pt.Func], wasm.DialectFibersHandle)
	if t == nil {
		return nil, x.m.exhausted()
	}
	if x.m.watched {
		x.m.emitSwitch(EventResume, t, x.s, x.s, x.fr, nil, x.fr.fn.inst.prog.FuncType(x.pt.Func).Params[1:], nb, rb)
		x.m.emitStart(t, x.s.id)
	}
	x.m.sendPayload(x.s, nb, rb, t, 0, 1, x.pt.Nums, x.pt.Refs)
	t.refs[0] = t.ref()
	x.s.awaitChild(x.fr)
	x.linkIdentified(t, t, x.s)
	return t, 0
}

// handleResume runs a suspended fiber as a child of s.
func (x transfer) handleResume() (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	t, tk := x.suspended(x.s.refs[rb])
	if tk != 0 {
		return nil, tk
	}
	tag := x.fr.fn.inst.tags[x.pt.Tag]
	leaf := t.Leaf()
	h := leaf.eventClause(tag)
	if h == nil {
		return nil, x.m.unhandledEvent(tag, leaf)
	}
	if x.m.watched {
		x.m.emitSwitch(EventResume, t, x.s, x.s, x.fr, tag, tag.params, nb, rb+1)
	}
	x.s.refs[rb] = Ref{}
	x.m.deliver(x.s, nb, rb+1, leaf, tag, h)
	if x.m.watched {
		x.m.emitStart(leaf, x.s.id) // in the clause
	}
	x.s.awaitChild(x.fr)
	x.linkIdentified(t, leaf, x.s)
	return leaf, 0
}

// handleSuspend returns an event to the resume parent of an active fiber, which is suspended or
// ends.
func (x transfer) handleSuspend(retire bool) (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	t, tk := x.mounted(x.s.refs[rb], wasm.DialectFibersHandle)
	if tk != 0 {
		return nil, tk
	}
	tag := x.fr.fn.inst.tags[x.pt.Tag]
	p := t.parent
	h := p.eventClause(tag)
	if h == nil {
		return nil, x.m.unhandledEvent(tag, p)
	}
	if x.m.watched {
		x.m.emitSwitch(EventSuspend, t, p, x.s, x.fr, tag, tag.params, nb, rb+1)
	}
	x.s.refs[rb] = Ref{}
	x.m.deliver(x.s, nb, rb+1, p, tag, h)
	x.unlinkSender(t, tag, p, retire)
	x.m.resumeParent(p)
	return p, 0
}

// handleSwitch suspends, or ends, an active fiber and resumes another in its place.
func (x transfer) handleSwitch(retire bool) (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	from, tk := x.mounted(x.s.refs[rb], wasm.DialectFibersHandle)
	if tk != 0 {
		return nil, tk
	}
	to, tk := fiberOperand(x.s.refs[rb+1])
	if tk != 0 {
		return nil, tk
	}
	leaf := x.s
	if to != from || retire {
		if !x.detached(to, wasm.DialectFibersHandle) {
			return nil, wasm.TrapFiberNotSuspended
		}
		leaf = to.Leaf()
	}
	tag := x.fr.fn.inst.tags[x.pt.Tag]
	h := leaf.eventClause(tag)
	if h == nil {
		return nil, x.m.unhandledEvent(tag, leaf)
	}
	if x.m.watched {
		x.m.emitSwitch(EventSwitch, from, to, x.s, x.fr, tag, tag.params, nb, rb+2)
	}
	x.s.refs[rb], x.s.refs[rb+1] = Ref{}, Ref{}
	x.m.deliver(x.s, nb, rb+2, leaf, tag, h)
	if x.m.watched {
		x.m.emitStart(leaf, x.s.id)
	}
	if to == from {
		x.m.stats.Switches++
		return x.s, 0
	}
	p := from.parent
	x.unlinkSender(from, tag, to, retire)
	x.linkIdentified(to, leaf, p)
	return leaf, 0
}

// handleReturns checks that what s returns is what its parent expects: it may have resumed another
// fiber.
func handleReturns(m *Machine, s *Stack) wasm.TrapKind {
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
