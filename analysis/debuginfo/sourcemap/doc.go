// Package sourcemap reads source maps (ECMA-426), and makes what the names of a module tell about
// variables a debuginfo.Reader.
//
// A map of a module has one line: its columns are offsets of bytes in the file. Parse reads one,
// index maps included, and New joins it with the module: offsets become instructions, as
// wasm.Instr.At has them, and the locals of the name section become variables, with the names that
// a developer of the language knows.
//
// Source maps do not tell about variables, unless they have `scopes`. What a language makes of its
// locals is in the files of this package that are called after it.
package sourcemap
