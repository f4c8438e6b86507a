// Package text prints modules in the text format: one instruction a line, with the names that the
// module has. The printed text parses as the same module.
//
// Print returns the text and a Map, which has the place of each function and instruction in it.
// NewLayout computes places without making the text, for large modules.
package text
