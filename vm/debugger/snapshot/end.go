package snapshot

import (
	"fmt"
	"slices"

	"stackscope/wasm"
)

// EndKind is how a stack ended.
type EndKind uint8

// The ways to end.
const (
	Returned EndKind = iota // its function returned
	Retired                 // it ended itself, with a last event or message
	Released                // another stack released it, or the segment that it was in
	Threw                   // an exception left it
	Trapped                 // it was part of the chain that trapped
	Exited                  // it was part of the chain in which the program ended itself
	Ended                   // the debugger ended it
)

var endNames = [...]string{"returned", "retired", "released", "threw", "trapped", "exited", "ended"}

// String returns the word that JSON uses.
func (k EndKind) String() string { return endNames[k] }

// MarshalText returns the word that JSON uses.
func (k EndKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText returns.
func (k *EndKind) UnmarshalText(b []byte) error {
	i := slices.Index(endNames[:], string(b))
	if i < 0 {
		return fmt.Errorf("%q is no end of a stack", b)
	}
	*k = EndKind(i)
	return nil
}

// End is the end of a stack.
type End struct {
	Kind EndKind `json:"kind"`
	By   StackID `json:"by,omitempty"`   // the stack that released it, or trapped; 0: itself, nobody, or the host
	With StackID `json:"with,omitempty"` // the head of the segment that ended with it; 0: it ended alone
	At   Site    `json:"at"`             // the instruction that ended it; of one that returned, no place
	Tag  string  `json:"tag,omitempty"`  // the event that it retired with, or the tag of the exception; "" if none
	// The tries that its frames were in and that were skipped, innermost first, because it ended
	// without being unwound. More counts those that are not listed.
	Skipped []Site `json:"skipped,omitempty"`
	More    int    `json:"more,omitempty"`
}

// Text describes the end of a stack of a dialect, in the words of that: "returned", "retired with
// $done at main.wat:12", "released by #1 at main.wat:30".
func (e *End) Text(d wasm.Dialect) string {
	w := &d.Info().Words
	var t string
	switch e.Kind {
	case Returned:
		t = "returned"
	case Retired:
		t = w.Retired
	case Released:
		t = w.Released
	case Threw:
		t = "ended by an exception"
	case Trapped:
		t = "ended by a trap"
	case Exited:
		t = "ended by the exit of the program"
	case Ended:
		t = "ended by the debugger"
	}
	if e.Tag != "" && e.Kind == Threw {
		t = "ended by the exception " + e.Tag
	} else if e.Tag != "" {
		t += " with " + e.Tag
	}
	switch {
	case e.With != 0:
		t += fmt.Sprintf(" together with #%d", e.With)
	}
	switch {
	case e.By == 0:
	case e.Kind == Trapped || e.Kind == Exited:
		t += fmt.Sprintf(" of #%d", e.By)
	default:
		t += fmt.Sprintf(" by #%d", e.By)
	}
	if !e.At.IsZero() {
		t += " at " + e.At.Short()
	}
	return t
}

// note adds to the line of an event what that does not say of the end: nothing if the function
// returned.
func (e *End) note(d wasm.Dialect) string {
	var t string
	w := &d.Info().Words
	switch e.Kind {
	case Returned:
		return ""
	case Retired:
		t = w.Retired
	case Released:
		if t = w.Released; e.With == 0 {
			t = ""
		}
	case Threw:
		t = "left by an exception"
	case Trapped:
		t = "trap"
	case Exited:
		t = "exit"
	case Ended:
		t = "ended by the debugger"
	}
	if e.With != 0 {
		t += fmt.Sprintf(" together with #%d", e.With)
	}
	if t != "" {
		t = " (" + t + ")"
	}
	if s := e.SkippedText(); s != "" {
		t += " · " + s
	}
	return t
}

// SkippedText reports the code that was not executed because a stack ended without being unwound:
// "skipped the catch clauses of try_table at main.wat:5 in $f"; "" if there was none.
func (e *End) SkippedText() string { return SkippedText(e.Skipped, e.More) }

// SkippedText is End.SkippedText for a list of tries, and the number of others.
func SkippedText(tries []Site, more int) string {
	if len(tries) == 0 {
		return ""
	}
	t := "skipped the catch clauses of "
	for i, at := range tries {
		if i > 0 {
			t += ", "
		}
		t += at.Text + " at " + at.Short()
		if at.Func != "" && at.Line > 0 {
			t += " in " + at.Func
		}
	}
	if more > 0 {
		t += fmt.Sprintf(" and %d more", more)
	}
	return t
}

// Pending is an event that was sent to a stack and has arrived, and that the stack has not taken.
type Pending struct {
	Tag    string   `json:"tag"`
	Values []string `json:"values,omitempty"` // the payload, as constants of the text format
}

// Text describes the event: "$next [(i32.const 3)]".
func (p *Pending) Text() string { return p.Tag + payload(p.Values) }
