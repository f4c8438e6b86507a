package dap_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/internal/testing/testprog"
	"stackscope/vm/debugger"
)

// attach attaches a session to a target and returns its first stop, if there is to be one.
func attach(t *testing.T, target *dap.Target, lines ...int) *client {
	t.Helper()
	c := connect(t, dap.Config{Target: target})
	c.initialize()
	c.must("attach", map[string]any{}, nil)
	c.await("initialized", nil)
	if len(lines) > 0 {
		c.breakpoints("test.wat", lines...)
	}
	c.must("configurationDone", nil, nil)
	return c
}

// TestAttach attaches two sessions to one program: both are told of stops, and of what the other
// does.
func TestAttach(t *testing.T) {
	ends := make(chan debugger.End, 1)
	target := dap.NewTarget(
		testprog.Generator().Program("main"), debugger.Options{OnEnd: func(x debugger.End) { ends <- x }},
	)
	a := attach(t, target, 8)
	if got := a.stopped(); got != "breakpoint #2 test.wat:8" {
		t.Fatal(got)
	}
	a.refused("restart", map[string]any{})
	a.refused("launch", map[string]any{"program": "test.wat"})
	b := attach(t, target, 31)
	if got := b.stopped(); got != "breakpoint #2 test.wat:8" {
		t.Fatal(got)
	}
	b.must("continue", map[string]any{"threadId": 2}, nil)
	a.await("continued", nil)
	if x, y := a.stopped(), b.stopped(); x != "breakpoint #1 test.wat:31" || y != x {
		t.Error(x, y)
	}
	// Its breakpoints go with a session; the program goes on with the other one.
	b.must("disconnect", map[string]any{}, nil)
	a.must("continue", map[string]any{"threadId": 2}, nil)
	if got := a.stopped(); got != "breakpoint #2 test.wat:8" {
		t.Error(got)
	}
	// Without a session the program goes on by itself.
	a.must("disconnect", map[string]any{}, nil)
	if x := <-ends; x.Err != nil || len(x.Results) != 1 {
		t.Errorf("%+v", x)
	}
	late := connect(t, dap.Config{Target: target})
	late.initialize()
	late.must("attach", map[string]any{}, nil)
	late.must("configurationDone", nil, nil)
	if got := late.stopped(); got != "terminated" {
		t.Error(got)
	}
}

// TestDetach leaves a program standing, finds it so, and ends it.
func TestDetach(t *testing.T) {
	ends := make(chan debugger.End, 1)
	target := dap.NewTarget(
		testprog.Generator().Program("main"), debugger.Options{OnEnd: func(x debugger.End) { ends <- x }},
	)
	a := attach(t, target, 8)
	a.stopped()
	a.must("disconnect", map[string]any{"suspendDebuggee": true}, nil)
	b := attach(t, target)
	if got := b.stopped(); got != "breakpoint #2 test.wat:8" {
		t.Fatal(got)
	}
	b.must("disconnect", map[string]any{"terminateDebuggee": true}, nil)
	if x := <-ends; !x.Killed {
		t.Errorf("%+v", x)
	}
}

// serveTarget serves a target over TCP and returns the address.
func serveTarget(t *testing.T, target *dap.Target) string {
	t.Helper()
	l, err := dap.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = dap.ServeListener(ctx, l, dap.Config{Target: target})
	}()
	t.Cleanup(func() { cancel(); <-done })
	return l.Addr().String()
}

// TestAttachThrough attaches to a program elsewhere through an adapter that has none.
func TestAttachThrough(t *testing.T) {
	address := serveTarget(t, dap.NewTarget(testprog.Generator().Program("main"), debugger.Options{}))
	c := connect(t, dap.Config{})
	c.initialize()
	c.refused("attach", map[string]any{})
	c = connect(t, dap.Config{})
	c.initialize()
	c.must("attach", map[string]any{"connect": address}, nil)
	c.await("initialized", nil)
	c.breakpoints("test.wat", 8)
	c.must("configurationDone", nil, nil)
	if got := c.stopped(); got != "breakpoint #2 test.wat:8" {
		t.Fatal(got)
	}
	c.refused("scopes", map[string]any{"frameId": 999})
	c.breakpoints("test.wat")
	c.must("continue", map[string]any{"threadId": 2}, nil)
	if got := c.stopped(); got != "terminated" {
		t.Error(got)
	}
	c.must("disconnect", nil, nil)
	c = connect(t, dap.Config{})
	c.initialize()
	if got := c.refused("attach", map[string]any{"connect": "127.0.0.1:1"}); !strings.Contains(got, "cannot attach") {
		t.Error(got)
	}
}

// asks answers requests of the adapter.
func asks(
	t *testing.T, cfg dap.Config, answer func(c *dap.Client, m *dap.Message) any,
) (*dap.Client, chan *dap.Message) {
	t.Helper()
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- dap.Serve(context.Background(), there, cfg) }()
	events := make(chan *dap.Message, 1000)
	var c *dap.Client
	ready := make(chan struct{})
	c = dap.NewClient(here, func(m *dap.Message) { events <- m }, nil)
	c.OnRequest(func(m *dap.Message) any { <-ready; return answer(c, m) })
	close(ready)
	t.Cleanup(func() { c.Close(); <-done })
	return c, events
}

func waitFor(t *testing.T, events chan *dap.Message, name string) {
	t.Helper()
	for m := range events {
		if m == nil {
			t.Fatalf("the connection ends where %s is awaited", name)
		}
		if m.Event == name {
			return
		}
	}
}

// TestChildSessions begins a session for a module that is linked.
func TestChildSessions(t *testing.T) {
	dir := t.TempDir()
	lib, prog := filepath.Join(dir, "lib.wat"), filepath.Join(dir, "prog.wat")
	for p, text := range map[string]string{
		lib:  "(module (func (export \"f\") (result i32)\n  (i32.const 1)))\n",
		prog: "(module (import \"lib\" \"f\" (func $f (result i32)))\n  (func (export \"main\") (result i32)\n    (call $f)))\n",
	} {
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	children := make(chan map[string]any, 1)
	c, events := asks(t, dap.Config{Load: launch.Load}, func(_ *dap.Client, m *dap.Message) any {
		var a struct{ Configuration map[string]any }
		if m.Command == "startDebugging" && json.Unmarshal(m.Arguments, &a) == nil {
			children <- a.Configuration
		}
		return nil
	})
	must := func(c *dap.Client, command string, args any, body any) {
		t.Helper()
		if err := c.Request(command, args, body); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
	}
	must(c, "initialize", map[string]any{"adapterID": "wasm", "supportsStartDebuggingRequest": true}, nil)
	must(
		c, "launch",
		map[string]any{"program": prog, "imports": map[string]any{"lib": lib}, "childSessions": true, "stopOnEntry": true},
		nil,
	)
	must(c, "configurationDone", nil, nil)
	conf := <-children
	waitFor(t, events, "stopped")
	child := connect(t, dap.Config{})
	child.initialize()
	child.must("attach", conf, nil)
	child.await("initialized", nil)
	var b godap.SetBreakpointsResponseBody
	child.must(
		"setBreakpoints",
		map[string]any{"source": map[string]any{"path": lib}, "breakpoints": []any{map[string]any{"line": 2}}},
		&b,
	)
	child.must("configurationDone", nil, nil)
	if got := child.stopped(); got != "entry #1 prog.wat:3" {
		t.Error(got)
	}
	must(c, "continue", map[string]any{"threadId": 1}, nil)
	child.await("continued", nil)
	if got := child.stopped(); got != "breakpoint #1 lib.wat:2" {
		t.Error(got)
	}
	waitFor(t, events, "stopped")
	child.must("continue", map[string]any{"threadId": 1}, nil)
	waitFor(t, events, "terminated")
	if got := child.stopped(); got != "terminated" {
		t.Error(got)
	}
	child.must("disconnect", nil, nil)
	must(c, "disconnect", nil, nil)
}

// TestTerminal runs a program in a terminal of the client: it connects to the adapter.
func TestTerminal(t *testing.T) {
	c, events := asks(t, dap.Config{Load: load, Self: []string{"wasm-dap"}}, func(_ *dap.Client, m *dap.Message) any {
		var a struct {
			Kind string
			Args []string
		}
		if m.Command != "runInTerminal" || json.Unmarshal(m.Arguments, &a) != nil {
			t.Errorf("%s", m.Command)
			return nil
		}
		if got := strings.Join(append(append([]string{}, a.Args[:3]...), a.Args[4:]...), " "); got != "wasm-dap run --connect --invoke main test.wat 1 -- x" ||
			a.Kind != "integrated" {
			t.Errorf("%s: %v", a.Kind, a.Args)
		}
		conn, err := net.Dial("tcp", a.Args[3])
		if err != nil {
			t.Error(err)
			return nil
		}
		target := dap.NewTarget(testprog.Generator().Program("main"), debugger.Options{})
		go func() { _ = dap.Serve(context.Background(), conn, dap.Config{Target: target}) }()
		return map[string]any{"processId": 1}
	})
	for _, x := range []struct {
		command string
		args    map[string]any
	}{
		{"initialize", map[string]any{"adapterID": "wasm", "supportsRunInTerminalRequest": true}},
		{"launch", map[string]any{"program": "test.wat", "invoke": "main", "args": []any{1}, "wasiArgs": []any{"x"}, "console": "integratedTerminal", "stopOnEntry": true}},
		{"configurationDone", nil},
	} {
		if err := c.Request(x.command, x.args, nil); err != nil {
			t.Fatalf("%s: %v", x.command, err)
		}
	}
	waitFor(t, events, "stopped")
	if err := c.Request("continue", map[string]any{"threadId": 1}, nil); err != nil {
		t.Fatal(err)
	}
	waitFor(t, events, "terminated")
	if err := c.Request("disconnect", nil, nil); err != nil {
		t.Fatal(err)
	}
}

// TestStdin lets a program read what the launch configuration gives it.
func TestStdin(t *testing.T) {
	p := wat(t, `(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "main") (result i32)
    (i32.store (i32.const 0) (i32.const 100))
    (i32.store (i32.const 4) (i32.const 50))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (i32.load8_u (i32.const 100))))
`)
	in := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(in, []byte("B"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ key, value, want string }{{"stdin", "A", "main returned (i32.const 65)"}, {"stdinFile", in, "main returned (i32.const 66)"},
		{"", "", `The program reads standard input, which is empty. Set \main returned (i32.const 0)`}} { // the helper ends a text at a quote
		c := real(t)
		c.initialize()
		args := map[string]any{"program": p, x.key: x.value}
		if x.value == "" { // nothing to read
			args = map[string]any{"program": p}
		}
		c.must("launch", args, nil)
		c.must("configurationDone", nil, nil)
		c.stopped()
		if got := strings.TrimSpace(c.output("console")); got != x.want {
			t.Errorf("%s: %s", x.key, got)
		}
	}
}

// TestDrain waits for sessions until their connections have ended: whoever ends the process after
// it cuts no answer off.
func TestDrain(t *testing.T) {
	target := dap.NewTarget(testprog.Generator().Program("main"), debugger.Options{})
	here, there := net.Pipe()
	go func() { _ = dap.Serve(context.Background(), there, dap.Config{Target: target}) }()
	c := dap.NewClient(here, nil, nil)
	if err := c.Request("initialize", map[string]any{"adapterID": "wasm"}, nil); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() { target.Drain(context.Background()); close(drained) }()
	for range 20 {
		if err := c.Request("threads", nil, nil); err != nil {
			t.Fatal(err)
		}
		select {
		case <-drained:
			t.Fatal("there is a connection, but the target is drained")
		default:
		}
	}
	if err := c.Request("disconnect", map[string]any{}, nil); err != nil {
		t.Error(err)
	}
	c.Close()
	<-drained
}

// TestLoopbackOnly connects to nothing that is not this machine, and looks no name up.
func TestLoopbackOnly(t *testing.T) {
	for _, address := range []string{"192.0.2.1:4711", "example.org:80", "[2001:db8::1]:80"} {
		c := connect(t, dap.Config{})
		c.initialize()
		if got := c.refused("attach", map[string]any{"connect": address}); !strings.Contains(
			got, "is not a loopback address",
		) {
			t.Error(got)
		}
	}
	c := connect(t, dap.Config{})
	c.initialize()
	if got := c.refused("attach", map[string]any{"connect": "4711"}); !strings.Contains(
		got, "want HOST:PORT, such as 127.0.0.1:4711",
	) {
		t.Error(got)
	}
}
