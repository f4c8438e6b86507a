package vm

import (
	"iter"
	"math/bits"
	"unsafe"

	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// Recorder keeps the last events of a machine, without their payloads: the history of a debugger
// that nobody looks at yet. An event costs a few stores, and nothing is allocated. It belongs to
// the machine that it was given to first, and is read while that stands still.
type Recorder struct {
	m    *Machine
	buf  []record       // a power of two of them
	base unsafe.Pointer // the first
	mask uint64         // len(buf) - 1
	n    uint64         // how many events there were
	keep uint64         // how many of them are to be kept
	ends ends
}

// record is an event in the recorder. Functions and tags are numbers (Machine.known), so that the
// collector neither scans the records nor is told of each.
type record struct {
	stack, other uint64
	used         uint64 // if it is of a kind that uses up a reference: its generation; of an end: end.by
	what         what
	pc           uint32
	base, fn     uint32 // 0: no function of the program, or of the host
	with         uint32 // of an end: end.with
}

// what is the kind of an event, the dialect of the stack, and the number of the tag (0: none), in
// one word: much of it is constant where an event is recorded.
type what uint64

func whatOf(k EventKind, d wasm.Dialect, tag uint32) what {
	return what(k) | what(d)<<8 | what(tag)<<32
}

func (w what) kind() EventKind       { return EventKind(w) }
func (w what) dialect() wasm.Dialect { return wasm.Dialect(w >> 8) }
func (w what) end() EndKind          { return EndKind(w >> 16) }
func (w what) tag() uint32           { return uint32(w >> 32) }

// whatSkipped marks an end of a stack that was in some try.
const whatSkipped what = 1 << 24

// NewRecorder returns a recorder that keeps that many events, at least one.
func NewRecorder(events int) *Recorder {
	keep := uint64(max(1, events))
	size := uint64(1) << bits.Len64(keep-1)
	buf := make([]record, size)
	return &Recorder{buf: buf, base: unsafe.Pointer(unsafe.SliceData(buf)), mask: size - 1, keep: keep}
}

// at returns the place of the event n, from 0. Of a ring of mask+1 records it is always in the
// ring.
func (r *Recorder) at(n uint64) *record {
	return (*record)(unsafe.Add(r.base, uintptr(n&r.mask)*unsafe.Sizeof(record{})))
}

// Count returns how many events there were, those that are no longer kept among them.
func (r *Recorder) Count() uint64 { return r.n }

// All returns the events that are kept, oldest first, by their ordinals from 1. The event is valid
// until the next one.
func (r *Recorder) All() iter.Seq2[uint64, *Event] {
	return func(yield func(uint64, *Event) bool) {
		for n := r.n - min(r.n, r.keep); n < r.n; n++ {
			e := r.event(r.at(n))
			if !yield(n+1, &e) {
				return
			}
		}
	}
}

// Newest returns the events that are kept, newest first, as All does.
func (r *Recorder) Newest() iter.Seq2[uint64, *Event] {
	return func(yield func(uint64, *Event) bool) {
		for n := r.n; n > r.n-min(r.n, r.keep); n-- {
			e := r.event(r.at(n - 1))
			if !yield(n, &e) {
				return
			}
		}
	}
}

func (r *Recorder) event(x *record) Event {
	e := Event{
		Kind: x.what.kind(), Stack: x.stack, Base: r.m.funcOf(x.base), Other: x.other,
		Site: Site{r.m.funcOf(x.fn), int(int32(x.pc))}, Dialect: x.what.dialect(),
	}
	if tag := x.what.tag(); tag > 0 {
		e.Tag = r.m.tags[tag-1]
	}
	if e.End = x.what.end(); e.End != EndNone {
		e.By, e.With = x.used, uint64(x.with)
		if x.what&whatSkipped != 0 {
			e.Skipped = r.ends.skippedBy(x.stack)
		}
	}
	switch fn := e.Site.Func; {
	case fn == nil:
		e.Site.PC = -1
	case fn.thunk != nil:
		e.Site = Site{fn.thunk, -1}
	}
	return e
}

func (h *history) funcOf(known uint32) *Func {
	if known == 0 {
		return nil
	}
	return h.funcs[known-1]
}

// SetRecorder sets the recorder that gets every event; nil for none. A
// recorder that has been given to another machine must not be given to this one.
func (d *Debugging) SetRecorder(r *Recorder) {
	d.m.recorder = r
	if r != nil && r.m == nil {
		r.m = d.m
	}
	d.m.watched = d.m.observer != nil || r != nil
}

// record records an event about s, made by the instruction at pc of fn, which uses up the reference
// to a stack (nil: none). It is small enough for the compiler to write it out where it is used.
func (r *Recorder) record(w what, s *Stack, other uint64, fn *Func, pc uint32, used *Stack) {
	n := r.n
	r.n = n + 1
	x := r.at(n)
	x.what, x.pc, x.stack, x.other = w, pc, s.id, other
	x.base, x.fn = s.base.number, fn.number
	if x.used = 0; used != nil {
		x.used = used.generation
	}
}

// record records an event, if there is a recorder, and reports whether an observer wants it too:
// with its payload, by inform. It is for what happens often; emit does both. The event uses up the
// reference to s if it is of a kind that Consumer returns.
func (h *history) record(k EventKind, s *Stack, other uint64, fn *Func, pc, tag uint32) bool {
	r := h.recorder
	if r == nil {
		return true
	}
	r.record(whatOf(k, s.dialect, tag), s, other, fn, pc, s)
	return h.observer != nil
}

// recordUse records that the event that was just recorded, which is of a kind that Consumer
// returns, uses up the reference to another stack than the one it is about.
func (h *history) recordUse(t *Stack) {
	if r := h.recorder; r != nil {
		r.at(r.n - 1).used = t.generation
	}
}

// Consumer returns the event that used up a one-shot reference, as far as it is kept: a resumption,
// a switch, a binding, or a consumption. Its Stack is what the reference was to, Other the stack
// that used it.
func (r *Recorder) Consumer(ref Ref) (ev Event, ok bool) {
	if ref.kind() != objStack {
		return Event{}, false
	}
	for i := range min(r.n, r.keep) {
		x := r.at(r.n - 1 - i)
		if x.used != ref.aux {
			continue
		}
		switch x.what.kind() {
		case EventResume, EventSwitch, EventBind, EventConsume:
			ev = r.event(x)
			if ev.Kind == EventSwitch {
				ev.Stack, ev.Other = ev.Other, ev.Stack
			}
			return ev, true
		}
	}
	return Event{}, false
}

// register returns a function its number, which it has from the start.
func (h *history) register(fn *Func) *Func {
	h.funcs = append(h.funcs, fn)
	fn.number = uint32(len(h.funcs))
	return fn
}

// notify hands an event that has been noted to the observer.
func (h *history) notify(e Event) { h.observer(&e) }

// history makes the events of stacks, for the observer and the recorder. Without either (watched)
// no event is made.
type history struct {
	observer func(*Event)
	recorder *Recorder
	watched  bool    // there is an observer or a recorder
	aside    bool    // the fused form leaves switches to the baseline form, see Debugging.setAside
	funcs    []*Func // by number less 1; see record
	tags     []*Tag
}

// emit hands an event to the recorder and the observer. Without either (m.watched) no event is
// made.
func (h *history) emit(e Event) {
	if h.recorder != nil {
		about, at, tag := Stack{id: e.Stack, base: e.Base, dialect: e.Dialect}, e.Site.Func, uint32(0)
		if about.base == nil {
			about.base = &Func{}
		}
		if at == nil {
			at = &Func{}
		}
		if e.Tag != nil {
			tag = e.Tag.number
		}
		h.record(e.Kind, &about, e.Other, at, uint32(e.Site.PC), tag)
	}
	if h.observer != nil {
		h.notify(e)
	}
}

// emitEnd notifies the observer that a stack ended without returning.
func (h *history) emitEnd(s, p *Stack, e end) {
	if !h.watched {
		return
	}
	at, other := Site{PC: -1}, uint64(0)
	if len(s.frames) > 0 {
		at = s.site(len(s.frames) - 1)
	}
	if p != nil {
		other = p.id
	}
	h.emitEnded(EventFinish, s, other, at, e, nil)
}

// payload reads the arguments of the instruction at a frame's pc, without the continuation.
func payload(s *Stack, fr *frame, o *code.Op) []Value {
	mod := fr.fn.inst.mod
	var ts []wasm.ValType
	switch in := &fr.fn.code.Body[fr.pc]; in.Op {
	case wasm.OpResume:
		ts = mod.ContFunc(in.A).Params
	case wasm.OpSwitch:
		ts = mod.ContFunc(in.A).Params
		ts = ts[:len(ts)-1]
	case wasm.OpContBind:
		ts = mod.ContFunc(in.A).Params
		ts = ts[:len(ts)-len(mod.ContFunc(in.B).Params)]
	}
	return getValues(ts, s.nums[fr.numBase+uint32(o.A):], s.refs[fr.refBase+uint32(o.B):])
}

// notifyResume notifies the observer that s resumes t.
func (h *history) notifyResume(s *Stack, fr *frame, t *Stack, o *code.Op) {
	h.notify(
		Event{
			Kind: EventResume, Stack: t.id, Base: t.BaseFunc(), Other: s.id, Site: fr.site(),
			Values: payload(s, fr, o), Dialect: t.dialect,
		},
	)
}

// notifySwitch notifies the observer that the segment head … s is suspended and t runs in its
// place.
func (h *history) notifySwitch(s *Stack, fr *frame, head, t *Stack, tag *Tag, o *code.Op) {
	h.notify(
		Event{
			Kind: EventSwitch, Stack: head.id, Base: head.BaseFunc(), Other: t.id, Site: fr.site(),
			Tag: tag, Values: payload(s, fr, o), Dialect: t.dialect,
		},
	)
}

// emitStart reports that the leaf of a segment enters its base function, if it does.
func (h *history) emitStart(leaf *Stack, by uint64) {
	if leaf.state != StackNew {
		return
	}
	if h.record(EventStart, leaf, by, leaf.base, 0, 0) {
		h.notify(
			Event{
				Kind: EventStart, Stack: leaf.id, Base: leaf.BaseFunc(), Other: by,
				Site: leaf.site(0), Dialect: leaf.dialect,
			},
		)
	}
}

// emitBegin is emitStart where the leaf goes on at its pc, to which a debugger may have moved it.
func (h *history) emitBegin(leaf *Stack, by uint64) {
	if leaf.begins() {
		h.emitStart(leaf, by)
	}
}
