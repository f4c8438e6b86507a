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
