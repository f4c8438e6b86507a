package vm

import (
	"errors"
	"slices"

	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// Mark gives what SetMark has set since the frame was made, 0 if nothing: a debugger knows an
// activation by it.
func (f *Frame) Mark() uint32 { return f.raw().mark }

// SetMark marks the frame. A call and a tail call make a frame without a mark.
func (f *Frame) SetMark(n uint32) { f.raw().mark = n }

// state is what the typing engine knows before an instruction.
type state struct {
	operands []wasm.ValType
	set      []bool // by local: it has a value
	around   []int  // the instructions that begin the blocks around whose code must not be entered from outside
	dead     bool
}

// stateAt types a function up to an instruction.
func (p *program) stateAt(c *code, pc int) state {
	if p.env == nil {
		p.env = valid.New(p.mod)
	}
	t := p.env.NewTyper(nil)
	t.Begin(c.fn)
	for i := 0; i < pc; i++ {
		t.Step(&c.body[i])
	}
	st := state{operands: slices.Clone(t.Operands()), dead: t.Unreachable()}
	for i := range c.locals {
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

// CanJump tells why the frame cannot go on at another instruction of its function; nil if it can. It
// must be the innermost frame of the running stack, stopped before an instruction. There the operands
// must be of the same types, the same locals must have values, and it must be in the same catch
// clause, barrier, handle and event clause.
func (f *Frame) CanJump(pc int) error {
	s := f.stack
	fr := f.raw()
	switch {
	case s.state != StackRunning || f.depth != len(s.frames)-1 || f.Waiting():
		return errors.New("only the innermost frame of the running stack can go on elsewhere")
	case fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex:
		return errHostCode
	case s.pending > 0:
		return errEvent
	case fr.fn.inst.mach.fault == beginOnly:
		return errors.New("the operands of what failed here have been used up: a frame can only begin anew")
	}
	c := fr.fn.code
	if pc < 0 || pc >= len(c.body) {
		return errors.New("there is no such instruction in this function")
	}
	p := fr.fn.inst.prog
	from, to := p.stateAt(c, int(fr.pc)), p.stateAt(c, pc)
	switch {
	case to.dead:
		return errors.New("the code there cannot be reached")
	case len(from.operands) != len(to.operands):
		return errors.New("the operand stack has another height there")
	case !slices.Equal(from.operands, to.operands):
		return errors.New("the operand stack has other types there")
	case !slices.Equal(from.around, to.around):
		return errors.New("it is in another catch clause, barrier, handle or event clause")
	}
	for i, set := range to.set {
		if set && !from.set[i] {
			return errors.New("a local has a value there that it does not have here")
		}
	}
	return nil
}

// Jump makes the frame go on at another instruction, if CanJump allows it. That averts a fault that
// the probe looks at, which has done nothing yet.
func (f *Frame) Jump(pc int) error {
	if err := f.CanJump(pc); err != nil {
		return err
	}
	f.raw().pc = uint32(pc)
	f.stack.top().fn.inst.mach.avert()
	return nil
}

// avert notes that the fault that the probe looks at, if there is one, is not to end the host call.
func (m *Machine) avert() {
	if m.fault != noFault {
		m.fault = averted
	}
}

var (
	errHostRuns  = errors.New("a call of the host has not returned: what called it cannot be left")
	errEvent     = errors.New("an event is pending: event.switch has to take it first")
	errHostCode  = errors.New("this is no code of the program")
	errOnlyConts = errors.New("of stacks that do not run, only continuations can begin a frame anew: where others go on, and with what, is decided by who resumes them")
)

// Restart makes a frame begin anew: those that it called are left, with the stacks that these had
// resumed, which end. Its locals are zero again, and its parameters are what they are now. What was
// done to memories, tables, globals and objects stays done, and references that were used up stay so.
//
// A frame of the running stack, or of one that waits in the running chain, goes on at once; that averts
// a fault that the probe looks at. One of a suspended continuation goes on when that is resumed; the
// values that the resumption brings are dropped. The error says why a frame cannot begin anew.
func (f *Frame) Restart() error {
	s := f.stack
	if s.state == StackMoribund || f.depth >= len(s.frames) {
		return errors.New("this frame has ended")
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
		f.begin()
		s.state, s.recvR = StackRunning, 0
		m.cur = s
		m.avert()
		return nil
	}
	head := s.Head()
	switch {
	case s.state == StackNew:
		return errors.New("this stack has not begun")
	case head.rooted || head.state == StackRunning || s.state == StackRunning:
		return errHostRuns
	case s.dialect != wasm.DialectCont || head.dialect != wasm.DialectCont:
		return errOnlyConts
	}
	leaf, c := head.Leaf(), fr.fn.code
	room := leaf.top().fn.code // what the resumption brings has its place in this frame
	n, r := fr.numBase+c.locNums, fr.refBase+c.locRefs
	if !m.grow(s, n+max(c.nums, room.nums), r+max(c.refs, room.refs)) {
		return NewTrap(wasm.TrapStackExhausted, "")
	}
	m.abandon(leaf, s)
	f.begin()
	if head.leaf = s; head == s {
		head.leaf = nil
	}
	s.state, s.recvN, s.recvR, s.tag = StackNew, n, r, nil
	return nil
}

// abandon ends the stacks from s up to an ancestor of it.
func (m *Machine) abandon(s, ancestor *Stack) {
	for s != ancestor {
		p := s.parent
		if m.watched {
			m.emit(Event{Kind: EventRelease, Stack: s.id, Base: s.BaseFunc(), Site: Site{PC: -1}, Dialect: s.dialect})
			m.consumes(s)
		}
		m.retire(s)
		s = p
	}
}

// begin cuts a stack to a frame, which is at its beginning.
func (f *Frame) begin() {
	s, fr := f.stack, f.raw()
	c := fr.fn.code
	s.frames = s.frames[:f.depth+1]
	clear(s.nums[fr.numBase+c.parNums : fr.numBase+c.locNums])
	clear(s.refs[min(fr.refBase+c.parRefs, uint32(len(s.refs))):])
	fr.pc = 0
}
