package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// clauseTable are what an instance has beforehand of an instruction that makes or switches
// stacks: its tags. Of a resume they are those that it handles, and those that may be switched
// with; of an instruction where a stack stands still, in the dialects where that looks for events,
// those that it takes there (of the dialect tasks: in the event.switch that follows at once). The
// first is apart, for there is seldom another.
type clauseTable struct {
	tag      *Tag
	first    code.HandlerClause // a copy: a load less to where it leads
	others   []taggedClause
	switches []*Tag
	sentTag  *Tag // the event that the instruction sends; of fiber.new and the like what a return sends; nil if none
	dialect  wasm.Dialect
	retires  bool // it ends the stack that sends
	moved    bool // a debugger has made the stack that takes them stand elsewhere, see Stack.standElsewhere
}

type taggedClause struct {
	tag    *Tag
	clause *code.HandlerClause
}

// resolve returns the clauses of the module's instructions in the instance, by resumePoint.set and
// code.own.
func (inst *Instance) resolve() {
	at := inst.prog.TableSites
	inst.clauses = make([]clauseTable, len(at))
	for i, r := range at {
		cl := &inst.clauses[i]
		hs, event, direct := r.Func.EntryClauses, r.Func.EntryEvent, r.Func.EntryIsFirst
		if r.Index != code.EntryClausesIndex {
			pt := &r.Func.Points[r.Index]
			hs, event, direct = pt.Clauses, pt.NextEvent, pt.NextIsFirst
			info := pt.Kind.Info()
			cl.dialect, cl.retires = info.Dialect, info.Effect == wasm.EffectRetire
			if pt.Tag != wasm.BadIndex {
				cl.sentTag = inst.tags[pt.Tag]
			}
		}
		if event != code.NoEvent && direct {
			hs = r.Func.Points[r.Func.Baseline[event].C].Clauses
		}
		for j := range hs {
			h := &hs[j]
			switch tag := inst.tags[h.Tag]; {
			case h.IsSwitch:
				cl.switches = append(cl.switches, tag)
			case cl.tag == nil:
				cl.tag, cl.first = tag, *h
			default:
				cl.others = append(cl.others, taggedClause{tag, h})
			}
		}
	}
}

// lookup finds the clause for a suspension or an event with a tag.
func (c *clauseTable) lookup(tag *Tag) *code.HandlerClause {
	if c.tag == tag {
		return &c.first
	}
	for i := range c.others {
		if c.others[i].tag == tag {
			return c.others[i].clause
		}
	}
	return nil
}

// table returns those of the instruction at a frame's pc.
func (fr *frame) table() *clauseTable {
	pt, _ := fr.point()
	return &fr.fn.inst.clauses[pt.Table]
}

// makerFrame returns a frame that stands at the instruction that made the stack.
func (s *Stack) makerFrame() frame { return frame{fn: s.maker, pc: uint32(s.makerPC)} }

// findEventTable returns what Stack.takes of t is, which stands still: it has only to be found
// once.
func (t *Stack) findEventTable() *clauseTable {
	fr := *t.top()
	switch {
	case t.eventTable != nil && t.eventTable.moved:
		return t.eventTable
	case t.state == StackNew && t.dialect.Info().NewClauses:
		fr = t.makerFrame()
	case t.state == StackNew:
		return fr.fn.entryTable()
	}
	return fr.table()
}

// entryTable returns what a stack takes before it begins with the function, nil if nothing.
func (fn *Func) entryTable() *clauseTable {
	if fn.code.EntryTable == 0 {
		return nil
	}
	return &fn.inst.clauses[fn.code.EntryTable-1]
}

// eventClause returns the clause that takes an event in t, which stands still; nil if none does.
func (t *Stack) eventClause(tag *Tag) *code.HandlerClause {
	if c := t.findEventTable(); c != nil {
		return c.lookup(tag)
	}
	return nil
}

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
