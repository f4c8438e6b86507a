package dap_test

import (
	"testing"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debug"
)

// runWithCondition runs a program to its end with a conditional breakpoint on a line.
func runWithCondition(b *testing.B, path string, line int, cond string) {
	b.Helper()
	p, err := launch.Load(&dap.Launch{Program: path})
	if err != nil {
		b.Fatal(err)
	}
	e := debug.NewEngine(p, debug.Options{OnStop: func(debug.Stop) { panic("stopped") }})
	bp := &debug.Breakpoint{ID: 1, Line: line - 1, Condition: cond}
	if err := e.SetBreakpoints("file", p.Units[0].File, []*debug.Breakpoint{bp}); err != nil || !bp.Verified {
		b.Fatal(err, bp.Message)
	}
	e.Start()
	<-e.Done()
}
