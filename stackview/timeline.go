package stackview

import "stackscope/vm/debugger"

// Slice is a stretch of a stack's life in one state, from one event to another.
type Slice struct {
	State    debugger.State
	From, To uint64 // ordinals of events; To is exclusive
	Tag      string // of the suspension that begins it
	At       debugger.Site
}

// Lane is the life of one stack.
type Lane struct {
	ID      debugger.StackID
	Base    string
	Creator debugger.StackID
	Created debugger.Site
	Slices  []Slice
}

// Arrow is a transfer of control between lanes.
type Arrow struct {
	N        uint64 // ordinal of the event
	From, To debugger.StackID
	Kind     debugger.EventKind
	Tag      string
}

// Timeline is a history of stacks folded into lanes, in order of their first event.
type Timeline struct {
	Lanes  []*Lane
	Arrows []Arrow
	End    uint64 // the ordinal after the last event
}

// NewTimeline folds events, which are in order of their ordinals. The first events of a run may be
// missing.
func NewTimeline(events []debugger.Event) *Timeline {
	t := &Timeline{}
	lanes := map[debugger.StackID]*Lane{}
	parents := map[debugger.StackID]debugger.StackID{}
	lane := func(id debugger.StackID) *Lane {
		l := lanes[id]
		if l == nil {
			l = &Lane{ID: id}
			lanes[id] = l
			t.Lanes = append(t.Lanes, l)
		}
		return l
	}
	set := func(id debugger.StackID, s debugger.State, e *debugger.Event) {
		if id == 0 {
			return
		}
		l := lane(id)
		if n := len(l.Slices); n > 0 {
			last := &l.Slices[n-1]
			if last.State == s && (s == debugger.Running || s == debugger.Waiting) {
				return
			}
			last.To = e.N
		}
		sl := Slice{State: s, From: e.N, To: e.N, At: e.At}
		if s == debugger.Suspended {
			sl.Tag = e.Tag
		}
		l.Slices = append(l.Slices, sl)
	}
	// suspend marks id and its ancestors up to, but not including, to as suspended.
	suspend := func(id, to debugger.StackID, e *debugger.Event) {
		for i := 0; id != 0 && id != to && i <= len(lanes); i++ {
			set(id, debugger.Suspended, e)
			next := parents[id]
			if next == to {
				delete(parents, id)
			}
			id = next
		}
	}
	for i := range events {
		e := &events[i]
		t.End = e.N + 1
		if e.Stack != 0 {
			if l := lane(e.Stack); l.Base == "" {
				l.Base = e.Func
			}
		}
		switch e.Kind {
		case debugger.Create:
			l := lane(e.Stack)
			l.Creator, l.Created = e.Other, e.At
			set(e.Stack, debugger.New, e)
		case debugger.Start, debugger.Resume:
			if e.Other != 0 {
				set(e.Other, debugger.Waiting, e)
				parents[e.Stack] = e.Other
				if n := len(t.Arrows); n == 0 || e.Kind == debugger.Resume ||
					t.Arrows[n-1].To != e.Stack { // a resume is followed by its start
					t.Arrows = append(t.Arrows, Arrow{e.N, e.Other, e.Stack, e.Kind, e.Tag})
				}
			}
			set(e.Stack, debugger.Running, e)
		case debugger.Suspend:
			suspend(e.Stack, e.Other, e)
			set(e.Other, debugger.Running, e)
			t.Arrows = append(t.Arrows, Arrow{e.N, e.Stack, e.Other, e.Kind, e.Tag})
		case debugger.Switch:
			if p := parents[e.Stack]; p != 0 {
				parents[e.Other] = p
				delete(parents, e.Stack)
			}
			set(e.Stack, debugger.Suspended, e)
			set(e.Other, debugger.Running, e)
			t.Arrows = append(t.Arrows, Arrow{e.N, e.Stack, e.Other, e.Kind, e.Tag})
		case debugger.Finish, debugger.Release:
			set(e.Stack, debugger.Moribund, e)
			if e.Kind == debugger.Finish && e.Other != 0 {
				set(e.Other, debugger.Running, e)
				t.Arrows = append(t.Arrows, Arrow{e.N, e.Stack, e.Other, e.Kind, e.Tag})
			}
			delete(parents, e.Stack)
		}
	}
	for _, l := range t.Lanes {
		if n := len(l.Slices); n > 0 {
			l.Slices[n-1].To = t.End
		}
	}
	return t
}
