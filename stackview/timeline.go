package stackview

import "stackscope/vm/debug"

// Slice is a stretch of a stack's life in one state, from one event to another.
type Slice struct {
	State    debug.State
	From, To uint64 // ordinals of events; To is exclusive
	Tag      string // of the suspension that begins it
	At       debug.Site
}

// Lane is the life of one stack.
type Lane struct {
	ID      debug.StackID
	Base    string
	Creator debug.StackID
	Created debug.Site
	Slices  []Slice
}

// Arrow is a transfer of control between lanes.
type Arrow struct {
	N        uint64 // ordinal of the event
	From, To debug.StackID
	Kind     debug.EventKind
	Tag      string
}

// Timeline is a history of stacks folded into lanes, in order of their first event.
type Timeline struct {
	Lanes  []*Lane
	Arrows []Arrow
	End    uint64
}

// NewTimeline folds events, in order of their ordinals. The history may begin in the middle.
func NewTimeline(events []debug.Event) *Timeline {
	t := &Timeline{}
	lanes := map[debug.StackID]*Lane{}
	parents := map[debug.StackID]debug.StackID{}
	lane := func(id debug.StackID) *Lane {
		l := lanes[id]
		if l == nil {
			l = &Lane{ID: id}
			lanes[id] = l
			t.Lanes = append(t.Lanes, l)
		}
		return l
	}
	set := func(id debug.StackID, s debug.State, e *debug.Event) {
		if id == 0 {
			return
		}
		l := lane(id)
		if n := len(l.Slices); n > 0 {
			last := &l.Slices[n-1]
			if last.State == s && (s == debug.Running || s == debug.Waiting) {
				return
			}
			last.To = e.N
		}
		sl := Slice{State: s, From: e.N, To: e.N, At: e.At}
		if s == debug.Suspended {
			sl.Tag = e.Tag
		}
		l.Slices = append(l.Slices, sl)
	}
	// detach makes id and what it runs under it up to (without) to suspended: a segment.
	detach := func(id, to debug.StackID, e *debug.Event) {
		for i := 0; id != 0 && id != to && i <= len(lanes); i++ {
			set(id, debug.Suspended, e)
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
		case debug.Create:
			l := lane(e.Stack)
			l.Creator, l.Created = e.Other, e.At
			set(e.Stack, debug.New, e)
		case debug.Start, debug.Resume:
			if e.Other != 0 {
				set(e.Other, debug.Waiting, e)
				parents[e.Stack] = e.Other
				if n := len(t.Arrows); n == 0 || e.Kind == debug.Resume || t.Arrows[n-1].To != e.Stack { // a resume is followed by its start
					t.Arrows = append(t.Arrows, Arrow{e.N, e.Other, e.Stack, e.Kind, e.Tag})
				}
			}
			set(e.Stack, debug.Running, e)
		case debug.Suspend:
			detach(e.Stack, e.Other, e)
			set(e.Other, debug.Running, e)
			t.Arrows = append(t.Arrows, Arrow{e.N, e.Stack, e.Other, e.Kind, e.Tag})
		case debug.Switch:
			if p := parents[e.Stack]; p != 0 {
				parents[e.Other] = p
				delete(parents, e.Stack)
			}
			set(e.Stack, debug.Suspended, e)
			set(e.Other, debug.Running, e)
			t.Arrows = append(t.Arrows, Arrow{e.N, e.Stack, e.Other, e.Kind, e.Tag})
		case debug.Finish, debug.Release:
			set(e.Stack, debug.Moribund, e)
			if e.Kind == debug.Finish && e.Other != 0 {
				set(e.Other, debug.Running, e)
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
