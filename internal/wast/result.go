package wast

import (
	"errors"
	"fmt"

	"stackscope/analysis/source"
	"stackscope/vm"
)

// Result is the result of a command.
type Result struct {
	Command *Command
	File    *source.File
	OK      bool
	Message string // the error, if not OK; may have several lines
	Err     error  // the error of the virtual machine, if any; may have a backtrace
}

// Backtrace reports whether Err has a backtrace.
func (r *Result) Backtrace() bool {
	var trap *vm.Trap
	var exn *vm.Exception
	var crash *vm.Crash
	return errors.As(r.Err, &trap) || errors.As(r.Err, &exn) || errors.As(r.Err, &crash)
}

// Place returns the 1-based line and column of the command.
func (r *Result) Place() (line, col int) { return r.File.LineCol(r.Command.Span.Start) }

// String returns `file:line:col: message`.
func (r *Result) String() string {
	line, col := r.Place()
	msg := r.Message
	if r.OK {
		msg = "ok"
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", r.File.Name, line, col, r.Command.Kind, msg)
}

// Summary counts results.
type Summary struct{ Passed, Failed int }

// Add counts a result.
func (s *Summary) Add(r *Result) {
	if r.OK {
		s.Passed++
	} else {
		s.Failed++
	}
}

// String returns `N passed, N failed`.
func (s Summary) String() string { return fmt.Sprintf("%d passed, %d failed", s.Passed, s.Failed) }

// Err returns an error if commands have failed.
func (s Summary) Err() error {
	switch s.Failed {
	case 0:
		return nil
	case 1:
		return errors.New("1 command of the script failed")
	}
	return fmt.Errorf("%d commands of the script failed", s.Failed)
}
