package dap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestStopOnEntryUnlessBreakpoint: only a breakpoint that can stop this program keeps it from
// stopping on entry.
func TestStopOnEntryUnlessBreakpoint(t *testing.T) {
	const text = "(module\n  (global $g (mut i32) (i32.const 0))\n  (func $f (nop))\n  (func (export \"main\")\n    (call $f)\n    (global.set $g (i32.const 1))))\n"
	path := wat(t, text)
	other := filepath.Join(filepath.Dir(path), "other.wat")
	if err := os.WriteFile(other, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	lines := func(path string, b godap.SourceBreakpoint) func(*client) {
		return func(c *client) {
			c.must(
				"setBreakpoints",
				godap.SetBreakpointsArguments{
					Source: godap.Source{Path: path}, Breakpoints: []godap.SourceBreakpoint{b},
				},
				nil,
			)
		}
	}
	function := func(name string) func(*client) {
		return func(c *client) {
			c.must(
				"setFunctionBreakpoints",
				godap.SetFunctionBreakpointsArguments{Breakpoints: []godap.FunctionBreakpoint{{Name: name}}},
				nil,
			)
		}
	}
	data := func(id string) func(*client) {
		return func(c *client) {
			c.must(
				"setDataBreakpoints",
				godap.SetDataBreakpointsArguments{
					Breakpoints: []godap.DataBreakpoint{{DataId: id, AccessType: "write"}},
				},
				nil,
			)
		}
	}
	for name, x := range map[string]struct {
		set   func(*client)
		entry bool
	}{
		"none":                  {func(*client) {}, true},
		"in the file":           {lines(path, godap.SourceBreakpoint{Line: 5}), false},
		"in another file":       {lines(other, godap.SourceBreakpoint{Line: 5}), true},
		"after the text":        {lines(path, godap.SourceBreakpoint{Line: 99}), true},
		"a log point":           {lines(path, godap.SourceBreakpoint{Line: 5, LogMessage: "here"}), true},
		"a function":            {function("$f"), false},
		"a function of another": {function("$nothing"), true},
		"stale data":            {data("local/9/9/9"), true},
		"an event":              {func(c *client) { c.must("setExceptionBreakpoints", map[string]any{"filters": []string{"trap"}}, nil) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := real(t)
			c.initialize()
			c.must("launch", map[string]any{"program": path, "stopUnlessBreakpoint": true}, nil)
			c.await("initialized", nil)
			x.set(c)
			c.must("configurationDone", nil, nil)
			if got := c.stopped(); strings.HasPrefix(got, "entry") != x.entry {
				t.Errorf("stopped for %q", got)
			}
		})
	}
}
