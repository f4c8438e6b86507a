package cursor

import (
	"stackscope/analysis/diag"
)

// Place is a place in a module that stays true when other units change: a unit, counted in the
// module, and offsets from its first token.
type Place struct {
	Unit     int32
	From, To uint32
}

// Finding is a diagnostic before its places are turned into spans.
type Finding struct {
	Code    diag.Code
	At      Place
	Msg     string
	Related []Related
	Fixes   []Fix
}

// Related is another place that a finding points at.
type Related struct {
	At  Place
	Msg string
}

// Edit replaces the text of a place.
type Edit struct {
	At     Place
	New    string
	Indent bool // each line break in New is followed by the indentation of the place
}

// Fix is a change that makes a finding go away.
type Fix struct {
	Title     string
	Edits     []Edit
	Preferred bool
}

// Report receives what a pass finds.
type Report func(Finding)
