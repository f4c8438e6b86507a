package vm

import (
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// Where the operands of a frame are is not stored: it follows from the types at its pc, which the
// typing engine finds again when somebody looks.

// raw returns the frame itself.
func (f *Frame) raw() *frame { return &f.stack.frames[f.depth] }

// Waiting reports whether the instruction at PC has begun: it is a call, resume or suspension in
// progress.
func (f *Frame) Waiting() bool {
	s := f.stack
	if f.depth < len(s.frames)-1 {
		return true
	}
	switch s.state {
	case StackNew:
		return false
	case StackSuspended:
		return !s.Moved()
	case StackRunning:
		fn := s.base
		if len(s.frames) > 0 {
			fn = s.top().fn
		}
		m := fn.inst.mach
		return m.hostOf(s) != nil
	}
	return true
}

// Locals returns the parameters and locals; Type has the module's own type indices.
func (f *Frame) Locals() []Value {
	fr := f.raw()
	if fr.fn.thunk != nil {
		return nil
	}
	ls := fr.fn.code.locals
	out := make([]Value, len(ls))
	for i, l := range ls {
		out[i] = f.read(l.typ, uint32(l.slot))
	}
	return out
}

// NumLocals returns the number of parameters and locals.
func (f *Frame) NumLocals() int {
	if fn := f.raw().fn; fn.thunk == nil && fn.code != nil {
		return len(fn.code.locals)
	}
	return 0
}

// Local returns one of the parameters and locals.
func (f *Frame) Local(i int) Value {
	l := &f.raw().fn.code.locals[i]
	return f.read(l.typ, uint32(l.slot))
}

// LocalNum returns the number slot of a local that is no reference: an i32 zero-extended, a float's
// bits, the low half of a v128. It is Local for who looks a million times a second.
func (f *Frame) LocalNum(i int) uint64 {
	s, fr := f.stack, f.raw()
	return s.nums[fr.numBase+uint32(fr.fn.code.locals[i].slot)]
}

// read returns the value of a type at a slot of the frame.
func (f *Frame) read(t wasm.ValType, slot uint32) Value {
	s, fr := f.stack, f.raw()
	v := Value{Type: t}
	switch classOf(t) {
	case reference:
		v.Ref = s.refs[fr.refBase+slot]
	case vector:
		v.Lo, v.Hi = s.nums[fr.numBase+slot], s.nums[fr.numBase+slot+1]
	default:
		v.Lo = s.nums[fr.numBase+slot]
		if t == wasm.I32 || t == wasm.F32 {
			v.Lo = uint64(uint32(v.Lo))
		}
	}
	return v
}

// write changes the value of a type at a slot of the frame.
func (f *Frame) write(t wasm.ValType, slot uint32, v Value) {
	s, fr := f.stack, f.raw()
	switch classOf(t) {
	case reference:
		s.refs[fr.refBase+slot] = v.Ref
	case vector:
		s.nums[fr.numBase+slot], s.nums[fr.numBase+slot+1] = v.Lo, v.Hi
	default:
		if t == wasm.I32 || t == wasm.F32 {
			v.Lo = uint64(uint32(v.Lo))
		}
		s.nums[fr.numBase+slot] = v.Lo
	}
}

// SetLocal changes a local. The value must be of its type.
func (f *Frame) SetLocal(i int, v Value) {
	l := f.raw().fn.code.locals[i]
	f.write(l.typ, uint32(l.slot), v)
}

// Operands returns the operand stack at PC, bottom first; Type has the module's own type indices.
// The operands that an instruction in progress has consumed are not there.
func (f *Frame) Operands() []Value {
	ts := f.types()
	out := make([]Value, len(ts))
	for i, at := range f.slots(ts) {
		out[i] = f.read(ts[i], at)
	}
	return out
}

// SetOperand changes an operand. The value must be of its type.
func (f *Frame) SetOperand(i int, v Value) {
	ts := f.types()
	f.write(ts[i], f.slots(ts)[i], v)
}

// slots returns the slots of operands of the types.
func (f *Frame) slots(ts []wasm.ValType) []uint32 {
	c := f.raw().fn.code
	n, r := c.locNums, c.locRefs
	out := make([]uint32, len(ts))
	for i, t := range ts {
		dn, dr := slots(t)
		out[i] = n
		if dr > 0 {
			out[i] = r
		}
		n, r = n+uint32(dn), r+uint32(dr)
	}
	return out
}

// types returns the types of the operands.
func (f *Frame) types() []wasm.ValType {
	fr := f.raw()
	if fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex {
		return nil
	}
	return fr.fn.inst.prog.operands(fr.fn.code, int(fr.pc), f.Waiting())
}

// typed types a function up to the instruction at pc.
func (p *program) typed(c *code, pc int) *valid.Typer {
	if p.env == nil {
		p.env = valid.New(p.mod)
	}
	t := p.env.NewTyper(nil)
	t.Begin(c.fn)
	for i := 0; i < pc; i++ {
		t.Step(&c.body[i])
	}
	return t
}

// operands returns the types of the operands before the instruction at pc, or, if that has begun,
// of those that it has left.
func (p *program) operands(c *code, pc int, begun bool) []wasm.ValType {
	k := typedAt{uint32(pc), begun}
	if ts, ok := c.typed[k]; ok {
		return ts
	}
	t := p.typed(c, pc)
	ts := t.Operands()
	if begun {
		t.Step(&c.body[pc])
		ts = ts[:max(0, len(ts)-len(t.Popped()))]
	}
	out := append([]wasm.ValType(nil), ts...)
	t.End()
	if c.typed == nil || len(c.typed) >= maxTyped {
		c.typed = map[typedAt][]wasm.ValType{}
	}
	c.typed[k] = out
	return out
}

// typedAt is a place of a function whose operands somebody has looked at; they are kept, up to
// maxTyped for a function, for whoever stops there again.
type typedAt struct {
	pc    uint32
	begun bool
}

const maxTyped = 4096

// HandlerClauses returns the clauses in force at the instruction where a frame waits: those of a
// resume; in the dialects where a suspended stack looks for events as well those of whatever it
// stopped at; none at another instruction.
func (f *Frame) HandlerClauses() []HandlerClause {
	if fr := f.raw(); !f.Waiting() || fr.fn.thunk != nil {
		return nil
	}
	return f.raw().handlerClauses()
}

// HandlerClausesAt returns the clauses of an instruction of the frame's function that makes or
// switches stacks: those that Handlers gives while it is in progress.
func (f *Frame) HandlerClausesAt(pc int) []HandlerClause {
	fr := f.raw()
	if fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex || pc < 0 || pc >= len(fr.fn.code.body) {
		return nil
	}
	return (&frame{fn: fr.fn, pc: uint32(pc)}).handlerClauses()
}

func (fr *frame) handlerClauses() []HandlerClause {
	c := fr.fn.code
	switch c.body[fr.pc].Op.Info().Effect {
	case wasm.EffectResume, wasm.EffectSuspend, wasm.EffectSwitch, wasm.EffectNew:
	default:
		return nil
	}
	if c.body[fr.pc].Op == wasm.OpSuspend { // it has no resume point
		return nil
	}
	pt, _ := fr.point()
	if pt.nextEvent != noEvent {
		pt = &c.points[c.baseline[pt.nextEvent].c]
	}
	var out []HandlerClause
	for _, h := range pt.clauses {
		if h.target > targetPair {
			continue
		}
		out = append(out, HandlerClause{Tag: fr.fn.inst.tags[h.tag], Switch: h.isSwitch, PC: int(h.pc)})
	}
	return out
}

// waitingClauses returns the clauses in force where a stack waits for another one.
func (s *Stack) waitingClauses() []HandlerClause {
	if s.state != StackWaiting || len(s.frames) == 0 {
		return nil
	}
	return s.top().handlerClauses()
}

// Top returns the operand that lies n below the top of the operand stack; the zero Value if there
// is none.
func (f *Frame) Top(n int) Value {
	ts := f.types()
	i := len(ts) - 1 - n
	if i < 0 {
		return Value{}
	}
	return f.read(ts[i], f.slots(ts[:i+1])[i])
}
