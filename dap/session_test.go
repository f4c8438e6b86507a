package dap_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
	engine "stackscope/vm/debugger"
)

var prog = map[string]any{"program": "test.wat"}

func TestTranscript(t *testing.T) {
	c := connect(t, dap.Config{})
	if got := c.start(prog, 8); got != "breakpoint #2 test.wat:8" {
		t.Fatal(got)
	}
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	frames := c.frames(2)
	c.scope(frames[0].Id, "Locals")
	c.scope(frames[0].Id, "Operand stack")
	c.scope(frames[0].Id, "Handler clauses")
	c.must("evaluate", godap.EvaluateArguments{Expression: "$i", FrameId: frames[0].Id, Context: "hover"}, nil)
	c.step("stepIn", 2, "statement")
	c.step("next", 1, "statement")
	c.must("stackscope/stacks", map[string]any{}, nil)
	c.breakpoints("test.wat")
	c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Fatal(got)
	}
	c.must("disconnect", godap.DisconnectArguments{}, nil)
	c.golden("generator")
}

func TestStepping(t *testing.T) {
	c := connect(t, dap.Config{})
	if got := c.start(map[string]any{"program": "test.wat", "stopOnEntry": true}); got != "entry #1 test.wat:21" {
		t.Fatal(got)
	}
	for i, s := range []struct{ cmd, gran, want string }{
		{"next", "line", "step #1 test.wat:22"},
		{"next", "instruction", "step #1 test.wat:23"},
		{"next", "", "step #1 test.wat:24"},
		{"stepIn", "", "step #1 test.wat:25"},
		{"stepIn", "", "step #1 test.wat:26"},
		{"stepIn", "", "step #1 test.wat:27"},
		{"stepIn", "", "step #2 test.wat:2"},
		{"stepOut", "", "step #1 test.wat:28"},
	} {
		if got := c.step(s.cmd, 0, s.gran); got != s.want {
			t.Fatalf("step %d, %s %s: %s, want %s", i, s.cmd, s.gran, got, s.want)
		}
	}
	if m := c.refused("next", map[string]any{"threadId": 1, "granularity": "page"}); !strings.Contains(m, "granularity") {
		t.Error(m)
	}
	if m := c.refused("next", map[string]any{"threadId": 99}); !strings.Contains(m, "no stack #99") {
		t.Error(m)
	}
}

func TestBreakpoints(t *testing.T) {
	c := connect(t, dap.Config{})
	c.initialize()
	c.must("launch", prog, nil)
	c.await("initialized", nil)
	a := godap.SetBreakpointsArguments{Source: godap.Source{Path: "test.wat"}, Breakpoints: []godap.SourceBreakpoint{
		{Line: 1},                                 // a header: moved
		{Line: 9, Condition: "$i == 2"},           //
		{Line: 10, HitCondition: "3"},             //
		{Line: 11, LogMessage: "i is {$i} {{x}}"}, //
		{Line: 12, Condition: "$nothing > 1"},     // wrong
		{Line: 12, HitCondition: "often"},         // wrong
		{Line: 500},                               // nothing there
	}}
	var b godap.SetBreakpointsResponseBody
	c.must("setBreakpoints", a, &b)
	want := []string{
		"true 2", "true 9", "true 10", "true 11", "false there is no local or global $nothing",
		"false hit condition", "false there is no code",
	}
	for i, x := range b.Breakpoints {
		got := fmt.Sprint(x.Verified, " ")
		if x.Verified {
			got += fmt.Sprint(x.Line)
		} else {
			got += strings.TrimPrefix(x.Message, "condition: ")
		}
		if !strings.HasPrefix(got, want[i]) {
			t.Errorf("breakpoint %d: %s, want %s", i, got, want[i])
		}
	}
	ids := b.Breakpoints
	var b2 godap.SetBreakpointsResponseBody
	c.must("setBreakpoints", a, &b2)
	for i := range ids {
		if ids[i].Id != b2.Breakpoints[i].Id || ids[i].Id == 0 {
			t.Errorf("breakpoint %d changes its id", i)
		}
	}
	c.must("configurationDone", nil, nil)
	for _, want := range []string{"breakpoint #2 test.wat:2", "breakpoint #2 test.wat:2", "breakpoint #2 test.wat:9", "breakpoint #2 test.wat:2", "breakpoint #2 test.wat:10"} {
		got := c.stopped()
		if got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		c.must("continue", godap.ContinueArguments{ThreadId: 1}, nil)
	}
	if got := c.stopped(); got != "terminated" {
		t.Fatal(got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := 1; i <= 3; i++ {
		if !strings.Contains(c.log.String(), fmt.Sprintf(`"output":"i is %d {x}\n"`, i)) {
			t.Errorf("log message %d is missing", i)
		}
	}
}

func TestFunctionBreakpoint(t *testing.T) {
	c := connect(t, dap.Config{})
	c.initialize()
	c.must("launch", prog, nil)
	c.await("initialized", nil)
	var b godap.SetBreakpointsResponseBody
	c.must(
		"setFunctionBreakpoints",
		godap.SetFunctionBreakpointsArguments{
			Breakpoints: []godap.FunctionBreakpoint{{Name: "$add", Condition: "$x == 2"}, {Name: "nothing"}},
		},
		&b,
	)
	if !b.Breakpoints[0].Verified || b.Breakpoints[0].Line != 16 || b.Breakpoints[1].Verified {
		t.Fatalf("%+v", b.Breakpoints)
	}
	c.must("configurationDone", nil, nil)
	if got := c.stopped(); got != "function breakpoint #1 test.wat:16" {
		t.Fatal(got)
	}
}

func TestBreakpointLocations(t *testing.T) {
	c := connect(t, dap.Config{})
	c.initialize()
	c.must("launch", prog, nil)
	var b godap.BreakpointLocationsResponseBody
	c.must(
		"breakpointLocations",
		godap.BreakpointLocationsArguments{Source: godap.Source{Path: "test.wat"}, Line: 3, EndLine: 4}, &b,
	)
	if len(b.Breakpoints) != 2 || b.Breakpoints[0].Line != 3 || b.Breakpoints[0].Column != 3 {
		t.Errorf("%+v", b.Breakpoints)
	}
}

func TestSetVariable(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 9)
	f := c.frames(2)
	var sc godap.ScopesResponseBody
	c.must("scopes", godap.ScopesArguments{FrameId: f[0].Id}, &sc)
	set := func(v string) (string, error) {
		var b godap.SetVariableResponseBody
		err := c.Request(
			"setVariable",
			godap.SetVariableArguments{VariablesReference: sc.Scopes[0].VariablesReference, Name: "$i", Value: v},
			&b,
		)
		return b.Value, err
	}
	for v, want := range map[string]string{"0x10": "16", "-1": "-1", "4294967295": "-1", "2": "2"} {
		if got, err := set(v); err != nil || got != want {
			t.Errorf("%s: %s %v", v, got, err)
		}
	}
	if _, err := set("4294967296"); err == nil {
		t.Error("too large a number is taken")
	}
	if _, err := set("$k"); err == nil {
		t.Error("an unknown name is taken")
	}
	c.must("setExpression", godap.SetExpressionArguments{Expression: "$i", Value: "3", FrameId: f[0].Id}, nil)
	if got := text(c.scope(f[0].Id, "Locals")); got != "$i=3" {
		t.Error(got)
	}
	c.must("continue", godap.ContinueArguments{ThreadId: 2}, nil) // 3 < 3 is false: the generator ends
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}

func TestFocusAndThreads(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 31)
	var th godap.ThreadsResponseBody
	c.must("threads", nil, &th)
	if got := fmt.Sprint(th.Threads); got != "[{1 #1 main · running} {2 #2 $gen · suspended at $yield test.wat:8}]" {
		t.Error(got)
	}
	c.must("stackscope/focus", map[string]any{"threadId": 2}, nil)
	if got := c.stopped(); got != "pause #2 test.wat:8" {
		t.Error(got)
	}
	if m := c.refused("stackscope/focus", map[string]any{"threadId": 7}); !strings.Contains(m, "no stack #7") {
		t.Error(m)
	}
	f := c.frames(2)
	if f[0].PresentationHint != "label" || !strings.HasPrefix(f[0].Name, "suspended at $yield") {
		t.Errorf("%+v", f)
	}
	if got := text(c.scope(f[1].Id, "Locals")); got != "$i=1" {
		t.Error(got)
	}
	if vs := c.scope(f[1].Id, "Continuation"); len(vs) == 0 {
		t.Error("no continuation scope")
	}
	// Stepping a stack that does not run waits until it is resumed.
	if got := c.step("next", 2, "statement"); got != "step #2 test.wat:9" {
		t.Error(got)
	}
}

func TestRestartAndTerminate(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 33)
	c.must("restart", map[string]any{}, nil)
	if got := c.stopped(); got != "breakpoint #1 test.wat:33" {
		t.Fatal(got)
	}
	c.must("terminate", nil, nil)
	if got := c.stopped(); got != "terminated" {
		t.Fatal(got)
	}
	c.must("restart", map[string]any{}, nil)
	if got := c.stopped(); got != "breakpoint #1 test.wat:33" {
		t.Fatal(got)
	}
	c.must("disconnect", nil, nil)
	select {
	case err := <-c.served:
		if err != nil {
			t.Error(err)
		}
		c.served <- nil
	case <-time.After(5 * time.Second):
		t.Error("disconnect does not end the session")
	}
}

// A script that was terminated before it began does not begin when the configuration is done.
func TestTerminateBeforeStart(t *testing.T) {
	p := filepath.Join(t.TempDir(), "empty.wast")
	if err := os.WriteFile(p, []byte("(module)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var begun atomic.Int32
	c := connect(t, dap.Config{Load: func(l *dap.Launch) (*engine.Program, error) {
		d, err := launch.Load(l)
		if err == nil {
			run := d.Run
			d.Run = func(ctx context.Context, r *engine.Runner) error {
				begun.Add(1)
				return run(ctx, r)
			}
		}
		return d, err
	}})
	c.initialize()
	c.must("launch", map[string]any{"program": p}, nil)
	c.must("terminate", nil, nil)
	if got := c.stopped(); got != "terminated" {
		t.Fatal(got)
	}
	c.must("configurationDone", nil, nil)
	c.must("restart", map[string]any{}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Fatal(got)
	}
	c.must("disconnect", nil, nil) // it waits for programs that run
	if n := begun.Load(); n != 1 {
		t.Errorf("%d programs began, want the restarted one only", n)
	}
}

// What is asked of a script's own row, or of nothing, is refused in words.
func TestStackRequestsOfScriptRow(t *testing.T) {
	p := filepath.Join(t.TempDir(), "empty.wast")
	if err := os.WriteFile(p, []byte("(module)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := real(t)
	c.start(map[string]any{"program": p, "stopOnEntry": true})
	if m := c.refused("terminateThreads", map[string]any{"threadIds": []int{int(engine.ScriptThread)}}); m != "the script is not a stack" {
		t.Error(m)
	}
	if m := c.refused("setExpression", map[string]any{"expression": "", "value": "1"}); m != "no variable is named" {
		t.Error(m)
	}
}

func TestRequestErrors(t *testing.T) {
	c := connect(t, dap.Config{})
	if m := c.refused("threads", nil); !strings.Contains(m, "initialize") {
		t.Error(m)
	}
	c.initialize()
	c.refused("initialize", nil)
	c.refused("launch", map[string]any{})
	c.refused("launch", map[string]any{"program": 7})
	c.refused("launch", map[string]any{"program": "test.wat", "stepping": "sideways"})
	c.refused("launch", map[string]any{"program": "absent.wat"})
	if m := c.refused("launch", map[string]any{"program": "wrong.wat"}); !strings.Contains(m, "unknown operator") {
		t.Error(m)
	}
	c.refused("no such request", nil)
	c.refused("continue", nil)
	c.must("launch", prog, nil)
	c.refused("launch", prog)
	if m := c.refused("stackTrace", map[string]any{"threadId": 1}); m != "the program is running" && m != "notStopped" {
		t.Error(m)
	}
	c.refused("setBreakpoints", map[string]any{"source": "x"})
	c.refused("readMemory", map[string]any{"memoryReference": "x", "count": 1})
}

func TestStaleHandles(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 8)
	f := c.frames(2)[0].Id
	c.step("next", 2, "")
	if m := c.refused("evaluate", godap.EvaluateArguments{Expression: "$i", FrameId: f}); !strings.Contains(
		m, "stale frame reference",
	) {
		t.Error(m)
	}
	c.refused("variables", godap.VariablesArguments{VariablesReference: 1})
}

// TestGarbage sends what is no message between messages: the session lives on.
func TestGarbage(t *testing.T) {
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- dap.Serve(context.Background(), there, dap.Config{Load: load}) }()
	go func() {
		send := func(s string) { _, _ = io.WriteString(here, s) }
		msg := func(s string) { send(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(s), s)) }
		send("hello\r\n\r\n")
		send("\x00\xff garbage Content-Length: 2\r\n\r\n{}")
		msg("{")
		msg(`{"seq":1,"type":"request","command":7}`)
		msg(`{"seq":2,"type":"nonsense"}`)
		msg(`{"seq":3,"type":"response","request_seq":9}`)
		send("X-Other: 1\r\ncontent-length: 45\r\n\r\n" + `{"seq":4,"type":"request","command":"launch"}`)
		msg(`{"seq":5,"type":"request","command":"initialize","arguments":[]}`)
		msg(`{"seq":6,"type":"request","command":"initialize","arguments":{"adapterID":"x","linesStartAt1":false}}`)
		msg(`{"seq":7,"type":"request","command":"disconnect"}`)
	}()
	all, _ := io.ReadAll(here)
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"request_seq":1,"success":false`, `"request_seq":4,"success":false`, `"request_seq":5,"success":false`, `"request_seq":6,"success":true`, `"request_seq":7,"success":true`} {
		if !bytes.Contains(all, []byte(want)) {
			t.Errorf("%s is missing in\n%s", want, all)
		}
	}
}

func TestServeListener(t *testing.T) {
	for _, bad := range []string{"0.0.0.0:0", "example.org:80", ":0", "192.0.2.1:1"} {
		if l, err := dap.Listen(bad); err == nil {
			l.Close()
			t.Errorf("%s is accepted", bad)
		}
	}
	l, err := dap.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- dap.ServeListener(ctx, l, dap.Config{Load: load}) }()
	var cs []*client
	for i := range 3 {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c := over(t, dap.Config{}, conn, nil)
		if got := c.start(prog, 8+i); got != fmt.Sprintf("breakpoint #2 test.wat:%d", 8+i) {
			t.Fatal(got)
		}
		cs = append(cs, c)
	}
	cs[0].must("disconnect", nil, nil)
	for i, c := range cs[1:] {
		if got := c.step("next", 2, ""); got != fmt.Sprintf("step #2 test.wat:%d", 10+i) {
			t.Error(got)
		}
	}
	cancel()
	select {
	case err := <-served:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the server does not end")
	}
}

func TestNoDebug(t *testing.T) {
	c := connect(t, dap.Config{})
	c.initialize()
	c.must("launch", map[string]any{"program": "test.wat", "noDebug": true, "stopOnEntry": true}, nil)
	c.breakpoints("test.wat", 8)
	c.must("configurationDone", nil, nil)
	c.must("threads", nil, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
}
