package snapshot

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// Site is a place in a program as users are told of it. The zero Site is no place.
type Site struct {
	Func   string `json:"func,omitempty"` // title of the function
	File   string `json:"file,omitempty"` // name of the source file
	Line   int    `json:"line,omitempty"` // 1-based; 0 if unknown
	Col    int    `json:"col,omitempty"`  // 1-based, in characters
	Offset int    `json:"offset"`         // in the Source; JSON has it of files only, in bytes
	Text   string `json:"text,omitempty"` // mnemonic of the instruction
}

// lineBits is how far the line is shifted in the offset of a place in a printed text.
const lineBits = 32

// TextOffset returns the offset of a place in the printed text of a binary module. That text is
// not made as a whole, so its offsets hold the line and the byte in the line, both from 0, and are
// ordered as the places are. Offsets of files count bytes.
func TextOffset(line, col int) int { return line<<lineBits | col }

// TextPlace returns the line and the byte in the line that TextOffset was given.
func TextPlace(off int) (line, col int) { return off >> lineBits, off & (1<<lineBits - 1) }

// MarshalJSON leaves out the offset in a printed text: what it would be in bytes is not known.
func (s Site) MarshalJSON() ([]byte, error) {
	type site Site
	if line, _ := TextPlace(s.Offset); line == 0 {
		return json.Marshal(site(s))
	}
	return json.Marshal(struct {
		site
		Offset int `json:"offset,omitempty"`
	}{site: site(s)})
}

// IsZero reports whether it is no place.
func (s Site) IsZero() bool { return s.Func == "" && s.Line == 0 }

// Short returns `file:line` with the file's base name, or the function if no line is known.
func (s Site) Short() string {
	switch {
	case s.Line > 0:
		return fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line)
	case s.Func != "":
		return s.Func
	}
	return "host"
}

// Full returns `file:line:col` with the file's name as it is.
func (s Site) Full() string {
	if s.Line > 0 {
		return fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Col)
	}
	return s.Short()
}

// FuncID names a function of a program: the unit, and the index in its function index space.
type FuncID struct {
	Unit int
	Func uint32
}
