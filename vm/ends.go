package vm

import "stackscope/wasm"

// EndKind is how a stack ended.
type EndKind uint8

// The ways to end.
const (
	EndNone       EndKind = iota // it has not ended
	EndReturned                  // its base function returned
	EndRetired                   // it ended itself, with a last event or message
	EndReleased                  // another stack released it, or the segment that it was in ended
	EndThrew                     // an exception left it
	EndTrapped                   // it was part of the chain that a trap ended
	EndExited                    // it was part of the chain in which a host function ended the program
	EndByDebugger                // the debugger ended it
)

// end is how a stack is about to end.
type end struct {
	kind EndKind
	by   uint64 // the stack that did it; 0: none
	with uint64 // the head of the segment that ended; 0: it ended alone
	tag  *Tag   // the event that it retired with, or the tag of the exception; nil: none
}

// Skipped is the code that was not executed because a stack ended without being unwound.
type Skipped struct {
	Tries []Site // the tries that its frames were in, innermost first; at most maxSkipped
	More  int    // how many others there were
}

// Bounds of what is kept of ends while a machine is watched.
const (
	keepEnds    = 1 << 14 // ends of stacks
	keepSkipped = 1 << 10 // those with what they skipped
	maxSkipped  = 8       // tries of one of them
)

// ends are the last ends of stacks, for who has a reference to one that has ended. They outlast the
// events of the recorder, of which there are many more.
type ends struct {
	last    []record // a ring of keepEnds, as long as it is not full a list
	next    int      // where in it the next one goes if it is full
	skips   []skip   // likewise, of keepSkipped
	nextOne int
	sites   map[Site]int // how often each try was skipped
}

// skip is what one stack skipped.
type skip struct {
	stack uint64
	Skipped
}

func (e *ends) add(x record) {
	if len(e.last) < keepEnds {
		e.last = append(e.last, x)
		return
	}
	e.last[e.next] = x
	e.next = (e.next + 1) % keepEnds
}

func (e *ends) skipped(stack uint64, sk Skipped) {
	if e.sites == nil {
		e.sites = map[Site]int{}
	}
	for _, at := range sk.Tries {
		e.sites[at]++
	}
	if len(e.skips) < keepSkipped {
		e.skips = append(e.skips, skip{stack, sk})
		return
	}
	e.skips[e.nextOne] = skip{stack, sk}
	e.nextOne = (e.nextOne + 1) % keepSkipped
}

func (e *ends) skippedBy(stack uint64) Skipped {
	for i := len(e.skips) - 1; i >= 0; i-- {
		if e.skips[i].stack == stack {
			return e.skips[i].Skipped
		}
	}
	return Skipped{}
}

// End returns how a stack ended, as far as it is kept: the last 16,384 ends are.
func (r *Recorder) End(id uint64) (ev Event, ok bool) {
	for i := len(r.ends.last) - 1; i >= 0; i-- {
		if x := &r.ends.last[(r.ends.next+i)%len(r.ends.last)]; x.stack == id {
			return r.event(x), true
		}
	}
	return Event{}, false
}

// KeepsEnds reports whether all ends of stacks are kept so far.
func (r *Recorder) KeepsEnds() bool { return len(r.ends.last) < keepEnds }

// SkippedTries returns the tries that stacks were in that ended without being unwound, and how
// often each was skipped.
func (r *Recorder) SkippedTries() map[Site]int { return r.ends.sites }

// recordEnd records the end of a stack, whose place is pc of fn.
//
//go:noinline
func (r *Recorder) recordEnd(k EventKind, s *Stack, other uint64, fn *Func, pc uint32, e end, sk Skipped) {
	tag := uint32(0)
	if e.tag != nil {
		tag = e.tag.number
	}
	w := whatOf(k, s.dialect, tag) | what(e.kind)<<16
	if len(sk.Tries) > 0 {
		w |= whatSkipped
		r.ends.skipped(s.id, sk)
	}
	r.record(w, s, other, fn, pc, nil)
	x := r.at(r.n - 1)
	x.used, x.with = e.by, uint32(e.with)
	r.ends.add(*x)
}

// recordFused is recordEnd for the running stack, which had only the frame fr and ended out of the
// fused form.
//
//go:noinline
func (r *Recorder) recordFused(s *Stack, other uint64, fr *frame, fn *Func, pc uint32, e end) {
	var sk Skipped
	if e.kind == EndRetired && len(fr.fn.code.Regions) > 0 {
		sk.add(fr)
	}
	r.recordEnd(EventFinish, s, other, fn, pc, e, sk)
}

// add adds the tries that a frame is in.
func (sk *Skipped) add(fr *frame) {
	for _, t := range fr.tries() {
		if len(sk.Tries) == maxSkipped {
			sk.More++
			continue
		}
		sk.Tries = append(sk.Tries, Site{fr.fn, t.PC})
	}
}

// Skips returns what a stack skips if it ends now without being unwound.
func Skips(s *Stack) (sk Skipped) {
	if s.state == StackNew && s.begins() {
		return sk
	}
	for i := len(s.frames) - 1; i >= 0; i-- {
		if fr := &s.frames[i]; fr.fn.code != nil && len(fr.fn.code.Regions) > 0 {
			sk.add(fr)
		}
	}
	return sk
}

// emitEnded notifies of the end of a stack, at a place, which has not happened yet. There is a
// recorder or an observer.
func (h *history) emitEnded(k EventKind, s *Stack, other uint64, at Site, e end, values func() []Value) {
	var sk Skipped
	switch e.kind {
	case EndRetired, EndReleased, EndByDebugger:
		sk = Skips(s)
	}
	if h.recorder != nil {
		fn := at.Func
		if fn == nil {
			fn = &Func{}
		}
		h.recorder.recordEnd(k, s, other, fn, uint32(at.PC), e, sk)
	}
	if h.observer == nil {
		return
	}
	ev := Event{
		Kind: k, Stack: s.id, Base: s.base, Other: other, Site: at, Tag: e.tag, Dialect: s.dialect,
		End: e.kind, By: e.by, With: e.with, Skipped: sk,
	}
	if values != nil {
		ev.Values = values()
	}
	h.notify(ev)
}

// A generation has the number of its stack in its upper half; the lower half counts the references
// to the stack that were used up. A stale reference therefore names the stack that it was to, even after
// another stack has taken over the storage.
const useBits = 32

// nameStack sets the number of a stack, and a generation that no stack before it in the same storage
// had, even in a program that makes more than 1<<32 stacks, or uses one that many times.
func nameStack(s *Stack, id uint64) {
	s.id = id
	s.generation = max(s.generation, id<<useBits)
}

// StackID returns the number of the stack that a reference to one was made for, also if it is
// stale; 0 if it is no such reference. Of a program that has made more than 1<<32 stacks, or used
// one as often, the number may be another one.
func (r Ref) StackID() uint64 {
	if r.kind() != objStack {
		return 0
	}
	return r.aux >> useBits
}

// StackDialect returns the dialect of the stack that a reference to one was made for: storage is
// used again within a dialect only.
func (r Ref) StackDialect() wasm.Dialect {
	if r.kind() != objStack {
		return wasm.DialectNone
	}
	return r.asStack().dialect
}

// EndedBase returns the base function of the stack that a stale reference was to, if its storage
// has not been used again and it is known therefore; else nil.
func (r Ref) EndedBase() *Func {
	if s := r.asStack(); r.kind() == objStack && s.id == r.StackID() {
		return s.base
	}
	return nil
}

// staleOperand returns the reference for which the instruction at s, which has changed nothing yet,
// traps because it is stale.
func staleOperand(s *Stack) Ref {
	for _, r := range stackOperands(s) {
		if _, _, stale := r.Stack(); stale {
			return r
		}
	}
	return Ref{}
}

// misplacedOperand returns the reference for which the instruction at s traps because of where its
// stack is. The first one of a switch is to an ancestor, the second to a suspended stack.
func misplacedOperand(s *Stack, k wasm.TrapKind) Ref {
	rs := stackOperands(s)
	if len(rs) > 1 && k != wasm.TrapFiberNotAncestor && k != wasm.TrapTaskNotActive {
		return rs[1]
	}
	return rs[0]
}

// stackOperands returns the references to stacks that the instruction at s takes: one, or two if it
// names the stack to switch from as well.
func stackOperands(s *Stack) []Ref {
	fr := s.top()
	pt, o := fr.point()
	at, n := fr.refBase+uint32(o.B), uint32(1)
	if d := pt.Kind.Info().Dialect.Info(); !d.Events || d.TagFirst { // the payload comes first
		at += uint32(pt.Refs)
	}
	switch pt.Kind {
	case wasm.OpMountFiberSwitch, wasm.OpFiberSwitchRelease, wasm.OpHandleFiberSwitch, wasm.OpFiberRetireto,
		wasm.OpTaskSwitchto:
		n = 2
	}
	return s.refs[at : at+n]
}
