package dap_test

import (
	"stackscope/dap"
	"stackscope/vm/debugger"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"
)

// TestOutputOfSplitCharacters has a program that writes a character in two pieces, and ends within
// another.
func TestOutputOfSplitCharacters(t *testing.T) {
	p := wat(t, `(module
  (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 100) "caf\c3") (data (i32.const 110) "\a9!") (data (i32.const 120) "\e2\82")
  (func $p (param $at i32) (param $n i32)
    (i32.store (i32.const 0) (local.get $at)) (i32.store (i32.const 4) (local.get $n))
    (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func (export "_start")
    (call $p (i32.const 100) (i32.const 4)) (call $p (i32.const 110) (i32.const 2)) (call $p (i32.const 120) (i32.const 2))))
`)
	c := real(t)
	if got := c.start(map[string]any{"program": p}); got != "terminated" {
		t.Fatal(got)
	}
	if got := c.output("stdout"); got != "café!"+"\\ufffd\\ufffd" && got != "café!\ufffd\ufffd" {
		t.Errorf("%q", got)
	}
}

// TestProgress shows that loading takes long.
func TestProgress(t *testing.T) {
	seen := make(chan string, 100)
	enough := make(chan struct{})
	c := connect(t, dap.Config{ProgressAfter: time.Millisecond, Load: func(l *dap.Launch) (*debugger.Program, error) {
		<-enough
		return load(l)
	}, Tap: func(out bool, raw []byte) {
		for _, e := range []string{"progressStart", "progressUpdate", "progressEnd"} {
			if out && strings.Contains(string(raw), `"event":"`+e+`"`) {
				seen <- e
			}
		}
	}})
	c.must("initialize", map[string]any{"adapterID": "wasm", "supportsProgressReporting": true}, nil)
	done := c.Send("launch", map[string]any{"program": "test.wat"})
	for _, want := range []string{"progressStart", "progressUpdate"} {
		if got := <-seen; got != want {
			t.Fatal(got)
		}
	}
	close(enough)
	<-done
	for got := range seen {
		if got == "progressEnd" {
			break
		}
	}
}

// TestConsoleStyles colours what is told to a client that shows it.
func TestConsoleStyles(t *testing.T) {
	for _, ansi := range []bool{false, true} {
		c := real(t)
		p := wat(t, `(module (func (export "main") (unreachable)))`)
		c.must("initialize", map[string]any{"adapterID": "wasm", "supportsANSIStyling": ansi}, nil)
		c.must("launch", map[string]any{"program": p, "stopOnEntry": true}, nil)
		c.must("configurationDone", nil, nil)
		c.stopped()
		if got := c.eval(0, "repl", "tree"); strings.Contains(got, "\x1b[") != ansi {
			t.Errorf("%q", got)
		}
		c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{}}, nil)
		c.must("continue", map[string]any{"threadId": 1}, nil)
		c.stopped()
		if got := c.output("stderr"); strings.Contains(got, `\u001b[31m`) != ansi {
			t.Errorf("%q", got)
		}
	}
}

// TestConsoleWords lets the program go on by words of the console: the client is told.
func TestConsoleWords(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 27)
	c.breakpoints("test.wat")
	for _, x := range [][2]string{{"step", "step #2 test.wat:2"}, {"next", "step #2 test.wat:3"}, {"out", "step #1 test.wat:28"}, {"continue", "terminated"}} {
		c.must("evaluate", godap.EvaluateArguments{Expression: x[0], Context: "repl"}, nil)
		var b struct{ AllThreadsContinued bool }
		c.await("continued", &b)
		if got := c.stopped(); got != x[1] || !b.AllThreadsContinued {
			t.Errorf("%s: %s", x[0], got)
		}
	}
	c.refused("evaluate", godap.EvaluateArguments{Expression: "next", Context: "repl"})
}
