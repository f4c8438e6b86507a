// Package valid is the typing engine: it validates modules, and types instruction sequences one
// step at a time. The checker reports its errors at places of a text; hover and the debugger read
// operand stacks from it; the VM lays out frames with it.
//
// New returns the environment of a module. Env.Module reports all violations of a module, each an
// Error with a Code and a Place:
//
//	valid.New(m).Module(func(e valid.Error) { fmt.Println(e.Msg) })
//
// Env.NewTyper returns a Typer, which types a body instruction by instruction and has the operand
// stack, the open blocks and the locals after each. It consists of a scope, which looks up
// immediates and reports, and of operands, the stack; the rules are functions by opcode.
//
// The rules are those of the specification, release 3.0, appendix "Validation Algorithm", and of
// docs/design/dialects.md. Typing goes on after an error; an unknown type absorbs what follows from
// it.
package valid
