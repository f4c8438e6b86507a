package protocol

import (
	"slices"

	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// TakeKind is how control comes to a stack.
type TakeKind uint8

// The kinds.
const (
	TakeEvent  TakeKind = iota // with an event, to a clause
	TakeResume                 // to the instruction after, or to the beginning
	TakeReturn                 // back from a child that returned
	TakeThrow                  // with an exception, from a child or by a resumption that throws
)

// Take is how control comes to a stack that stands in a state.
type Take struct {
	Kind TakeKind
	Tag  uint32 // TakeEvent: of the event; else wasm.BadIndex
}

// arrival is where control goes when it comes to a site.
type arrival struct {
	take Take
	to   int32 // a node
}

type nodeKind uint8

const (
	nodeJoin   nodeKind = iota // goes on at succ
	nodeSite                   // control leaves the stack
	nodeCall                   // calls function a
	nodeTyped                  // calls by type a
	nodeTail                   // calls function a in place of this one
	nodeTailBy                 // calls by type a in place of this one
	nodeSet                    // a local gets a stack that was made, or something that is not known
	nodeFree                   // a stack in a local is released, by the a-th release of the body
	nodeExit                   // the function returns
	nodeThrow                  // an exception leaves the function
)

// node is a place in the flow of a body. Nodes are numbered; the first is the entry.
type node struct {
	kind   nodeKind
	a      uint32
	site   int32 // nodeSite: the number of the site
	local  int32 // nodeSet, nodeFree: the local
	made   int32 // nodeSet: the number of the make, -1 unknown
	succ   []int32
	throws []int32 // nodeCall, nodeTyped and so on: where an exception may go on
}

// site is an instruction at which control leaves the stack, the n-th of its body.
type site struct {
	op       wasm.Op
	move     move
	tag      uint32 // of the event that is sent; wasm.BadIndex
	typ      uint32 // of the reference, or wasm.BadIndex
	to, from int32  // locals that the operands were read from; -1 unknown, or none
	made     int32  // the number of the make that it enters, -1
	arrivals []arrival
	dead     bool // typing shows that it is never reached
}

// flow is the flow of a body while it is found out, by instruction: node i is instruction i.
type flow struct {
	b       *lower.Body
	exit    int32 // where a return goes
	raise   int32 // where an exception goes that leaves the function
	owner   []int32
	ends    []int32
	clauses map[int32][]int32 // by block, -1 the function: its event clauses, its `else` or `catch`
	stack   []openBlock
	room    int // how many clauses may still be looked at; below 0 some are missing
}

// mostClauses bounds the clauses that are looked at in one body, each time that they count for an
// instruction.
const mostClauses = 100_000

// openBlock is a block, or a clause in one, around an instruction.
type openBlock struct {
	start  int32 // -1: the function
	clause bool
}

// divides reports whether an instruction begins another part of the block that is open.
func divides(op wasm.Op) bool {
	switch op {
	case wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpEvent:
		return true
	}
	return false
}

// newFlow finds the blocks of a body.
func newFlow(b *lower.Body) *flow {
	n := int32(len(b.Instrs))
	f := &flow{
		b: b, exit: n, raise: n + 1, owner: make([]int32, n), ends: make([]int32, n),
		clauses: map[int32][]int32{}, room: mostClauses,
	}
	open := []int32{-1}
	for i := range n {
		op := b.Instrs[i].Op
		top := open[len(open)-1]
		f.owner[i] = top
		switch {
		case op.OpensBlock():
			open = append(open, i)
		case divides(op):
			f.clauses[top] = append(f.clauses[top], i)
		case op == wasm.OpEnd || op == wasm.OpDelegate:
			if top >= 0 {
				f.ends[top] = i
			}
			if len(open) > 1 {
				open = open[:len(open)-1]
			}
		}
	}
	return f
}

// next returns where control goes from an instruction that does not branch.
func (f *flow) next(i int32) int32 {
	i++
	if int(i) >= len(f.owner) {
		return f.exit
	}
	if divides(f.b.Instrs[i].Op) { // the part before it is over
		return f.end(f.owner[i])
	}
	return i
}

// end returns the end of a block, -1 the function.
func (f *flow) end(block int32) int32 {
	if block < 0 {
		return f.exit
	}
	return f.ends[block]
}

// label returns where a branch goes, from inside the blocks that are open.
func (f *flow) label(depth uint32) int32 {
	if int64(depth) >= int64(len(f.stack)) {
		return f.exit
	}
	l := f.stack[len(f.stack)-1-int(depth)]
	if !l.clause && l.start >= 0 && f.b.Instrs[l.start].Op == wasm.OpLoop {
		return f.next(l.start)
	}
	return f.end(l.start)
}

// handlers returns where an exception goes that is thrown inside of the open blocks: with a tag, or
// wasm.BadIndex for any. Of legacy `try` every clause counts, and it catches nothing for sure.
func (f *flow) handlers(tag uint32) []int32 {
	var out []int32
	for k := len(f.stack) - 1; k >= 0 && f.room >= 0; k-- {
		l := f.stack[k]
		f.room--
		if l.start < 0 || l.clause {
			continue
		}
		in := &f.b.Instrs[l.start]
		switch in.Op {
		case wasm.OpTryTable:
			if in.Ext == nil {
				continue
			}
			inside := f.stack
			f.stack = f.stack[:k] // labels are those around it
			f.room -= len(in.Ext.Catches)
			for _, c := range in.Ext.Catches {
				all := c.Kind == wasm.CatchAll || c.Kind == wasm.CatchAllRef
				if all || tag == wasm.BadIndex || mayBeSame(f.b.Decls.Mod, tag, c.Tag) {
					out = append(out, f.label(c.Label))
				}
				if all || tag != wasm.BadIndex && tag == c.Tag {
					f.stack = inside
					return out
				}
			}
			f.stack = inside
		case wasm.OpTry:
			f.room -= len(f.clauses[l.start])
			for _, c := range f.clauses[l.start] {
				out = append(out, c+1)
			}
		}
	}
	return append(out, f.raise)
}

// mayBeSame reports whether two indices may be of one tag: it may be imported twice.
func mayBeSame(mod *wasm.Module, a, b uint32) bool {
	imported := func(t uint32) bool { return int64(t) < int64(len(mod.Tags)) && mod.Tags[t].Import >= 0 }
	return a == b || imported(a) && imported(b)
}

// enter keeps the open blocks up to date before instruction i is looked at.
func (f *flow) enter(i int32) {
	op := f.b.Instrs[i].Op
	if divides(op) {
		if f.stack[len(f.stack)-1].clause {
			f.stack = f.stack[:len(f.stack)-1]
		}
		if op == wasm.OpEvent {
			f.stack = append(f.stack, openBlock{f.owner[i], true})
		}
	}
}

// leave keeps the open blocks up to date after instruction i was looked at.
func (f *flow) leave(i int32) {
	op := f.b.Instrs[i].Op
	switch {
	case op.OpensBlock():
		f.stack = append(f.stack, openBlock{i, false})
	case op == wasm.OpEnd || op == wasm.OpDelegate:
		if n := len(f.stack); n > 1 && f.stack[n-1].clause {
			f.stack = f.stack[:n-1]
		}
		if n := len(f.stack); n > 1 {
			f.stack = f.stack[:n-1]
		}
	}
}

// inScope returns the event clauses in scope, innermost first: the first for a tag takes its event.
func (f *flow) inScope() []arrival {
	var out []arrival
	for k := len(f.stack) - 1; k >= 0 && f.room >= 0; k-- {
		l := f.stack[k]
		f.room--
		if l.clause || l.start >= 0 && f.b.Instrs[l.start].Op != wasm.OpHandle {
			continue
		}
		out = append(out, f.eventsOf(l.start)...)
	}
	return firstOf(out)
}

// eventsOf returns the event clauses of a block, -1 the function.
func (f *flow) eventsOf(block int32) []arrival {
	var out []arrival
	f.room -= len(f.clauses[block])
	for _, c := range f.clauses[block] {
		if in := &f.b.Instrs[c]; in.Op == wasm.OpEvent && in.A != wasm.BadIndex {
			out = append(out, arrival{Take{TakeEvent, in.A}, f.next(c)})
		}
	}
	return out
}

// clausesOf returns where the clauses of an instruction go.
func (f *flow) clausesOf(in *wasm.Instr) []arrival {
	var out []arrival
	f.room -= len(lower.HandlerClauses(in))
	for _, h := range lower.HandlerClauses(in) {
		if !h.Switch && h.Tag != wasm.BadIndex {
			out = append(out, arrival{Take{TakeEvent, h.Tag}, f.label(h.Label)})
		}
	}
	return firstOf(out)
}

// firstOf keeps the first arrival of each tag.
func firstOf(as []arrival) []arrival {
	var seen map[Take]bool
	if len(as) > 16 {
		seen = make(map[Take]bool, len(as))
	}
	out := as[:0]
	for _, a := range as {
		if seen != nil && seen[a.take] ||
			seen == nil && slices.ContainsFunc(out, func(o arrival) bool { return o.take == a.take }) {
			continue
		}
		if seen != nil {
			seen[a.take] = true
		}
		out = append(out, a)
	}
	return out
}

// eventSwitch returns the clauses of the `event.switch` that follows instruction i, and whether
// there is one. Only headers of blocks stand between.
func (f *flow) eventSwitch(i int32) ([]arrival, bool) {
	depth := len(f.stack)
	defer func() { f.stack = f.stack[:depth] }()
	for i++; int(i) < len(f.owner) && f.room >= 0; i++ {
		f.room--
		switch in := &f.b.Instrs[i]; in.Op {
		case wasm.OpBlock, wasm.OpLoop:
			f.stack = append(f.stack, openBlock{i, false})
		case wasm.OpEventSwitch:
			return f.clausesOf(in), true
		default:
			return nil, false
		}
	}
	return nil, false
}

// arrivals returns where control goes when it comes to the site at instruction i, and whether the
// instruction may also fall through without giving control up.
func (f *flow) arrivals(i int32, m move) (out []arrival, falls bool) {
	in := &f.b.Instrs[i]
	info := in.Op.Info().Dialect.Info()
	back := func(k TakeKind) { out = append(out, arrival{Take{k, wasm.BadIndex}, f.next(i)}) }
	throws := func() {
		for _, to := range f.handlers(wasm.BadIndex) {
			out = append(out, arrival{Take{TakeThrow, wasm.BadIndex}, to})
		}
	}
	switch {
	case info.EventSwitch:
		if !m.ends {
			out, _ = f.eventSwitch(i)
		}
		return out, false
	case info.FrameEvents:
		if !m.ends {
			out = f.inScope()
		}
		if m.dir == Down {
			back(TakeReturn)
			throws()
		}
		return out, false
	case info.Events:
		if !m.ends {
			out = f.clausesOf(in)
		}
		if m.makes { // with the event that the new stack returns with
			out = append([]arrival{{Take{TakeEvent, in.A}, f.next(i)}}, out...)
			out = firstOf(out)
		}
		if m.dir == Down {
			throws()
		}
		return out, !m.makes
	}
	if m.ends {
		return nil, false
	}
	if m.dir == Down {
		out = f.clausesOf(in)
		back(TakeReturn)
	} else {
		back(TakeResume)
	}
	throws()
	return out, false
}
