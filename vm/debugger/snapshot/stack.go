package snapshot

import (
	"fmt"
	"strings"

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
	Waiting                // has resumed another stack that has not come back, or waits for the host
	Moribund               // finished or released; only references to it are left
)

var stateNames = [...]string{"new", "suspended", "running", "waiting", "moribund"}

// String returns the word that tools and JSON use.
func (s State) String() string { return stateNames[s] }

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

// ModuleFrames counts frames of a module.
type ModuleFrames struct {
	Module string `json:"module"` // `$name`, or the name that others import it under
	Frames int    `json:"frames"`
}

// String returns `$name (2 frames)`.
func (m ModuleFrames) String() string {
	if m.Frames == 1 {
		return m.Module + " (1 frame)"
	}
	return fmt.Sprintf("%s (%d frames)", m.Module, m.Frames)
}

// ModuleList lists modules in words: "$lib (1 frame), $app (2 frames)".
func ModuleList(ms []ModuleFrames) string {
	var out []string
	for _, m := range ms {
		out = append(out, m.String())
	}
	return strings.Join(out, ", ")
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

	// Of a stack with frames of the user's, in the terms of the source: Base is the outermost function
	// of these, Func the innermost, and At where that stands.
	Noun string // what the language calls such a stack: "coroutine"; "" if it has no word for it
	In   string // the function of a runtime or a library that Func has called; "" if it stands there itself

	Parent   StackID // the stack that resumed it, 0 if none
	ParentAt Site    // where that one waits
	Switched bool    // a suspended one gave control away by a switch, to a peer
	Calls    string  // a switched one: title of the function that it calls, at At, when control comes back; or ""
	// Who switched to it, since when nobody has resumed it, and whom it switched to. As far as a
	// history is kept; 0: nobody, or it is not known.
	SwitchedBy StackID
	SwitchedAt Site   // where that one did
	SwitcherOf string // title of its base function
	SwitchedTo StackID
	Child      StackID // the stack it waits for, 0 if none
	Awaits     string  // the promise of the host that its call of an import waits for, "" if none
	Creator    StackID // the stack that created it, 0: the host
	CreatedAt  Site
	Resumes    uint64   // how often it was resumed
	HeldBy     []Holder // who can still resume it; nil if not asked for

	Manager  StackID // who manages it: see docs/design/debugger.md; 0: the host, or not asked for
	Queue    *Queue  // where it stands in line; nil if nowhere
	Manages  int     // how many stacks it manages, if asked for
	Unlisted []Count // those of them that are not listed

	// The modules whose frames a captured segment holds, if there are several; of a suspended stack
	// that heads the segment.
	Modules []ModuleFrames

	End     *End     // of a moribund one: how it ended; nil if that is not known
	Pending *Pending // the event that has arrived and was not taken yet; nil if there is none
}

// Words returns the words of the design of the stack.
func (s *Stack) Words() *wasm.Words { return &s.Dialect.Info().Words }

// Doing reports what the stack is doing, in the words of its design: "running", "waiting for #3",
// "waits for promise 3 (env.fetch) at gen.wat:21", "suspended at $yield gen.wat:21",
// "suspended in delay at weather.kt:13", "dismounted with $value at gen.wat:21", "switched away to #3 at gen.wat:21", "not started", "finished".
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
		if s.Pending != nil {
			return "running, event " + s.Pending.Tag + " pending"
		}
		return "running"
	case Waiting:
		if s.Awaits != "" {
			return fmt.Sprintf("waits for %s%s at %s", s.Awaits, s.in(), s.At.Short())
		}
		if s.Child != 0 {
			return fmt.Sprintf("waiting for #%d", s.Child)
		}
		return "waiting"
	case Suspended:
		w := s.Words()
		switch {
		case s.Switched && s.SwitchedTo != 0 && exact:
			return fmt.Sprintf("%s to #%d%s", w.Switched, s.SwitchedTo, s.Standing())
		case s.Switched:
			return w.Switched + s.Standing()
		}
		if s.In != "" {
			return w.Suspended + s.in() + " at " + s.At.Short()
		}
		return w.SuspendedAt(s.Tag, s.At.Short())
	}
	if s.End != nil {
		return "finished, " + s.End.Text(s.Dialect)
	}
	return "finished"
}

// Standing reports where a switched stack stands, after what it did: " at gen.wat:21", or ", then calls
// $next at gen.wat:30".
func (s *Stack) Standing() string {
	if s.Calls != "" {
		return ", then calls " + s.Calls + " at " + s.At.Short()
	}
	return s.in() + " at " + s.At.Short()
}

// in names what the stack is in: " in delay".
func (s *Stack) in() string {
	if s.In == "" {
		return ""
	}
	return " in " + s.In
}

// Title names the stack as a thread: `#3 $generator · suspended at $yield gen.wat:21`.
func (s *Stack) Title() string { return s.Name() + " · " + s.Doing() }

// Name returns `#3 $generator`, `#3 coroutine fetch`.
func (s *Stack) Name() string {
	if s.Base == "" { // one that ended so long ago that its name is not known
		return fmt.Sprintf("#%d", s.ID)
	}
	if s.Noun != "" {
		return fmt.Sprintf("#%d %s %s", s.ID, s.Noun, s.Base)
	}
	return fmt.Sprintf("#%d %s", s.ID, s.Base)
}

// Snapshot is the state of all stacks at one moment: the running chain from the innermost stack
// outwards, then the others by id.
type Snapshot struct {
	Running  StackID // 0 if nothing runs
	Stacks   []Stack
	Omitted  int     // stacks that a cap left out
	Unlisted []Count // of those that a cap left out, some that nobody manages
	Finished int     // stacks that are moribund by now and not listed

	Ended        []Stack // those that have ended and to which something still refers, by id, if they were looked for
	EndedPartial bool    // there may be more of these
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
