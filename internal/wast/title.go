package wast

import (
	"strconv"
	"strings"

	"stackscope/analysis/source"
)

// maxTitle is the length of a title at most, in characters.
const maxTitle = 120

// Title returns the title of a command in a list: its keyword and its operand, on one line.
func (c *Command) Title(f *source.File) string {
	t := string(c.Kind)
	switch {
	case c.Action != nil && c.Kind != "invoke" && c.Kind != "get":
		t += " " + f.Text[c.Action.Span.Start:c.Action.Span.End]
	case c.Action != nil:
		t = strings.TrimSuffix(strings.TrimPrefix(f.Text[c.Span.Start:c.Span.End], "("), ")")
	case c.Name != "":
		t += " " + strconv.Quote(c.Name)
	case c.Module != nil && c.Module.Name != "":
		t += " $" + c.Module.Name
	}
	if c.Action == nil && c.Message != "" {
		t += " " + strconv.Quote(c.Message)
	}
	t = strings.Join(strings.Fields(t), " ")
	if r := []rune(t); len(r) > maxTitle {
		t = string(r[:maxTitle-1]) + "…"
	}
	return t
}

// Label returns the name of a command in a stack trace: its keyword, and what it is about.
func (c *Command) Label() string {
	t := string(c.Kind)
	if d := c.Drive; d != nil {
		switch {
		case d.Promise != "":
			t += " $" + d.Promise
		case d.Name != "":
			t += " " + strconv.Quote(d.Module) + " " + strconv.Quote(d.Name)
		}
	}
	switch {
	case c.Action == nil:
	case c.Action.Await != "":
		t += " await $" + c.Action.Await
	case c.Action.Export != "":
		t += " " + strconv.Quote(c.Action.Export)
	}
	return t
}

// Mismatch is the error of an assertion that got something other than it expects.
type Mismatch struct {
	Want, Got string
	text      string
	err       error
}

func (m *Mismatch) Error() string { return m.text }
func (m *Mismatch) Unwrap() error { return m.err }
