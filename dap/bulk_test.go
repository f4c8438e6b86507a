package dap_test

import (
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
)

// TestBulkLoop pauses and ends a program that does nothing but fill 64 MiB of memory over and over.
func TestBulkLoop(t *testing.T) {
	p := wat(t, `(module
  (memory 1024)
  (func (export "main")
    (loop $l
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x4000000))
      (br $l))))
`)
	c := connect(t, dap.Config{Load: launch.Load})
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.must("configurationDone", nil, nil)
	c.must("pause", map[string]any{"threadId": 1}, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "pause #1 prog.wat") {
		t.Fatal(got)
	}
	c.must("continue", map[string]any{"threadId": 1}, nil)
	c.must("terminate", nil, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

// TestLongChainTrace reads the stack trace of a chain of many stacks: it is short, and the ends are
// there.
func TestLongChainTrace(t *testing.T) {
	p := wat(t, `(module
  (type $f (func (param i32))) (type $k (cont $f)) (elem declare func $nest)
  (func $nest (param $n i32)
    (if (local.get $n) (then (resume $k (i32.sub (local.get $n) (i32.const 1)) (cont.new $k (ref.func $nest)))) (else (unreachable))))
  (func (export "main") (call $nest (i32.const 3000))))
`)
	c := connect(t, dap.Config{Load: launch.Load})
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.must("configurationDone", nil, nil)
	if got := c.stopped(); !strings.HasPrefix(got, "exception #3001 ") {
		t.Fatal(got)
	}
	var b godap.StackTraceResponseBody
	c.must("stackTrace", godap.StackTraceArguments{ThreadId: 3001}, &b)
	n := len(b.StackFrames)
	if n != b.TotalFrames || n > 300 || b.StackFrames[n-1].Name != "main" && b.StackFrames[n-1].Name != `"main"` {
		t.Errorf("%d frames of %d, the last is %s", n, b.TotalFrames, b.StackFrames[n-1].Name)
	}
	labels := 0
	for _, f := range b.StackFrames {
		if f.Name == "… 2,881 more stacks" {
			labels++
		}
	}
	if labels != 1 {
		t.Errorf("%d labels for what is left out", labels)
	}
}

// TestExitLine reads how programs end: what was returned or the exit code, once.
func TestExitLine(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"nothing", `(module (func (export "main")))`, "main returned\n"},
		{"two values", `(module (func (export "main") (result i32 f64) (i32.const 42) (f64.const 1.5)))`, "main returned (i32.const 42) (f64.const 1.5)\n"},
		{"exit code", `(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32))) (memory (export "memory") 1)
  (func (export "_start") (call $exit (i32.const 3))))`, "program exited with code 3\n"},
		{"a trap", `(module (func $f (unreachable)) (export "main" (func $f)))`, "trap: unreachable\n"},
	} {
		for _, debugged := range []bool{true, false} {
			c := connect(t, dap.Config{Load: launch.Load})
			c.initialize()
			c.must("launch", map[string]any{"program": wat(t, x.text), "noDebug": !debugged}, nil)
			c.await("initialized", nil)
			c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{}}, nil)
			c.must("configurationDone", nil, nil)
			if got := c.stopped(); got != "terminated" {
				t.Fatalf("%s: %s", x.name, got)
			}
			console, out, failed := c.output("console"), c.output("stdout"), c.output("stderr")
			if got := console + out + failed; got != x.want &&
				!(x.name == "a trap" && strings.HasPrefix(failed, x.want) && got == failed) {
				t.Errorf("%s: console %q, output %q, error output %q", x.name, console, out, failed)
			}
		}
	}
}
