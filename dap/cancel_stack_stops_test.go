package dap_test

import (
	"fmt"
	"os"
	"path/filepath"
	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// cleaning has continuations whose clean-up does something that a debugger can stop at.
const cleaning = `(module
  (type $f (func)) (type $c (cont $f)) (tag $pause) (tag $cancel) (tag $deep)
  (global $n (mut i32) (i32.const 0)) (global $spin (mut i32) (i32.const 1))
  (elem declare func $clean $trap $throw $suspend $spins $helper)
  (func $help (param $x i32)
    (global.set $n (local.get $x)))
  (func $helper
    (call $help (i32.const 9)))
  (func $clean
    (block $caught (try_table (catch $cancel $caught) (suspend $pause)))
    (global.set $n (i32.const 1))
    (call $help (i32.const 2))
    (resume $c (cont.new $c (ref.func $helper)))
    (nop))
  (func $trap
    (block $caught (try_table (catch $cancel $caught) (suspend $pause)))
    (unreachable))
  (func $throw
    (block $caught (try_table (catch $cancel $caught) (suspend $pause)))
    (throw $deep))
  (func $suspend
    (block $caught (try_table (catch $cancel $caught) (suspend $pause)))
    (suspend $deep))
  (func $spins
    (block $caught (try_table (catch $cancel $caught) (suspend $pause)))
    (loop $l (br_if $l (global.get $spin))))
  (func $start (param $k (ref $c)) (result (ref $c))
    (block $on (result (ref $c)) (resume $c (on $pause $on) (local.get $k)) (unreachable)))
  (func (export "main") (local $2 (ref null $c)) (local $3 (ref null $c)) (local $4 (ref null $c)) (local $5 (ref null $c)) (local $6 (ref null $c))
    (local.set $2 (call $start (cont.new $c (ref.func $clean))))
    (local.set $3 (call $start (cont.new $c (ref.func $trap))))
    (local.set $4 (call $start (cont.new $c (ref.func $throw))))
    (local.set $5 (call $start (cont.new $c (ref.func $suspend))))
    (local.set $6 (call $start (cont.new $c (ref.func $spins))))
    (nop) ;; here
    (nop)))
`

func (c *client) filters(names ...string) {
	c.t.Helper()
	if names == nil {
		names = []string{}
	}
	c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: names}, nil)
}

func (c *client) cancel(id int) {
	c.t.Helper()
	c.must("stackscope/cancel", map[string]any{"threadId": id, "tag": "$cancel"}, nil)
}

// cleaningAt starts the program and brings it to the line where all continuations are suspended.
func cleaningAt(t *testing.T, c *client) (p string, here int) {
	p = wat(t, cleaning)
	here = lineOf(t, p, ";; here")
	if got := c.start(map[string]any{"program": p}, here); got != fmt.Sprintf("breakpoint #1 prog.wat:%d", here) {
		t.Fatal(got)
	}
	return p, here
}

// TestCancelStops stops in clean-ups at whatever stops a program elsewhere; when they have run, the
// stop from which they were cancelled is told again.
func TestCancelStops(t *testing.T) {
	for _, x := range []struct {
		name   string
		id     int
		set    func(c *client, p string)
		stops  []string // the reason, and a text on the line
		result string
	}{
		{"nothing", 2, func(c *client, p string) {}, nil, "#2 $clean caught $cancel and returned"},
		{"breakpoint", 2, func(c *client, p string) {
			c.breakpoints(p, lineOf(t, p, "(call $help (i32.const 2))"), lineOf(t, p, "(call $help (i32.const 9))"))
		},
			[]string{"breakpoint #2 (call $help (i32.const 2))", "breakpoint #8 (call $help (i32.const 9))"}, "#2 $clean caught $cancel and returned"},
		{"function breakpoint", 2, func(c *client, p string) { c.functionBreakpoints("$help") },
			[]string{"function breakpoint #2 (global.set $n (local.get $x))", "function breakpoint #8 (global.set $n (local.get $x))"}, "#2 $clean caught $cancel and returned"},
		{"data breakpoint", 2, func(c *client, p string) {
			var in godap.DataBreakpointInfoResponseBody
			c.must("dataBreakpointInfo", map[string]any{"name": "$n", "frameId": c.frames(1)[0].Id}, &in)
			c.must("setDataBreakpoints", godap.SetDataBreakpointsArguments{Breakpoints: []godap.DataBreakpoint{{DataId: in.DataId.(string), AccessType: "write"}}}, nil)
		}, []string{"data breakpoint #2 (call $help (i32.const 2))", "data breakpoint #2 (global.set $n (local.get $x))", "data breakpoint #8 (global.set $n (local.get $x))"}, "#2 $clean caught $cancel and returned"},
		{"resume filter", 2, func(c *client, p string) { c.filters("resume", "create") },
			[]string{"exception #2 (resume $c (cont.new $c (ref.func $helper)))", "exception #2 (resume $c (cont.new $c (ref.func $helper)))"}, "#2 $clean caught $cancel and returned"},
		{"finish filter", 2, func(c *client, p string) { c.filters("finish") }, []string{"exception #2 (nop))"}, "#2 $clean caught $cancel and returned"},
		{"trap", 3, func(c *client, p string) {}, []string{"exception #3 (unreachable))"}, "#3 $trap ended with: unreachable"},
		{"throw", 4, func(c *client, p string) { c.filters("throw") }, []string{"exception #4 (throw $deep))"}, "#4 $throw was ended by $cancel"},
		{"unhandled", 5, func(c *client, p string) {}, []string{"exception #5 (suspend $deep))"}, "#5 $suspend suspended itself with $deep while it was cancelled: it was ended"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := real(t)
			p, here := cleaningAt(t, c)
			x.set(c, p)
			c.cancel(x.id)
			c.await("continued", nil)
			for _, want := range x.stops {
				reason, line, _ := strings.Cut(want, " (")
				got := c.stopped()
				text := sourceLine(t, p, c.frames(c.last.ThreadId)[0].Line)
				if !strings.HasPrefix(got, reason+" ") || !strings.Contains(text, "("+line) {
					t.Errorf("%s, want %s", got, want)
				}
				if c.last.ThreadId == x.id {
					label := ""
					for _, f := range c.frames(x.id) {
						if f.PresentationHint == "label" {
							label = f.Name
						}
					}
					if label != "cancelled with $cancel by the debugger" {
						t.Error(label)
					}
				}
				c.must("continue", godap.ContinueArguments{ThreadId: c.last.ThreadId}, nil)
			}
			if text, gone := c.cancelled(); !strings.Contains(text, x.result) || gone != x.id {
				t.Errorf("%s; %d has exited", text, gone)
			}
			if got := c.stopped(); got != fmt.Sprintf("breakpoint #1 prog.wat:%d", here) ||
				c.last.Description != fmt.Sprintf("Stopped at a breakpoint, as before #%d was cancelled", x.id) {
				t.Errorf("%s: %s", got, c.last.Description)
			}
			if got := c.step("next", 1, ""); got != fmt.Sprintf("step #1 prog.wat:%d", here+1) {
				t.Error(got)
			}
		})
	}
}

func sourceLine(t *testing.T, p string, n int) string {
	t.Helper()
	b, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(b), "\n")[n-1]
}

// TestCancelSteps steps through a clean-up: where the stack has ended the step ends where it was
// cancelled.
func TestCancelSteps(t *testing.T) {
	c := real(t)
	p, here := cleaningAt(t, c)
	c.breakpoints(p, lineOf(t, p, "(global.set $n (i32.const 1))"))
	c.cancel(2)
	at := lineOf(t, p, "(global.set $n (i32.const 1))")
	if got := c.stopped(); got != fmt.Sprintf("breakpoint #2 prog.wat:%d", at) {
		t.Fatal(got)
	}
	for _, x := range []struct{ command, want string }{
		{"next", fmt.Sprintf("step #2 prog.wat:%d", at+1)}, {"stepIn", fmt.Sprintf("step #2 prog.wat:%d", lineOf(t, p, "(global.set $n (local.get $x))"))},
		{"stepOut", fmt.Sprintf("step #2 prog.wat:%d", at+2)}, {"stepIn", fmt.Sprintf("step #8 prog.wat:%d", lineOf(t, p, "(call $help (i32.const 9))"))},
		{"stepOut", fmt.Sprintf("step #2 prog.wat:%d", at+3)}, {"next", fmt.Sprintf("breakpoint #1 prog.wat:%d", here)},
	} {
		if got := c.step(x.command, c.last.ThreadId, ""); got != x.want {
			t.Errorf("%s: %s, want %s", x.command, got, x.want)
		}
	}
	// A step of the stack from which was cancelled ends there, too.
	c.breakpoints(p, lineOf(t, p, "(unreachable))"))
	c.filters()
	c.cancel(3)
	c.stopped()
	if got := c.step("next", 1, ""); got != fmt.Sprintf("breakpoint #1 prog.wat:%d", here) {
		t.Error(got)
	}
}

// TestCancelNested cancels while a cancellation is under way: from a stop within it, of several
// stacks at once, of one that is being cancelled or will be, and while the program runs.
func TestCancelNested(t *testing.T) {
	c := real(t)
	p, here := cleaningAt(t, c)
	at := lineOf(t, p, "(global.set $n (i32.const 1))")
	c.breakpoints(p, at)
	c.filters()
	c.must("evaluate", godap.EvaluateArguments{Expression: "cancel #2 $cancel", Context: "repl"}, nil)
	if got := c.stopped(); got != fmt.Sprintf("breakpoint #2 prog.wat:%d", at) {
		t.Fatal(got)
	}
	for id, why := range map[int]string{2: "being cancelled already", 7: "belongs to the debugger", 1: "a host call runs on it"} {
		if got := c.refused("stackscope/cancel", map[string]any{"threadId": id, "tag": "$cancel"}); !strings.Contains(
			got, why,
		) {
			t.Errorf("#%d: %s", id, got)
		}
	}
	if got := c.refused("terminateThreads", map[string]any{"threadIds": []int{2}}); !strings.Contains(
		got, "being cancelled already",
	) {
		t.Error(got)
	}
	// What is below stands still.
	if got := c.frames(1); got[0].Name != fmt.Sprintf(
		"stopped at prog.wat:%d; a cancellation runs on top of it", here,
	) {
		t.Error(got[0].Name)
	}
	if got := c.refused(
		"gotoTargets", godap.GotoTargetsArguments{Source: godap.Source{Path: p}, Line: here + 1},
	); !strings.Contains(
		got, "a cancellation runs on top of this stack",
	) {
		t.Error(got)
	}
	if got := c.refused("restartFrame", godap.RestartFrameArguments{FrameId: c.code(1)[0].Id}); !strings.Contains(
		got, "a cancellation runs on top of this stack",
	) {
		t.Error(got)
	}
	c.cancel(3)
	if text, gone := c.cancelled(); gone != 3 || !strings.Contains(text, "#3 $trap ended with: unreachable") {
		t.Error(text, gone)
	}
	if got := c.stopped(); got != fmt.Sprintf("breakpoint #2 prog.wat:%d", at) {
		t.Fatal(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
	c.cancelled()
	if got := c.stopped(); got != fmt.Sprintf("breakpoint #1 prog.wat:%d", here) ||
		c.last.Description != "Stopped at a breakpoint, as before #2 was cancelled" {
		t.Fatal(got, c.last.Description)
	}
	// One that runs for ever: another one joins it, a pause stops in it, and an assignment lets it
	// end.
	c.cancel(6)
	c.cancel(5)
	if got := c.refused("stackscope/cancel", map[string]any{"threadId": 5, "tag": "$cancel"}); !strings.Contains(
		got, "going to be cancelled already",
	) {
		t.Error(got)
	}
	c.refused("stackscope/cancel", map[string]any{"threadId": 4}) // release needs a stop
	c.must("pause", godap.PauseArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != fmt.Sprintf("pause #6 prog.wat:%d", lineOf(t, p, "(loop $l")) {
		t.Fatal(got)
	}
	c.must("stackscope/cancel", map[string]any{"threadId": 4}, nil) // release
	c.await("thread", nil)
	c.must(
		"setExpression",
		godap.SetExpressionArguments{Expression: "$spin", Value: "0", FrameId: c.frames(6)[0].Id}, nil,
	)
	c.must("continue", godap.ContinueArguments{ThreadId: 6}, nil)
	for _, id := range []int{6, 5} {
		if _, gone := c.cancelled(); gone != id {
			t.Errorf("%d has exited, want %d", gone, id)
		}
	}
	if got := c.stopped(); got != fmt.Sprintf("breakpoint #1 prog.wat:%d", here) ||
		c.last.Description != "Stopped at a breakpoint, as before #6 and #5 were cancelled" {
		t.Fatal(got, c.last.Description)
	}
	if got := c.step("next", 1, ""); got != fmt.Sprintf("step #1 prog.wat:%d", here+1) {
		t.Error(got)
	}
}

// TestCancelAtFault cancels where the program has trapped, goes on elsewhere in the clean-up, and
// finds the trap as it was.
func TestCancelAtFault(t *testing.T) {
	p := wat(t, strings.Replace(cleaning, "(nop) ;; here", "(unreachable) ;; here", 1))
	c := real(t)
	here := fmt.Sprintf("exception #1 prog.wat:%d", lineOf(t, p, ";; here"))
	if got := c.start(map[string]any{"program": p}); got != here {
		t.Fatal(got)
	}
	c.breakpoints(p, lineOf(t, p, "(global.set $n (i32.const 1))"))
	c.cancel(2)
	c.stopped()
	ts := c.gotoTargets(p, lineOf(t, p, "(nop))"))
	c.must("goto", godap.GotoArguments{ThreadId: 2, TargetId: ts[0].Id}, nil)
	c.stopped()
	c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
	if got := c.stopped(); got != here || !strings.HasSuffix(c.last.Description, "as before #2 was cancelled") {
		t.Fatal(got, c.last.Description)
	}
	var ei godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &ei)
	if ei.ExceptionId != "unreachable" {
		t.Error(ei.ExceptionId)
	}
	// A trap in the clean-up is told with both chains; it does not end the program, but the one
	// before does.
	c.cancel(3)
	if got := c.stopped(); !strings.HasPrefix(got, "exception #3 ") {
		t.Fatal(got)
	}
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 3}, &ei)
	if !strings.Contains(ei.Details.StackTrace, "── stack #3, cancelled by the debugger ──") ||
		strings.Contains(ei.Details.StackTrace, "called by the host") {
		t.Error(ei.Details.StackTrace)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 3}, nil)
	if got := c.stopped(); got != here {
		t.Fatal(got)
	}
	c.cancel(5)
	c.stopped()
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 5}, &ei)
	if n := len(ei.Details.InnerException); n != 1 || ei.Details.InnerException[0].Message != "it handles no tags" ||
		!strings.Contains(ei.Details.InnerException[0].TypeName, "the debugger, which cancels #5") {
		t.Errorf("%+v", ei.Details.InnerException)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 5}, nil)
	c.stopped()
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

// TestCancelEnds ends the program, and the session, in the midst of a cancellation.
func TestCancelEnds(t *testing.T) {
	for _, how := range []string{"terminate", "disconnect", "restart", "terminate running", "broken"} {
		t.Run(how, func(t *testing.T) {
			c := real(t)
			p, here := cleaningAt(t, c)
			if how == "terminate running" {
				c.cancel(6)
			} else {
				c.breakpoints(p, lineOf(t, p, "(global.set $n (i32.const 1))"))
				c.cancel(2)
				c.stopped()
				c.cancel(6)
				c.must("pause", godap.PauseArguments{ThreadId: 1}, nil)
				c.stopped()
			}
			switch how {
			case "broken":
				c.Close()
				return
			case "disconnect":
				c.must("disconnect", nil, nil)
				return
			case "restart":
				c.breakpoints(p, here)
				c.must("restart", map[string]any{}, nil)
				if got := c.stopped(); got != fmt.Sprintf("breakpoint #1 prog.wat:%d", here) {
					t.Error(got)
				}
				return
			}
			c.must("terminate", nil, nil)
			if got := c.stopped(); got != "terminated" {
				t.Error(got)
			}
		})
	}
}

// TestCancelInScript cancels where a script stands between two commands: nothing runs there.
func TestCancelInScript(t *testing.T) {
	p := filepath.Join(t.TempDir(), "prog.wast")
	text := strings.Replace(cleaning, `(export "main")`, `(export "main") (result (ref null $c))`, 1)
	text = strings.Replace(
		text, "(nop) ;; here\n    (nop)))", "(global.set $kept (local.get $2))\n    (local.get $2)))", 1,
	)
	text = strings.Replace(text, "(elem declare", "(global $kept (mut (ref null $c)) (ref.null $c)) (elem declare", 1)
	if err := os.WriteFile(p, []byte(text+"(invoke \"main\")\n(invoke \"main\")\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	second := strings.Count(text, "\n") + 2
	c := real(t)
	script := fmt.Sprintf("breakpoint #2147483646 prog.wast:%d", second)
	if got := c.start(map[string]any{"program": p}, second); got != script {
		t.Fatal(got)
	}
	c.breakpoints(p, second, lineOf(t, p, "(global.set $n (i32.const 1))"))
	c.cancel(2)
	if got := c.stopped(); got != fmt.Sprintf(
		"breakpoint #2 prog.wast:%d", lineOf(t, p, "(global.set $n (i32.const 1))"),
	) {
		t.Fatal(got)
	}
	if got := c.step("next", 2, ""); got != fmt.Sprintf(
		"step #2 prog.wast:%d", lineOf(t, p, "(call $help (i32.const 2))"),
	) {
		t.Error(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
	if got := c.stopped(); got != script {
		t.Fatal(got)
	}
	c.breakpoints(p)
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

// TestCancelAttached cancels in one of two sessions: the other is told that the program goes on, of
// the stack that has ended, and of the stops.
func TestCancelAttached(t *testing.T) {
	p := wat(t, cleaning)
	prog, err := loadProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	target := dap.NewTarget(prog, debugger.Options{})
	here := lineOf(t, p, ";; here")
	join := func(tag string) *client {
		c := connect(t, dap.Config{Target: target})
		c.initialize()
		c.must("attach", map[string]any{"cancelTag": tag}, nil)
		c.await("initialized", nil)
		c.breakpoints(p, here)
		c.must("configurationDone", nil, nil)
		return c
	}
	a := join("$cancel")
	a.stopped()
	b := join("")
	b.stopped()
	b.breakpoints(p, lineOf(t, p, "(global.set $n (i32.const 1))"))
	a.must("terminateThreads", map[string]any{"threadIds": []int{2, 4}}, nil)
	for _, c := range []*client{a, b} {
		c.await("continued", nil)
		if got := c.stopped(); got != fmt.Sprintf(
			"breakpoint #2 prog.wat:%d", lineOf(t, p, "(global.set $n (i32.const 1))"),
		) {
			t.Fatal(got)
		}
	}
	b.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
	a.await("continued", nil)
	for _, c := range []*client{a, b} {
		for _, id := range []int{2, 4} {
			if text, gone := c.cancelled(); gone != id {
				t.Errorf("%s: %d has exited, want %d", text, gone, id)
			}
		}
		if got := c.stopped(); got != fmt.Sprintf("breakpoint #1 prog.wat:%d", here) ||
			c.last.Description != "Stopped at a breakpoint, as before #2 and #4 were cancelled" {
			t.Fatal(got, c.last.Description)
		}
	}
	// A release is told, too.
	b.must("stackscope/cancel", map[string]any{"threadId": 3}, nil)
	for _, c := range []*client{a, b} {
		var e godap.ThreadEventBody
		if c.await("thread", &e); e.ThreadId != 3 {
			t.Errorf("%+v", e)
		}
	}
	b.must("disconnect", map[string]any{"terminateDebuggee": true}, nil)
}

func loadProgram(p string) (*debugger.Program, error) { return launch.Load(&dap.Launch{Program: p}) }

// TestCancelTranscript is a cancellation as an editor has it, with a stop in the clean-up.
func TestCancelTranscript(t *testing.T) {
	c := real(t)
	p, _ := cleaningAt(t, c)
	c.hide = filepath.Dir(p)
	c.must("stackTrace", godap.StackTraceArguments{ThreadId: 2}, nil)
	c.breakpoints(p, lineOf(t, p, "(global.set $n (i32.const 1))"))
	c.cancel(2)
	c.stopped()
	c.must("threads", nil, nil)
	c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil)
	c.stopped()
	c.must("threads", nil, nil)
	c.jump(1, p, "here")
	c.must("restartFrame", godap.RestartFrameArguments{FrameId: c.code(3)[0].Id}, nil)
	c.stopped()
	c.must("disconnect", nil, nil)
	c.golden("cancel")
}
