package vm

import "stackscope/wasm"

// Takes returns the clauses that an event which is sent to the stack now is looked up in: those of
// where it stands, or where it is to begin.
func (s *Stack) Takes() []Handled {
	fn, at := s.base, frame{}
	switch {
	case s.state == StackMoribund || fn == nil || fn.code == nil || fn.thunk != nil:
		return nil
	case s.takes != nil && s.takes.moved && s.dialect != wasm.DialectTasks:
		return s.takes.handled()
	case s.state != StackNew:
		at = *s.top()
	case s.dialect == wasm.DialectFibersMount: // the table of its fiber.new
		at = s.made()
	case s.dialect == wasm.DialectTasks && fn.code.event != noEvent:
		at = frame{fn: fn, pc: fn.code.event}
	default:
		return handled(fn, fn.code.clauses)
	}
	if at.fn == nil || at.fn.code == nil || int(at.pc) >= len(at.fn.code.body) {
		return nil
	}
	if c := at.fn.code; c.body[at.pc].Op == wasm.OpEventSwitch {
		return handled(at.fn, c.resumes[c.plain[at.pc].c].handlers)
	}
	return at.handlers()
}

// Entries returns the functions that a new stack can begin with: its base function, and of a fiber
// that is made with several the one for each event.
func (s *Stack) Entries() []*Func {
	out := []*Func{s.base}
	if s.state != StackNew || s.dialect != wasm.DialectFibersMount || s.takes != nil && s.takes.moved {
		return out
	}
	at := s.made()
	if at.fn == nil || at.fn.code == nil || int(at.pc) >= len(at.fn.code.body) {
		return out
	}
	pt, _ := at.point()
	for i := range pt.handlers {
		if h := &pt.handlers[i]; h.lands == landsEntry {
			out = append(out, at.fn.inst.funcs[h.pc])
		}
	}
	return out
}

// handled returns clauses for who looks.
func (c *clauses) handled() []Handled {
	var out []Handled
	if c.tag != nil {
		out = append(out, Handled{Tag: c.tag, PC: int(c.first.pc)})
	}
	for _, o := range c.others {
		out = append(out, Handled{Tag: o.tag, PC: int(o.h.pc)})
	}
	return out
}

func handled(fn *Func, hs []handler) []Handled {
	var out []Handled
	for _, h := range hs {
		out = append(out, Handled{Tag: fn.inst.tags[h.tag], Switch: h.isSwitch, PC: int(h.pc)})
	}
	return out
}
