// Package stacks finds, lists and queries the stacks of a machine.
//
// Which stacks are alive is found by a walk over the heap, which takes time in proportion to it. A
// stop does not do that, and a request for some stacks does not wait for all of them: a walk is
// kept while nothing runs, and a request that needs more continues it. [Stacks.Forget] drops it.
//
// [Stacks.Find] finds one stack, [Stacks.Threads], [Stacks.Snapshot] and [Stacks.Page] list them,
// [Stacks.Query] filters and groups them, and [Stacks.Leaks] reports those that a finished run
// left.
//
// A switch leaves no link to the stack that it was made from. The history has it, as far back as it
// goes: see [Stacks.SwitchedAway].
package stacks
