package dap_test

import (
	"fmt"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
)

const moves = `(module
  (type $f (func)) (type $c (cont $f)) (tag $stop) (tag $quiet)
  (global $calls (mut i32) (i32.const 0))
  (elem declare func $task)
  (func $task (local $i i32)
    (loop $again
      (suspend $stop)
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $i) (i32.const 3)))))
  (func $inner (param $n i32) (result i32) (local $x i32)
    (local.set $x (i32.const 7))
    (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
    (i32.add (local.get $n) (local.get $x)))
  (func (export "main") (param $n i32) (result i32) (local $k (ref null $c)) (local $r i32)
    (local.set $r (call $inner (i32.const 1)))
    (i32.const 5)
    (drop)
    (local.set $k (cont.new $c (ref.func $task)))
    (block $done
      (loop $next
        (block $on (result (ref $c))
          (resume $c (on $stop $on) (local.get $k))
          (br $done))
        (local.set $k)
        (br $next)))
    (local.get $r)))
`

func (c *client) gotoTargets(path string, line int) []godap.GotoTarget {
	c.t.Helper()
	var b godap.GotoTargetsResponseBody
	c.must("gotoTargets", godap.GotoTargetsArguments{Source: godap.Source{Path: path}, Line: line}, &b)
	return b.Targets
}

// TestGoto moves the running stack, and is refused where the operand stack is another one.
func TestGoto(t *testing.T) {
	p := wat(t, moves)
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "args": []int{1}}, lineOf(t, p, "(local.set $r"))
	ts := c.gotoTargets(p, lineOf(t, p, "(local.set $k (cont.new"))
	if len(ts) != 1 || ts[0].InstructionPointerReference == "" {
		t.Fatalf("%+v", ts)
	}
	c.must("goto", godap.GotoArguments{ThreadId: 1, TargetId: ts[0].Id}, nil)
	if got := c.stopped(); got != "goto #1 prog.wat:18" {
		t.Fatal(got)
	}
	c.refused("goto", godap.GotoArguments{ThreadId: 1, TargetId: ts[0].Id}) // of the stop before
	for line, why := range map[int]string{
		lineOf(t, p, "(drop)"):             "another height",
		lineOf(t, p, "(global.set $calls"): "no code of",
		lineOf(t, p, "(tag $stop)"):        "no code of",
	} {
		if got := c.refused(
			"gotoTargets", godap.GotoTargetsArguments{Source: godap.Source{Path: p}, Line: line},
		); !strings.Contains(
			got, why,
		) {
			t.Errorf("line %d: %s", line, got)
		}
	}
	// What was jumped over was not executed.
	if got := text(c.scope(c.frames(1)[0].Id, "Globals")); got != "$calls=0" {
		t.Error(got)
	}
	back := c.gotoTargets(p, lineOf(t, p, "(local.set $r"))
	c.must("goto", godap.GotoArguments{ThreadId: 1, TargetId: back[0].Id}, nil)
	c.stopped()
	if got := c.step("next", 1, ""); got != "step #1 prog.wat:16" {
		t.Error(got)
	}
	if got := text(c.scope(c.frames(1)[0].Id, "Locals")); got != "$n=1, $k=null, $r=8" {
		t.Error(got)
	}
}

// TestRestartFrame begins frames again, up to the one that was called by the host.
func TestRestartFrame(t *testing.T) {
	p := wat(t, moves)
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "args": []int{1}}, lineOf(t, p, "(i32.add (local.get $n)"))
	fs := c.frames(1)
	c.must("restartFrame", godap.RestartFrameArguments{FrameId: fs[0].Id}, nil)
	if got := c.stopped(); got != "restart #1 prog.wat:11" {
		t.Fatal(got)
	}
	if got := text(c.scope(c.frames(1)[0].Id, "Locals")); got != "$n=1, $x=0" {
		t.Error(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	c.stopped()
	fs = c.frames(1)
	if got := text(c.scope(fs[0].Id, "Globals")); got != "$calls=2" {
		t.Error(got)
	}
	c.must("restartFrame", godap.RestartFrameArguments{FrameId: fs[1].Id}, nil)
	if got := c.stopped(); got != "restart #1 prog.wat:15" {
		t.Fatal(got)
	}
	c.breakpoints(p, lineOf(t, p, "(suspend $stop)"))
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "breakpoint #2 prog.wat:7" {
		t.Fatal(got)
	}
	// One of the stack that waits: what it has resumed ends.
	fs = c.frames(2)
	c.must("restartFrame", godap.RestartFrameArguments{FrameId: fs[len(fs)-1].Id}, nil)
	if got := c.stopped(); got != "restart #1 prog.wat:15" {
		t.Fatal(got)
	}
	if got := c.stacksOf(); len(got) != 1 {
		t.Error(got)
	}
	c.breakpoints(p)
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Fatal(got)
	}
}

// TestRestartSuspended begins a frame of a continuation again that does not run: it does so when it
// is resumed, and what it is resumed with is dropped.
func TestRestartSuspended(t *testing.T) {
	p := wat(t, `(module (type $f (func)) (type $c (cont $f)) (type $g (func (param i32 i64 i32))) (type $d (cont $g))
  (tag $y (result i32 i64 i32)) (global $n (mut i32) (i32.const 0)) (elem declare func $base)
  (func $deep (param $p i32)
    (local.set $p (i32.add (local.get $p) (i32.const 1)))
    (global.set $n (i32.add (global.get $n) (local.get $p)))
    (suspend $y) (drop) (drop) (drop))
  (func $base (call $deep (i32.const 10)))
  (func (export "main") (result i32) (local $k (ref null $d))
    (block $on (result (ref $d)) (resume $c (on $y $on) (cont.new $c (ref.func $base))) (unreachable))
    (local.set $k)
    (nop)
    (block $again (result (ref $d)) (resume $d (on $y $again) (i32.const 1) (i64.const 2) (i32.const 3) (local.get $k)) (unreachable))
    (local.set $k)
    (resume $d (i32.const 1) (i64.const 2) (i32.const 3) (local.get $k))
    (global.get $n)))`)
	for _, depth := range []int{0, 1} {
		c := connect(t, dap.Config{Load: launch.Load})
		c.start(map[string]any{"program": p}, lineOf(t, p, "(nop)"))
		var fs []godap.StackFrame
		for _, f := range c.frames(2) {
			if f.PresentationHint != "label" {
				fs = append(fs, f)
			}
		}
		c.must("restartFrame", godap.RestartFrameArguments{FrameId: fs[depth].Id}, nil)
		if got, want := c.stopped(), []string{"(func $deep", "(func $base"}[depth]; !strings.HasPrefix(
			got, "restart #2 ",
		) ||
			!strings.Contains(sourceLine(t, p, c.frames(2)[1].Line), strings.TrimPrefix(want, "(func ")) && depth == 1 {
			t.Fatal(got)
		}
		want := "$p=11"
		if depth == 1 {
			want = ""
		}
		for _, f := range c.frames(2) {
			if f.PresentationHint != "label" {
				if got := text(c.scope(f.Id, "Locals")); got != want {
					t.Errorf("depth %d: %s", depth, got)
				}
				break
			}
		}
		c.breakpoints(p, lineOf(t, p, "(suspend $y)"))
		c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
		if got := c.stopped(); got != fmt.Sprintf("breakpoint #2 prog.wat:%d", lineOf(t, p, "(suspend $y)")) {
			t.Fatal(got)
		}
		if got, want := text(c.scope(c.frames(2)[0].Id, "Globals")), []string{"$n=23", "$n=22"}[depth]; got != want {
			t.Errorf("depth %d: %s, want %s", depth, got, want)
		}
		c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
		if got := c.stopped(); got != "terminated" {
			t.Error(got)
		}
	}
}

// TestRestartAtFault continues after a trap, an unhandled tag and an uncaught exception: with a
// frame that begins again, or, where the operands are still there, elsewhere.
func TestRestartAtFault(t *testing.T) {
	p := wat(
		t,
		`(module (type $f (func)) (type $c (cont $f)) (tag $y) (tag $e (param i32)) (global $n (mut i32) (i32.const 0)) (elem declare func $task)
  (func $fail
    (global.set $n (i32.add (global.get $n) (i32.const 1)))
    (if (i32.eq (global.get $n) (i32.const 1)) (then (unreachable)))
    (if (i32.eq (global.get $n) (i32.const 2)) (then (suspend $y)))
    (if (i32.eq (global.get $n) (i32.const 3)) (then (throw $e (i32.const 5))))
    (nop))
  (func $task (call $fail))
  (func (export "main") (resume $c (cont.new $c (ref.func $task)))))`,
	)
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "stopOnEntry": true})
	for i := range 3 {
		c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
		if got := c.stopped(); got != fmt.Sprintf("exception #2 prog.wat:%d", 4+i) {
			t.Fatal(got)
		}
		if i == 2 {
			if got := c.refused("gotoTargets", godap.GotoTargetsArguments{Source: godap.Source{Path: p}, Line: lineOf(t, p, "(throw")}); !strings.Contains(
				got,
				"used up",
			) {
				t.Error(got)
			}
		}
		c.must("restartFrame", godap.RestartFrameArguments{FrameId: c.frames(2)[0].Id}, nil)
		if got := c.stopped(); got != "restart #2 prog.wat:3" {
			t.Fatal(got)
		}
		c.refused("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 2})
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Fatal(got)
	}
	// A trap is jumped over; and the base of a stack whose child has trapped begins again.
	c = connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "stopOnEntry": true})
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	c.stopped()
	ts := c.gotoTargets(p, lineOf(t, p, "(nop)"))
	if len(ts) != 1 {
		t.Fatal(ts)
	}
	c.must("goto", godap.GotoArguments{ThreadId: 2, TargetId: ts[0].Id}, nil)
	if got := c.stopped(); got != "goto #2 prog.wat:7" {
		t.Fatal(got)
	}
	fs := c.frames(2)
	c.must("restartFrame", godap.RestartFrameArguments{FrameId: fs[len(fs)-1].Id}, nil)
	if got := c.stopped(); got != "restart #1 prog.wat:9" {
		t.Fatal(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "exception #3 prog.wat:5" {
		t.Fatal(got)
	}
	fs = c.frames(3)
	c.must("restartFrame", godap.RestartFrameArguments{FrameId: fs[len(fs)-1].Id}, nil)
	c.stopped()
	c.must("terminate", nil, nil)
	if got := c.stopped(); got != "terminated" {
		t.Fatal(got)
	}
}

// functionBreakpoints sets function breakpoints and returns the messages of those that cannot be.
func (c *client) functionBreakpoints(names ...string) (refused []string) {
	c.t.Helper()
	var a godap.SetFunctionBreakpointsArguments
	for _, n := range names {
		a.Breakpoints = append(a.Breakpoints, godap.FunctionBreakpoint{Name: n})
	}
	var b godap.SetFunctionBreakpointsResponseBody
	c.must("setFunctionBreakpoints", a, &b)
	for _, x := range b.Breakpoints {
		if !x.Verified {
			refused = append(refused, x.Message)
		}
	}
	return refused
}

// TestFunctionBreakpoints stops at functions, exports and tags; where a function begins with a
// loop, once for each call.
func TestFunctionBreakpoints(t *testing.T) {
	p := wat(t, moves)
	for _, x := range []struct {
		name string
		want string
	}{
		{"$task", "function breakpoint #2 prog.wat:6; terminated"},
		{"$inner", "function breakpoint #1 prog.wat:11; terminated"},
		{"main", "function breakpoint #1 prog.wat:15; terminated"},
		{"$stop", "function breakpoint #2 prog.wat:7; function breakpoint #2 prog.wat:7; function breakpoint #2 prog.wat:7; terminated"},
	} {
		c := connect(t, dap.Config{Load: launch.Load})
		c.initialize()
		c.must("launch", map[string]any{"program": p, "args": []int{1}}, nil)
		c.await("initialized", nil)
		if bad := c.functionBreakpoints(x.name); bad != nil {
			t.Errorf("%s: %v", x.name, bad)
		}
		c.must("configurationDone", nil, nil)
		var got []string
		for len(got) < 10 {
			at := c.stopped()
			if got = append(got, at); at == "terminated" {
				break
			}
			c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
		}
		if s := strings.Join(got, "; "); s != x.want {
			t.Errorf("%s: %s", x.name, s)
		}
	}
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "args": []int{1}}, lineOf(t, p, "(local.set $i"))
	c.breakpoints(p)
	if bad := c.functionBreakpoints("$task", "$quiet", "$nothing"); len(bad) != 2 ||
		bad[0] != "no instruction sends $quiet" ||
		bad[1] != "there is no function or tag $nothing" {
		t.Error(bad)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil) // it is inside of the loop already
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

// TestBoundBreakpoints sets breakpoints that are bound to one stack, or good for one stop.
func TestBoundBreakpoints(t *testing.T) {
	p := wat(t, `(module
  (type $f (func)) (type $c (cont $f)) (tag $stop)
  (elem declare func $task)
  (func $task
    (nop)
    (suspend $stop)
    (nop))
  (func $twice (local $a (ref null $c))
    (local.set $a (block $on (result (ref $c)) (resume $c (on $stop $on) (cont.new $c (ref.func $task))) (unreachable)))
    (resume $c (local.get $a)))
  (func (export "main") (call $twice) (call $twice)))
`)
	for _, x := range []struct {
		bp   map[string]any
		want string
	}{
		{map[string]any{"line": 5}, "#2:5 #3:5"},
		{map[string]any{"line": 5, "condition": "#3"}, "#3:5"},
		{map[string]any{"line": 7, "condition": "stack 2 and (i32.const 1)"}, "#2:7"},
		{map[string]any{"line": 7, "condition": "#2, 0"}, ""},
		{map[string]any{"line": 5, "mode": "once"}, "#2:5"},
		{map[string]any{"line": 5, "mode": "any"}, "#2:5 #3:5"},
	} {
		c := connect(t, dap.Config{Load: launch.Load})
		c.initialize()
		c.must("launch", map[string]any{"program": p}, nil)
		c.await("initialized", nil)
		var b godap.SetBreakpointsResponseBody
		c.must("setBreakpoints", map[string]any{"source": map[string]any{"path": p}, "breakpoints": []any{x.bp}}, &b)
		if !b.Breakpoints[0].Verified {
			t.Errorf("%v: %s", x.bp, b.Breakpoints[0].Message)
		}
		c.must("configurationDone", nil, nil)
		var got []string
		for {
			at := c.stopped()
			if at == "terminated" {
				break
			}
			got = append(got, strings.TrimPrefix(strings.ReplaceAll(at, " prog.wat", ""), "breakpoint "))
			c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
		}
		if s := strings.Join(got, " "); s != x.want {
			t.Errorf("%v: %s", x.bp, s)
		}
	}
	// A breakpoint of the mode `stack` is bound to the stack that is shown.
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p}, 5)
	var b godap.SetBreakpointsResponseBody
	c.must(
		"setBreakpoints",
		map[string]any{
			"source": map[string]any{"path": p},
			"breakpoints": []any{
				map[string]any{"line": 7, "mode": "stack"}, map[string]any{"line": 5, "condition": "#x"},
			},
		},
		&b,
	)
	if !b.Breakpoints[0].Verified || b.Breakpoints[1].Verified {
		t.Errorf("%+v", b)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "breakpoint #2 prog.wat:7" {
		t.Error(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}
