package dap

import (
	"net/url"
	"path/filepath"
	"strings"

	"stackscope/analysis/source"
	engine "stackscope/vm/debugger"
)

// clientInfo is what the client said of itself, and the conversions to the positions and paths that
// it understands.
type clientInfo struct {
	line0, col0   bool // lines, columns start at 0
	uri           bool // paths are URIs
	types, paging bool
	memoryRefs    bool
	invalidated   bool
	ansi          bool
	progress      bool
	children      bool // it can begin sessions when asked to
	terminal      bool // it can run commands in a terminal
	memoryEvent   bool
	id            string
}

// line returns a 0-based line as the client counts.
func (c *clientInfo) line(n int) int {
	if c.line0 {
		return n
	}
	return n + 1
}

// col returns a 0-based column as the client counts.
func (c *clientInfo) col(n int) int {
	if c.col0 {
		return n
	}
	return n + 1
}

// fromLine and fromCol are the ways back.
func (c *clientInfo) fromLine(n int) int {
	if c.line0 {
		return n
	}
	return n - 1
}

func (c *clientInfo) fromCol(n int) int {
	if c.col0 {
		return n
	}
	return n - 1
}

// clientPath returns a path in the client's form.
func (c *clientInfo) clientPath(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	if c.uri {
		p = filepath.ToSlash(p)
		if !strings.HasPrefix(p, "/") {
			p = "/" + p
		}
		return (&url.URL{Scheme: "file", Path: p}).String()
	}
	return p
}

// position returns a place as the client counts: columns in UTF-16 units.
func (c *clientInfo) position(f *engine.Source, off int) (line, col int) {
	p := f.Position(off, source.UTF16)
	return c.line(p.Line), c.col(p.Col)
}

// selects reports whether the client selects the range of a frame in its editor where the program
// stops. In VS Code the next key that is pressed would replace the statement, so its frames have no
// end.
func (c *clientInfo) selects() bool {
	id := strings.ToLower(c.id)
	return strings.HasPrefix(id, "vscod") || id == "code-server" || id == "codium"
}
