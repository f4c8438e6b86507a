package binary

import (
	"fmt"

	"stackscope/wasm"
)

// Error is why bytes are not a module.
type Error struct {
	Off int    // byte offset
	Msg string // begins with the wording of the specification's suite
}

// Error returns the message and the offset.
func (e *Error) Error() string { return fmt.Sprintf("%s (at byte %#x)", e.Msg, e.Off) }

// EncodeError is why a module cannot be written: it has something without an encoding, or an index
// that leads nowhere.
type EncodeError struct {
	At  wasm.Pos // where it stands in the source of the module
	Msg string
}

// Error returns the message.
func (e *EncodeError) Error() string { return e.Msg }
