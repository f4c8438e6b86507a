package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// A debugger can make a stack that does not run stand elsewhere in the function of its innermost
// frame, or at the beginning of one of its frames. It goes on there when it is resumed, or switched
// to, by the same events as it would have before, and the values that come with that are dropped:
// what would take them is behind the instruction where the stack stood.
//
// What a continuation or coroutine goes on with does not depend on where it stands; there only the
// pc, which is not counted up when control comes, tells it from one that has stopped by itself: it
// is new, but does not begin. The other designs look events up in the instruction where the stack
// stands; there the clauses of a moved stack lead all events that it took to its place.

// begins reports a new stack that it enters its base function when it is resumed: a debugger has
// not moved it.
func (s *Stack) begins() bool { return len(s.frames) == 1 && s.frames[0].pc == 0 }

// neverRan reports that a stack has never had control.
func (s *Stack) neverRan() bool { return s.state == StackNew && s.resumes == 0 }

// Moved reports that a debugger has made the stack stand where it does: it goes on at the place
// itself, and not behind it, and with no values.
func (s *Stack) Moved() bool {
	return s.state == StackNew && !s.begins() || s.state == StackSuspended && s.eventTable != nil && s.eventTable.moved
}

// detachedSegment reports why a stack that does not run is part of what runs after all.
func detachedSegment(s *Stack) error {
	leaf := s.Head().Leaf()
	if leaf.state == StackSuspended || leaf.state == StackNew {
		return nil
	}
	return below(leaf)
}

// below reports why a stack that ran when another call was made cannot be moved.
func below(s *Stack) error {
	if s.Below() && !s.InHost() {
		return errOnTop
	}
	return errHostRuns
}

// ByEvent reports whether the segment of a stack goes on by an event that is looked up where it
// stands.
func (s *Stack) ByEvent() bool {
	return s.Head().dialect.Info().Events
}

// move makes the leaf of a segment go on at the pc of its innermost frame, by the events
// that from takes: what it took before.
func (s *Stack) move(from *clauseTable) {
	s.at, s.tag = nil, nil
	if !s.ByEvent() {
		s.state = StackNew
		return
	}
	s.state = StackSuspended
	s.eventTable = from.movedTo(s.top().pc, s.dialect)
}

// movedTo returns clauses for the same events that lead to another pc.
func (c *clauseTable) movedTo(pc uint32, d wasm.Dialect) *clauseTable {
	out := &clauseTable{dialect: d, moved: true}
	if c == nil {
		return out
	}
	to := func(h *code.HandlerClause) code.HandlerClause {
		return code.HandlerClause{Tag: h.Tag, PC: pc, Target: code.TargetMoved}
	}
	if c.tag != nil {
		out.tag, out.first = c.tag, to(&c.first)
	}
	for _, o := range c.others {
		h := to(o.clause)
		out.others = append(out.others, taggedClause{o.tag, &h})
	}
	return out
}

// avert records that the fault that the probe looks at, if there is one, is not to end the host
// call.
func (d *Debugging) avert() {
	if d.fault != noFault {
		d.fault = faultAverted
	}
}
