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
		returns: mountReturns,
		finish:  mountReturn,
	}
	controls[wasm.OpMountFiberNew] = transfer.mountNew
	controls[wasm.OpFiberMount] = transfer.mount
	controls[wasm.OpFiberDismount] = withFlag(transfer.dismount, false)
	controls[wasm.OpFiberDismountRelease] = withFlag(transfer.dismount, true)
	controls[wasm.OpMountFiberSwitch] = withFlag(transfer.mountSwitch, false)
	controls[wasm.OpFiberSwitchRelease] = withFlag(transfer.mountSwitch, true)
	controls[wasm.OpFiberMountNew] = transfer.mountEnter
	controls[wasm.OpFiberSwitchNew] = transfer.mountEnter
	controls[wasm.OpMountFiberRelease] = transfer.mountRelease
}

// setEntry makes a new fiber begin with an entry.
func (x transfer) setEntry(t *Stack, h *code.HandlerClause) {
	fn := t.maker.inst.funcs[h.PC]
	if fn.code == nil {
		fn = x.m.thunk(fn)
	}
	cd := fn.code
	x.m.account.left -= int64(missing(t, cd.Nums, cd.Refs)) // the next allocation looks at that
	t.room(cd.Nums, cd.Refs)
	t.base, t.frames[0].fn = fn, fn
	clear(t.nums[min(cd.ParNums, cd.LocNums):cd.LocNums])
}

func fiberOperand(r Ref) (*Stack, wasm.TrapKind) {
	return named(r, wasm.TrapNullFiber, wasm.TrapFiberMoribund)
}

// unmounted checks an operand that is to have no control parent.
func (x transfer) unmounted(r Ref) (*Stack, wasm.TrapKind) {
	t, tk := fiberOperand(r)
	if tk == 0 && !x.detached(t, wasm.DialectFibersMount) {
		tk = wasm.TrapFiberHasParent
	}
	return t, tk
}

// mounted checks an operand that is to be the running fiber or a control ancestor.
func (x transfer) mounted(r Ref, d wasm.Dialect) (*Stack, wasm.TrapKind) {
	t, tk := fiberOperand(r)
	if tk == 0 && !x.active(t, d) {
		tk = wasm.TrapFiberNotAncestor
	}
	return t, tk
}

// fallThrough goes on after an instruction whose event nobody takes: its operands are consumed.
func fallThrough(s *Stack, fr *frame, rb uint32, refs uint32) (*Stack, wasm.TrapKind) {
	clear(s.refs[rb : rb+refs])
	return next(s, fr)
}

// mountNew makes a fiber with its arguments. Which function it runs depends on the first event.
func (x transfer) mountNew() (*Stack, wasm.TrapKind) {
	fn := x.noEntryFunc()
	if len(x.pt.Clauses) > 0 {
		fn = x.fr.fn.inst.funcs[x.pt.Clauses[0].PC]
	}
	t := x.create(fn, wasm.DialectFibersMount)
	if t == nil {
		return nil, x.m.exhausted()
	}
	rb := x.fr.refBase + uint32(x.o.B)
	x.m.sendPayload(x.s, x.fr.numBase+uint32(x.o.A), rb, t, 0, 0, x.pt.Nums, x.pt.Refs)
	t.recvN, t.recvR = uint32(x.pt.Nums), uint32(x.pt.Refs)
	x.s.refs[rb] = t.ref()
	return next(x.s, x.fr)
}

// noEntryFunc returns the function of a fiber without entries, which never runs.
func (x transfer) noEntryFunc() *Func {
	if x.m.noEntry == nil {
		x.m.noEntry = x.m.register(
			&Func{object: object{kind: objFunc}, canon: x.m.funcType(nil, nil), host: &hostFunc{}, name: "no entry"},
		)
	}
	return x.m.noEntry
}

// mount runs a fiber as a child of s.
func (x transfer) mount() (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	at := rb + uint32(x.pt.Refs)
	t, tk := x.unmounted(x.s.refs[at])
	if tk != 0 {
		return nil, tk
	}
	tag := x.fr.fn.inst.tags[x.pt.Tag]
	leaf := t.Leaf()
	h := leaf.eventClause(tag)
	if h == nil {
		return fallThrough(x.s, x.fr, rb, uint32(x.pt.Refs)+1)
	}
	if h.Target == code.TargetEntry {
		x.setEntry(leaf, h)
	}
	if x.m.watched {
		x.m.emitSwitch(EventResume, t, x.s, x.s, x.fr, tag, tag.params, nb, rb)
		x.m.emitStart(leaf, x.s.id)
	}
	x.s.refs[at] = Ref{}
	x.s.awaitChild(x.fr)
	x.m.deliver(x.s, nb, rb, leaf, tag, h)
	x.linkIdentified(t, leaf, x.s)
	return leaf, 0
}

// dismount takes an active fiber off its control parent, which goes on.
func (x transfer) dismount(release bool) (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	at := rb + uint32(x.pt.Refs)
	t, tk := x.mounted(x.s.refs[at], wasm.DialectFibersMount)
	if tk != 0 {
		return nil, tk
	}
	tag := x.fr.fn.inst.tags[x.pt.Tag]
	p := t.parent
	h := p.eventClause(tag)
	if h == nil {
		return fallThrough(x.s, x.fr, rb, uint32(x.pt.Refs)+1)
	}
	if x.m.watched {
		x.m.emitSwitch(EventSuspend, t, p, x.s, x.fr, tag, tag.params, nb, rb)
	}
	x.s.refs[at] = Ref{}
	x.m.deliver(x.s, nb, rb, p, tag, h)
	x.unlinkSender(t, tag, p, release)
	x.m.resumeParent(p)
	return p, 0
}

// mountSwitch mounts a fiber in place of an active one.
func (x transfer) mountSwitch(release bool) (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	at := rb + uint32(x.pt.Refs)
	from, tk := x.mounted(x.s.refs[at], wasm.DialectFibersMount)
	if tk != 0 {
		return nil, tk
	}
	to, tk := fiberOperand(x.s.refs[at+1])
	if tk != 0 {
		return nil, tk
	}
	tag := x.fr.fn.inst.tags[x.pt.Tag]
	if to == from { // nothing moves
		h := x.s.eventClause(tag)
		if h == nil {
			return fallThrough(x.s, x.fr, rb, uint32(x.pt.Refs)+2)
		}
		if x.m.watched {
			x.m.emitSwitch(EventSwitch, from, to, x.s, x.fr, tag, tag.params, nb, rb)
		}
		x.s.refs[at], x.s.refs[at+1] = Ref{}, Ref{}
		x.m.deliver(x.s, nb, rb, x.s, tag, h)
		x.m.stats.Switches++
		return x.s, 0
	}
	if !x.detached(to, wasm.DialectFibersMount) {
		return nil, wasm.TrapFiberHasParent
	}
	leaf := to.Leaf()
	h := leaf.eventClause(tag)
	if h == nil {
		return fallThrough(x.s, x.fr, rb, uint32(x.pt.Refs)+2)
	}
	if h.Target == code.TargetEntry {
		x.setEntry(leaf, h)
	}
	if x.m.watched {
		x.m.emitSwitch(EventSwitch, from, to, x.s, x.fr, tag, tag.params, nb, rb)
		x.m.emitStart(leaf, x.s.id)
	}
	x.s.refs[at], x.s.refs[at+1] = Ref{}, Ref{}
	x.m.deliver(x.s, nb, rb, leaf, tag, h)
	p := from.parent
	x.unlinkSender(from, tag, to, release)
	x.linkIdentified(to, leaf, p)
	return leaf, 0
}

// mountEnter makes a fiber and runs it, as a child of s or in place of an active fiber. What it is
// stays in the slot of the instruction's first result.
func (x transfer) mountEnter() (*Stack, wasm.TrapKind) {
	nb, rb := x.fr.numBase+uint32(x.o.A), x.fr.refBase+uint32(x.o.B)
	at := rb + uint32(x.pt.Refs)
	var from *Stack
	if x.pt.Kind == wasm.OpFiberSwitchNew {
		var tk wasm.TrapKind
		if from, tk = x.mounted(x.s.refs[at], wasm.DialectFibersMount); tk != 0 {
			return nil, tk
		}
	}
	t := x.create(x.fr.fn.inst.funcs[x.pt.Func], wasm.DialectFibersMount)
	if t == nil {
		return nil, x.m.exhausted()
	}
	parent := x.s
	if x.m.watched {
		ts := x.fr.fn.inst.prog.FuncType(x.pt.Func).Params
		ts = ts[:len(ts)-1]
		if from != nil {
			x.m.emitSwitch(EventSwitch, from, t, x.s, x.fr, nil, ts, nb, rb)
		} else {
			x.m.emitSwitch(EventResume, t, x.s, x.s, x.fr, nil, ts, nb, rb)
		}
		x.m.emitStart(t, x.s.id)
	}
	if from != nil {
		x.s.refs[at] = Ref{}
	}
	x.m.sendPayload(x.s, nb, rb, t, 0, 0, x.pt.Nums, x.pt.Refs)
	t.refs[x.pt.Refs] = t.ref()
	x.s.refs[rb] = t.ref()
	if from != nil {
		parent = from.parent
		x.unlinkSender(from, nil, t, false)
	} else {
		x.s.awaitChild(x.fr)
	}
	x.s.recvR = rb + 1
	x.linkIdentified(t, t, parent)
	return t, 0
}

// mountRelease ends a segment that has no control parent.
func (x transfer) mountRelease() (*Stack, wasm.TrapKind) {
	r := &x.s.refs[x.fr.refBase+uint32(x.o.B)]
	switch t, tk := x.unmounted(*r); tk {
	case 0:
		x.m.endSegment(t, t.Leaf(), x.s, EventRelease, x.fr.site(), end{kind: EndReleased, by: x.s.id})
	case wasm.TrapFiberMoribund:
	default:
		return nil, tk
	}
	*r = Ref{}
	return next(x.s, x.fr)
}

// returnTag returns the event that the return of a fiber sends.
func (s *Stack) returnTag() *Tag {
	fr := s.makerFrame()
	return fr.table().sentTag
}

// mountReturns checks that the parent takes the event that the return of s sends.
func mountReturns(m *Machine, s *Stack) wasm.TrapKind {
	tag := s.returnTag()
	if h := s.parent.eventClause(tag); h == nil {
		return m.unhandledEvent(tag, s.parent)
	}
	return 0
}

// mountReturn is finish for a fiber: the results, in its first slots, are the event's values.
func mountReturn(m *Machine, s *Stack) *Stack {
	p, tag := s.parent, s.returnTag()
	if m.watched {
		at := Site{s.base, len(s.base.code.Body) - 1}
		m.emitEnded(EventFinish, s, p.id, at, end{kind: EndReturned, tag: tag}, func() []Value {
			return getValues(tag.params, s.nums, s.refs)
		})
	}
	h := p.eventClause(tag)
	m.deliver(s, 0, 0, p, tag, h)
	m.retire(s)
	m.resumeParent(p)
	return p
}
