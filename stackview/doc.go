// Package stackview renders stacks: it folds a snapshot of the debugger into a Tree, and events
// into a Timeline.
//
//   - New makes a tree in which each stack is below the one that resumed it; Flat makes a list.
//     Tree.Text, JSON, DOT and SVG render it.
//   - NewTimeline makes a lane for each stack, with a slice for each state and an arrow for each
//     transfer of control.
//   - TraceText, TraceJSON and TracePerfetto write events and timelines as trace files.
//
// The functions are pure: snapshots and events are values of package
// vm/debugger/snapshot.
package stackview
