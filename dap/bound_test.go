package dap_test

import (
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/dap"
)

// TestStaysBound sets breakpoints of the mode `stack` again, as editors do when another one of the
// file is changed: they stay bound to the stack that they were set for, that which was shown.
func TestStaysBound(t *testing.T) {
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
	if got := set()[0]; !got.Verified || got.Message != "no stack was shown when it was set: it stops on any" {
		t.Errorf("%+v", got)
	}
}

// TestMemoryEvents reports of what is changed in a memory in the terms of what the client has read.
func TestMemoryEvents(t *testing.T) {
	c, f := kindsSession(t)
	refs := map[string]string{}
	for _, x := range []string{"u8[16]", "u8[20]"} {
		var b godap.EvaluateResponseBody
		c.must("evaluate", godap.EvaluateArguments{Expression: x, FrameId: f, Context: "watch"}, &b)
		refs[x] = b.MemoryReference
	}
	set := func() {
		c.must("setExpression", godap.SetExpressionArguments{FrameId: f, Expression: "u16[18]", Value: "7"}, nil)
	}
	set() // nobody looks at it
	c.must("readMemory", godap.ReadMemoryArguments{MemoryReference: refs["u8[16]"], Count: 8}, nil)
	c.must("readMemory", godap.ReadMemoryArguments{MemoryReference: refs["u8[20]"], Count: 8}, nil)
	want := func(bodies ...godap.MemoryEventBody) {
		t.Helper()
		for _, w := range bodies {
			var b godap.MemoryEventBody
			if c.await("memory", &b); b != w {
				t.Errorf("%+v, want %+v", b, w)
			}
		}
	}
	set()
	want(
		godap.MemoryEventBody{MemoryReference: refs["u8[16]"], Offset: 2, Count: 2},
		godap.MemoryEventBody{MemoryReference: refs["u8[20]"], Offset: -2, Count: 2},
	)
	c.must("writeMemory", godap.WriteMemoryArguments{MemoryReference: refs["u8[16]"], Offset: 1, Data: "AAAA"}, nil)
	want(
		godap.MemoryEventBody{MemoryReference: refs["u8[20]"], Offset: -3, Count: 3},
		godap.MemoryEventBody{MemoryReference: refs["u8[16]"], Offset: 1, Count: 3},
	)
	c.must(
		"evaluate",
		godap.EvaluateArguments{Expression: "(i32.store8 (i32.const 99) (i32.const 1))", FrameId: f, Context: "repl"},
		nil,
	)
	want(
		godap.MemoryEventBody{MemoryReference: refs["u8[20]"], Offset: -20, Count: 65536},
		godap.MemoryEventBody{MemoryReference: refs["u8[16]"], Offset: -16, Count: 65536},
	)
	if got := c.eval(f, "watch", "u8[99]"); got != "1" {
		t.Error(got)
	}
}
