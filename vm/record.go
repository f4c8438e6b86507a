package vm

import (
	"iter"

	"stackscope/wasm"
)

// Recorder keeps the last events of a machine, without their payloads: the history of a debugger
// that nobody looks at yet. An event costs a few stores, nothing is allocated. It is read while the
// machine stands still.
type Recorder struct {
	buf  []record
	next int
	n    uint64
}

// record is an event in the recorder.
type record struct {
	stack, other uint64
	base, fn     *Func
	tag          *Tag
	pc           int32
	kind         EventKind
	dialect      wasm.Dialect
}

// NewRecorder gives a recorder that keeps that many events, at least one.
func NewRecorder(events int) *Recorder { return &Recorder{buf: make([]record, max(1, events))} }

// Count gives how many events there were, those that are no longer kept among them.
func (r *Recorder) Count() uint64 { return r.n }

// All gives the events that are kept, oldest first, by their ordinals from 1. The event is valid
// until the next one.
func (r *Recorder) All() iter.Seq2[uint64, *Event] {
	return func(yield func(uint64, *Event) bool) {
		kept := min(r.n, uint64(len(r.buf)))
		i := 0
		if kept == uint64(len(r.buf)) {
			i = r.next
		}
		var e Event
		for n := r.n - kept + 1; n <= r.n; n++ {
			x := &r.buf[i]
			if i++; i == len(r.buf) {
				i = 0
			}
			e = Event{Kind: x.kind, Stack: x.stack, Base: x.base, Other: x.other, Site: Site{x.fn, int(x.pc)}, Tag: x.tag, Dialect: x.dialect}
			if !yield(n, &e) {
				return
			}
		}
	}
}

// SetRecorder sets the recorder that gets every event; nil for none.
func (m *Machine) SetRecorder(r *Recorder) {
	m.recorder = r
	m.watched = m.observer != nil || r != nil
}

// put keeps an event.
func (r *Recorder) put(k EventKind, s *Stack, other uint64, fn *Func, pc int, tag *Tag) {
	x := &r.buf[r.next]
	if r.next++; r.next == len(r.buf) {
		r.next = 0
	}
	r.n++
	x.stack, x.other, x.base, x.fn, x.tag, x.pc, x.kind, x.dialect = s.id, other, s.base, fn, tag, int32(pc), k, s.dialect
}

// note records an event about s, if there is a recorder, and tells whether an observer wants it too:
// with its payload, by inform. It is for what happens often; emit does both.
func (m *Machine) note(k EventKind, s *Stack, other uint64, fn *Func, pc int, tag *Tag) bool {
	if m.recorder != nil {
		m.recorder.put(k, s, other, fn, pc, tag)
	}
	return m.observer != nil
}

// inform hands an event that has been noted to the observer.
func (m *Machine) inform(e Event) { m.observer(&e) }
