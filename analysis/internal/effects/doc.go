// Package effects follows what the functions of a module do to stacks: which tags they suspend,
// switch and throw with, which handler clauses take that, and what nothing takes.
//
// A Summary is what one body does by itself; it holds no places, so it stays true when the text
// moves. A Program is the summaries of a module: Effects finds the least effects that agree with
// all of them, Judge what is wrong with the whole, and Place finds the instructions of a body that
// a verdict is about.
package effects
