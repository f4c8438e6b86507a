package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// The switch primitive and the instructions of the dialect cont. A suspended segment is named by
// its head, which has its leaf; linking and cutting it is a matter of the head's parent alone.
// The functions are called with the frame.pc of s's innermost frame set; where one returns a trap,
// nothing has changed. A stack that is returned is running, and its innermost frame.pc is what
// comes next.

// top returns the innermost frame.
func (s *storage) top() *frame { return &s.frames[len(s.frames)-1] }

// contNew replaces a function reference by one to a new continuation.
func (m *Machine) contNew(s *Stack, r *Ref) wasm.TrapKind {
	if r.obj == nil {
		return wasm.TrapNullFunction
	}
	fn := r.asFunc()
	if fn.code == nil {
		fn = m.thunk(fn)
	}
	t := m.newStack(fn, wasm.DialectCont)
	if t == nil {
		return m.exhausted()
	}
	fr := s.top()
	t.maker, t.makerPC = fr.fn, int32(fr.pc)
	*r = Ref{&t.object, t.generation}
	if m.watched && m.record(EventCreate, t, s.id, fr.fn, fr.pc, 0) {
		m.notify(
			Event{
				Kind: EventCreate, Stack: t.id, Base: t.BaseFunc(), Other: s.id,
				Site: t.CreatedAt(), Dialect: t.dialect,
			},
		)
	}
	return 0
}

// continuation checks a continuation operand.
func continuation(r Ref) (*Stack, wasm.TrapKind) {
	if r.obj == nil {
		return nil, wasm.TrapNullContinuation
	}
	t := r.asStack()
	if t.generation != r.aux {
		return nil, wasm.TrapContinuationConsumed
	}
	return t, 0
}

// copyArgs moves arguments from slots of s to where the leaf of a segment gets them next.
func copyArgs(s *Stack, nb, rb uint32, leaf *Stack, nn, nr uint16) {
	for i := uint32(0); i < uint32(nn); i++ {
		leaf.nums[leaf.recvN+i] = s.nums[nb+i]
	}
	for i := uint32(0); i < uint32(nr); i++ {
		leaf.refs[leaf.recvR+i] = s.refs[rb+i]
		s.refs[rb+i] = Ref{}
	}
}

// link links a segment below its new parent, whose resume has the clauses on, and makes its leaf
// the running stack.
func (m *Machine) link(t, leaf, parent *Stack, on *clauseTable) {
	t.generation++
	t.resumes++
	t.parent, t.leaf, t.resumeTable = parent, nil, on
	if leaf.state != StackNew {
		leaf.top().pc++
	} else if leaf.pending == entering {
		leaf.pending = 0
	}
	leaf.state = StackRunning
	leaf.recvR = 0
	m.cur = leaf
	m.stats.Switches++
}

// unlink cuts a segment off its parent. Its leaf s was running.
func unlink(head, s *Stack, fr *frame, o *code.Op, tag *Tag) {
	s.recvN, s.recvR = fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	s.state, s.tag, s.at = StackSuspended, tag, nil
	head.parent = nil
	if head != s {
		head.leaf = s
	}
}

// contSwitch is an instruction of the dialect cont that is being executed: o, in the innermost
// frame of s.
type contSwitch struct {
	m *Machine
	s *Stack
	o *code.Op
}

// contBind consumes a continuation and leaves one with its first arguments stored where it gets
// them.
func (x contSwitch) contBind() wasm.TrapKind {
	fr := x.s.top()
	pt := &fr.fn.code.Points[x.o.C]
	nb, rb := fr.numBase+uint32(x.o.A), fr.refBase+uint32(x.o.B)
	t, tk := continuation(x.s.refs[rb+uint32(pt.Refs)])
	if tk != 0 {
		return tk
	}
	leaf := t.Leaf()
	if x.m.watched && x.m.record(EventBind, t, x.s.id, fr.fn, fr.pc, 0) {
		x.m.notify(
			Event{
				Kind: EventBind, Stack: t.id, Base: t.BaseFunc(), Other: x.s.id,
				Site: Site{fr.fn, int(fr.pc)}, Values: payload(x.s, fr, x.o), Dialect: t.dialect,
			},
		)
	}
	copyArgs(x.s, nb, rb, leaf, pt.Nums, pt.Refs)
	leaf.recvN += uint32(pt.Nums)
	leaf.recvR += uint32(pt.Refs)
	t.generation++
	x.s.refs[rb+uint32(pt.Refs)] = Ref{}
	x.s.refs[rb] = Ref{&t.object, t.generation}
	return 0
}

// resume consumes a continuation and runs it as a child of s.
func (x contSwitch) resume(cd *code.Func) (*Stack, wasm.TrapKind) {
	fr := x.s.top()
	pt := &cd.Points[x.o.C]
	rb := fr.refBase + uint32(x.o.B)
	cr := &x.s.refs[rb+uint32(pt.Refs)]
	t, tk := continuation(*cr)
	if tk != 0 {
		return nil, tk
	}
	leaf := t.Leaf()
	if x.m.watched {
		if x.m.record(EventResume, t, x.s.id, fr.fn, fr.pc, 0) {
			x.m.notifyResume(x.s, fr, t, x.o)
		}
		x.m.emitBegin(leaf, x.s.id)
	}
	copyArgs(x.s, fr.numBase+uint32(x.o.A), rb, leaf, pt.Nums, pt.Refs)
	*cr = Ref{}
	x.s.state = StackWaiting
	x.m.link(t, leaf, x.s, &fr.fn.inst.clauses[pt.Table])
	return leaf, 0
}

// findHandler searches outwards from s for a clause: the stack p that waits at the resume with the
// clause, and the head of the segment below it.
func (x contSwitch) findHandler(tag *Tag, isSwitch bool) (p, head *Stack, h *code.HandlerClause, tk wasm.TrapKind) {
	for head = x.s; ; head = p {
		if x.m.barriers && crossesBarrier(head) {
			return nil, nil, nil, wasm.TrapBarrier
		}
		if p = head.parent; p == nil || head.dialect != wasm.DialectCont {
			return nil, nil, nil, wasm.TrapUnhandledTag
		}
		on := p.top().table()
		if isSwitch {
			h = on.switches.find(tag)
		} else {
			h = on.lookup(tag)
		}
		if h != nil {
			return p, head, h, 0
		}
	}
}

// crossesBarrier reports whether some frame of a stack is inside a barrier.
func crossesBarrier(s *Stack) bool { return anyInBarrier(s.frames) }

func anyInBarrier(frames []frame) bool {
	for i := range frames {
		if fr := &frames[i]; len(fr.fn.code.Barriers) > 0 && fr.fn.code.InBarrier(fr.pc) {
			return true
		}
	}
	return false
}

// suspend returns control to the innermost handler of a tag.
func (x contSwitch) suspend() (*Stack, wasm.TrapKind) {
	fr := x.s.top()
	tag := fr.fn.inst.tags[x.o.Imm]
	p, head, h, tk := x.findHandler(tag, false)
	if tk != 0 {
		return nil, tk
	}
	nb, rb := fr.numBase+uint32(x.o.A), fr.refBase+uint32(x.o.B)
	if x.m.watched && x.m.record(EventSuspend, head, p.id, fr.fn, fr.pc, tag.number) {
		vs := getValues(tag.params, x.s.nums[nb:], x.s.refs[rb:])
		x.m.notify(
			Event{
				Kind: EventSuspend, Stack: head.id, Base: head.BaseFunc(), Other: p.id,
				Site: Site{fr.fn, int(fr.pc)}, Tag: tag, Values: vs, Dialect: wasm.DialectCont,
			},
		)
	}
	pf := p.top()
	dn, dr := pf.numBase+uint32(h.DstN), pf.refBase+uint32(h.DstR)
	for i := uint32(0); i < uint32(tag.parNums); i++ {
		p.nums[dn+i] = x.s.nums[nb+i]
	}
	for i := uint32(0); i < uint32(tag.parRefs); i++ {
		p.refs[dr+i] = x.s.refs[rb+i]
		x.s.refs[rb+i] = Ref{}
	}
	p.refs[dr+uint32(tag.parRefs)] = Ref{&head.object, head.generation}
	unlink(head, x.s, fr, x.o, tag)
	if x.m.noting() {
		x.m.noteClause(p, *pf, tag, h)
	}
	pf.pc = h.PC
	p.state = StackRunning
	x.m.cur = p
	x.m.stats.Switches++
	return p, 0
}

// switchTo suspends up to the innermost (on tag switch) and runs another continuation there.
func (x contSwitch) switchTo(cd *code.Func) (*Stack, wasm.TrapKind) {
	fr := x.s.top()
	pt := &cd.Points[x.o.C]
	tag := fr.fn.inst.tags[x.o.Imm]
	nb, rb := fr.numBase+uint32(x.o.A), fr.refBase+uint32(x.o.B)
	cr := &x.s.refs[rb+uint32(pt.Refs)]
	t, tk := continuation(*cr)
	if tk != 0 {
		return nil, tk
	}
	p, head, _, tk := x.findHandler(tag, true)
	if tk != 0 {
		return nil, tk
	}
	leaf := t.Leaf()
	if x.m.watched {
		if x.m.record(EventSwitch, head, t.id, fr.fn, fr.pc, tag.number) {
			x.m.notifySwitch(x.s, fr, head, t, tag, x.o)
		}
		x.m.recordUse(t)
		x.m.emitBegin(leaf, x.s.id)
	}
	copyArgs(x.s, nb, rb, leaf, pt.Nums, pt.Refs)
	*cr = Ref{}
	leaf.refs[leaf.recvR+uint32(pt.Refs)] = Ref{&head.object, head.generation}
	on := head.resumeTable
	unlink(head, x.s, fr, x.o, tag)
	x.m.link(t, leaf, p, on)
	return leaf, 0
}

// resumeThrow consumes a continuation and returns the exception to throw, and on which stack: on
// the continuation's, where it stands; on s itself if it had not begun.
func (x contSwitch) resumeThrow(cd *code.Func) (*Stack, *Exn, wasm.TrapKind) {
	fr := x.s.top()
	pt := &cd.Points[x.o.C]
	rb := fr.refBase + uint32(x.o.B)
	if pt.Kind == wasm.OpResumeThrowRef && x.s.refs[rb].obj == nil {
		return nil, nil, wasm.TrapNullException
	}
	cr := &x.s.refs[rb+uint32(pt.Refs)]
	t, tk := continuation(*cr)
	if tk != 0 {
		return nil, nil, tk
	}
	if pt.Kind == wasm.OpResumeThrow && !x.m.alloc(fr.fn.inst.tags[pt.Tag].exnBytes) {
		return nil, nil, wasm.TrapOutOfMemory
	}
	leaf := t.Leaf()
	if x.m.watched {
		x.m.emit(
			Event{
				Kind: EventConsume, Stack: t.id, Base: t.BaseFunc(), Other: x.s.id,
				Site: Site{fr.fn, int(fr.pc)}, Dialect: t.dialect,
			},
		)
		x.m.recordUse(t)
	}
	*cr = Ref{}
	var exn *Exn
	if pt.Kind == wasm.OpResumeThrowRef {
		exn = x.s.refs[rb].asExn()
		x.s.refs[rb] = Ref{}
	} else {
		exn = x.m.newExn(x.s, fr.fn.inst.tags[pt.Tag], x.o.A, x.o.B)
	}
	if leaf.state == StackNew && leaf == t && leaf.begins() { // others have callers, or are where it may be caught
		if x.m.watched {
			x.m.emitEnded(
				EventRelease, t, x.s.id, Site{fr.fn, int(fr.pc)}, end{kind: EndThrew, by: x.s.id, tag: exn.tag}, nil,
			)
		}
		x.m.retire(leaf)
		return x.s, exn, 0
	}
	t.generation++
	t.resumes++
	t.parent, t.leaf, t.resumeTable = x.s, nil, &fr.fn.inst.clauses[pt.Table]
	x.s.state, leaf.state = StackWaiting, StackRunning
	x.m.cur = leaf
	x.m.stats.Switches++
	return leaf, exn, 0
}

// contDialect is the dialect of these instructions, for the generated loop.
const contDialect = wasm.DialectCont

// finish ends a stack whose base function has returned; its results are in its first slots. It
// gives the parent, which continues after its resume.
func (m *Machine) finish(s *Stack) *Stack {
	if f := designs[s.dialect].finish; f != nil {
		return f(m, s)
	}
	p := s.parent
	fr := p.top()
	o := &fr.fn.code.Baseline[fr.pc]
	cd := s.base.code
	if m.watched {
		at := Site{s.base, len(cd.Body) - 1}
		m.emitEnded(EventFinish, s, p.id, at, end{kind: EndReturned}, func() []Value {
			return getValues(m.types.Type(s.base.canon).Results, s.nums, s.refs)
		})
	}
	nb, rb := fr.numBase+uint32(o.A), fr.refBase+uint32(o.B)
	for i := uint32(0); i < cd.ResNums; i++ {
		p.nums[nb+i] = s.nums[i]
	}
	for i := uint32(0); i < cd.ResRefs; i++ {
		p.refs[rb+i] = s.refs[i]
	}
	m.retire(s)
	fr.pc++
	p.state = StackRunning
	m.cur = p
	m.stats.Switches++
	return p
}
