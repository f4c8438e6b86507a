package stackview

import (
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// Slice is a stretch of a stack's life in one state, from one event to another.
type Slice struct {
	State    snapshot.State
	From, To uint64 // ordinals of events; To is exclusive
	Tag      string // of the suspension that begins it
	At       snapshot.Site
}

// Lane is the life of one stack.
type Lane struct {
	ID      snapshot.StackID
	Base    string
	Creator snapshot.StackID
	Created snapshot.Site
	Dialect wasm.Dialect // that its events tell of
	Slices  []Slice
	End     *snapshot.End // how it ended; nil if it has not, or that is not known
}

// Arrow is a transfer of control between lanes.
type Arrow struct {
	N        uint64 // ordinal of the event
	From, To snapshot.StackID
	Kind     snapshot.EventKind
	Tag      string
	Word     string // the kind, in the words of the design
}

// Timeline is a history of stacks folded into lanes, in order of their first event.
type Timeline struct {
	Lanes  []*Lane
	Arrows []Arrow
	End    uint64 // the ordinal after the last event
}

// NewTimeline folds events, which are in order of their ordinals. The first events of a run may be
// missing.
func NewTimeline(events []snapshot.Event) *Timeline {
	t := &Timeline{}
	lanes := map[snapshot.StackID]*Lane{}
	parents := map[snapshot.StackID]snapshot.StackID{}
	lane := func(id snapshot.StackID) *Lane {
		l := lanes[id]
		if l == nil {
			l = &Lane{ID: id}
			lanes[id] = l
			t.Lanes = append(t.Lanes, l)
		}
		return l
	}
	set := func(id snapshot.StackID, s snapshot.State, e *snapshot.Event) {
		if id == 0 {
			return
		}
		l := lane(id)
		if n := len(l.Slices); n > 0 {
			last := &l.Slices[n-1]
			if last.State == s && (s == snapshot.Running || s == snapshot.Waiting) {
				return
			}
			last.To = e.N
		}
		sl := Slice{State: s, From: e.N, To: e.N, At: e.At}
		if s == snapshot.Suspended {
			sl.Tag = e.Tag
		}
		l.Slices = append(l.Slices, sl)
	}
	// suspend marks id and its ancestors up to, but not including, to as suspended.
	suspend := func(id, to snapshot.StackID, e *snapshot.Event) {
		for i := 0; id != 0 && id != to && i <= len(lanes); i++ {
			set(id, snapshot.Suspended, e)
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
			l := lane(e.Stack)
			if l.Base == "" {
				l.Base = e.Func
			}
			if !l.Dialect.Switches() {
				l.Dialect = e.Dialect
			}
		}
		switch e.Kind {
		case snapshot.Create:
			l := lane(e.Stack)
			l.Creator, l.Created = e.Other, e.At
			set(e.Stack, snapshot.New, e)
		case snapshot.Start, snapshot.Resume:
			if e.Other != 0 {
				set(e.Other, snapshot.Waiting, e)
				parents[e.Stack] = e.Other
				if n := len(t.Arrows); n == 0 || e.Kind == snapshot.Resume ||
					t.Arrows[n-1].To != e.Stack { // a resume is followed by its start
					t.Arrows = append(t.Arrows, Arrow{e.N, e.Other, e.Stack, e.Kind, e.Tag, e.Word()})
				}
			}
			set(e.Stack, snapshot.Running, e)
		case snapshot.Suspend:
			suspend(e.Stack, e.Other, e)
			set(e.Other, snapshot.Running, e)
			t.Arrows = append(t.Arrows, Arrow{e.N, e.Stack, e.Other, e.Kind, e.Tag, e.Word()})
		case snapshot.Switch:
			if p := parents[e.Stack]; p != 0 {
				parents[e.Other] = p
				delete(parents, e.Stack)
			}
			set(e.Stack, snapshot.Suspended, e)
			set(e.Other, snapshot.Running, e)
			t.Arrows = append(t.Arrows, Arrow{e.N, e.Stack, e.Other, e.Kind, e.Tag, e.Word()})
		case snapshot.Await: // the whole chain waits
			for id, n := e.Stack, 0; id != 0 && n <= len(lanes); id, n = parents[id], n+1 {
				set(id, snapshot.Suspended, e)
			}
		case snapshot.Settle:
			set(e.Stack, snapshot.Running, e)
			for id, n := parents[e.Stack], 0; id != 0 && n <= len(lanes); id, n = parents[id], n+1 {
				set(id, snapshot.Waiting, e)
			}
		case snapshot.Finish, snapshot.Release:
			set(e.Stack, snapshot.Moribund, e)
			lane(e.Stack).End = e.End
			if e.Kind == snapshot.Finish && e.Other != 0 {
				set(e.Other, snapshot.Running, e)
				t.Arrows = append(t.Arrows, Arrow{e.N, e.Stack, e.Other, e.Kind, e.Tag, e.Word()})
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
