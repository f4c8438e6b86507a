package vm

import (
	"fmt"

	"stackscope/wasm"
)

// Trap is the error of a call that trapped. A suspension without a handler is one too, of kind
// wasm.TrapUnhandledTag, with Tag and Values set.
type Trap struct {
	Kind      wasm.TrapKind
	Message   string // begins with Kind.String()
	Backtrace Backtrace
	Tag       *Tag    // unhandled tag or event; of an exception that leaves a stack which none can leave, its tag
	At        *Stack  // unhandled event: the stack that was to take it; good in the probe only
	Values    []Value // its payload
	Stale     Ref     // of a kind that is Stale: the reference
	Misplaced Ref     // of a kind that is about where a fiber or task is: the reference to it
	Cause     error   // the host's error, for wasm.TrapHost
}

// Error returns the message.
func (t *Trap) Error() string { return t.Message }

// Unwrap returns the host's error of a wasm.TrapHost.
func (t *Trap) Unwrap() error { return t.Cause }

// NewTrap returns a trap for a host function to return. The detail, if there is one, follows the
// kind's text after a space.
func NewTrap(k wasm.TrapKind, detail string) *Trap {
	msg := k.String()
	if detail != "" {
		msg += " " + detail
	}
	return &Trap{Kind: k, Message: msg}
}

// Exception is the error of a call that ended with an uncaught exception. A host function may
// return one to throw it.
type Exception struct {
	Tag       *Tag
	Values    []Value
	Ref       Ref // the exception object
	Backtrace Backtrace
}

// Error returns the text, with the tag.
func (e *Exception) Error() string { return "uncaught exception " + e.Tag.String() }

// LinkError is an import that is not there or does not fit, or a module that cannot be loaded.
type LinkError struct {
	Message      string // begins with "unknown import" or "incompatible import type", or names what is not supported
	Module, Name string // of the import, if it is about one
	// In is the module whose imports are missing, and Missing are all that are, as indices in
	// In.Imports; nil if the error is another one.
	In      *wasm.Module
	Missing []int
}

// Error returns the message and the import.
func (e *LinkError) Error() string {
	if e.Name == "" && e.Module == "" {
		return e.Message
	}
	s := fmt.Sprintf("%s: %q %q", e.Message, e.Module, e.Name)
	if n := len(e.Missing) - 1; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}

// Crash is a fault of the VM itself, never of the program.
type Crash struct {
	Value any    // what was panicked with
	Stack string // the Go stack
}

// Error returns the panic's value.
func (c *Crash) Error() string { return fmt.Sprintf("fault of the virtual machine: %v", c.Value) }

// Exit is what a host function returns to end the program (WASI's proc_exit). It ends the host call
// as a trap does.
type Exit struct{ Code uint32 }

// Error returns the text, with the code.
func (e *Exit) Error() string { return fmt.Sprintf("exit with code %d", e.Code) }

// Backtrace is the running chain when something happened: the running stack first, then the stack
// that resumed it, and so on; stacks of outer host calls at the end.
type Backtrace []StackTrace

// StackTrace is one stack of a backtrace.
type StackTrace struct {
	Stack          uint64 // its id
	Rooted         bool   // made for a call of the host
	Frames         []Site // innermost first
	Omitted        int    // how many frames were left out before Frames[OmittedAt]
	OmittedAt      int
	HandlerClauses []HandlerClause
	Skipped        int // how many stacks were left out between this one and the next
}

// Site is an instruction of a function: PC is its index in the function's body; -1 if the place is
// not one (a host function).
type Site struct {
	Func *Func
	PC   int
}

// HandlerClause is a clause in force at the instruction where a stack waits for the one it resumed.
type HandlerClause struct {
	Tag    *Tag
	Switch bool
	PC     int // where the clause continues in the waiting function
}
