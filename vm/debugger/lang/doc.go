// Package lang shows values in the terms of the source language, and evaluates its expressions:
// C, C++, Rust and Zig values from DWARF types, objects of Kotlin and other languages on the
// garbage collector from the types and names of the module. What a library's type holds is told by
// printers, which are tables.
package lang
