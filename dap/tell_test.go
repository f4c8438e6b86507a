package dap_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
)

// TestChecksums compares the texts of sources with what the client has.
func TestChecksums(t *testing.T) {
	p := wat(t, data)
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "invoke": "main"}, 17)
	var b godap.LoadedSourcesResponseBody
	c.must("loadedSources", nil, &b)
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(data)))
	if s := b.Sources; len(s) != 1 || len(s[0].Checksums) != 1 || s[0].Checksums[0].Algorithm != "SHA256" ||
		s[0].Checksums[0].Checksum != sum {
		t.Errorf("%+v", b)
	}
	for have, want := range map[string]string{sum: "", strings.Repeat("0", 64): "the file was changed since the program was loaded: restart runs it as it is now"} {
		var r godap.SetBreakpointsResponseBody
		c.must(
			"setBreakpoints",
			godap.SetBreakpointsArguments{
				Source:      godap.Source{Path: p, Checksums: []godap.Checksum{{Algorithm: "SHA256", Checksum: have}}},
				Breakpoints: []godap.SourceBreakpoint{{Line: 18}},
			},
			&r,
		)
		if r.Breakpoints[0].Message != want {
			t.Errorf("%+v", r.Breakpoints[0])
		}
	}
	// A restart runs the file as it is now, and says so.
	if err := os.WriteFile(p, []byte(strings.Replace(data, "(nop)", "(nop) (nop)", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	c.must("restart", map[string]any{}, nil)
	var ev godap.LoadedSourceEventBody
	c.await("loadedSource", &ev)
	if ev.Reason != "changed" || ev.Source.Path != p || ev.Source.Checksums[0].Checksum == sum {
		t.Errorf("%+v", ev)
	}
}

// TestLoadedWhileRunning reports modules that a script makes as it runs.
func TestLoadedWhileRunning(t *testing.T) {
	c := real(t)
	c.initialize()
	c.must("launch", map[string]any{"program": example(t, "generator.wast")}, nil)
	c.await("initialized", nil)
	c.must("configurationDone", nil, nil)
	var m struct {
		Reason string
		Module struct {
			Name, Path, Dialect string
		}
	}
	c.await("module", &m)
	if m.Reason != "new" || m.Module.Dialect != "cont" || !strings.HasSuffix(m.Module.Path, "generator.wat") {
		t.Errorf("%+v", m)
	}
	var s godap.LoadedSourceEventBody
	c.await("loadedSource", &s)
	if s.Reason != "new" || s.Source.Name != "generator.wat" || len(s.Source.Checksums) != 1 {
		t.Errorf("%+v", s)
	}
}

// TestProgress tells a client that loading takes its time.
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

// TestANSI colours what is told to a client that shows it.
func TestANSI(t *testing.T) {
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

// TestConsumerWithoutHistory names who used up a reference, as long as the resumption that did
// lasts.
func TestConsumerWithoutHistory(t *testing.T) {
	p := wat(
		t,
		`(module (type $f (func)) (type $c (cont $f)) (global $k (mut (ref null $c)) (ref.null $c)) (elem declare func $task)
  (func $task
    (resume $c (global.get $k)))
  (func (export "main")
    (global.set $k (cont.new $c (ref.func $task)))
    (resume $c (global.get $k))))`,
	)
	c := connect(t, dap.Config{Load: launch.Load})
	if got := c.start(map[string]any{"program": p, "history": "off"}); got != "exception #2 prog.wat:3" {
		t.Fatal(got)
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 2}, &i)
	if want := "continuation already consumed\nit was to stack #2, which was resumed at prog.wat:6 by stack #1"; i.Description != want {
		t.Error(i.Description)
	}
}

// TestConsumerLongAgo reports what is known of who used up a reference when the history has lost
// it.
func TestConsumerLongAgo(t *testing.T) {
	p := wat(t, `(module (type $f (func)) (type $c (cont $f)) (tag $y) (elem declare func $task)
  (func $task (loop $l (suspend $y) (br $l)))
  (func (export "main") (param $n i32) (local $old (ref null $c)) (local $k (ref null $c))
    (local.set $old (cont.new $c (ref.func $task)))
    (local.set $k (local.get $old))
    (loop $again
      (local.set $k (block $on (result (ref $c)) (resume $c (on $y $on) (local.get $k)) (unreachable)))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (resume $c (local.get $old))))`)
	for _, x := range []struct {
		launch map[string]any
		want   string
	}{
		{map[string]any{"args": []int{3}}, "it was to stack #2, which was resumed at prog.wat:7 by stack #1"},
		{map[string]any{"args": []int{30}, "historyEvents": 16}, `who used it up is not known any more: it was longer ago than the last 16 events of stacks ("historyEvents" in the launch configuration keeps more); since then that stack, or one in its place, was used or ended 29 times`},
		{map[string]any{"args": []int{30}, "historyEvents": 100}, "it was to stack #2, which was resumed at prog.wat:7 by stack #1"},
		{map[string]any{"args": []int{1}, "history": "off"}, `who used it up is not known, as no history is kept ("history" is off); it was the last use of that stack`},
	} {
		c := connect(t, dap.Config{Load: launch.Load})
		x.launch["program"] = p
		if got := c.start(x.launch); got != "exception #1 prog.wat:9" {
			t.Fatal(got)
		}
		var i godap.ExceptionInfoResponseBody
		c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
		if want := "continuation already consumed\n" + x.want; i.Description != want {
			t.Errorf("%v: %s", x.launch, i.Description)
		}
	}
	// What an evaluation has used up is not in the history.
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "args": []int{1}}, lineOf(t, p, "(local.set $k (local.get $old))"))
	if got := c.eval(0, "repl", "(block $on (result (ref $c)) (resume $c (on $y $on) (local.get $old)) (unreachable)) (drop)"); got != "no value" {
		t.Error(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "exception #1 prog.wat:7" {
		t.Fatal(got)
	}
	var i godap.ExceptionInfoResponseBody
	c.must("exceptionInfo", godap.ExceptionInfoArguments{ThreadId: 1}, &i)
	if i.Description != "continuation already consumed\nit was not the program that used it up: an evaluation of the debugger did" {
		t.Error(i.Description)
	}
	c = connect(t, dap.Config{Load: launch.Load})
	c.initialize()
	if got := c.refused("launch", map[string]any{"program": p, "historyEvents": 1 << 40}); !strings.Contains(
		got, "a whole number from 0 to 10000000",
	) {
		t.Error(got)
	}
}
