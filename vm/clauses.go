package vm

import (
	"math/bits"
	"unsafe"

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
	others   taggedClauses      // besides the first
	switches taggedClauses      // `(on $tag switch)`, which are apart from those with labels
	// the event that the instruction sends; of fiber.new and the like what a return sends; nil if
	// none
	sentTag *Tag
	dialect wasm.Dialect
	retires bool // it ends the stack that sends
	moved   bool // a debugger has made the stack that takes them stand elsewhere, see Stack.standElsewhere
}

type taggedClause struct {
	tag    *Tag
	clause *code.HandlerClause
}

// taggedClauses are clauses in their order. The first with a tag is the one that counts: a module
// may import the same tag under two indices.
type taggedClauses struct {
	few  []taggedClause // all, if they are few; else only the first of them
	many *tagIndex      // all, if they are many; else nil
}

// fewClauses is how many clauses are searched one after the other.
const fewClauses = 4

// newTaggedClauses returns a list, with an index if it is long.
func newTaggedClauses(list []taggedClause) taggedClauses {
	if len(list) <= fewClauses {
		return taggedClauses{few: list}
	}
	return taggedClauses{few: list[:1:1], many: newTagIndex(list)}
}

// all returns the clauses.
func (c *taggedClauses) all() []taggedClause {
	if c.many != nil {
		return c.many.list
	}
	return c.few
}

// find returns the first clause with a tag, nil if there is none.
func (c *taggedClauses) find(tag *Tag) *code.HandlerClause {
	for i := range c.few {
		if c.few[i].tag == tag {
			return c.few[i].clause
		}
	}
	return c.many.find(tag)
}

// tagIndex finds clauses by their tags, in time that does not depend on how many they are: a table
// of 1 << (64 - shift) places, in which a tag has the place that its number, times factor, has in
// its highest bits, or one of the next. A free place has neither tag nor clause.
type tagIndex struct {
	places []taggedClause
	factor uint64
	shift  uint8
	list   []taggedClause // in their order
}

// What an index may cost: how many places a search may look at, how many factors are tried for
// that, and after how many of them the table becomes larger.
const (
	maxProbes  = 16
	maxFactors = 32
	perSize    = 8
)

// newTagIndex returns the index of a list. Numbers that follow one another spread evenly with the
// first factor; where others are in each other's way, other factors and larger tables are tried.
func newTagIndex(list []taggedClause) *tagIndex {
	bits := bits.Len(uint(2*len(list) - 1)) // at most half full
	factor := uint64(0x9e3779b97f4a7c15)
	x := &tagIndex{list: list}
	for try := 1; ; try++ {
		x.factor, x.shift = factor, uint8(64-bits)
		if n := 1 << bits; n > len(x.places) {
			x.places = make([]taggedClause, n)
		} else {
			clear(x.places)
		}
		bound := maxProbes
		if try == maxFactors {
			bound = len(x.places)
		}
		if x.fill(bound) {
			return x
		}
		factor = factor*0xd1342543de82ef95 + 0x9e3779b97f4a7c15 | 1
		if try%perSize == 0 {
			bits++
		}
	}
}

// fill enters the clauses. It reports whether a search looks at no more places than a bound.
func (x *tagIndex) fill(bound int) bool {
	for _, l := range x.list {
		at := x.start(l.tag)
		for n := 1; x.places[at].tag != nil && x.places[at].tag != l.tag; n++ {
			if n == bound {
				return false
			}
			at = x.next(at)
		}
		if x.places[at].tag == nil { // else it is not the first with its tag
			x.places[at] = l
		}
	}
	return true
}

// start returns the first place to look at for a tag.
func (x *tagIndex) start(tag *Tag) uint64 { return uint64(tag.number) * x.factor >> (x.shift & 63) }

// next returns the place after another.
func (x *tagIndex) next(at uint64) uint64 { return (at + 1) & uint64(len(x.places)-1) }

// find returns the first clause with a tag, nil if there is none. It has no calls, so that it costs
// the switches that need it not even the registers.
func (x *tagIndex) find(tag *Tag) *code.HandlerClause {
	if x == nil {
		return nil
	}
	for at := x.start(tag); ; at = x.next(at) {
		if l := &x.places[at]; l.tag == tag || l.tag == nil {
			return l.clause
		}
	}
}

// resolve returns the clauses of the module's instructions in the instance, by resumePoint.set and
// code.own.
func (inst *Instance) resolve() {
	at := inst.prog.TableSites
	inst.clauses = make([]clauseTable, len(at))
	known := map[*code.HandlerClause]*clauseTable{}
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
		if len(hs) == 0 {
			continue
		}
		if same := known[&hs[0]]; same != nil { // of several instructions in the same handles, say
			cl.tag, cl.first, cl.others, cl.switches = same.tag, same.first, same.others, same.switches
			continue
		}
		cl.add(inst, hs)
		known[&hs[0]] = cl
	}
}

// add adds clauses of the instance.
func (c *clauseTable) add(inst *Instance, hs []code.HandlerClause) {
	var others, switches []taggedClause
	for i := range hs {
		h := &hs[i]
		switch tag := inst.tags[h.Tag]; {
		case h.IsSwitch:
			switches = append(switches, taggedClause{tag, h})
		case c.tag == nil:
			c.tag, c.first = tag, *h
		default:
			others = append(others, taggedClause{tag, h})
		}
	}
	c.others, c.switches = newTaggedClauses(others), newTaggedClauses(switches)
}

// lookup finds the clause for a suspension or an event with a tag.
func (c *clauseTable) lookup(tag *Tag) *code.HandlerClause {
	if h := c.lookupFew(tag); h != nil {
		return h
	}
	return c.others.many.find(tag)
}

// lookupFew is lookup without the index. The fused form uses the two one after the other, so that
// the compiler writes them out: a call would cost the switches that need none, for the variables
// that live across it.
func (c *clauseTable) lookupFew(tag *Tag) *code.HandlerClause {
	if c.tag == tag {
		return &c.first
	}
	for i := range c.others.few {
		if c.others.few[i].tag == tag {
			return c.others.few[i].clause
		}
	}
	return nil
}

// pair returns the position of the pair of an event.switch, whose pairs are hs, that takes a tag; -1
// if there is none.
func (c *clauseTable) pair(hs []code.HandlerClause, tag *Tag) int {
	if c.tag == tag {
		return 0
	}
	if h := c.others.find(tag); h != nil {
		at := uintptr(unsafe.Pointer(h)) - uintptr(unsafe.Pointer(unsafe.SliceData(hs)))
		return int(at / unsafe.Sizeof(*h))
	}
	return -1
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
	for _, o := range c.others.all() {
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
