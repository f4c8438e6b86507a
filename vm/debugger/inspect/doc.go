// Package inspect shows the frames of stopped stacks and what they see, and evaluates expressions
// in them.
//
// An [Inspector] returns stack traces across stacks ([Inspector.Trace]), and the variables of a
// [Frame]: locals, operands, globals, tables, memories, and the handler clauses in force. A [Var]
// has a value, and children that are made when they are asked for.
//
// An [Evaluator] evaluates what people type: paths ([Evaluator.Find]), expressions
// ([Evaluator.Eval]) and assignments ([Evaluator.Assign]). A condition is compiled once
// ([Evaluator.CompileTest]): names are looked up, and arithmetic on constants, locals and globals
// is executed here. Everything else runs on the machine, on top of the running chain: it has a
// limited time, nothing stops in it, and nothing is recorded.
//
// Frames and variables are good until the program resumes. All methods are for the goroutine that
// runs the machine.
package inspect
