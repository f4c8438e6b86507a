package vm

import (
	"errors"
	"slices"

	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// A debugger can make a stack that does not run stand elsewhere in the function of its innermost
// frame, or at the beginning of one of its frames. It goes on there when it is resumed, or switched
// to, by the same events as it would have before, and the values that come with that are dropped:
// what would take them is after the instruction where the stack stood.
//
// What a continuation or coroutine goes on with does not depend on where it stands; there only the
// pc, which is not counted up when control comes, tells it from one that has stopped by itself: it
// is new, but does not begin. The other designs look events up in the instruction where the stack
// stands; there the clauses of a moved stack lead all events that it took to its place.

// begins reports a new stack that it enters its base function when it is resumed: a debugger has
// not moved it.
func (s *Stack) begins() bool { return len(s.frames) == 1 && s.frames[0].pc == 0 && !Entering(s) }

// neverRan reports that a stack has never had control.
func (s *Stack) neverRan() bool { return s.state == StackNew && s.resumes == 0 && !Entering(s) }

// Moved reports that a debugger has made the stack stand where it does: it goes on at the place
// itself, and not after it, and with no values.
func (s *Stack) Moved() bool {
	return s.state == StackNew && !s.begins() && !Entering(s) ||
		s.state == StackSuspended && s.eventTable != nil && s.eventTable.moved
}

// detachedSegment reports why a stack that does not run is part of what runs after all.
func detachedSegment(s *Stack) error {
	leaf := s.Head().Leaf()
	if leaf.state == StackSuspended || leaf.state == StackNew {
		return nil
	}
	return below(leaf)
}

// below reports why a stack that ran when another call was made cannot be moved.
func below(s *Stack) error {
	if s.Below() && !s.InHost() {
		return errOnTop
	}
	return errHostRuns
}

// ByEvent reports whether the segment of a stack goes on by an event that is looked up where it
// stands.
func (s *Stack) ByEvent() bool {
	return s.Head().dialect.Info().Events
}

// move makes the leaf of a segment go on at the pc of its innermost frame, by the events
// that from takes: what it took before.
func (s *Stack) move(from *clauseTable) {
	s.at, s.tag, s.pending = nil, nil, 0
	if !s.ByEvent() {
		s.state = StackNew
		return
	}
	s.state = StackSuspended
	s.eventTable = from.movedTo(s.top().pc, s.dialect)
}

// movedTo returns clauses for the same events that lead to another pc.
func (c *clauseTable) movedTo(pc uint32, d wasm.Dialect) *clauseTable {
	out := &clauseTable{dialect: d, moved: true}
	if c == nil {
		return out
	}
	to := func(h *code.HandlerClause) code.HandlerClause {
		return code.HandlerClause{Tag: h.Tag, PC: pc, Target: code.TargetMoved}
	}
	if c.tag != nil {
		out.tag, out.first = c.tag, to(&c.first)
	}
	var others []taggedClause
	for _, o := range c.others.all() {
		h := to(o.clause)
		others = append(others, taggedClause{o.tag, &h})
	}
	out.others = newTaggedClauses(others)
	return out
}

// avert records that the fault that the probe looks at, if there is one, is not to end the host
// call.
func (d *Debugging) avert() {
	if d.fault != noFault {
		d.fault = faultAverted
	}
}

// Mark returns what SetMark has set since the frame was made, 0 if nothing: a debugger has an
// activation by it.
func (f *Frame) Mark() uint32 { return f.raw().mark }

// SetMark marks the frame. A call and a tail call make a frame without a mark.
func (f *Frame) SetMark(n uint32) { f.raw().mark = n }

// state is what the typing engine has before an instruction.
type state struct {
	operands []wasm.ValType
	set      []bool // by local: it has a value
	around   []int  // the instructions that begin the blocks around whose code must not be entered from outside
	dead     bool
}

// stateAt types a function up to an instruction.
func (p *program) stateAt(c *code.Func, pc int) state {
	t := p.typed(c, pc)
	st := state{operands: slices.Clone(t.Operands()), dead: t.Unreachable()}
	for i := range c.Locals {
		st.set = append(st.set, t.Initialized(uint32(i)))
	}
	for _, ct := range t.Controls() {
		switch ct.Op {
		case wasm.OpBlock, wasm.OpLoop, wasm.OpIf, wasm.OpElse, wasm.OpTryTable, wasm.OpInvalid:
		case wasm.OpTry: // only its catch clauses hold something
		default:
			st.around = append(st.around, ct.Start, int(ct.Op))
		}
	}
	t.End()
	return st
}

// The errors of a place whose operands are not those of the frame.
var (
	errHeight = errors.New("the operand stack has another height there")
	errTypes  = errors.New("the operand stack has other types there")
)

// OtherOperands reports whether an error of CanJump is that the operands are others at the place.
func OtherOperands(err error) bool { return errors.Is(err, errHeight) || errors.Is(err, errTypes) }

// CanJump reports why the frame cannot go on at another instruction of its function; nil if it can.
// It must be the innermost frame of its stack, which runs and is stopped before an instruction, or
// is suspended. There the operands must be of the same types, those apart that the instruction
// where the stack is suspended has used up or will give; the same locals must have values, and it
// must not be in a catch clause, barrier, handle or event clause that the frame is not in.
func (f *Frame) CanJump(pc int) error {
	s := f.stack
	if s.state == StackMoribund || f.depth >= len(s.frames) {
		return errEnded
	}
	fr := f.raw()
	switch {
	case fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex:
		return errHostCode
	case f.depth < len(s.frames)-1:
		return errors.New(
			"this frame waits for the one that it called, which would have nowhere to return to: only the innermost frame of a stack can go on elsewhere, but this one can restart",
		)
	case s.state == StackWaiting:
		return errors.New(
			"this stack waits for the one that it resumed, which would have nowhere to come back to: it cannot go on elsewhere, but its frames can restart",
		)
	case s.neverRan():
		return errors.New("this stack has not begun: its first resumption brings what it begins with")
	case Entering(s):
		return errNotBegun
	case s.state == StackRunning:
		if err := f.canJumpNow(); err != nil {
			return err
		}
	default:
		if err := detachedSegment(s); err != nil {
			return err
		}
	}
	c := fr.fn.code
	if pc < 0 || pc >= len(c.Body) {
		return errors.New("there is no such instruction in this function")
	}
	p := fr.fn.inst.prog
	from, to := p.stateAt(c, int(fr.pc)), p.stateAt(c, pc)
	from.operands = f.types()
	switch {
	case to.dead:
		return errors.New("the code there cannot be reached")
	case len(from.operands) != len(to.operands):
		return errHeight
	case !slices.Equal(from.operands, to.operands):
		return errTypes
	case len(to.around) > len(from.around) || !slices.Equal(from.around[:len(to.around)], to.around):
		return errors.New("it is in a catch clause, barrier, handle or event clause that this place is not in")
	}
	for i, set := range to.set {
		if set && !from.set[i] {
			return errors.New("a local has a value there that it does not have here")
		}
	}
	return nil
}

// canJumpNow reports why the innermost frame of a running stack cannot go on elsewhere now.
func (f *Frame) canJumpNow() error {
	s := f.stack
	m := f.raw().fn.inst.mach
	switch {
	case s != m.cur:
		return below(s)
	case f.Waiting():
		return errHostRuns
	case s.pending > 0:
		return errEvent
	case m.fault == faultRestartOnly:
		return errors.New("the operands of what failed here have been used up: a frame can only restart")
	}
	return nil
}

// Jump makes the frame go on at another instruction, if CanJump allows it: at once, which averts a
// fault that the probe looks at and that has done nothing yet; or, if the stack does not run, when
// it is resumed, and the values that it is resumed with are dropped.
func (f *Frame) Jump(pc int) error {
	if err := f.CanJump(pc); err != nil {
		return err
	}
	s := f.stack
	if s.state == StackRunning {
		f.raw().pc = uint32(pc)
		s.top().fn.inst.mach.avert()
		return nil
	}
	var from *clauseTable
	if s.ByEvent() {
		from = s.findEventTable()
	}
	f.raw().pc = uint32(pc)
	s.move(from)
	return nil
}

var (
	errEnded    = errors.New("this frame has ended")
	errHostRuns = errors.New("a call of the host has not returned: what called it cannot be left")
	errEvent    = errors.New("an event is pending: event.switch has to take it first")
	errOnTop    = errors.New("a cancellation runs on top of this stack: it can go on elsewhere when that has ended")
	errNotBegun = errors.New("this function has not begun: the switch back to its stack brings what it begins with")
	errHostCode = errors.New("this is not code of the program")
)

// Restart makes a frame begin again: those that it called are left, with the stacks that these had
// resumed, which end. Its locals are zero again, and its parameters are what they are now. What was
// done to memories, tables, globals and objects stays done, and references that were used up stay
// so.
//
// A frame of the running stack, or of one that waits in the running chain, goes on at once; that
// averts a fault that the probe looks at. One of a stack that does not run goes on when that is
// resumed; the values that the resumption brings are dropped. The base frame of a fiber or task
// that begins with an event takes that again, with its values: the stack is new again. The error
// says why a frame cannot begin again.
func (f *Frame) Restart() error {
	s := f.stack
	if s.state == StackMoribund || f.depth >= len(s.frames) {
		return errEnded
	}
	m := s.top().fn.inst.mach
	fr := f.raw()
	switch {
	case fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex:
		return errHostCode
	case s.pending > 0:
		return errEvent
	}
	for x := m.cur; x != nil; x = x.parent {
		if x != s {
			continue
		}
		if m.host != nil {
			return errHostRuns
		}
		m.abandon(m.cur, s)
		f.cutHere()
		s.state, s.recvR = StackRunning, 0
		m.cur = s
		m.avert()
		return nil
	}
	if s.neverRan() {
		return errors.New("this stack has not begun")
	}
	if Entering(s) && f.depth == len(s.frames)-1 {
		return errNotBegun
	}
	if err := detachedSegment(s); err != nil {
		return err
	}
	return f.restartLater(m)
}

// restartLater is Restart for a stack of a suspended segment.
func (f *Frame) restartLater(m *Machine) error {
	s, fr := f.stack, f.raw()
	head := s.Head()
	leaf, c := head.Leaf(), fr.fn.code
	byEvent := s.ByEvent()
	var from *clauseTable
	n, r := fr.numBase+c.LocNums, fr.refBase+c.LocRefs
	if byEvent {
		from = leaf.findEventTable()
	} else {
		room := leaf.top().fn.code // what the resumption brings has its place in this frame
		if !m.grow(s, n+max(c.Nums, room.Nums), r+max(c.Refs, room.Refs)) {
			return NewTrap(m.exhausted(), "")
		}
	}
	m.abandon(leaf, s)
	f.cutHere()
	if head.leaf = s; head == s {
		head.leaf = nil
	}
	if byEvent && f.depth == 0 && renew(s) {
		return nil
	}
	s.recvN, s.recvR = n, r
	s.move(from)
	return nil
}

// renew makes a stack new again that was made by an instruction after which it begins with an
// event, and reports whether it is one.
func renew(s *Stack) bool {
	made := s.makerFrame()
	pt, _ := made.point()
	switch pt.Kind {
	case wasm.OpMountFiberNew:
		s.recvN, s.recvR = uint32(pt.Nums), uint32(pt.Refs)
	case wasm.OpHandleFiberNew, wasm.OpTaskNew:
		s.recvN, s.recvR = uint32(pt.Nums), uint32(pt.Refs)+1
	default:
		return false
	}
	s.state, s.at, s.tag, s.eventTable = StackNew, nil, nil, nil
	s.eventTable = s.findEventTable()
	return true
}

// abandon ends the stacks from s up to an ancestor of it.
func (d *Debugging) abandon(s, ancestor *Stack) {
	for s != ancestor {
		p := s.parent
		if d.m.watched {
			d.m.emitEnded(EventRelease, s, 0, Site{PC: -1}, end{kind: EndByDebugger}, nil)
		}
		d.m.retire(s)
		s = p
	}
}

// cutHere cuts a stack to a frame, which is at its beginning.
func (f *Frame) cutHere() {
	s, fr := f.stack, f.raw()
	c := fr.fn.code
	s.frames = s.frames[:f.depth+1]
	clear(s.nums[fr.numBase+c.ParNums : fr.numBase+c.LocNums])
	clear(s.refs[min(fr.refBase+c.ParRefs, uint32(len(s.refs))):])
	fr.pc = 0
}
