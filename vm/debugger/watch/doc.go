// Package watch names data that can be watched, and finds out what an instruction does to them.
//
// A name stands for a range of memory, which may belong to one activation, a global, a table slot, a
// local of one activation, or a field or element of one object. [MemoryData] and its siblings make
// names, [Finder.Find] returns the [Datum] of a name, and [Finder.Describe] lets it be shown in the
// terms of the source. Before an instruction is executed, [Finder.Access] returns what it will
// touch; [Touched.Touches] compares that with a datum.
package watch
