package debugger

import (
	"errors"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
)

// Options are how a program is to be debugged. The functions are called on the goroutine that runs
// the program and must not call the engine.
type Options struct {
	StopOnEntry bool
	NoDebug     bool // just run
	Semantics   StepSemantics
	SingleSteps bool // execute every step one instruction at a time: the same stops, much slower
	Patience    int  // after how many instructions of a line a step runs at full speed; 0: a number that suits people
	History     int  // how many events are kept; 0: none
	Values      bool // keep payloads in the history
	OnStop      func(Stop)
	OnEnd       func(End)
	OnOutput    func(Stream, string, snapshot.Site)
	OnEvent     func(snapshot.Event) // every event of stacks; nil: not wanted
	OnChange    func(Breakpoint)     // a breakpoint was resolved while the program runs
	OnUnit      func(i int)          // a unit became known that the program has not listed: Units()[i]
	OnData      func(DataBreakpoint) // what a data breakpoint watches is gone, or is there now
	OnCancelled func(Cancelled)      // the cancellation of a stack has ended
	// InGroup reports whether a group of breakpoints belongs to a file that becomes known only when
	// the program runs; nil: none does.
	InGroup func(group string, f *symbols.Source) bool
}

// Reason reports why a program stopped.
type Reason uint8

// The reasons.
const (
	AtEntry Reason = iota
	AtBreakpoint
	AtStep
	AtPause
	AtTrap      // a trap
	AtUnhandled // a suspension that nothing handles
	AtThrow     // an exception that nothing catches
	AtEvent     // a control event that a filter asked for
	AtAssertion // a command of a script failed
	AtGoto      // nothing ran: the stack was made to continue elsewhere
	AtRestart   // nothing ran: a frame was restarted
	AtData      // after an access that a data breakpoint waits for
)

// Stop is that the program stopped.
type Stop struct {
	Reason Reason
	Stack  snapshot.StackID // the running one
	Hits   []int            // ids of the breakpoints here
	Focus  snapshot.StackID // the stack to show, if that is another one than the running
	Text   string           // in words, may be empty
	Filter string           // of AtEvent: the name of the filter that asked for it
	Brief  string           // of AtData: the datum and its values, in a few words
	Fault  *Fault           // of AtTrap, AtUnhandled, AtThrow
	// Cancelled are stacks that were cancelled since the program was stopped here: it is told of
	// this stop again.
	Cancelled []snapshot.StackID
}

// End is that the program ended.
type End struct {
	Results []vm.Value
	Err     error  // *vm.Trap, *vm.Exception, *vm.Exit, *vm.LinkError, *vm.Crash or another; nil if it went well
	Code    int    // exit code
	Text    string // what to tell: a trap's message with its backtrace; may be empty
	// how it ended, in a line: what was returned or the exit code; empty where Text says it, or a
	// script does
	Summary string
	Pending string // a step that never ended, in words
	Leaks   string // the stacks that were never resumed to their end, a line for each kind; may be empty
	Skipped string // the catch clauses that stacks skipped, a line for each place; may be empty
	Killed  bool   // Kill was called
}

// ErrRunning is returned where the program would have to be stopped, or be reached within
// reasonable time.
var ErrRunning = errors.New("the program is running")

// ErrEnded is returned where the program would have to run.
var ErrEnded = errors.New("the program has ended")
