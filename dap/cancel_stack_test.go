package dap_test

import (
	"encoding/json"
	"fmt"
	"stackscope/dap"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

const cancelled = `(module
  (type $f (func (result i32 i64))) (type $c (cont $f)) (tag $pause) (tag $cancel (param i32)) (tag $other)
  (global $cleaned (export "cleaned") (mut i32) (i32.const 0))
  (elem declare func $careful $careless $stubborn)
  (func $careful (result i32 i64)
    (global.set $cleaned (block $caught (result i32)
      (try_table (catch $cancel $caught) (suspend $pause))
      (i32.const -1)))
    (i32.const 1) (i64.const 2))
  (func $careless (result i32 i64) (suspend $pause) (i32.const 3) (i64.const 4))
  (func $stubborn (result i32 i64)
    (block $again (try_table (catch_all $again) (suspend $pause)))
    (suspend $other)
    (i32.const 5) (i64.const 6))
  (func $start (param $k (ref $c)) (result (ref $c))
    (block $on (result (ref $c)) (resume $c (on $pause $on) (local.get $k)) (unreachable)))
  (func (export "main") (local $a (ref null $c)) (local $b (ref null $c)) (local $d (ref null $c)) (local $new (ref null $c))
    (local.set $a (call $start (cont.new $c (ref.func $careful))))
    (local.set $b (call $start (cont.new $c (ref.func $careless))))
    (local.set $d (call $start (cont.new $c (ref.func $stubborn))))
    (local.set $new (cont.new $c (ref.func $careful)))
    (nop)))
`

// cancelled waits for the end of a cancellation: what the console says, and the thread that has
// exited.
func (c *client) cancelled() (text string, gone int) {
	c.t.Helper()
	for {
		m := <-c.events
		if m == nil {
			c.t.Fatal("the connection ends")
		}
		switch m.Event {
		case "output":
			var b godap.OutputEventBody
			_ = json.Unmarshal(m.Body, &b)
			text += b.Output
		case "stopped":
			c.t.Fatalf("stopped before the cancellation has ended: %s", m.Body)
		case "thread":
			var b godap.ThreadEventBody
			_ = json.Unmarshal(m.Body, &b)
			return strings.TrimSpace(text), b.ThreadId
		}
	}
}

// TestCancel throws an exception into continuations: their catch clauses run.
func TestCancel(t *testing.T) {
	for _, tag := range []string{"request", "launch", "console"} {
		t.Run(tag, func(t *testing.T) {
			c := real(t)
			p := wat(t, cancelled)
			launch := map[string]any{"program": p}
			if tag == "launch" {
				launch["cancelTag"] = "$other"
			}
			at := c.start(launch, lineOf(t, p, "(nop)"))
			c.must("setExceptionBreakpoints", godap.SetExceptionBreakpointsArguments{Filters: []string{}}, nil)
			c.output("console")
			cancel := func(id int) string {
				t.Helper()
				switch tag {
				case "request":
					c.must(
						"stackscope/cancel",
						map[string]any{"threadId": id, "tag": "$cancel", "values": []any{7}}, nil,
					)
				case "launch":
					c.must("terminateThreads", map[string]any{"threadIds": []int{id}}, nil)
				default:
					if got, want := c.eval(0, "repl", fmt.Sprintf("cancel #%d cancel 7", id)), fmt.Sprintf("cancelling #%d", id); got != want {
						t.Errorf("%s, want %s", got, want)
					}
				}
				text, gone := c.cancelled()
				if gone != id {
					t.Errorf("thread %d exited, want %d", gone, id)
				}
				// The same stop is told again, and says why.
				if got := c.stopped(); got != at ||
					c.last.Description != fmt.Sprintf("Stopped at a breakpoint, as before #%d was cancelled", id) ||
					len(c.last.HitBreakpointIds) != 1 {
					t.Errorf("%s: %+v", got, c.last)
				}
				return text
			}
			want := []string{"#2 $careful caught $cancel and returned", "#3 $careless was ended by $cancel",
				"#4 $stubborn suspended itself with $other while it was cancelled: it was ended", "#5 $careful was ended by $cancel"}
			cleaned := "7"
			if tag == "launch" {
				want[0], want[1], want[3], cleaned = "#2 $careful was ended by $other", "#3 $careless was ended by $other", "#5 $careful was ended by $other", "0"
			}
			for i, w := range want {
				if got := cancel(i + 2); got != w {
					t.Errorf("%s, want %s", got, w)
				}
			}
			if got := c.eval(c.frames(1)[0].Id, "watch", "$cleaned"); got != cleaned {
				t.Error(got)
			}
			var th godap.ThreadsResponseBody
			c.must("threads", nil, &th)
			if len(th.Threads) != 1 {
				t.Errorf("%+v", th)
			}
			c.refused("terminateThreads", map[string]any{"threadIds": []int{2}})
		})
	}
	c := real(t)
	p := wat(t, cancelled)
	c.start(map[string]any{"program": p}, lineOf(t, p, "(nop)"))
	for _, x := range []struct {
		args map[string]any
		why  string
	}{
		{map[string]any{"threadId": 2, "tag": "$nothing"}, "there is no tag $nothing"},
		{map[string]any{"threadId": 2, "tag": "$cancel"}, "$cancel takes 1 value, not 0"},
		{map[string]any{"threadId": 2, "tag": "$cancel", "values": []string{"x"}}, `value 1 of $cancel: "x" is not an integer`},
		{map[string]any{"threadId": 1, "tag": "$cancel", "values": []any{1}}, "cannot be cancelled"},
	} {
		if got := c.refused("stackscope/cancel", x.args); !strings.Contains(got, x.why) {
			t.Errorf("%v: %s", x.args, got)
		}
	}
	if got := c.eval(0, "repl", "cancel #5"); got != "#5 was released" {
		t.Error(got)
	}
}

// TestTerminateThreads ends a suspended stack: its next use finds it consumed.
func TestTerminateThreads(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 31)
	c.refused("terminateThreads", map[string]any{"threadIds": []int{1}})
	c.refused("terminateThreads", map[string]any{"threadIds": []int{7}})
	c.refused("terminateThreads", map[string]any{})
	c.must("terminateThreads", map[string]any{"threadIds": []int{2}}, nil)
	c.await("thread", nil)
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	if len(th.Threads) != 1 {
		t.Errorf("%+v", th.Threads)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "exception #1 test.wat:27" {
		t.Error(got)
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
	if i.ExceptionId != "continuation already consumed" ||
		!strings.HasSuffix(i.Description, "it was to stack #2 $gen, which the debugger has ended") {
		t.Error(i.ExceptionId)
	}
	c = connect(t, dap.Config{})
	c.start(prog, 8)
	c.refused("terminateThreads", map[string]any{"threadIds": []int{2}}) // it runs
}
