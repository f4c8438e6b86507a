package vm

import (
	"errors"
	"slices"
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

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
			"this frame waits for the one that it called, which would have nowhere to return to: only the innermost frame of a stack can go on elsewhere, but this one can begin anew",
		)
	case s.state == StackWaiting:
		return errors.New(
			"this stack waits for the one that it resumed, which would have nowhere to come back to: it cannot go on elsewhere, but its frames can begin anew",
		)
	case s.neverRan():
		return errors.New("this stack has not begun: its first resumption brings what it begins with")
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
		return errors.New("the operand stack has another height there")
	case !slices.Equal(from.operands, to.operands):
		return errors.New("the operand stack has other types there")
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
		return errors.New("the operands of what failed here have been used up: a frame can only begin anew")
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
