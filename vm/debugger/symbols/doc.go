// Package symbols describes a machine and the program that it runs in the words of the program's
// source: functions, places, values and stacks.
//
// A [Unit] is a module with its [Source], a file or the printed text of a binary module.
// [NewSymbols] returns the [Symbols] of some units. Its [Code] finds functions, the places where a
// breakpoint can be ([Code.Resolve], [Code.Locations]) and disassembles ([Code.Disassemble]). The
// rest describes what is on a machine: values ([Symbols.Format]), stacks ([Symbols.Stack],
// [Symbols.Snapshot]), backtraces across stacks and the errors of a run ([Symbols.Describe]).
//
// All methods but [Code.Units] are for the goroutine that runs the machine.
package symbols
