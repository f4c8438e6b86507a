// Package genwat generates large, valid modules in the text format for benchmarks: the kind of text
// that people and tools write, half of it folded and half flat. Equal options generate equal texts.
package genwat
