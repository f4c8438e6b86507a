package wasm

import (
	"slices"
	"strings"
)

// Words are the words of one design for what happens to its stacks. Debugger, views, messages and
// editors take them from here, so that each program is shown in the language of its own document
// (the Seed of its row). Where a document has no word for something that the tools show, the row
// has the word of docs/design/dialects.md §1.
type Words struct {
	Noun   string // what a reference names: "continuation", "stack", "fiber", "task"
	Plural string // "continuations"

	Parent   string // what the stack is called that waits for another: "control parent"
	Linked   string // how a stack came to run below its parent: "resumed by", "mounted by"
	Switched string // describes one that gave control to a peer: "switched away"
	SwitchBy string // how a stack came to run after a peer gave it control: "switched to by"
	Resume   string // what is done to a suspended stack to make it run: "resume", "mount", "switch to"
	Resumed  string // what was done to it then: "resumed", "mounted", "switched to"
	Suspend  string // what a stack does to give control to its parent: "suspend", "dismount"; "" if nothing does

	// Suspended describes a stack that gave control to its parent: "suspended", "dismounted". With
	// joins it to the tag: "suspended at $yield", "dismounted with $yield".
	Suspended string
	With      string

	Event    string // what a switch carries: "tag" or "event"; "" if it carries values alone
	Clause   string // what stands before the tag of a clause: "on", "event"; "" if nothing does
	Clauses  string // the clauses in force, as a title: "Handler clauses"
	Retired  string // describes a stack that ended itself with a last message: "retired"
	Released string // describes a stack that another one ended: "released"
	Used     string // describes a reference that cannot be used: "consumed", or "finished" if it has identity

	// Generation counts the uses of a stack, where a reference is good for one; "" elsewhere.
	Generation string
}

// contWords are also those of a module without stack switching.
var contWords = Words{
	Noun: "continuation", Plural: "continuations", Parent: "parent", Linked: "resumed by",
	Switched: "switched away", SwitchBy: "switched to by", Resume: "resume", Resumed: "resumed", Suspend: "suspend",
	Suspended: "suspended", With: "at",
	Event: "tag", Clause: "on", Clauses: "Handler clauses", Retired: "ended", Released: "released",
	Used: "consumed", Generation: "generation",
}

var stacksWords = Words{
	Noun: "stack", Plural: "stacks", Parent: "parent", Linked: "switched to by",
	Switched: "switched away", SwitchBy: "switched to by", Resume: "switch to", Resumed: "switched to",
	Suspended: "switched away", With: "with",
	Clauses: "Clauses", Retired: "retired", Released: "released",
	Used: "consumed", Generation: "generation",
}

var mountWords = Words{
	Noun: "fiber", Plural: "fibers", Parent: "control parent", Linked: "mounted by",
	Switched: "switched away", SwitchBy: "switched to by", Resume: "mount", Resumed: "mounted", Suspend: "dismount",
	Suspended: "dismounted", With: "with",
	Event: "event", Clauses: "Event clauses", Retired: "released itself", Released: "released",
	Used: "finished",
}

var handleWords = Words{
	Noun: "fiber", Plural: "fibers", Parent: "resume parent", Linked: "resumed by",
	Switched: "switched away", SwitchBy: "switched to by", Resume: "resume", Resumed: "resumed", Suspend: "suspend",
	Suspended: "suspended", With: "with",
	Event: "event", Clause: "event", Clauses: "Event clauses", Retired: "retired", Released: "released",
	Used: "finished",
}

var tasksWords = Words{
	Noun: "task", Plural: "tasks", Parent: "parent", Linked: "resumed by",
	Switched: "switched away", SwitchBy: "switched to by", Resume: "resume", Resumed: "resumed", Suspend: "suspend",
	Suspended: "suspended", With: "with",
	Event: "event", Clauses: "Event clauses", Retired: "retired", Released: "released",
	Used: "finished",
}

// Title returns the noun as the title of a group of facts: "Continuation".
func (w *Words) Title() string { return strings.ToUpper(w.Noun[:1]) + w.Noun[1:] }

// SuspendedAt describes a stack that gave control to its parent, with a tag ("" if there is none),
// at a place: "suspended at $yield gen.wat:21", "dismounted with $yield at gen.wat:21".
func (w *Words) SuspendedAt(tag, place string) string {
	switch {
	case tag == "":
		return w.Suspended + " at " + place
	case w.With == "at":
		return w.Suspended + " at " + tag + " " + place
	}
	return w.Suspended + " " + w.With + " " + tag + " at " + place
}

// ClauseOf names a clause in force by its tag: "on $yield", "event $yield", "$yield".
func (w *Words) ClauseOf(tag string) string {
	if w.Clause == "" {
		return tag
	}
	return w.Clause + " " + tag
}

// own lists the words that tell designs apart, as they stand in texts about stacks.
func (w *Words) own() []string {
	return []string{
		w.Noun, w.Plural, w.Parent, w.Linked, w.Resumed, w.SwitchBy, w.Suspended, w.Retired, w.Released, w.Used,
		w.Generation,
	}
}

// substrate lists the words of docs/design/dialects.md §1, which are those of every design.
var substrate = []string{
	"", "stack", "stacks", "parent", "suspended", "resumed", "switched to", "switched away", "released", "finished",
	"ended",
}

// Foreign lists the words that other designs have and this one has not: no text about a stack of
// this design has them.
func (d Dialect) Foreign() []string {
	has := append(d.Info().own(), substrate...)
	var out []string
	for _, o := range Dialects() {
		for _, w := range o.Info().own() {
			if !slices.Contains(has, w) && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}
