package vm

import (
	"stackscope/vm/internal/code"
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
	ls := fr.fn.code.Locals
	out := make([]Value, len(ls))
	for i, l := range ls {
		out[i] = f.read(l.Type, uint32(l.Slot))
	}
	return out
}

// NumLocals returns the number of parameters and locals.
func (f *Frame) NumLocals() int {
	if fn := f.raw().fn; fn.thunk == nil && fn.code != nil {
		return len(fn.code.Locals)
	}
	return 0
}

// Local returns one of the parameters and locals.
func (f *Frame) Local(i int) Value {
	l := &f.raw().fn.code.Locals[i]
	return f.read(l.Type, uint32(l.Slot))
}

// LocalNum returns the number slot of a local that is no reference: an i32 zero-extended, a float's
// bits, the low half of a v128. It is Local for who looks a million times a second.
func (f *Frame) LocalNum(i int) uint64 {
	s, fr := f.stack, f.raw()
	return s.nums[fr.numBase+uint32(fr.fn.code.Locals[i].Slot)]
}

// read returns the value of a type at a slot of the frame.
func (f *Frame) read(t wasm.ValType, slot uint32) Value {
	s, fr := f.stack, f.raw()
	v := Value{Type: t}
	switch code.ClassOf(t) {
	case code.Reference:
		v.Ref = s.refs[fr.refBase+slot]
	case code.Vector:
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
	switch code.ClassOf(t) {
	case code.Reference:
		s.refs[fr.refBase+slot] = v.Ref
	case code.Vector:
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
	l := f.raw().fn.code.Locals[i]
	f.write(l.Type, uint32(l.Slot), v)
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
	n, r := c.LocNums, c.LocRefs
	out := make([]uint32, len(ts))
	for i, t := range ts {
		dn, dr := code.Slots(t)
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

// program is a compiled module, with what its objects look like and what inspection finds out.
type program struct {
	*code.Program
	layouts      []*layout                // by type index, of structures and arrays
	env          *valid.Env               // made when somebody looks at operands
	operandTypes map[place][]wasm.ValType // of places that somebody has looked at; at most maxTyped
}

// typed types a function up to the instruction at pc.
func (p *program) typed(c *code.Func, pc int) *valid.Typer {
	if p.env == nil {
		p.env = valid.New(p.Mod)
	}
	t := p.env.NewTyper(nil)
	t.Begin(c.Index)
	for i := 0; i < pc; i++ {
		t.Step(&c.Body[i])
	}
	return t
}

// operands returns the types of the operands before the instruction at pc, or, if that has begun,
// of those that it has left.
func (p *program) operands(c *code.Func, pc int, begun bool) []wasm.ValType {
	k := place{c, uint32(pc), begun}
	if ts, ok := p.operandTypes[k]; ok {
		return ts
	}
	t := p.typed(c, pc)
	ts := t.Operands()
	if begun {
		t.Step(&c.Body[pc])
		ts = ts[:max(0, len(ts)-len(t.Popped()))]
	}
	out := append([]wasm.ValType(nil), ts...)
	t.End()
	if p.operandTypes == nil || len(p.operandTypes) >= maxTyped {
		p.operandTypes = map[place][]wasm.ValType{}
	}
	p.operandTypes[k] = out
	return out
}

// maxTyped bounds program.operandTypes.
const maxTyped = 1 << 16

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
// switches stacks: those that Handlers returns while it is in progress.
func (f *Frame) HandlerClausesAt(pc int) []HandlerClause {
	fr := f.raw()
	if fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex || pc < 0 || pc >= len(fr.fn.code.Body) {
		return nil
	}
	return (&frame{fn: fr.fn, pc: uint32(pc)}).handlerClauses()
}

func (fr *frame) handlerClauses() []HandlerClause {
	c := fr.fn.code
	switch c.Body[fr.pc].Op.Info().Effect {
	case wasm.EffectResume, wasm.EffectSuspend, wasm.EffectSwitch, wasm.EffectNew:
	default:
		return nil
	}
	if c.Body[fr.pc].Op == wasm.OpSuspend { // it has no resume point
		return nil
	}
	pt, _ := fr.point()
	if pt.NextEvent != code.NoEvent {
		pt = &c.Points[c.Baseline[pt.NextEvent].C]
	}
	var out []HandlerClause
	for _, h := range pt.Clauses {
		if h.Target > code.TargetPair {
			continue
		}
		out = append(out, HandlerClause{Tag: fr.fn.inst.tags[h.Tag], Switch: h.IsSwitch, PC: int(h.PC)})
	}
	return out
}

// waitingClauses returns the clauses in force where a stack waits for another one.
func waitingClauses(s *Stack) []HandlerClause {
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

// FusedOp is an op of the fused form of a function, for people.
type FusedOp struct {
	PC   int    // the instruction that it comes from
	Text string // `I32Add l0 ← l0 n3`: l is a local, n a number slot, r a reference slot
}

// FusedForm returns the fused form of a function in order, nil if it has none. Ops of the
// baseline form among them are written by their instruction.
func (f *Func) FusedForm() []FusedOp {
	c := f.code
	if c == nil || f.thunk != nil || len(c.Fused) == 0 {
		return nil
	}
	out := make([]FusedOp, len(c.Fused))
	for i := range c.Fused {
		out[i] = FusedOp{int(c.FusedPC[i]), c.FusedText(i)}
	}
	return out
}

// Try is a try_table, or a legacy try, around the instruction where a frame stands.
type Try struct {
	PC   int    // where it begins
	Tags []*Tag // the tags that it catches; nil stands for every exception
}

// Tries returns the tries in which an exception is looked up that is thrown by the instruction
// where a frame stands, or comes out of what it waits for: innermost first, without those that a
// legacy delegate skips.
func (f *Frame) Tries() []Try {
	if fr := f.raw(); fr.fn.code != nil {
		return fr.tries()
	}
	return nil
}

func (fr *frame) tries() (out []Try) {
	rs := fr.fn.code.Regions
	for j := len(rs) - 1; j >= 0; j-- {
		r := &rs[j]
		if fr.pc < r.From || fr.pc >= r.To {
			continue
		}
		if r.Delegate {
			j = r.Next + 1
			continue
		}
		t := Try{PC: int(r.From) - 1}
		for k := range r.Catches {
			if c := &r.Catches[k]; c.Kind >= wasm.CatchAll {
				t.Tags = append(t.Tags, nil)
			} else {
				t.Tags = append(t.Tags, fr.fn.inst.tags[c.Tag])
			}
		}
		out = append(out, t)
	}
	return out
}

// pendingEvent returns the instruction that takes the event that has arrived at a running stack,
// its operation, and the frame; ok is false if no event is pending.
func (f *Frame) pendingEvent() (at *code.Op, ok bool) {
	s := f.stack
	if s.pending == 0 || s.pending == entering || f.depth != len(s.frames)-1 {
		return nil, false
	}
	fr := f.raw()
	for pc := fr.pc; int(pc) < len(fr.fn.code.Body); pc++ {
		switch fr.fn.code.Body[pc].Op {
		case wasm.OpEventSwitch:
			return &fr.fn.code.Baseline[pc], true
		case wasm.OpBlock, wasm.OpLoop:
		default:
			return nil, false
		}
	}
	return nil, false
}

// Pending returns the event that has arrived at the stack, of which this is the innermost frame,
// and that its next event.switch takes, with its values, whose Type has the module's own type
// indices; nil if there is none. An event that no pair of that is for has brought no values.
func (f *Frame) Pending() (*Tag, []Value) {
	at, ok := f.pendingEvent()
	if !ok {
		return nil, nil
	}
	ts := f.pendingTypes(at)
	out := make([]Value, len(ts))
	n, r := uint32(at.A), uint32(at.B)
	for i, t := range ts {
		out[i] = f.read(t, slotOf(t, &n, &r))
	}
	return f.stack.tag, out
}

// pendingTypes returns the types of the values of the event that is pending, with the module's own
// type indices; none if no pair of the event.switch is for it.
func (f *Frame) pendingTypes(at *code.Op) []wasm.ValType {
	if f.stack.pending == unmatched {
		return nil
	}
	fn := f.raw().fn
	mod := fn.inst.mod
	h := &fn.code.Points[at.C].Clauses[f.stack.pending-1]
	return mod.Types[mod.Tags[h.Tag].Type].Params
}

// SetPending changes a value of the event that Pending returns. It must be of its type.
func (f *Frame) SetPending(i int, v Value) {
	at, ok := f.pendingEvent()
	if !ok {
		return
	}
	n, r := uint32(at.A), uint32(at.B)
	for j, t := range f.pendingTypes(at) {
		if slot := slotOf(t, &n, &r); j == i {
			f.write(t, slot, v)
		}
	}
}

// slotOf returns the slot of a value of a type where numbers go to n and references to r on, and
// counts these on.
func slotOf(t wasm.ValType, n, r *uint32) uint32 {
	dn, dr := code.Slots(t)
	slot := *n
	if dr > 0 {
		slot = *r
	}
	*n, *r = *n+uint32(dn), *r+uint32(dr)
	return slot
}
