package dap_test

import (
	"testing"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
)

// runWithCondition runs a program to its end with a conditional breakpoint on a line.
func runWithCondition(b *testing.B, path string, line int, cond string) {
	b.Helper()
	p, err := launch.Load(&dap.Launch{Program: path})
	if err != nil {
		b.Fatal(err)
	}
	e := debugger.NewEngine(p, debugger.Options{OnStop: func(debugger.Stop) { panic("stopped") }})
	bp := &debugger.Breakpoint{ID: 1, Line: line - 1, Condition: cond}
	if err := e.Breakpoints.Set("file", p.Units[0].File, []*debugger.Breakpoint{bp}); err != nil || !bp.Verified {
		b.Fatal(err, bp.Message)
	}
	e.Start()
	<-e.Done()
}
