package vm

import (
	"iter"

	"stackscope/wasm"
)

// StopReason tells why a probe is called.
type StopReason uint8

// The reasons.
const (
	StopBreak     StopReason = iota + 1 // a breakpoint: before the instruction
	StopStep                            // stepping is on: before each instruction
	StopPause                           // RequestPause: at a safe point
	StopTrap                            // before the trap unwinds anything: Trap is set
	StopThrow                           // an exception that nothing catches, before it unwinds: Exception is set
	StopUnhandled                       // a suspension that nothing handles, before it unwinds: Trap is set
)

// Stop is where a machine stopped. The probe may inspect and change frames, set breakpoints, switch
// stepping on or off, and call Terminate; when it returns, the machine goes on. It may also
// Instantiate and Call, as a host function may: that runs on a rooted stack of its own, on top of the
// running chain, and the probe is not called for it (debuggers evaluate expressions that way).
// There is one stop for an instruction: StopBreak where there is a breakpoint, even if stepping is on.
type Stop struct {
	Reason    StopReason
	Machine   *Machine
	Stack     *Stack // the running one
	Site      Site   // of its innermost frame
	Trap      *Trap
	Exception *Exception
}

// SetProbe sets the function that is called, on the running goroutine, whenever the machine stops;
// nil for none.
func (m *Machine) SetProbe(f func(*Stop)) { m.probe = f }

// SetBreakpoint makes the machine stop before an instruction of a function, in every instance of its
// module. It tells whether there is such an instruction.
func (m *Machine) SetBreakpoint(fn *Func, pc int) bool { return false }

// ClearBreakpoint undoes SetBreakpoint.
func (m *Machine) ClearBreakpoint(fn *Func, pc int) {}

// SetStepping makes the machine stop before every instruction, or no longer.
func (m *Machine) SetStepping(on bool) {}

// Stepping tells whether SetStepping is on.
func (m *Machine) Stepping() bool { return false }

// RequestPause makes the machine stop at its next safe point. It may be called from any goroutine.
func (m *Machine) RequestPause() {}

// Terminate makes the running host calls end with a trap of kind wasm.TrapInterrupted at the next
// safe point. It may be called from any goroutine. Resume the use of the machine with ClearTerminate.
func (m *Machine) Terminate() {}

// ClearTerminate makes a terminated machine usable again.
func (m *Machine) ClearTerminate() {}

// Running gives the running stack, nil if none runs.
func (m *Machine) Running() *Stack { return nil }

// Chain gives the running chain, innermost first: the running stack, its parent and so on to the
// rooted one; then the chain of the outer host call, and so on.
func (m *Machine) Chain() iter.Seq[*Stack] { return func(func(*Stack) bool) {} }

// HolderKind tells what holds a reference to a stack.
type HolderKind uint8

// The kinds of holders.
const (
	HeldByChain   HolderKind = iota // it is running or waiting in the running chain
	HeldByGlobal                    // Instance, Index
	HeldByTable                     // Instance, Index, Slot
	HeldByFrame                     // Stack, Depth: a local or operand
	HeldByObject                    // a field, an element, an exception's payload, a segment
	HeldBySegment                   // it hangs below Stack in a suspended segment
)

// Holder is how a live stack was found first.
type Holder struct {
	Kind     HolderKind
	Instance *Instance
	Index    uint32
	Slot     uint64
	Stack    *Stack
	Depth    int
}

// LiveStack is a stack that exists: it is in the running chain, or can be reached.
type LiveStack struct {
	*Stack
	Holder Holder
}

// LiveStacks finds every live stack: the running chain innermost first, then what can be reached
// from globals, tables, frames and objects, by id. max bounds how many it gives (0: all). It takes time in proportion to all
// that is reachable.
func (m *Machine) LiveStacks(max int) []LiveStack { return nil }

// Instances gives the instances in order of creation.
func (m *Machine) Instances() []*Instance { return nil }

// EventKind is what happened to a stack.
type EventKind uint8

// The kinds of events.
const (
	EventCreate  EventKind = iota // Stack was created at Site on By
	EventStart                    // Stack entered its base function for the first time
	EventSuspend                  // Stack was suspended to Other with Tag
	EventResume                   // Stack was resumed by Other
	EventSwitch                   // Stack was suspended, Other runs in its place
	EventBind                     // arguments were bound to Stack
	EventConsume                  // a reference to Stack was used up
	EventThrow                    // an exception was thrown on Stack
	EventFinish                   // Stack's function returned, or an exception left it, or a trap ended it
	EventRelease                  // Stack was released, or its first resumption threw
)

var eventNames = [...]string{"create", "start", "suspend", "resume", "switch", "bind", "consume", "throw", "finish", "release"}

// String gives the kind's name.
func (k EventKind) String() string { return eventNames[k] }

// Event is one of the history of stacks. Ids are those of stacks, 0 for none.
type Event struct {
	Kind    EventKind
	Stack   uint64
	Other   uint64
	Site    Site // the instruction that did it
	Tag     *Tag
	Values  []Value // payload
	Dialect wasm.Dialect
}

// SetObserver sets the function that gets every event, on the running goroutine; nil for none. Only
// with one are events made. The event is valid until the function returns.
func (m *Machine) SetObserver(f func(*Event)) { m.observer = f }

// Stats are counters of a machine.
type Stats struct {
	Created  uint64 // stacks created, without rooted ones
	Switches uint64 // resumes, suspensions and symmetric switches
	Peak     uint64 // the most stacks that were created and not finished at one time
	Fuel     uint64 // fuel used; counted only if Options.Fuel is set
}

// Stats gives the counters.
func (m *Machine) Stats() Stats { return m.stats }
