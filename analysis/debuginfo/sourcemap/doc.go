// Package sourcemap reads source maps, and makes what the names of a module tell about variables
// a debuginfo.Reader.
package sourcemap
