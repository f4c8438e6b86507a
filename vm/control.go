package vm

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// StopReason reports why a probe is called.
type StopReason uint8

// The reasons.
const (
	StopBreak     StopReason = iota + 1 // a breakpoint: before the instruction
	StopStep                            // stepping is on: before each instruction
	StopPause                           // RequestPause: at a safe point
	StopTrap                            // before the trap unwinds anything: Trap is set
	StopThrow                           // an exception that nothing catches, before it unwinds: Exception is set
	StopUnhandled                       // a suspension that nothing handles, before it unwinds: Trap is set
	StopArrival                         // control has come by a clause: Arrival is set, see SetArrivals
)

// Stop is where a machine stopped. The probe may inspect and change frames, set breakpoints, switch
// stepping on or off, and call Terminate; when it returns, the machine goes on. It may also
// Instantiate and Call, as a host function may: that runs on a rooted stack of its own, on top of
// the running chain, and the probe is not called for it (debuggers evaluate expressions that way).
// There is one stop for an instruction: StopBreak where there is a breakpoint, even if stepping is
// on.
type Stop struct {
	Reason  StopReason
	Machine *Machine
	Stack   *Stack // the running one
	Site    Site   // of its innermost frame
	// Arrival is how control has come to the instruction, if that was by a clause; only with
	// SetArrivals, or while stepping
	Arrival   *Arrival
	Trap      *Trap
	Exception *Exception
}

// Debugging is the part of a Machine by which a debugger stops and moves it.
type Debugging struct {
	m         *Machine
	probe     func(*Stop)
	stepping  bool
	atSafe    func()    // see AtSafePoints
	testFrame Frame     // what a breakpoint's test gets
	fault     fault     // that the probe looks at
	lateFault bool      // a fault that happens now comes after what it is about, whose operands are gone
	debugger  *Instance // what the functions of Cancel belong to; nil before the first
	arrivals  arrivals
}

// Inspection is the part of a Machine that finds its stacks while it stands still. It changes
// nothing that the program can see.
type Inspection struct{ m *Machine }

// SetProbe sets the function that is called, on the running goroutine, whenever the machine stops;
// nil for none.
func (d *Debugging) SetProbe(f func(*Stop)) {
	d.probe = f
	d.setMode()
}

// SetBreakpoint makes the machine stop before an instruction of a function, in every instance of
// its module. It reports whether there is such an instruction.
func (d *Debugging) SetBreakpoint(fn *Func, pc int) bool {
	c := fn.code
	if c == nil || fn.thunk != nil || pc < 0 || pc >= len(c.Baseline) {
		return false
	}
	o := &c.Baseline[pc]
	if o.Code == code.OpBreak {
		return true
	}
	if c.Breaks == nil {
		c.Breaks = map[uint32]*code.Patch{}
	}
	c.Breaks[uint32(pc)] = &code.Patch{Code: o.Code}
	o.Code = code.OpBreak
	c.DisableFused(true)
	return true
}

// SetBreakpointTest makes a breakpoint stop only if a function says so, which is asked each time it
// is reached while the machine is not stepping; nil makes it stop always. The function gets the
// innermost frame, good until it returns, and may only look: it must not call into the machine. It
// reports whether there is a breakpoint.
func (d *Debugging) SetBreakpointTest(fn *Func, pc int, test func(*Frame) bool) bool {
	if fn.code == nil || pc < 0 {
		return false
	}
	b := fn.code.Breaks[uint32(pc)]
	if b == nil {
		return false
	}
	b.StopIf = nil
	if test != nil {
		b.StopIf = func() bool { return test(&d.testFrame) }
	}
	return true
}

// ClearBreakpoint undoes SetBreakpoint.
func (d *Debugging) ClearBreakpoint(fn *Func, pc int) {
	c := fn.code
	if c == nil || pc < 0 || pc >= len(c.Baseline) || c.Baseline[pc].Code != code.OpBreak {
		return
	}
	c.Baseline[pc].Code = c.Breaks[uint32(pc)].Code
	if delete(c.Breaks, uint32(pc)); len(c.Breaks) == 0 {
		c.DisableFused(false)
	}
}

// SetStepping makes the machine stop before every instruction, or no longer. It takes effect where
// the machine goes on after a stop, an event or a host function, and at the next call or return.
func (d *Debugging) SetStepping(on bool) {
	d.stepping = on
	d.setMode()
}

// Stepping reports whether SetStepping is on.
func (d *Debugging) Stepping() bool { return d.stepping }

// RequestPause makes the machine stop at its next safe point. It may be called from any goroutine.
// With no call in progress the next one stops at its first safe point.
func (d *Debugging) RequestPause() { d.m.flags.Or(flagPause) }

// Terminate makes the running host calls end with a trap of kind wasm.TrapInterrupted at the next
// safe point. It may be called from any goroutine. Resume the use of the machine with
// ClearTerminate.
func (d *Debugging) Terminate() { d.m.flags.Or(flagTerminate) }

// ClearTerminate makes a terminated machine usable again.
func (d *Debugging) ClearTerminate() { d.m.flags.And(^int32(flagTerminate)) }

// hook stops before the op at s's innermost frame.pc, if a breakpoint, a pause or stepping says so.
func (d *Debugging) hook(s *Stack) wasm.TrapKind {
	fr := s.top()
	arrival := d.arrive(s, fr)
	why := StopReason(0)
	switch f := d.m.flags.Load(); {
	case f&(flagTerminate|flagCancel) != 0:
		return wasm.TrapInterrupted
	case fr.fn.thunk != nil || fr.fn.index == wasm.BadIndex:
		return 0 // not code of the program
	case fr.fn.code.Baseline[fr.pc].Code == code.OpBreak:
		if f == 0 && !d.stepping && arrival == nil && d.skipsBreakpoint(s, fr) {
			return 0
		}
		why = StopBreak
	case arrival != nil && !d.stepping:
		why = StopArrival
	case arrival != nil:
		why = StopStep
	case f&flagPause != 0:
		why = StopPause
	case d.stepping:
		why = StopStep
	default:
		return 0
	}
	d.m.flags.And(^int32(flagPause))
	n := d.arrivals
	d.stop(s, &Stop{Reason: why, Arrival: arrival})
	d.again(n)
	if d.m.flags.Load()&(flagTerminate|flagCancel) != 0 {
		return wasm.TrapInterrupted
	}
	return 0
}

// skipsBreakpoint reports whether the breakpoint at a frame's pc has a test that says not to stop.
func (d *Debugging) skipsBreakpoint(s *Stack, fr *frame) bool {
	b := fr.fn.code.Breaks[fr.pc]
	if b.StopIf == nil {
		return false
	}
	d.testFrame = Frame{s, len(s.frames) - 1}
	return !b.StopIf()
}

// Running returns the running stack, nil if none runs.
func (v Inspection) Running() *Stack { return v.m.cur }

// Chain returns the running chain, innermost first: the running stack, its parent and so on to the
// rooted one; then the chain of the outer host call, and so on.
func (v Inspection) Chain() iter.Seq[*Stack] {
	return func(yield func(*Stack) bool) {
		s := v.m.cur
		for i := len(v.m.acts); ; i-- {
			for ; s != nil; s = s.parent {
				if !yield(s) {
					return
				}
			}
			if i == 0 {
				return
			}
			s = v.m.acts[i-1].outer
		}
	}
}

// The stacks of a long chain that are shown: the innermost and the outermost.
const (
	chainInner = 100
	chainOuter = 20
)

// ChainEnds returns the running chain as Chain does. Of a long chain it returns the innermost 100
// and the outermost 20 stacks, and how many there are between these, after the first 100.
func (v Inspection) ChainEnds() (inner, outer []*Stack, omitted int) {
	n := 0
	for range v.Chain() {
		n++
	}
	i := 0
	for s := range v.Chain() {
		switch {
		case i < chainInner || n <= chainInner+chainOuter:
			inner = append(inner, s)
		case i >= n-chainOuter:
			outer = append(outer, s)
		}
		i++
	}
	return inner, outer, n - len(inner) - len(outer)
}

// hostOf returns the host function that a stack is calling, or nil.
func (v Inspection) hostOf(s *Stack) *Func {
	if s == v.m.cur {
		return v.m.host
	}
	for i := range v.m.acts {
		if v.m.acts[i].outer == s {
			return v.m.acts[i].host
		}
	}
	for _, p := range v.m.parked {
		if p.leaf == s {
			return p.host
		}
	}
	return nil
}

// HolderKind reports what holds a reference to a stack.
type HolderKind uint8

// The kinds of holders.
const (
	HeldByChain   HolderKind = iota // it is running or waiting in the running chain
	HeldByGlobal                    // Instance, Index
	HeldByTable                     // Instance, Index, Slot
	HeldByFrame                     // Stack, Depth, Slot: a local (see Holder.Local) or operand
	HeldByObject                    // a field, an element, an exception's payload, an element segment
	HeldBySegment                   // it hangs in a suspended segment, with Stack
	HeldByHost                      // a call of the host will return from it (dialect stacks)
	HeldByPromise                   // it is in the chain of a suspended host call, see Parked
)

// Holder is how a live stack was found first.
type Holder struct {
	Kind     HolderKind
	Instance *Instance
	Index    uint32
	Slot     uint64
	Stack    *Stack
	Depth    int
	// Of an object, in what StaleRefs finds: it, the position of the reference among those in it, and
	// what holds the object itself.
	Object Ref
	In     *Holder
}

// Local returns the index of the local that holds a stack held by a frame; ok is false for an
// operand.
func (h Holder) Local() (index uint32, ok bool) {
	if h.Kind != HeldByFrame || h.Stack == nil || h.Depth >= len(h.Stack.frames) {
		return 0, false
	}
	fn := h.Stack.frames[h.Depth].fn
	if fn.code == nil {
		return 0, false
	}
	for i, l := range fn.code.Locals {
		if l.Type.IsRef() && uint64(l.Slot) == h.Slot {
			return uint32(i), true
		}
	}
	return 0, false
}

// LiveStack is a stack that exists: it is in the running chain, or can be reached.
type LiveStack struct {
	*Stack
	Holder Holder
}

// LiveStacks finds every live stack: the running chain innermost first, then what can be reached
// from globals, tables, frames and objects, by id. max bounds how many it returns (0: all). It
// takes time in proportion to all that is reachable.
func (v Inspection) LiveStacks(max int) []LiveStack {
	var chain []LiveStack
	rest := make([]LiveStack, 0, min(v.m.live, 1<<20))
	v.forEachStack(func(s *Stack, h Holder) {
		if h.Kind == HeldByChain {
			chain = append(chain, LiveStack{s, h})
		} else {
			rest = append(rest, LiveStack{s, h})
		}
	})
	byID := func(a, b LiveStack) int { return cmp.Compare(a.id, b.id) }
	if !slices.IsSortedFunc(rest, byID) {
		slices.SortFunc(rest, byID)
	}
	all := append(chain, rest...)
	if max > 0 && len(all) > max {
		all = all[:max]
	}
	return all
}

// SomeStacks is LiveStacks for whoever does not need all: it finds the running chain and then
// stacks until about budget stacks, objects and table slots were looked at, in the order in which
// it finds them. all reports whether there are no others.
func (v Inspection) SomeStacks(budget int) (found []LiveStack, all bool) {
	all = !v.WalkHeap(func(s *Stack, h Holder) { found = append(found, LiveStack{s, h}) }).More(budget)
	return found, all
}

// Count returns how many stacks were created and have not ended, without rooted ones: no fewer than
// exist, for some may have been dropped.
func (v Inspection) Count() int { return v.m.live }

// Instances returns the instances in order of creation.
func (m *Machine) Instances() []*Instance { return m.insts }

// EventKind is what happened to a stack.
type EventKind uint8

// The kinds of events.
const (
	EventCreate  EventKind = iota // Stack was created at Site by Other
	EventStart                    // Stack entered its base function for the first time
	EventSuspend                  // Stack was suspended to Other with Tag
	EventResume                   // Stack was resumed by Other
	EventSwitch                   // Stack was suspended, Other runs in its place
	EventBind                     // arguments were bound to Stack
	EventConsume                  // a reference to Stack was used up
	EventThrow                    // an exception was thrown on Stack
	EventFinish                   // Stack's function returned, or an exception left it, or a trap ended it
	EventRelease                  // Stack was released by Other, or its first resumption threw
	EventAwait                    // Stack suspended its host call: it waits for the host
	EventSettle                   // Stack continues its host call, with what it waited for
)

var eventNames = [...]string{
	"create", "start", "suspend", "resume", "switch", "bind", "consume", "throw", "finish", "release",
	"await", "settle",
}

// String returns the kind's name.
func (k EventKind) String() string { return eventNames[k] }

// Event is one of the history of stacks. Ids are those of stacks, 0 for none.
type Event struct {
	Kind    EventKind
	Stack   uint64
	Base    *Func // the base function of Stack
	Other   uint64
	Site    Site // the instruction that did it
	Tag     *Tag
	Values  []Value // payload
	Dialect wasm.Dialect

	End     EndKind // of Finish and Release: how Stack ended
	By      uint64  // the stack that retired or released it; 0: none
	With    uint64  // the head of the segment that ended with Stack in it; 0: it ended alone
	Skipped Skipped // by a stack that retired or was released
}

// SetObserver sets the function that gets every event, on the running goroutine; nil for none. Only
// with one, or with a recorder (SetRecorder), are events made. The event is valid until the
// function returns.
func (d *Debugging) SetObserver(f func(*Event)) {
	d.m.observer = f
	d.m.watched = f != nil || d.m.recorder != nil
	d.setAside()
}

// hostWatch is the host function that runs, for who looks from another goroutine. It is kept only
// while somebody debugs.
type hostWatch struct {
	mu sync.Mutex
	fn *Func
}

// set records the host function that runs from here on, nil for none. It waits for who is looking.
func (w *hostWatch) set(fn *Func) {
	w.mu.Lock()
	w.fn = fn
	w.mu.Unlock()
}

// InHost calls f with the host function that runs, if one does and there is a probe. It may be
// called from any goroutine: as long as f runs the host function does not return, so that stacks
// stand still. f must not change anything.
func (v Inspection) InHost(f func(*Func)) bool {
	v.m.hostWatch.mu.Lock()
	defer v.m.hostWatch.mu.Unlock()
	if v.m.hostWatch.fn == nil {
		return false
	}
	f(v.m.hostWatch.fn)
	return true
}
