package vm

import (
	"iter"
	"unsafe"

	"stackscope/wasm"
)

// Recorder keeps the last events of a machine, without their payloads: the history of a debugger
// that nobody looks at yet. An event costs a few stores, and nothing is allocated. It belongs to the
// machine that it was given to first, and is read while that stands still.
type Recorder struct {
	m    *Machine
	buf  []record
	next int
	laps uint64 // how often buf was filled
}

// record is an event in the recorder. Functions and tags are numbers (Machine.known), so that the
// collector neither scans the records nor is told of each.
type record struct {
	stack, other uint64
	base, fn     uint32 // 0: no function of the program, or of the host
	pc           int32
	tag          uint32 // 0: none
	kind         EventKind
	dialect      wasm.Dialect
	generation   uint32  // of what it was about before: that of the reference that it used up, if it did
	used         uintptr // where that Stack is
}

// NewRecorder gives a recorder that keeps that many events, at least one.
func NewRecorder(events int) *Recorder { return &Recorder{buf: make([]record, max(1, events))} }

// Count gives how many events there were, those that are no longer kept among them.
func (r *Recorder) Count() uint64 { return r.laps*uint64(len(r.buf)) + uint64(r.next) }

// All gives the events that are kept, oldest first, by their ordinals from 1. The event is valid
// until the next one.
func (r *Recorder) All() iter.Seq2[uint64, *Event] {
	return func(yield func(uint64, *Event) bool) {
		n, at := uint64(1), 0
		if r.laps > 0 {
			n, at = r.Count()-uint64(len(r.buf))+1, r.next
		}
		var e Event
		for ; n <= r.Count(); n++ {
			x := &r.buf[at]
			if at++; at == len(r.buf) {
				at = 0
			}
			e = r.event(x)
			if !yield(n, &e) {
				return
			}
		}
	}
}

func (r *Recorder) event(x *record) Event {
	e := Event{Kind: x.kind, Stack: x.stack, Base: r.m.funcOf(x.base), Other: x.other, Site: Site{r.m.funcOf(x.fn), int(x.pc)}, Dialect: x.dialect}
	if x.tag > 0 {
		e.Tag = r.m.knownTags[x.tag-1]
	}
	switch fn := e.Site.Func; {
	case fn == nil:
		e.Site.PC = -1
	case fn.thunk != nil:
		e.Site = Site{fn.thunk, -1}
	}
	return e
}

func (m *Machine) funcOf(known uint32) *Func {
	if known == 0 {
		return nil
	}
	return m.known[known-1]
}

// SetRecorder sets the recorder that gets every event; nil for none. A
// recorder that has been given to another machine must not be given to this one.
func (m *Machine) SetRecorder(r *Recorder) {
	m.recorder = r
	if r != nil && r.m == nil {
		r.m = m
	}
	m.watched = m.observer != nil || r != nil
}

// note records an event about s, made by the instruction at pc of fn, if there is a recorder, and
// tells whether an observer wants it too: with its payload, by inform. tag is Tag.known, 0 for none.
// It is for what happens often; emit does both.
func (m *Machine) note(k EventKind, s *Stack, other uint64, fn *Func, pc uint32, tag uint32) bool {
	r := m.recorder
	if r == nil {
		return true
	}
	x := &r.buf[r.next]
	if r.next++; r.next == len(r.buf) {
		r.next = 0
		r.laps++
	}
	x.stack, x.other = s.id, other // not as a whole: that would be put together elsewhere and copied
	x.base, x.fn = s.base.known, fn.known
	x.pc, x.tag = int32(pc), tag
	x.kind, x.dialect = k, s.dialect
	x.used, x.generation = uintptr(unsafe.Pointer(&s.object)), uint32(s.generation)
	return m.observer != nil
}

// consumes notes that the event that was just recorded uses up the reference to a stack.
func (m *Machine) consumes(t *Stack) {
	if r := m.recorder; r != nil {
		x := &r.buf[(r.next-1+len(r.buf))%len(r.buf)]
		x.used, x.generation = uintptr(unsafe.Pointer(&t.object)), uint32(t.generation)
	}
}

// Consumer gives the event that used up a one-shot reference, as far as it is kept: a resumption, a
// switch, a binding, a consumption, or the Release of a stack by a debugger. Its
// Stack is what the reference was to, Other the stack that used it. The newest event about an
// address is about what lives there now, so it does not matter which stack's storage it was.
func (r *Recorder) Consumer(ref Ref) (ev Event, ok bool) {
	if ref.kind() != objStack {
		return Event{}, false
	}
	at := uintptr(unsafe.Pointer(ref.obj))
	kept := min(r.Count(), uint64(len(r.buf)))
	for i := range int(kept) {
		x := &r.buf[(r.next-1-i+2*len(r.buf))%len(r.buf)]
		if x.used != at || x.generation != uint32(ref.aux) {
			continue
		}
		switch x.kind {
		case EventResume, EventSwitch, EventBind, EventConsume, EventRelease:
			ev = r.event(x)
			if ev.Kind == EventSwitch {
				ev.Stack, ev.Other = ev.Other, ev.Stack
			}
			return ev, true
		}
	}
	return Event{}, false
}

// know gives a function its number, which it has from the start.
func (m *Machine) know(fn *Func) *Func {
	m.known = append(m.known, fn)
	fn.known = uint32(len(m.known))
	return fn
}

// inform hands an event that has been noted to the observer.
func (m *Machine) inform(e Event) { m.observer(&e) }
