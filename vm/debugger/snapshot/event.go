package snapshot

import (
	"fmt"
	"strings"

	"stackscope/wasm"
)

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
	Await  // suspended its host call: it waits for a promise of the host
	Settle // continues its host call, with what it waited for
)

var eventNames = [...]string{
	"create", "start", "suspend", "resume", "switch", "bind", "consume", "throw", "finish", "release", "trap",
	"await", "settle",
}

// String returns the word that traces have in JSON.
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

	Dialect wasm.Dialect // of the instruction that caused it; else that of the base function's module
	End     *End         // how Stack ended, if it did; nil of other kinds
}

// Word names the kind of the event in the words of its design: "mount" and "dismount" are what
// other designs call resume and suspend.
func (e *Event) Word() string { return word(e.Kind, e.Dialect) }

func word(k EventKind, d wasm.Dialect) string {
	w := ""
	switch k {
	case Resume:
		w = d.Info().Resume
	case Suspend:
		w = d.Info().Suspend
	}
	if w == "" || strings.Contains(w, " ") { // a design without such events
		return k.String()
	}
	return w
}

// width returns how wide the words of events are, so that the lines of a trace align.
func width(d wasm.Dialect) (n int) {
	for k := range eventNames {
		n = max(n, len(word(EventKind(k), d)))
	}
	return n
}

// String returns the event as one line of a trace, without ordinal.
func (e *Event) String() string {
	t := fmt.Sprintf("%-*s #%d %s", width(e.Dialect), e.Word(), e.Stack, e.Func)
	switch e.Kind {
	case Create, Bind, Resume, Start, Release:
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
	t += payload(e.Values)
	if !e.At.IsZero() {
		t += " at " + e.At.Short()
	}
	if e.End != nil {
		t += e.End.note(e.Dialect)
	}
	return t
}

// payload writes values after a tag: " [(i32.const 3) (i32.const 4)]", "" if there are none.
func payload(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return " [" + strings.Join(values, " ") + "]"
}
