package dap_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"runtime"
	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/vm/debugger"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"
)

// printer prints as fast as it can, for ever.
const printer = `(module
  (import "spectest" "print_i32" (func $print (param i32)))
  (func (export "main") (local $i i32)
    (loop $l
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (call $print (local.get $i))
      (br $l))))
`

// flood makes a target that prints, and its address.
func flood(t *testing.T) (*dap.Target, string) {
	t.Helper()
	p, err := launch.Load(&dap.Launch{Program: wat(t, printer)})
	if err != nil {
		t.Fatal(err)
	}
	target := dap.NewTarget(p, debugger.Options{})
	t.Cleanup(func() {
		target.Engine().Kill()
		<-target.Engine().Done()
	})
	return target, serveTarget(t, target)
}

// raw sends messages as they are.
type raw struct {
	net.Conn
	seq int
}

func (r *raw) send(command string, args any) error {
	r.seq++
	b, err := json.Marshal(map[string]any{"seq": r.seq, "type": "request", "command": command, "arguments": args})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(r, "Content-Length: %d\r\n\r\n%s", len(b), b)
	return err
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestFlood attaches to a program that prints without end: requests are answered all the same, and
// a client that never reads costs no memory and disturbs no other.
func TestFlood(t *testing.T) {
	target, address := flood(t)
	var deaf []*raw
	before := heap()
	for range 3 {
		nc, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		r := &raw{Conn: nc}
		for _, x := range []struct {
			command string
			args    any
		}{{"initialize", map[string]any{"adapterID": "wasm"}}, {"attach", map[string]any{}}, {"configurationDone", nil}} {
			if err := r.send(x.command, x.args); err != nil {
				t.Fatal(err)
			}
		}
		deaf = append(deaf, r)
	}
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan *dap.Message, 1)
	output, last := 0, ""
	c := dap.NewClient(nc, func(m *dap.Message) {
		switch {
		case m == nil:
		case m.Event == "stopped" || m.Event == "initialized" || m.Event == "terminated":
			events <- m
		case m.Event == "output":
			var b godap.OutputEventBody
			_ = json.Unmarshal(m.Body, &b)
			if len(b.Output) > 70_000 {
				t.Errorf("an event of %d bytes", len(b.Output))
			}
			output++
			last = b.Output
		}
	}, nil)
	defer c.Close()
	must := func(command string, args any) {
		t.Helper()
		if m := soon(t, command, c.Send(command, args)); m == nil || !m.Success {
			t.Fatalf("%s: %+v", command, m)
		}
	}
	must("initialize", map[string]any{"adapterID": "wasm"})
	must("attach", map[string]any{})
	soon(t, "initialized", events)
	must("configurationDone", nil)
	for range 2 {
		for range 5 {
			must("threads", nil)
		}
		must("pause", map[string]any{"threadId": 1})
		if m := soon(t, "pause", events); m.Event != "stopped" {
			t.Fatal(m.Event)
		}
		must("stackTrace", map[string]any{"threadId": 1})
		must("continue", map[string]any{"threadId": 1})
		for _, r := range deaf { // their requests are not read without end either
			_ = r.SetWriteDeadline(time.Now().Add(5 * time.Millisecond))
			for range 1000 {
				if r.send("threads", nil) != nil {
					break
				}
			}
		}
	}
	if grown := heap() - before; grown > 40<<20 {
		t.Errorf("%d MiB are in use", grown>>20)
	}
	must("disconnect", nil)
	if output == 0 || !strings.HasSuffix(last, "\n") {
		t.Errorf("%d events of output, the last ends in %q", output, last[max(0, len(last)-20):])
	}
	if target.Engine().Ended() {
		t.Error("the program has ended")
	}
}

// TestRequestsBounded sends a session that is busy more requests than it has room for: it stops
// reading. It goes on when it has time.
func TestRequestsBounded(t *testing.T) {
	release := make(chan struct{})
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- dap.Serve(t.Context(), there, dap.Config{Load: func(*dap.Launch) (*debugger.Program, error) {
			<-release
			return load(&dap.Launch{Program: "test.wat"})
		}})
	}()
	answers := make(chan string, 10_000)
	go func() {
		r := bufio.NewReader(here)
		for {
			m, err := godap.ReadBaseMessage(r)
			if err != nil {
				close(answers)
				return
			}
			answers <- string(m)
		}
	}()
	r := &raw{Conn: here}
	_ = r.send("initialize", map[string]any{"adapterID": "wasm"})
	_ = r.send("launch", map[string]any{"program": "test.wat"})
	sent := 0
	_ = here.SetWriteDeadline(time.Now().Add(3 * time.Second))
	for ; sent < 100; sent++ { // a pipe has no room of its own
		_ = here.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
		if err := r.send("nosuch", strings.Repeat("x", 1<<20)); err != nil {
			break
		}
	}
	if sent < 5 || sent > 12 {
		t.Errorf("%d MB are read", sent)
	}
	close(release)
	for n := 0; n < sent+2; {
		if m := soon(t, "answers", answers); strings.Contains(m, `"response"`) {
			n++
		}
	}
	here.Close()
	if err := soon(t, "the end", done); err != nil && err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

// TestAskedBounded has a server elsewhere ask a client that never answers: beyond a number its
// requests are refused, and the client's are still answered.
func TestAskedBounded(t *testing.T) {
	l, err := dap.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	refused := make(chan int, 1)
	go func() {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		n := 0
		r := bufio.NewReader(nc)
		for {
			b, err := godap.ReadBaseMessage(r)
			if err != nil {
				return
			}
			var m dap.Message
			_ = json.Unmarshal(b, &m)
			if m.Type == "response" {
				if n++; !m.Success && n == 100 {
					refused <- n
				}
				continue
			}
			answer := fmt.Sprintf(`{"seq":1,"type":"response","request_seq":%d,"success":true,"command":%q}`, m.Seq, m.Command)
			fmt.Fprintf(nc, "Content-Length: %d\r\n\r\n%s", len(answer), answer)
			if m.Command == "attach" {
				for i := range 600 {
					ask := fmt.Sprintf(
						`{"seq":%d,"type":"request","command":"startDebugging","arguments":{"request":"attach","configuration":{}}}`,
						i+10,
					)
					fmt.Fprintf(nc, "Content-Length: %d\r\n\r\n%s", len(ask), ask)
				}
			}
		}
	}()
	here, there := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- dap.Serve(t.Context(), there, dap.Config{}) }()
	c := dap.NewClient(here, nil, nil)
	forever := make(chan struct{})
	c.OnRequest(func(*dap.Message) any { <-forever; return nil })
	for _, command := range []string{"initialize", "attach", "threads"} {
		if m := soon(
			t, command, c.Send(command, map[string]any{"adapterID": "wasm", "connect": l.Addr().String()}),
		); m == nil ||
			!m.Success {
			t.Fatalf("%s: %+v", command, m)
		}
	}
	if n := soon(t, "refusals", refused); n != 100 {
		t.Error(n)
	}
	c.Close()
	_ = soon(t, "the end", done)
	close(forever)
}
