package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// Arrival is how control came to the instruction that a machine stops before: by a clause that has
// taken an event, a suspension or an exception, whose values are on the operand stack now.
type Arrival struct {
	// Func and PC are the instruction that has the clause: an `event`, a legacy `catch`, or one with
	// a list of clauses. Of a new fiber of fibers-mount it is the instruction that made it.
	Func   *Func
	PC     int
	Clause int  // the clause in the instruction's list, from 0; -1: the instruction is the clause
	Tag    *Tag // what was taken; nil of a clause for all exceptions
	New    bool // the stack begins with it
}

// arrivals is how control comes to where a stack goes on, while somebody wants to know. The machine
// then does the switches in the baseline form (history.aside), and goes on after one in
// the instrumented form up to the place where it stops.
type arrivals struct {
	wanted func(*Arrival) bool
	under  *Arrival // under way to its place; nil if none
	stack  *Stack   // of under, with its id
	id     uint64
	pc     uint32 // of under: where it stops
	// of under: an event.switch at pc is to take the event first
	pair bool
}

// SetArrivals makes the machine stop where control arrives by a clause that a function wants, with
// StopArrival, or as it stops there anyhow, for a breakpoint or a step; nil for none. The function is called
// in the midst of a switch and must not look at stacks.
func (d *Debugging) SetArrivals(wanted func(*Arrival) bool) {
	d.arrivals.wanted = wanted
	d.setAside()
	if wanted == nil {
		d.arrivals.under = nil
	}
	d.setMode()
}

// setAside decides whether the fused form leaves switches to the baseline form.
func (d *Debugging) setAside() { d.m.aside = d.m.observer != nil || d.arrivals.wanted != nil }

// noting reports whether arrivals are noted.
func (d *Debugging) noting() bool { return d.stepping || d.arrivals.wanted != nil }

// note records that t, whose innermost frame is at pc, goes on there by a clause of the instruction
// at a place. With pair an event.switch at pc is to take the event.
func (d *Debugging) note(t *Stack, pc uint32, a Arrival, pair bool) {
	n := &d.arrivals
	if n.under = nil; d.stepping || n.wanted(&a) {
		n.under, n.stack, n.id, n.pc, n.pair = &a, t, t.id, pc, pair
	}
	d.setMode()
}

// noteClause records that t takes an event by a clause of the instruction at from, or of the `event`
// before where it goes on.
func (d *Debugging) noteClause(t *Stack, from frame, tag *Tag, h *code.HandlerClause) {
	switch fr := t.top(); {
	case h.Target == code.TargetMoved || h.Target == code.TargetNext:
	case h.Target != code.TargetEntry && h.PC > 0 && fr.fn.code.Body[h.PC-1].Op == wasm.OpEvent:
		d.note(t, h.PC, Arrival{fr.fn, int(h.PC) - 1, -1, tag, t.state == StackNew}, false)
	case h.Target == code.TargetEntry:
		from = t.makerFrame()
		d.note(t, 0, Arrival{from.fn, int(from.pc), from.fn.clauseFor(from.pc, tag), tag, true}, false)
	default:
		d.note(t, h.PC, Arrival{from.fn, int(from.pc), from.fn.clauseFor(from.pc, tag), tag, false}, false)
	}
}

// clauseFor returns which clause of an instruction takes a tag, -1 if none does.
func (fn *Func) clauseFor(pc uint32, tag *Tag) int {
	if ext := fn.code.Body[pc].Ext; ext != nil {
		for i, h := range ext.HandlerClauses {
			if !h.Switch && fn.inst.tags[h.Tag] == tag {
				return i
			}
		}
	}
	return -1
}

// noteCatch records that an exception is caught in the innermost frame of t.
func (d *Debugging) noteCatch(t *Stack, from frame, e *Exn, c *code.CatchClause) {
	a := Arrival{Func: from.fn, PC: int(c.PC) - 1, Clause: -1}
	if c.Kind < wasm.CatchAll {
		a.Tag = e.tag
	}
	if !c.Keep { // a clause of the try_table around
		if a.PC, a.Clause = from.fn.catchOf(c); a.PC < 0 {
			return
		}
	}
	d.note(t, c.PC, a, false)
}

// catchOf returns the try_table that has a clause, and which of its clauses that is.
func (fn *Func) catchOf(c *code.CatchClause) (pc, clause int) {
	for i := range fn.code.Regions {
		r := &fn.code.Regions[i]
		for k := range r.Catches {
			if &r.Catches[k] == c && r.From > 0 {
				return int(r.From) - 1, k
			}
		}
	}
	return -1, 0
}

// arrive returns how control has come to s, which is at the innermost frame's pc, if an arrival was
// under way there. One that is under way elsewhere is given up.
func (d *Debugging) arrive(s *Stack, fr *frame) *Arrival {
	n := &d.arrivals
	a := n.under
	switch {
	case a == nil:
		return nil
	case n.stack == s && n.id == s.id && n.pair:
		if fr.pc == n.pc { // the event.switch goes to its label
			o := &fr.fn.code.Baseline[fr.pc]
			n.pc, n.pair = fr.fn.code.Branches[o.Imm+uint64(a.Clause)].PC, false
		}
		return nil
	}
	n.under = nil
	d.setMode()
	if n.stack != s || n.id != s.id || n.pc != fr.pc {
		return nil
	}
	return a
}

// again takes up what was under way when the machine stopped, unless the probe has moved the stack
// or wants no arrivals any more.
func (d *Debugging) again(n arrivals) {
	if n.under != nil && d.noting() && d.m.cur == n.stack && n.stack.id == n.id {
		d.arrivals.under, d.arrivals.stack, d.arrivals.id = n.under, n.stack, n.id
		d.arrivals.pc, d.arrivals.pair = n.pc, n.pair
	} else {
		d.arrivals.under = nil
	}
	d.setMode()
}
