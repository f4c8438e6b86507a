// Package lower turns the body of a function into a Body: flat instructions, with the way back to
// the text. Passes read a Body, and the Typing that the engine of wasm/valid shows about it; none
// of them changes it.
//
//	l := lower.NewLowerer(text, decls, &findings)
//	l.Unit = text.Unit(i)
//	body := l.Function(fn)
//	typing.Run(typer, body)
//
// A Lowerer is a scope (locals and labels), a reader of immediates over it, and the walk over
// instructions. It serves one goroutine, body after body, and uses the room of the last one again.
package lower
