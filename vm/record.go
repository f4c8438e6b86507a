package vm

import (
	"iter"
	"math/bits"
	"unsafe"

	"stackscope/wasm"
)

// Recorder keeps the last events of a machine, without their payloads: the history of a debugger
// that nobody looks at yet. An event costs a few stores, and nothing is allocated. It belongs to the
// machine that it was given to first, and is read while that stands still.
type Recorder struct {
	m    *Machine
	buf  []record // a power of two of them
	mask uint64   // len(buf) - 1
	n    uint64   // how many events there were
	keep uint64   // how many of them are to be kept
}

// record is an event in the recorder. Functions and tags are numbers (Machine.known), so that the
// collector neither scans the records nor is told of each.
type record struct {
	stack, other uint64
	used         uintptr // if it is of a kind that uses up a reference: where the Stack of that is
	generation   uint32  // and the reference's generation
	pc           uint32
	base, fn     uint32 // 0: no function of the program, or of the host
	tag          uint32 // 0: none
	kind         EventKind
	dialect      wasm.Dialect
}

// NewRecorder gives a recorder that keeps that many events, at least one.
func NewRecorder(events int) *Recorder {
	keep := uint64(max(1, events))
	size := uint64(1) << bits.Len64(keep-1)
	return &Recorder{buf: make([]record, size), mask: size - 1, keep: keep}
}

// Count gives how many events there were, those that are no longer kept among them.
func (r *Recorder) Count() uint64 { return r.n }

// All gives the events that are kept, oldest first, by their ordinals from 1. The event is valid
// until the next one.
func (r *Recorder) All() iter.Seq2[uint64, *Event] {
	return func(yield func(uint64, *Event) bool) {
		for n := r.n - min(r.n, r.keep); n < r.n; n++ {
			e := r.event(&r.buf[n&r.mask])
			if !yield(n+1, &e) {
				return
			}
		}
	}
}

func (r *Recorder) event(x *record) Event {
	e := Event{Kind: x.kind, Stack: x.stack, Base: r.m.funcOf(x.base), Other: x.other, Site: Site{r.m.funcOf(x.fn), int(int32(x.pc))}, Dialect: x.dialect}
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

// put records an event about s, made by the instruction at pc of fn. tag is Tag.known, 0 for none. It
// is small enough for the compiler to write it out where it is used.
func (r *Recorder) put(k EventKind, s *Stack, other uint64, fn *Func, pc, tag uint32) {
	n := r.n
	r.n = n + 1
	x := &r.buf[n&r.mask]
	x.stack, x.other = s.id, other
	x.base, x.fn = s.base.known, fn.known
	x.pc, x.tag, x.kind, x.dialect = pc, tag, k, s.dialect
}

// note records an event, if there is a recorder, and tells whether an observer wants it too: with its
// payload, by inform. It is for what happens often; emit does both.
func (m *Machine) note(k EventKind, s *Stack, other uint64, fn *Func, pc, tag uint32) bool {
	r := m.recorder
	if r == nil {
		return true
	}
	r.put(k, s, other, fn, pc, tag)
	r.consumes(s)
	return m.observer != nil
}

// consumes notes that the event that was just recorded, which is of a kind that Consumer gives, uses up
// the reference to a stack.
func (m *Machine) consumes(t *Stack) {
	if r := m.recorder; r != nil {
		r.consumes(t)
	}
}

func (r *Recorder) consumes(t *Stack) {
	x := &r.buf[(r.n-1)&r.mask]
	x.used, x.generation = uintptr(unsafe.Pointer(t)), uint32(t.generation)
}

// keeps notes that the event that was just recorded, which is of such a kind, uses up no reference: the
// stack has an identity.
func (r *Recorder) keeps() { r.buf[(r.n-1)&r.mask].used = 0 }

// Consumer gives the event that used up a one-shot reference, as far as it is kept: a resumption, a
// switch, a binding, a consumption, or the Release of a stack by a debugger. Its
// Stack is what the reference was to, Other the stack that used it. The newest event about an
// address is about what lives there now, so it does not matter which stack's storage it was.
func (r *Recorder) Consumer(ref Ref) (ev Event, ok bool) {
	if ref.kind() != objStack {
		return Event{}, false
	}
	at := uintptr(unsafe.Pointer(ref.obj))
	for i := range min(r.n, r.keep) {
		x := &r.buf[(r.n-1-i)&r.mask]
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
