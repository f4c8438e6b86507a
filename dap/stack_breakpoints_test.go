package dap_test

import (
	"stackscope/dap"
	"testing"

	godap "github.com/google/go-dap"
)

// TestStackBreakpointStaysBound sets breakpoints of the mode `stack` again, as editors do when
// another one of the file is changed: they stay bound to the stack that they were set for, that
// which was shown.
func TestStackBreakpointStaysBound(t *testing.T) {
	c := connect(t, dap.Config{})
	if got := c.start(prog, 31); got != "breakpoint #1 test.wat:31" {
		t.Fatal(got)
	}
	c.must("stackscope/focus", map[string]any{"threadId": 2}, nil)
	c.stopped()
	set := func(more ...any) []godap.Breakpoint {
		t.Helper()
		var b godap.SetBreakpointsResponseBody
		c.must(
			"setBreakpoints",
			map[string]any{
				"source":      map[string]any{"path": prog["program"]},
				"breakpoints": append([]any{map[string]any{"line": 8, "mode": "stack"}}, more...),
			},
			&b,
		)
		return b.Breakpoints
	}
	set()
	c.must("stackscope/focus", map[string]any{"threadId": 1}, nil)
	c.stopped()
	set(map[string]any{"line": 31, "condition": "1 == 2"})
	if got := c.step("continue", 1, ""); got != "breakpoint #2 test.wat:8" {
		t.Error(got)
	}

	// Before a stack is shown there is none to be bound to.
	c = connect(t, dap.Config{})
	c.initialize()
	c.must("launch", prog, nil)
	c.await("initialized", nil)
	if got := set()[0]; !got.Verified || got.Message != "no stack was shown when it was set: it stops on any stack" {
		t.Errorf("%+v", got)
	}
}
