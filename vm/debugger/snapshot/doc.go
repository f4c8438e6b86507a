// Package snapshot holds what a debugger shows of the stacks of a program, as values that do not
// change: a [Stack] and its [State], the [Snapshot] of all stacks at a stop, the [Event] values of
// their history, and the [Site] where each of these is. It needs no machine: package stackview
// draws these values, and traces on disk hold them.
package snapshot
