// Package debuginfo describes what a module says of the source that it was compiled from: files,
// the place of each instruction, functions with inlined calls, variables and their types.
//
// It is a model with one index, Info, whatever the information came from. Package
// debuginfo/dwarf reads DWARF 4 and 5, debuginfo/sourcemap source maps and the names of a module;
// each is a Reader. Package debuginfo/load finds what a module has, and opens it.
//
//	info := load.Open(m, data, load.Options{Path: "prog.wasm"}) // nil: there is none
//	fn := info.Func(12)                                         // nil: nothing is known of it
//	place, ok := fn.Place(pc)
//	for _, s := range fn.Chain(pc) { … s.Vars … }               // innermost scope first
//
// An instruction is named by the index of its function and its index in wasm.Func.Body, as in the
// VM; readers convert the offsets of their formats.
//
// Information is read when it is first asked for, by unit or by function, and is never trusted: a
// reader bounds what it reads and keeps, leaves out what is malformed, and adds a warning.
// An Info may be used by many goroutines.
package debuginfo
