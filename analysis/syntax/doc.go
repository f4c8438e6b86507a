// Package syntax reads and writes the text format: tokens, a lossless and error-tolerant tree, the
// incremental reparse and the formatter. Parsing never fails: what is wrong becomes an Error beside
// the tree.
//
// Parse returns the Tree of a file. A tree is a sequence of units, one for each module field or
// command of a script, each with nodes and tokens at offsets of its own; an edit parses the units
// that it touches again and shares the rest. N is a handle of a node in its tree, with methods to
// walk it. Format returns the edits that format a span.
//
// The literals of the text format are read by ParseInt, ParseFloat64, DecodeString and others,
// which need no tree.
package syntax
