package termdbg

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	godap "github.com/google/go-dap"
)

// screen prints for the user.
type screen struct {
	input      input
	out        io.Writer // what the debugger and the program print
	errOut     io.Writer // what the program prints on standard error
	color      bool
	cwd        string
	failures   int  // errors that were printed
	silent     bool // nothing is shown, while back runs the program again
	suppressed bool // intermediate stops are not shown
}

func (sc *screen) printf(format string, args ...any) { fmt.Fprintf(sc.input, format, args...) }

func (sc *screen) paint(code, s string) string {
	if !sc.color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// fail prints an error.
func (sc *screen) fail(err error) {
	text := err.Error()
	if text == "notStopped" {
		text = "the program is running: use interrupt to stop it"
	}
	sc.failures++
	sc.printf("%s %s\n", sc.paint("31;1", "error:"), text)
}

func (sc *screen) failf(format string, args ...any) { sc.fail(fmt.Errorf(format, args...)) }

// relative returns a path relative to the working directory if it is below it.
func (sc *screen) relative(path string) string {
	if rel, err := filepath.Rel(sc.cwd, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

func (sc *screen) name(s *godap.Source) string {
	switch {
	case s == nil:
		return "?"
	case s.Path == "":
		return s.Name
	}
	return sc.relative(s.Path)
}

// where returns `$f at file:line:col`.
func (sc *screen) where(f *frame) string {
	if f.Source == nil {
		return f.Name
	}
	return fmt.Sprintf("%s at %s:%d:%d", f.Name, sc.name(f.Source), f.Line, f.Column)
}

// path returns a file name as an absolute path.
func (sc *screen) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(sc.cwd, name)
}
