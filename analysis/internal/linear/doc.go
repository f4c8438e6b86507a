// Package linear follows references that are used up: it reports the second use of a continuation
// or stack, the use of a released fiber or task, handler clauses that an earlier one shadows, and
// references that are dropped before anything consumed them.
//
//	inert := linear.Check(body, report)
//	linear.Shadowed(body, report)
//	linear.Dropped(body, typing.Drops, report)
package linear
