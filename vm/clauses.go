package vm

import "stackscope/wasm"

// clauses are what an instance knows beforehand of an instruction that makes or switches stacks:
// its tags. Of a resume they are those that it handles, and those that may be switched with; of an
// instruction where a stack stands still, in the dialects where that looks for events, those that
// it takes there (of the dialect tasks: in the event.switch that follows at once). The first is
// apart, for there is seldom another.
type clauses struct {
	tag      *Tag
	first    handler // a copy: a load less to where it leads
	others   []onClause
	switches []*Tag
	sends    *Tag // the event that the instruction sends; of fiber.new and the like what a return sends; nil if none
	dialect  wasm.Dialect
	ends     bool // it ends the stack that sends
	moved    bool // a debugger has made the stack that takes them stand elsewhere, see Stack.standElsewhere
}

type onClause struct {
	tag *Tag
	h   *handler
}

// resumeAt is where the clauses of an instruction, or of a function, are.
type resumeAt struct {
	c     *code
	index int // in c.resumes, or ownClauses
}

// ownClauses stands for the clauses that a function begins with.
const ownClauses = -1

// resolve gives the clauses of the module's instructions in the instance, by resumePoint.set and
// code.own.
func (inst *Instance) resolve() {
	at := inst.prog.resumes
	inst.clauses = make([]clauses, len(at))
	for i, r := range at {
		cl := &inst.clauses[i]
		hs, event, direct := r.c.clauses, r.c.event, r.c.direct
		if r.index != ownClauses {
			pt := &r.c.resumes[r.index]
			hs, event, direct = pt.handlers, pt.next, pt.direct
			info := pt.kind.Info()
			cl.dialect, cl.ends = info.Dialect, info.Effect == wasm.EffectRetire
			if pt.tag != wasm.BadIndex {
				cl.sends = inst.tags[pt.tag]
			}
		}
		if event != noEvent && direct {
			hs = r.c.resumes[r.c.plain[event].c].handlers
		}
		for j := range hs {
			h := &hs[j]
			switch tag := inst.tags[h.tag]; {
			case h.isSwitch:
				cl.switches = append(cl.switches, tag)
			case cl.tag == nil:
				cl.tag, cl.first = tag, *h
			default:
				cl.others = append(cl.others, onClause{tag, h})
			}
		}
	}
}

// handle finds the clause for a suspension or an event with a tag.
func (c *clauses) handle(tag *Tag) *handler {
	if c.tag == tag {
		return &c.first
	}
	for i := range c.others {
		if c.others[i].tag == tag {
			return c.others[i].h
		}
	}
	return nil
}

// clauses returns those of the instruction at a frame's pc.
func (fr *frame) clauses() *clauses {
	pt, _ := fr.point()
	return &fr.fn.inst.clauses[pt.set]
}

// made returns a frame that stands at the instruction that made the stack.
func (s *Stack) made() frame { return frame{fn: s.maker, pc: uint32(s.makerPC)} }

// standing returns what Stack.takes of t is, which stands still: it has only to be found once.
func (t *Stack) standing() *clauses {
	fr := *t.top()
	switch {
	case t.takes != nil && t.takes.moved:
		return t.takes
	case t.state == StackNew && t.dialect == wasm.DialectFibersMount:
		fr = t.made()
	case t.state == StackNew:
		return fr.fn.takes()
	}
	return fr.clauses()
}

// takes returns what a stack takes before it begins with the function, nil if nothing.
func (fn *Func) takes() *clauses {
	if fn.code.own == 0 {
		return nil
	}
	return &fn.inst.clauses[fn.code.own-1]
}

// find returns the clause that takes an event in t, which stands still; nil if none does.
func (t *Stack) find(tag *Tag) *handler {
	if c := t.standing(); c != nil {
		return c.handle(tag)
	}
	return nil
}
