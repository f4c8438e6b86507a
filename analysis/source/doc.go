// Package source holds texts: files, spans in byte offsets, line indices and edits. It is the only
// place with arithmetic between bytes, UTF-8/16/32 units and 0- or 1-based positions.
//
// A File is an immutable text with a name and an index of its lines. Offsets and spans are in
// bytes; an Encoding says in what units the columns of a Position count. ApplyAll applies edits.
package source
