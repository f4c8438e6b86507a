// Package debugger is the debugger's engine: breakpoints, step plans keyed by the identity of
// stacks, and snapshots as values. It knows no protocol.
package debugger
