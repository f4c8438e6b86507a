package dap_test

import (
	"stackscope/dap"
	"stackscope/internal/launch"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestReportOfProgramEnd reads how programs end: what was returned or the exit code, once.
func TestReportOfProgramEnd(t *testing.T) {
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

// TestStacksLeftAtEnd reads which stacks were left at the end of a run, and who holds them.
func TestStacksLeftAtEnd(t *testing.T) {
	p := wat(t, `(module
  (type $f (func)) (type $c (cont $f)) (tag $pause)
  (table $t 10 (ref null $c))
  (global $g (mut (ref null $c)) (ref.null $c))
  (elem declare func $body)
  (func $body (suspend $pause))
  (func (export "main") (local $i i32)
    (loop $l
      (table.set $t (local.get $i) (cont.new $c (ref.func $body)))
      (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 3))))
    (global.set $g (block $on (result (ref $c)) (resume $c (on $pause $on) (cont.new $c (ref.func $body))) (unreachable)))
    (drop (cont.new $c (ref.func $body)))))
`)
	c := real(t)
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.await("initialized", nil)
	c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{}}, nil)
	c.must("configurationDone", nil, nil)
	if got := c.stopped(); got != "terminated" {
		t.Fatal(got)
	}
	want := `5 continuations have not ended:
  3 × $body · not started · held by table $t[0] … · created at prog.wat:9
  #5 $body · suspended at $pause prog.wat:6 · held by global $g · created at prog.wat:11
  1 was dropped: nothing refers to it
main returned
`
	if got := c.output("console"); got != want {
		t.Errorf("%s", got)
	}
	c = real(t)
	c.initialize()
	c.must("launch", map[string]any{"program": wat(t, data), "invoke": "main"}, nil)
	c.must("configurationDone", nil, nil)
	c.stopped()
	if got := c.output("console"); got != "main returned\n" {
		t.Errorf("nothing is left, but: %s", got)
	}
}
