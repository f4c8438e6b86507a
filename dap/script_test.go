package dap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

const wastScript = `(module
  (func (export "id") (param $n i32) (result i32)
    (local.get $n))
  (func (export "trap")
    (unreachable)))
(assert_return (invoke "id" (i32.const 1)) (i32.const 1))
(assert_invalid (module (func (result i32))) "type mismatch")
(assert_return (invoke "id" (i32.const 2))
  (i32.const 3))
(assert_trap (invoke "trap") "unreachable")
(invoke "id" (i32.const 5))
`

func script(t *testing.T, text string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "s.wast")
	if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestScriptSession debugs a script command by command.
func TestScriptSession(t *testing.T) {
	const id = 1<<31 - 2
	c := real(t)
	p := script(t, wastScript)
	if got := c.start(map[string]any{"program": p, "stopOnEntry": true}); got != "entry #2147483646 s.wast:6" { // the module runs no code
		t.Fatal(got)
	}
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	if len(th.Threads) != 1 || th.Threads[0].Id != id ||
		th.Threads[0].Name != `script · command 2 of 6: assert_return "id" at s.wast:6` {
		t.Errorf("%+v", th)
	}
	step := func(command, want string) {
		t.Helper()
		if got := c.step(command, id, ""); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
	c.must("stepIn", map[string]any{"threadId": id}, nil)
	if got := c.stopped(); got != "step #1 s.wast:3" {
		t.Fatal(got)
	}
	fs := c.frames(1)
	if last := fs[len(fs)-1]; last.Name != `assert_return "id"` || last.Line != 6 || last.Source.Path != p {
		t.Errorf("%+v", last)
	}
	if got := c.step("stepOut", 1, ""); got != "step #2147483646 s.wast:7" {
		t.Error(got)
	}
	step("stepIn", "step #2147483646 s.wast:8") // it runs no code
	// A failed assertion stops with both values.
	c.must("next", map[string]any{"threadId": id}, nil)
	if got := c.stopped(); got != "exception #2147483646 s.wast:8" {
		t.Fatal(got)
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: id}, &i)
	if i.ExceptionId != "assertion failed" || !strings.Contains(i.Description, "(i32.const 2)") ||
		!strings.Contains(i.Description, "(i32.const 3)") {
		t.Errorf("%+v", i)
	}
	if got := c.refused("evaluate", godap.EvaluateArguments{Expression: "$n", FrameId: c.frames(id)[0].Id, Context: "watch"}); !strings.Contains(
		got,
		"no global $n",
	) {
		t.Error(got)
	}
	step("next", "step #2147483646 s.wast:10")
	step("next", "step #2147483646 s.wast:11") // the trap is expected
	step("stepOut", "terminated")
}

// TestScriptBreakpoints binds breakpoints to commands and to code.
func TestScriptBreakpoints(t *testing.T) {
	p := script(t, wastScript)
	c := real(t)
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.await("initialized", nil)
	var a godap.SetBreakpointsArguments
	a.Source.Path = p
	a.Breakpoints = []godap.SourceBreakpoint{
		{Line: 3, Condition: "$n == 5"}, {Line: 6}, {Line: 9}, {Line: 11, Condition: "$n == 1"},
	}
	var b godap.SetBreakpointsResponseBody
	c.must("setBreakpoints", a, &b)
	if bs := b.Breakpoints; !bs[0].Verified || bs[0].Line != 3 || !bs[1].Verified || bs[1].Line != 6 ||
		bs[2].Line != 10 ||
		bs[3].Verified {
		t.Fatalf("%+v", bs)
	}
	c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{"trap"}}, nil)
	c.must("configurationDone", nil, nil)
	for _, want := range []string{"breakpoint #2147483646 s.wast:6", "breakpoint #2147483646 s.wast:10", "breakpoint #4 s.wast:3"} {
		if got := c.stopped(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		c.must("continue", map[string]any{"threadId": 4}, nil)
	}
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

// TestScriptVariables reads and sets, at a command, what the module has that was instantiated last.
func TestScriptVariables(t *testing.T) {
	p := script(t, `(module $a (global $g (export "g") (mut i32) (i32.const 1)))
(module $b
  (memory $m 1) (table $t 2 funcref)
  (global $g (mut i32) (i32.const 0))
  (func $add (export "add") (param $a i32) (param $b i32) (result i32)
    (global.set $g (local.get $a))
    (i32.add (local.get $a) (local.get $b))))
(assert_return (invoke "add" (i32.const 4) (i32.const 2)) (i32.const 3))
(assert_return (invoke "add" (i32.const 1) (i32.const 2)) (i32.const 3))
`)
	c := real(t)
	if got := c.start(map[string]any{"program": p}); got != "exception #2147483646 s.wast:8" {
		t.Fatal(got)
	}
	f := c.frames(c.last.ThreadId)[0].Id
	var sc godap.ScopesResponseBody
	c.must("scopes", godap.ScopesArguments{FrameId: f}, &sc)
	if len(sc.Scopes) != 2 || sc.Scopes[0].Name != "Globals" || sc.Scopes[1].Name != "Memory" {
		t.Errorf("%+v", sc)
	}
	for _, x := range [][3]string{
		{"hover", "$g", "4"}, {"watch", "global $g", "4"}, {"watch", "$g == 4", "1"}, {"watch", "i32[0]", "0"}, {"watch", "add(3, $g)", "7"}, {"watch", "$t[1]", "null"},
		{"repl", "u8[3] = 7", "7"}, {"watch", "i32[0],x", "0x7000000"}, {"repl", "$g = 9", "9"}, {"watch", "$g", "9"}, {"repl", "$t[1] = $add", "func $add"},
		{"watch", "12", "12"}, {"watch", "$nope", "(there is no global $nope here)"}, {"watch", "(global.get $g)", "(there is no frame to evaluate code in)"},
		{"watch", "local 0", "(there is no local 0 here)"}, {"repl", "stacks", "no stacks"}, {"watch", "_", "(there is no global _ here)"},
	} {
		if got := c.eval(f, x[0], x[1]); got != x[2] {
			t.Errorf("%s: %s, want %s", x[1], got, x[2])
		}
	}
	if got := text(c.scope(f, "Globals")); got != "$g=9" {
		t.Error(got)
	}
	if got := c.step("next", c.last.ThreadId, ""); got != "step #2147483646 s.wast:9" {
		t.Error(got)
	}
}

const suspendedScript = `(module
  (type $f (func))
  (type $c (cont $f))
  (tag $yield)
  (table $t 1 (ref null $c))
  (func $body
    (suspend $yield)
    (nop)
    (nop))
  (elem declare func $body)
  (func (export "begin") (local $k (ref null $c))
    (block $on (result (ref $c))
      (resume $c (on $yield $on) (cont.new $c (ref.func $body)))
      (return))
    (local.set $k)
    (table.set $t (i32.const 0) (local.get $k)))
  (func (export "end")
    (resume $c (table.get $t (i32.const 0)))))
(invoke "begin")
(invoke "end")
(invoke "begin")
`

// TestThreadBetweenCommands steps on a suspended stack, and on threads that do not exist, while the
// script stands between two commands.
func TestThreadBetweenCommands(t *testing.T) {
	const id = 1<<31 - 2
	at := func(t *testing.T) *client {
		c := real(t)
		if got := c.start(map[string]any{"program": script(t, suspendedScript), "stopOnEntry": true}); got != "entry #2147483646 s.wast:19" {
			t.Fatal(got)
		}
		for _, want := range []string{"step #2147483646 s.wast:20"} {
			if got := c.step("next", id, ""); got != want {
				t.Fatal(got)
			}
		}
		return c
	}
	for _, command := range []string{"next", "stepIn", "stepOut"} {
		want := map[string]string{"next": "step #2 s.wast:8", "stepIn": "step #2 s.wast:8", "stepOut": "step #3 s.wast:18"}[command]
		t.Run(command, func(t *testing.T) {
			c := at(t)
			for _, thread := range []int{77, 1<<31 - 1, -1} {
				if got := c.refused(command, map[string]any{"threadId": thread}); !strings.Contains(got, "stack") {
					t.Errorf("thread %d: %s", thread, got)
				}
			}
			if got := c.step(command, 2, ""); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	t.Run("continue", func(t *testing.T) {
		c := at(t)
		if got := c.refused("continue", map[string]any{"threadId": 77, "singleThread": true}); !strings.Contains(
			got, "stack",
		) {
			t.Error(got)
		}
		c.must("continue", map[string]any{"threadId": 2, "singleThread": true}, nil)
		if got := c.stopped(); got != "step #3 s.wast:18" {
			t.Error(got)
		}
	})
}

// TestScriptEntry: a stop on entry is at the first command that runs code.
func TestScriptEntry(t *testing.T) {
	const mod = "(module (func (export \"f\")) (global (export \"g\") i32 (i32.const 1)))\n"
	for _, x := range []struct{ text, want string }{
		{mod + "(register \"m\")\n(assert_invalid (module (func (result i32))) \"type mismatch\")\n(invoke \"f\")", "entry #2147483646 s.wast:4"},
		{mod + "(assert_return (get \"g\") (i32.const 1))\n(invoke \"f\")\n(invoke \"f\")", "entry #2147483646 s.wast:3"},
		{mod + "(module (func $s) (start $s))\n(invoke \"f\")", "entry #2147483646 s.wast:2"},
		{mod + "(assert_trap (module (func $s (unreachable)) (start $s)) \"unreachable\")\n", "entry #2147483646 s.wast:2"},
		// nothing runs code, as far as it is known
		{mod + "(module quote \"(func $s (nop)) (start $s)\")\n(module)", "entry #2147483646 s.wast:1"},
		{mod + "(register \"m\")", "entry #2147483646 s.wast:1"},
	} {
		c := real(t)
		if got := c.start(map[string]any{"program": script(t, x.text), "stopOnEntry": true}); got != x.want {
			t.Errorf("%s: %s, want %s", x.text, got, x.want)
		}
	}
}

// TestScriptLine debugs one command: those before it run without a stop, those after it do not run.
func TestScriptLine(t *testing.T) {
	const text = `(module (global $n (export "n") (mut i32) (i32.const 0))
  (func (export "next") (result i32)
    (global.set $n (i32.add (global.get $n) (i32.const 1)))
    (global.get $n))
  (func (export "trap") (unreachable)))
(invoke "next")
(invoke "trap")
(assert_return (invoke "next") (i32.const 7))
(assert_return
  (invoke "next") (i32.const 3))
(assert_return (invoke "next") (i32.const 3))
`
	for _, entry := range []bool{true, false} {
		c := real(t)
		p := script(t, text)
		got := c.start(map[string]any{"program": p, "line": 10, "stopOnEntry": entry}, 4)
		if entry {
			if got != "entry #2147483646 s.wast:9" {
				t.Fatal(got)
			}
			c.must("continue", map[string]any{"threadId": 1<<31 - 2}, nil)
			got = c.stopped()
		}
		if got != "breakpoint #4 s.wast:4" {
			t.Fatal(got)
		}
		if got := c.eval(c.frames(4)[0].Id, "watch", "$n"); got != "3" {
			t.Error(got)
		}
		c.must("continue", map[string]any{"threadId": 1}, nil)
		if got := c.stopped(); got != "terminated" {
			t.Fatal(got)
		}
		if out := c.output("console"); !strings.Contains(out, "1 passed, 0 failed") {
			t.Error(out)
		}
	}
	c := real(t)
	c.initialize()
	if got := c.refused("launch", map[string]any{"program": script(t, text), "line": 90}); !strings.Contains(
		got, "line 90",
	) {
		t.Error(got)
	}
}
