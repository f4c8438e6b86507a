// Package dwarf reads DWARF 4 and 5 of modules, as clang, rustc and zig emit it.
//
// Addresses of DWARF count from the contents of the code section; the package converts them to
// functions and instructions. Of the sections only the headers of units are read when they are
// opened. A unit, a line table, a function or a type is read when it is first asked for.
//
// The standard library's debug/dwarf names the tags and attributes. It does not read entries and
// lines here: it allocates what a length field asks for, decodes each entry in full, and knows
// neither split units nor checksums of files.
package dwarf
