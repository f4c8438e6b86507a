// Package analysis parses a text, binds its names, lowers it to a wasm.Module, checks it, and
// answers the queries of tools.
//
// A Snapshot is one text with all of that. It never changes and is safe for concurrent use; what is
// costly is computed once, when it is first asked for. Edit returns the snapshot of the changed
// text, and an edit inside one function lowers and checks that function only.
//
//	snap := analysis.Open(source.NewFile("gen.wat", text), analysis.Options{})
//	for _, d := range snap.Diagnostics() { … }
//	snap = snap.Edit(source.Edit{Span: span, New: "i32.const 1"})
//
// A Module is one module of the text: its symbols and references, its Body by function with the
// operand stack at each instruction, what its functions do to stacks (StackEffects), and the
// wasm.Module to run or encode (Lower). A script (.wast) has several modules, and names in its
// commands (ScriptNames).
//
// Inside, each step is a function of the one before: package bind makes the declarations, lower the
// bodies, and linear, lint and effects are passes over a body that nothing changes.
package analysis
