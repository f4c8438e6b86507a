package diag

import "stackscope/analysis/source"

// Severity is how bad it is, numbered as in LSP.
type Severity uint8

// The severities. Off switches a code off in a configuration.
const (
	Off Severity = iota
	Error
	Warning
	Information
	Hint
)

var severityNames = [...]string{"off", "error", "warning", "info", "hint"}

// String returns the word used in messages and configurations.
func (s Severity) String() string { return severityNames[s] }

// Code names a kind of diagnostic. It is stable: users configure and suppress by it.
type Code string

// Info is a row of the table.
type Info struct {
	Code     Code
	Severity Severity // by default
	Title    string   // one line: what is wrong
	Doc      string   // why, and what to do; Markdown
	Wrong    string   // an example that gets the code; a test runs it
	Right    string   // the example put right; a test runs it
}

// Related is another place that a diagnostic speaks of. File is "" for the diagnostic's own file.
type Related struct {
	File    string
	Span    source.Span
	Message string
}

// Fix is a way to put it right.
type Fix struct {
	Title     string
	Edits     []source.Edit
	Preferred bool // the one obvious fix
	// Safe fixes keep what the program does, or restore the only thing that can be meant:
	// `wasm-ls check --fix` applies them without asking.
	Safe bool
}

// Tag is a hint at how to show a diagnostic, numbered as in LSP.
type Tag uint8

// The tags.
const (
	Unnecessary Tag = 1
	Deprecated  Tag = 2
)

// Diagnostic is one thing to say about a place in a text. Its message begins with the wording of
// the specification's suite where that has one.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Span     source.Span
	Message  string
	Related  []Related
	Fixes    []Fix
	Tags     []Tag
}

// Lookup returns the row of a code, or nil.
func Lookup(c Code) *Info {
	return byCode[c]
}

var byCode = func() map[Code]*Info {
	m := make(map[Code]*Info, len(Table))
	for i := range Table {
		m[Table[i].Code] = &Table[i]
	}
	return m
}()
