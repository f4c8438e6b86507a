package debugger

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"stackscope/wasm"
)

// StackID names a stack for its whole life: the ordinal of its creation, from 1, never used again.
// 0 is no stack.
type StackID int

// State is the state of a stack, as in docs/design/dialects.md §1.
type State uint8

// The states.
const (
	New       State = iota // created, its function not entered
	Suspended              // gave up control; can be resumed
	Running                // executing
	Waiting                // has resumed another stack that has not come back
	Moribund               // finished or released; only references to it are left
)

var stateNames = [...]string{"new", "suspended", "running", "waiting", "moribund"}

// String returns the word that tools and JSON use.
func (s State) String() string { return stateNames[s] }

// Site is a place in a program as people are told of it. The zero Site is no place.
type Site struct {
	Func   string `json:"func,omitempty"` // title of the function
	File   string `json:"file,omitempty"` // name of the source file
	Line   int    `json:"line,omitempty"` // 1-based; 0 if unknown
	Col    int    `json:"col,omitempty"`  // 1-based, in characters
	Offset int    `json:"offset"`         // in the Source; JSON has it of files only, in bytes
	Text   string `json:"text,omitempty"` // mnemonic of the instruction
}

// MarshalJSON leaves out the offset in a text that was not made: what it would be in bytes is not
// known.
func (s Site) MarshalJSON() ([]byte, error) {
	type site Site
	if s.Offset>>lineBits == 0 {
		return json.Marshal(site(s))
	}
	return json.Marshal(struct {
		site
		Offset int `json:"offset,omitempty"`
	}{site: site(s)})
}

// IsZero reports whether it is no place.
func (s Site) IsZero() bool { return s.Func == "" && s.Line == 0 }

// Short returns `file:line` with the file's base name, or the function if no line is known.
func (s Site) Short() string {
	switch {
	case s.Line > 0:
		return fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line)
	case s.Func != "":
		return s.Func
	}
	return "host"
}

// Full returns `file:line:col` with the file's name as it is.
func (s Site) Full() string {
	if s.Line > 0 {
		return fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Col)
	}
	return s.Short()
}

// Holder is a place that holds a reference to a stack.
type Holder struct {
	What  string  `json:"what"`            // "local $k of $main", "table $queue[4]", "global $next"
	Stack StackID `json:"stack,omitempty"` // whose frame it is in, 0 if none
}

// String returns the holder in words.
func (h Holder) String() string {
	if h.Stack != 0 {
		return fmt.Sprintf("%s (#%d)", h.What, h.Stack)
	}
	return h.What
}

// Stack is what there is to know of one stack, as a value.
type Stack struct {
	ID      StackID
	Dialect wasm.Dialect
	State   State
	Rooted  bool   // called by the host
	Base    string // title of its base function; of a rooted stack the export's name
	Func    string // title of the function of its top frame
	At      Site   // where it is: stopped, suspended, or waiting; of a new one its function
	Tag     string // the tag it was suspended with, if any
	Depth   int    // number of frames

	Parent   StackID // the stack that resumed it, 0 if none
	ParentAt Site    // where that one waits
	Switched bool    // a suspended one gave control away by a switch, to a peer
	// Who switched to it, since when nobody has resumed it, and whom it switched to. As far as a
	// history is kept; 0: nobody, or it is not known.
	SwitchedBy StackID
	SwitchedAt Site   // where that one did
	SwitcherOf string // title of its base function
	SwitchedTo StackID
	Child      StackID // the stack it waits for, 0 if none
	Creator    StackID // the stack that created it, 0: the host
	CreatedAt  Site
	Resumes    uint64   // how often it was resumed
	HeldBy     []Holder // who can still resume it; nil if not asked for
}

// Doing reports what the stack is doing: "running", "waiting for #3", "suspended at $yield
// gen.wat:21", "switched away to #3 at gen.wat:21", "not started", "finished".
func (s *Stack) Doing() string { return s.doing(true) }

// Place is what the stack has in common with others that stand where it does: `$generator ·
// suspended at $yield gen.wat:21`.
func (s *Stack) Place() string { return s.Base + " · " + s.doing(false) }

// doing is Doing; exact asks for the stack that was switched to.
func (s *Stack) doing(exact bool) string {
	switch s.State {
	case New:
		return "not started"
	case Running:
		return "running"
	case Waiting:
		if s.Child != 0 {
			return fmt.Sprintf("waiting for #%d", s.Child)
		}
		return "waiting"
	case Suspended:
		switch {
		case s.Switched && s.SwitchedTo != 0 && exact:
			return fmt.Sprintf("switched away to #%d at %s", s.SwitchedTo, s.At.Short())
		case s.Switched:
			return "switched away at " + s.At.Short()
		case s.Tag != "":
			return fmt.Sprintf("suspended at %s %s", s.Tag, s.At.Short())
		}
		return "suspended at " + s.At.Short()
	}
	return "finished"
}

// Title names the stack as a thread: `#3 $generator · suspended at $yield gen.wat:21`.
func (s *Stack) Title() string { return fmt.Sprintf("#%d %s · %s", s.ID, s.Base, s.Doing()) }

// Name returns `#3 $generator`.
func (s *Stack) Name() string { return fmt.Sprintf("#%d %s", s.ID, s.Base) }

// Snapshot is the state of all stacks at one moment: the running chain from the innermost stack
// outwards, then the others by id.
type Snapshot struct {
	Running  StackID // 0 if nothing runs
	Stacks   []Stack
	Omitted  int // stacks that a cap left out
	Finished int // stacks that are moribund by now and not listed
}

// Find returns the stack with the id, or nil.
func (s *Snapshot) Find(id StackID) *Stack {
	for i := range s.Stacks {
		if s.Stacks[i].ID == id {
			return &s.Stacks[i]
		}
	}
	return nil
}

// EventKind is a kind of event in the life of stacks.
type EventKind uint8

// The kinds.
const (
	Create EventKind = iota
	Start            // the first resumption
	Suspend
	Resume
	Switch
	Bind
	Consume // a one-shot reference was used up by something that is none of the others
	Throw   // an exception crossed from a stack to its parent, or was raised in it
	Finish  // the base function returned
	Release // ended without returning
	Trap
)

var eventNames = [...]string{
	"create", "start", "suspend", "resume", "switch", "bind", "consume", "throw", "finish", "release", "trap",
}

// String returns the word that traces use.
func (k EventKind) String() string { return eventNames[k] }

// Event is something that happened to a stack, as a value.
type Event struct {
	N      uint64    // ordinal, from 1
	Step   uint64    // how many instructions had been executed, 0 if not counted
	Kind   EventKind //
	Stack  StackID   // whose event it is: created, suspended, resumed …
	Other  StackID   // the other one: creator, resumer, who gets control
	Func   string    // base function of Stack
	Tag    string
	Values []string // payload, as constants of the text format
	At     Site
}

// String returns the event as one line of a trace, without ordinal.
func (e *Event) String() string {
	t := fmt.Sprintf("%-7s #%d %s", e.Kind, e.Stack, e.Func)
	switch e.Kind {
	case Create, Bind, Resume, Start:
		if e.Other != 0 {
			t += fmt.Sprintf(" by #%d", e.Other)
		}
	case Suspend, Switch, Finish, Throw:
		if e.Other != 0 {
			t += fmt.Sprintf(" to #%d", e.Other)
		}
	}
	if e.Tag != "" {
		t += " " + e.Tag
	}
	for i, v := range e.Values {
		if i == 0 {
			t += " ["
		} else {
			t += " "
		}
		t += v
	}
	if len(e.Values) > 0 {
		t += "]"
	}
	if !e.At.IsZero() {
		t += " at " + e.At.Short()
	}
	return t
}
