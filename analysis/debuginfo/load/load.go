// Package load finds the debugging information of a module and opens it.
package load

import (
	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// Options say where information is looked for.
type Options struct {
	// Path is the file that the module was read from. What is named in the module, or stands beside
	// the file, is found relative to it. "": only what is in the module counts.
	Path string
	// Read reads a file of at most some bytes; nil: no other file is read.
	Read func(path string) ([]byte, error)
}

// Open opens the debugging information of a binary module: its DWARF sections, the source map or
// the separate file that it names or that stands beside it, and its names. data is the binary. It
// returns nil if there is none. What cannot be used is left out, and Warnings tells about it.
func Open(m *wasm.Module, data []byte, o Options) *debuginfo.Info { return nil }
