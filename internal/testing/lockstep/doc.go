// Package lockstep runs a script on two machines that execute it in different forms of code, and
// compares what is visible at every safe point, trap and end: slots, references, globals, tables,
// memories, the stack tree. The machines run concurrently; the one that is ahead waits. Compare is
// the entry.
package lockstep
