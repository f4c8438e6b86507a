package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// EventClauses returns the clauses that an event which is sent to the stack now is looked up in:
// those of where it stands, or where it is to begin.
func (s *Stack) EventClauses() []HandlerClause {
	fn, at := s.base, frame{}
	switch {
	case s.state == StackMoribund || fn == nil || fn.code == nil || fn.thunk != nil:
		return nil
	case s.eventTable != nil && s.eventTable.moved && !s.dialect.Info().EventSwitch:
		return s.eventTable.exported()
	case s.state != StackNew:
		at = *s.top()
	case s.dialect.Info().NewClauses: // the table of its fiber.new
		at = s.makerFrame()
	case s.dialect.Info().EventSwitch && fn.code.EntryEvent != code.NoEvent:
		at = frame{fn: fn, pc: fn.code.EntryEvent}
	default:
		return exportedClauses(fn, fn.code.EntryClauses)
	}
	if at.fn == nil || at.fn.code == nil || int(at.pc) >= len(at.fn.code.Body) {
		return nil
	}
	if c := at.fn.code; c.Body[at.pc].Op == wasm.OpEventSwitch {
		return exportedClauses(at.fn, c.Points[c.Baseline[at.pc].C].Clauses)
	}
	return at.handlerClauses()
}

// Entries returns the functions that a new stack can begin with: its base function, and of a fiber
// that is made with several the one for each event.
func (s *Stack) Entries() []*Func {
	out := []*Func{s.base}
	if s.state != StackNew || !s.dialect.Info().NewClauses || s.eventTable != nil && s.eventTable.moved {
		return out
	}
	at := s.makerFrame()
	if at.fn == nil || at.fn.code == nil || int(at.pc) >= len(at.fn.code.Body) {
		return out
	}
	pt, _ := at.point()
	for i := range pt.Clauses {
		if h := &pt.Clauses[i]; h.Target == code.TargetEntry {
			out = append(out, at.fn.inst.funcs[h.PC])
		}
	}
	return out
}

// exported returns clauses for who looks.
func (c *clauseTable) exported() []HandlerClause {
	var out []HandlerClause
	if c.tag != nil {
		out = append(out, HandlerClause{Tag: c.tag, PC: int(c.first.PC)})
	}
	for _, o := range c.others {
		out = append(out, HandlerClause{Tag: o.tag, PC: int(o.clause.PC)})
	}
	return out
}

func exportedClauses(fn *Func, hs []code.HandlerClause) []HandlerClause {
	var out []HandlerClause
	for _, h := range hs {
		out = append(out, HandlerClause{Tag: fn.inst.tags[h.Tag], Switch: h.IsSwitch, PC: int(h.PC)})
	}
	return out
}
