package dap_test

import (
	"errors"
	"stackscope/dap"
	"stackscope/vm/debugger"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"
)

// soon waits for something that must not take long, whatever else goes on.
func soon[T any](t *testing.T, what string, ch <-chan T) (x T) {
	t.Helper()
	select {
	case x = <-ch:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: nothing happens", what)
	}
	return x
}

// TestCancelRequests cancels requests while they are executed: evaluations that run, also several
// in one expression, and loading.
func TestCancelRequests(t *testing.T) {
	c, f := kindsSession(t)
	for _, text := range []string{"(loop (br 0))", "(loop (br 0)) " + strings.Repeat("(loop (br 0)) ", 50), "$i32 = (block (result i32) (loop (br 0)) (unreachable))"} {
		answer := c.Send("evaluate", godap.EvaluateArguments{Expression: text, FrameId: f, Context: "repl"})
		// The client counts its requests; this is the number of the last one.
		seq := c.lastSeq()
		c.Send("cancel", godap.CancelArguments{RequestId: seq})
		if m := soon(t, text, answer); m.Success || m.Message != "cancelled" {
			t.Errorf("%s: %+v", text, m)
		}
	}
	if got := c.eval(f, "watch", "$i32 + 1"); got != "1" {
		t.Error(got)
	}
}

// TestLargeExpressions refuses what is too long, and compiles what is not in a fraction of the time
// that it has.
func TestLargeExpressions(t *testing.T) {
	c, f := kindsSession(t)
	for _, text := range []string{
		strings.Repeat("(i32.add ", 20_000), strings.Repeat("(", 150_000) + strings.Repeat(")", 150_000), "$i32 " + strings.Repeat("+ $i32 ", 30_000),
		strings.Repeat("(nosuch) ", 7000), strings.Repeat("(i32.const 1) ", 4600), strings.Repeat("block ", 10_000), strings.Repeat("-", 60_000) + "1", strings.Repeat("f(", 30_000),
		strings.Repeat("1?", 30_000), strings.Repeat("$i32[", 13_000), strings.Repeat("#1.", 20_000), strings.Repeat("$i32.", 13_000),
	} {
		for _, context := range []string{"watch", "hover", "repl"} {
			err := c.Request("evaluate", godap.EvaluateArguments{Expression: text, FrameId: f, Context: context}, nil)
			var refused *dap.RequestError
			if !errors.As(err, &refused) || len(refused.Message) > 1000 {
				t.Errorf("%.20s…: %.2000v", text, err)
			} else if strings.Contains(refused.Message, "takes longer") {
				t.Errorf("%.20s… in a %s: %s", text, context, refused.Message)
			}
		}
		_ = c.Request("setExpression", map[string]any{"expression": text, "value": "1", "frameId": f}, nil)
		_ = c.Request("setExpression", map[string]any{"expression": "$i32", "value": text, "frameId": f}, nil)
		_ = c.Request("dataBreakpointInfo", map[string]any{"name": text, "frameId": f}, nil)
	}
}

// TestLoadingInterrupted ends a launch that does not come to an end, when it is cancelled, the
// client disconnects, or its connection breaks.
func TestLoadingInterrupted(t *testing.T) {
	for _, how := range []string{"cancel", "disconnect", "close"} {
		release, begun := make(chan struct{}), make(chan struct{}, 1)
		c := connect(t, dap.Config{Load: func(l *dap.Launch) (*debugger.Program, error) {
			begun <- struct{}{}
			select {
			case <-l.Context.Done():
			case <-release: // a loader that cannot be interrupted would look like this
			}
			return nil, errors.New("given up")
		}})
		c.initialize()
		answer := c.Send("launch", map[string]any{"program": "x.wat"})
		soon(t, how, begun)
		switch how {
		case "cancel":
			c.Send("cancel", godap.CancelArguments{RequestId: c.lastSeq()})
			if m := soon(t, how, answer); m.Success || m.Message != "cancelled" {
				t.Errorf("%+v", m)
			}
			c.must("threads", nil, nil)
		case "disconnect":
			if m := soon(t, how, c.Send("disconnect", nil)); !m.Success {
				t.Errorf("%+v", m)
			}
		case "close":
			c.Close()
		}
		if how != "cancel" {
			err := soon(t, how, c.served)
			if err != nil {
				t.Errorf("%s: %v", how, err)
			}
			c.served <- err // for whoever cleans up
		}
		close(release)
	}
}
