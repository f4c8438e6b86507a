package dap_test

import (
	"fmt"
	"stackscope/dap"
	"stackscope/internal/launch"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestTraceOfLongChain reads the stack trace of a chain of many stacks: it is short, and the ends
// are there.
func TestTraceOfLongChain(t *testing.T) {
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

// TestTraceFrameFormat names frames as the client asks for.
func TestTraceFrameFormat(t *testing.T) {
	c, f := dataSession(t)
	c.breakpoints(f.Source.Path, lineOf(t, f.Source.Path, "(global.set $g"))
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	c.stopped()
	for _, x := range []struct {
		format map[string]any
		want   string
	}{
		{map[string]any{"parameters": true}, "$bump(by)"},
		{map[string]any{"parameters": true, "parameterNames": true, "parameterTypes": true, "parameterValues": true}, "$bump(by i32: 1)"},
		{map[string]any{"parameterValues": true, "hex": true, "line": true, "module": true}, "prog.wat!$bump(0x1) line 11"},
	} {
		var b godap.StackTraceResponseBody
		c.must("stackTrace", map[string]any{"threadId": 1, "format": x.format}, &b)
		if got := b.StackFrames[0].Name; got != x.want {
			t.Errorf("%v: %s", x.format, got)
		}
	}
	var done godap.CompletionsResponseBody
	c.must("completions", godap.CompletionsArguments{FrameId: c.frames(1)[0].Id, Text: "dou", Column: 4}, &done)
	if len(done.Targets) != 1 || done.Targets[0].Label != "double" || done.Targets[0].Type != "function" {
		t.Errorf("%+v", done)
	}
}

// TestTraceOfDeepRecursion counts all frames of a deep recursion that it does not write, and shows
// where it began.
func TestTraceOfDeepRecursion(t *testing.T) {
	p := wat(t, `(module (func $r (call $r) (nop)) (func $begin (call $r)) (func (export "main") (call $begin)))`)
	c := real(t)
	if got := c.start(map[string]any{"program": p, "limits": map[string]any{"maxDepth": 5000}}); !strings.HasPrefix(
		got, "exception",
	) {
		t.Fatal(got)
	}
	var b godap.StackTraceResponseBody
	c.must("stackTrace", godap.StackTraceArguments{ThreadId: 1, Levels: 1}, &b)
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
	trace := i.Details.StackTrace
	if want := fmt.Sprintf("… %d more frames", b.TotalFrames-50); !strings.Contains(trace, want) ||
		!strings.Contains(trace, "at $begin") ||
		strings.Count(trace, "\n") != 51 {
		t.Errorf("%d frames, want %s:\n%s", b.TotalFrames, want, trace)
	}
}

// TestTraceByPages asks for a deep trace across two stacks page by page: the pages are the whole.
func TestTraceByPages(t *testing.T) {
	p := wat(t, `(module
  (type $f (func)) (type $c (cont $f)) (tag $y)
  (elem declare func $task)
  (func $deep (param $n i32)
    (if (i32.eqz (local.get $n)) (then (suspend $y)) (else (call $deep (i32.sub (local.get $n) (i32.const 1)))))
    (nop))
  (func $task (call $deep (i32.const 30)) (nop))
  (func (export "main") (block $h (result (ref $c)) (resume $c (on $y $h) (cont.new $c (ref.func $task))) (return)) (drop)))
`)
	c := real(t)
	if got := c.start(map[string]any{"program": p}, lineOf(t, p, "(if (i32.eqz")); !strings.HasPrefix(
		got, "breakpoint",
	) {
		t.Fatal(got)
	}
	c.must(
		"setBreakpoints",
		godap.SetBreakpointsArguments{
			Source:      godap.Source{Path: p},
			Breakpoints: []godap.SourceBreakpoint{{Line: lineOf(t, p, "(if (i32.eqz"), Condition: "$n == 0"}},
		},
		nil,
	)
	c.must("continue", godap.ContinueArguments{ThreadId: c.last.ThreadId}, nil)
	c.stopped()
	key := func(fs []godap.StackFrame) (out []string) {
		for _, f := range fs {
			out = append(out, fmt.Sprint(f.Name, f.Line, f.Column, f.PresentationHint))
		}
		return out
	}
	for _, thread := range []int{c.last.ThreadId, 1} {
		all := key(c.frames(thread))
		for _, size := range []int{1, 7, 20, 1000} {
			var got []string
			for from := 0; from < len(all); from += size {
				var b godap.StackTraceResponseBody
				c.must("stackTrace", godap.StackTraceArguments{ThreadId: thread, StartFrame: from, Levels: size}, &b)
				if b.TotalFrames != len(all) {
					t.Errorf("#%d: %d frames in all, want %d", thread, b.TotalFrames, len(all))
				}
				got = append(got, key(b.StackFrames)...)
			}
			if strings.Join(got, "\n") != strings.Join(all, "\n") {
				t.Errorf(
					"#%d in pages of %d:\n%s\nwant\n%s", thread, size, strings.Join(got, "\n"),
					strings.Join(all, "\n"),
				)
			}
		}
		if thread != 1 && len(all) != 34 {
			t.Errorf("%d lines: %v", len(all), all)
		}
	}
}
