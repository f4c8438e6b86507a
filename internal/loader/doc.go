// Package loader reads programs: a `.wat`, `.wasm` or `.wast` file into a module with its source.
//
//   - Read and Find read and find files; File.Unit checks one and returns its module.
//   - Load reads a whole program, described by a Config, with its imports, entry and arguments.
//     Program.Host, Link and Call run it; Program.Debug prepares it for the debugger.
//   - Compile compiles the debugger's expressions that are code.
//
// The errors are *Errors (diagnostics with places), *FileError, *UsageError and *EntryError. Both
// commands, the debugger and the script runner use this package.
package loader
