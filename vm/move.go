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
		return errors.New("this is no code of the program")
	case s.pending > 0:
		return errors.New("an event is pending: event.switch has to take it first")
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

// Jump makes the frame go on at another instruction, if CanJump allows it.
func (f *Frame) Jump(pc int) error {
	if err := f.CanJump(pc); err != nil {
		return err
	}
	f.raw().pc = uint32(pc)
	return nil
}

// Restart makes the running stack go on at the beginning of one of its frames: those that it called
// are left, its locals are zero again, and its parameters are what they are now. What was done to
// memories, tables, globals and objects stays done, and references that were used up stay so.
func (f *Frame) Restart() error {
	s := f.stack
	switch {
	case s.state != StackRunning || s.top().fn.inst.mach.hostOf(s) != nil:
		return errors.New("only a frame of the running stack can begin anew")
	case s.pending > 0:
		return errors.New("an event is pending: event.switch has to take it first")
	}
	fr := f.raw()
	if fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex {
		return errors.New("this is no code of the program")
	}
	c := fr.fn.code
	s.frames = s.frames[:f.depth+1]
	clear(s.nums[fr.numBase+c.parNums : fr.numBase+c.locNums])
	clear(s.refs[min(fr.refBase+c.parRefs, uint32(len(s.refs))):])
	fr.pc = 0
	return nil
}
