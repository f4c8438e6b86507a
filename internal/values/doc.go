// Package values formats WebAssembly values as constants of the text format, and converts parsed
// arguments to values.
package values
