package wasm

// Words are the words of one design for what happens to its stacks. Debugger, views, messages and
// editors take them from here, so that each program is shown in the language of its own document
// (the Seed of its row).
type Words struct {
	Noun   string // what a reference names: "continuation", "stack", "fiber", "task"
	Plural string // "continuations"

	Parent string // what the stack is called that waits for another: "control parent"
	Linked string // how a stack came to run below its parent: "resumed by", "mounted by"
	// Suspended describes a stack that gave control to its parent: "suspended", "dismounted". A tag
	// follows after With: "suspended at $yield", "dismounted with $yield".
	Suspended string
	With      string
	Switched  string // describes one that gave control to a peer: "switched away"
	Resume    string // what is done to a suspended stack to make it run: "resume", "mount", "switch to"
	Resumed   string // what was done to it then: "resumed", "mounted", "switched to"
	Event     string // what a switch carries: "tag" or "event"; "" if it carries values alone
	Retired   string // describes a stack that ended itself with a last message: "retired"
	Released  string // describes a stack that another one ended: "released"
	Used      string // describes a reference that cannot be used: "consumed", or "finished" if it has identity
}

// contWords are also those of a module without stack switching.
var contWords = Words{
	Noun: "continuation", Plural: "continuations", Parent: "parent", Linked: "resumed by", Suspended: "suspended",
	With: "at", Switched: "switched away", Resume: "resume", Resumed: "resumed", Event: "tag", Retired: "retired",
	Released: "released", Used: "consumed",
}

var stacksWords = Words{
	Noun: "stack", Plural: "stacks", Parent: "parent", Linked: "switched to by", Suspended: "switched away",
	Switched: "switched away", Resume: "switch to", Resumed: "switched to",
	Retired: "retired", Released: "released", Used: "consumed",
}

var mountWords = Words{
	Noun: "fiber", Plural: "fibers", Parent: "control parent", Linked: "mounted by", Suspended: "dismounted",
	With: "with", Switched: "switched away", Resume: "mount", Resumed: "mounted", Event: "event",
	Retired:  "released itself",
	Released: "released", Used: "finished",
}

var handleWords = Words{
	Noun: "fiber", Plural: "fibers", Parent: "resume parent", Linked: "resumed by", Suspended: "suspended",
	With: "with", Switched: "switched away", Resume: "resume", Resumed: "resumed", Event: "event", Retired: "retired",
	Released: "released", Used: "finished",
}

var tasksWords = Words{
	Noun: "task", Plural: "tasks", Parent: "parent", Linked: "resumed by", Suspended: "suspended",
	With: "with", Switched: "switched away", Resume: "resume", Resumed: "resumed", Event: "event", Retired: "retired",
	Released: "released", Used: "finished",
}
