package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"stackscope/lsp/internal/wire"
)

// rawClient writes messages as they are, and reads only when it is told to.
type rawClient struct {
	net.Conn
	r    *bufio.Reader
	next int
}

// newRaw starts a session over a pipe, which has no room of its own, and initializes it.
func newRaw(t *testing.T, opt Options, capabilities string) *rawClient {
	t.Helper()
	here, there := net.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, there, opt) }()
	t.Cleanup(func() {
		here.Close()
		cancel()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Error("the server does not end")
		}
	})
	c := &rawClient{Conn: here, r: bufio.NewReader(here)}
	if err := c.send(`"method":"initialize","params":{"capabilities":` + capabilities + `}`); err != nil {
		t.Fatal(err)
	}
	c.read(t)
	_ = c.notify("initialized", "{}")
	return c
}

// send writes a request; fields are all but the version and the id.
func (c *rawClient) send(fields string) error {
	c.next++
	return c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, c.next, fields))
}

func (c *rawClient) notify(method, params string) error {
	return c.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

func (c *rawClient) write(body string) error {
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	_, err := fmt.Fprintf(c, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (c *rawClient) read(t *testing.T) string {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	n := 0
	for {
		line, err := c.r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		_, _ = fmt.Sscanf(line, "Content-Length: %d", &n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(c.r, b); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// open opens a document.
func (c *rawClient) open(uri, text string) {
	b, _ := json.Marshal(text)
	_ = c.notify(
		"textDocument/didOpen",
		fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"wat","version":1,"text":%s}}`, uri, b),
	)
}

// TestAnswersNotRead has a client that asks and never reads: the server stops reading, and answers
// everything when the client reads at last.
func TestAnswersNotRead(t *testing.T) {
	c := newRaw(t, Options{}, `{"textDocument":{"diagnostic":{}}}`)
	c.open("file:///a.wat", sumWat)
	sent := 0
	for ; sent < 10*wire.MaxUnread; sent++ {
		if c.send(`"method":"textDocument/documentSymbol","params":{"textDocument":{"uri":"file:///a.wat"}}`) != nil {
			break
		}
	}
	if sent >= 5*wire.MaxUnread || sent < wire.MaxUnread/2 {
		t.Errorf("%d requests are read", sent)
	}
	for range sent {
		if m := c.read(t); !strings.Contains(m, `"result"`) {
			t.Fatal(m)
		}
	}
}

// TestWorkBounded has a client that sends requests, and cancels them, which work on: no more than
// so many are begun.
func TestWorkBounded(t *testing.T) {
	release := make(chan struct{})
	var begun atomic.Int32
	c := newRaw(t, Options{before: func(_ context.Context, method string) {
		if method == protocol.MethodTextDocumentHover {
			begun.Add(1)
			<-release
		}
	}}, `{"textDocument":{"diagnostic":{}}}`)
	c.open("file:///a.wat", sumWat)
	go func() { // the cancelled ones are answered
		_, _ = io.Copy(io.Discard, c.r)
	}()
	sent := 0
	for ; sent < 3*maxWork; sent++ {
		if c.send(
			`"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a.wat"},"position":{"line":0,"character":0}}`,
		) != nil {
			break
		}
		if c.notify("$/cancelRequest", fmt.Sprintf(`{"id":%d}`, c.next)) != nil {
			break
		}
	}
	if n := begun.Load(); sent < maxWork-1 || sent > maxWork+2 || n > maxWork {
		t.Errorf("%d are read and %d begun, at most %d", sent, n, maxWork)
	}
	close(release)
}

// TestVersionsBounded has a client that changes a document faster than it is analysed: the versions
// do not pile up.
func TestVersionsBounded(t *testing.T) {
	c := newRaw(t, Options{}, `{"textDocument":{"diagnostic":{}}}`)
	large := strings.Repeat(
		sumWat[:len(sumWat)-2], 1,
	) + strings.Repeat(
		"\n  (func (nop) (drop (i32.const 1)))", 5000,
	) + ")\n"
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c.open("file:///a.wat", large)
	b, _ := json.Marshal(large)
	for i := range 300 {
		if err := c.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":"file:///a.wat","version":%d},"contentChanges":[{"text":%s}]}`, i+2, b)); err != nil {
			break // it takes its time
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 200<<20 {
		t.Errorf("%d MiB are in use", grown>>20)
	}
}

// TestErrandsBounded has a client that answers none of the server's requests: what asks for them is
// done once at a time.
func TestErrandsBounded(t *testing.T) {
	c := newRaw(
		t,
		Options{},
		`{"workspace":{"configuration":true,"didChangeConfiguration":{"dynamicRegistration":true},"didChangeWatchedFiles":{"dynamicRegistration":true},"diagnostics":{"refreshSupport":true}},"textDocument":{"diagnostic":{}},"window":{"workDoneProgress":true}}`,
	)
	var asked atomic.Int32
	const last = 1_000_000 // id of a request that is answered after everything before it was handled
	answered := make(chan struct{})
	go func() {
		r := bufio.NewReader(c)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if strings.Contains(line, fmt.Sprintf(`"id":%d,`, last)) {
				close(answered)
			}
			if strings.Contains(line, `"method"`) || strings.Contains(line, "Content-Length") {
				asked.Add(1)
			}
		}
	}()
	before := runtime.NumGoroutine()
	for i := range 500 {
		_ = c.notify("workspace/didChangeWatchedFiles", `{"changes":[{"uri":"file:///b.wat","type":2}]}`)
		_ = c.notify("workspace/didChangeConfiguration", `{"settings":null}`)
		_ = c.notify("workspace/didChangeWorkspaceFolders", `{"event":{"added":[],"removed":[]}}`)
		_ = c.notify("initialized", "{}")
		u := fmt.Sprintf("file:///%d.wat", i%5)
		c.open(u, sumWat)
		_ = c.notify(
			"textDocument/didChange",
			fmt.Sprintf(`{"textDocument":{"uri":%q,"version":2},"contentChanges":[{"text":"(module)"}]}`, u),
		)
		_ = c.notify("textDocument/didClose", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, u))
	}
	c.next = last - 1
	for range 2 { // the header of the second answer ends the line of the first
		_ = c.send(`"method":"workspace/symbol","params":{"query":"none"}`)
	}
	select {
	case <-answered:
	case <-time.After(20 * time.Second):
		t.Fatal("no answer")
	}
	if n := runtime.NumGoroutine() - before; n > maxEdits+60 { // each version that is not analysed yet has one
		t.Errorf("%d goroutines more", n)
	}
	if n := asked.Load(); n > 40 {
		t.Errorf("the client was asked %d times", n)
	}
}

// TestErrands does things once at a time, and the last one always.
func TestErrands(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &session{ctx: ctx}
	begun, release, last := make(chan int, 100), make(chan struct{}), make(chan int, 1)
	for i := range 50 {
		s.once("x", func(context.Context) {
			begun <- i
			<-release
			if i == 49 {
				last <- i
			}
		})
	}
	close(release)
	<-last
	if len(begun) != 2 {
		t.Errorf("%d were begun", len(begun))
	}
}
