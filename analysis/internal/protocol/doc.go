// Package protocol infers the protocols of functions: the states that a fiber, coroutine, task or
// continuation of a function stands in, which events it takes in each, and what it sends next. They
// are the session types of the tasks document, inferred rather than declared.
//
// A Summary is the flow of one body between the instructions at which control leaves its stack; it
// holds no places, so it stays true when the text moves. A Program is the summaries of a module. Of
// makes the Protocol of a function from them, over calls: every sequence of states that a run can go
// through is a path of it, though not every path is a run. Judge reports what goes wrong on all
// paths, and Place finds the instructions of a body that a verdict is about.
package protocol
