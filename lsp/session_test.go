package lsp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"stackscope/lsp/internal/wire"
)

const sumWat = `(module
  (func $add (param $a i32) (param $b i32) (result i32)
    (i32.add (local.get $a) (local.get $b)))
  (export "add" (func $add)))
`

func TestLifeCycle(t *testing.T) {
	c := newClient(t, clientOptions{encoding: "utf-8"})
	if k := c.init.Capabilities.PositionEncoding; k != "utf-8" {
		t.Errorf("encoding %q", k)
	}
	ctx := context.Background()
	c.open("file:///a.wat", sumWat)
	if p := c.waitPush("file:///a.wat"); len(p.Diagnostics) != 0 {
		t.Errorf("diagnostics %v", p.Diagnostics)
	}
	if _, err := c.Initialize(ctx, &protocol.InitializeParams{}); err == nil {
		t.Error("a second initialize is accepted")
	}
	if err := c.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := c.DocumentSymbol(ctx, &protocol.DocumentSymbolParams{}); code(err) != jsonrpc2.InvalidRequest {
		t.Errorf("after shutdown: %v", err)
	}
	if err := c.Exit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-c.done; err != nil {
		t.Errorf("exit: %v", err)
	}
}

func code(err error) jsonrpc2.Code {
	var e *jsonrpc2.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func TestEncodings(t *testing.T) {
	for offered, want := range map[protocol.PositionEncodingKind]protocol.PositionEncodingKind{"utf-8": "utf-8",
		"utf-16": "utf-16", "utf-32": "utf-32", "utf-7": "utf-16"} {
		c := newClient(t, clientOptions{encoding: offered})
		if got := c.init.Capabilities.PositionEncoding; got != want {
			t.Errorf("offered %s: %s", offered, got)
		}
		c.close()
	}
}

// TestPlainClient: a client without capabilities gets answers it can read.
func TestPlainClient(t *testing.T) {
	c := newClient(t, clientOptions{plain: true})
	c.open("file:///a.wat", sumWat)
	ctx := context.Background()
	r, err := c.DocumentSymbol(
		ctx,
		&protocol.DocumentSymbolParams{TextDocument: protocol.TextDocumentIdentifier{URI: "file:///a.wat"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := r.(protocol.SymbolInformationSlice); !ok {
		t.Errorf("symbols are a %T", r)
	}
	p := &protocol.HoverParams{}
	p.TextDocument.URI, p.Position = "file:///a.wat", protocol.Position{Line: 2, Character: 6}
	h, err := c.Hover(ctx, p)
	if err != nil || h == nil {
		t.Fatal(h, err)
	}
	if m := h.Contents.(*protocol.MarkupContent); m.Kind != protocol.MarkupKindPlainText ||
		strings.ContainsAny(m.Value, "`*") {
		t.Errorf("hover %q", m)
	}
	c.close()
}

// TestOrder: a request sees the text as it was at its place in the stream, whatever comes after.
func TestOrder(t *testing.T) {
	c := newClient(t, clientOptions{encoding: "utf-8", pull: true})
	ctx := context.Background()
	c.open("file:///a.wat", "(module)")
	type answer struct {
		n   int
		got int
		err error
	}
	answers := make(chan answer)
	const rounds = 50
	for i := range rounds {
		text := "(module" + strings.Repeat(" (tag)", i) + ")"
		c.edit("file:///a.wat", &protocol.TextDocumentContentChangeWholeDocument{Text: text})
		started := make(chan struct{})
		go func() {
			p := &protocol.DocumentSymbolParams{TextDocument: protocol.TextDocumentIdentifier{URI: "file:///a.wat"}}
			close(started)
			r, err := c.DocumentSymbol(ctx, p)
			a := answer{n: i, err: err}
			if s, ok := r.(protocol.DocumentSymbolSlice); ok {
				a.got = len(s)
			}
			answers <- a
		}()
		<-started
		a := <-answers
		if a.err != nil || a.got != a.n {
			t.Fatalf("round %d: %d symbols, %v", a.n, a.got, a.err)
		}
	}
	c.close()
}

func TestCancel(t *testing.T) {
	entered := make(chan struct{})
	c := newClient(t, clientOptions{encoding: "utf-8", pull: true, before: func(ctx context.Context, method string) {
		if method == protocol.MethodTextDocumentReferences {
			close(entered)
			<-ctx.Done()
		}
	}})
	c.open("file:///a.wat", sumWat)
	ctx, cancel := context.WithCancel(context.Background())
	res := make(chan error)
	go func() {
		p := &protocol.ReferenceParams{}
		p.TextDocument.URI = "file:///a.wat"
		_, err := c.References(ctx, p)
		res <- err
	}()
	<-entered
	// Other requests are answered meanwhile.
	if ds := c.pull("file:///a.wat"); len(ds) != 0 {
		t.Errorf("diagnostics %v", ds)
	}
	cancel()
	select {
	case err := <-res:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("not cancelled")
	}
	c.close()
}

// TestPanic: a panic in a handler is answered with an internal error, and the session goes on.
func TestPanic(t *testing.T) {
	c := newClient(
		t,
		clientOptions{encoding: "utf-8", pull: true, quiet: true, before: func(_ context.Context, method string) {
			if method == protocol.MethodTextDocumentHover {
				panic("boom")
			}
		}},
	)
	c.open("file:///a.wat", sumWat)
	p := &protocol.HoverParams{}
	p.TextDocument.URI = "file:///a.wat"
	for range 2 {
		if _, err := c.Hover(context.Background(), p); code(err) != jsonrpc2.InternalError {
			t.Errorf("error %v", err)
		}
	}
	if ds := c.pull("file:///a.wat"); len(ds) != 0 {
		t.Errorf("diagnostics %v", ds)
	}
	c.close()
}

// TestRaw: malformed and unknown messages do not end the session.
func TestRaw(t *testing.T) {
	a, b := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), a, Options{}) }()
	in := bufio.NewReader(b)
	send := func(s string) { fmt.Fprintf(b, "Content-Length: %d\r\n\r\n%s", len(s), s) }
	recv := func() string {
		n := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if line == "\r\n" {
				break
			}
			fmt.Sscanf(line, "Content-Length: %d", &n)
		}
		buf := make([]byte, n)
		if _, err := io.ReadFull(in, buf); err != nil {
			t.Fatal(err)
		}
		return string(buf)
	}
	ask := func(msg, want string) {
		t.Helper()
		send(msg)
		if got := recv(); !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", msg, got, want)
		}
	}
	ask(`{"jsonrpc":"2.0","id":"a","method":"textDocument/hover","params":{}}`, `-32002`)
	send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}`) // too early: ignored
	ask(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`,
		`"positionEncoding":"utf-16"`,
	)
	send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	send(`{"jsonrpc":"2.0","method":"$/nonsense","params":[1]}`)
	send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":{}}}`)
	send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":7}}`)
	send(
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///no.wat","version":1},"contentChanges":[]}}`,
	)
	send(`{"jsonrpc":"2.0","method":"made/up"}`)
	ask(`{"jsonrpc":"2.0","id":"x","method":"made/up"}`, `-32601`)
	ask(
		`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///no.wat"},"position":{"line":0,"character":0}}}`,
		`not open`,
	)
	ask(`{"jsonrpc":"2.0","id":3,"method":"textDocument/hover","params":[]}`, `"error"`)
	ask(`{"jsonrpc":"2.0","id":4,"method":"shutdown"}`, `"result":null`)
	b.Close()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("end of input: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the server goes on without its input")
	}
}

func TestExitWithoutShutdown(t *testing.T) {
	c := newClient(t, clientOptions{encoding: "utf-8"})
	if err := c.Exit(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := <-c.done; !errors.Is(err, ErrNoShutdown) {
		t.Errorf("error %v", err)
	}
}

func TestUnchanged(t *testing.T) {
	c := newClient(t, clientOptions{encoding: "utf-8", pull: true})
	const u = "file:///a.wat"
	c.open(u, "(module (func (result i32)))\n")
	ctx := context.Background()
	ask := func(prev *string) protocol.DocumentDiagnosticReport {
		r, err := c.Diagnostic(
			ctx,
			&protocol.DocumentDiagnosticParams{
				TextDocument:     protocol.TextDocumentIdentifier{URI: u},
				PreviousResultID: prev,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	full := ask(nil).(*protocol.RelatedFullDocumentDiagnosticReport)
	if r, ok := ask(full.ResultID).(*protocol.RelatedUnchangedDocumentDiagnosticReport); !ok ||
		r.ResultID != *full.ResultID {
		t.Errorf("not unchanged: %v", r)
	}
	at := protocol.Range{Start: protocol.Position{Line: 1}, End: protocol.Position{Line: 1}}
	c.edit(u, &protocol.TextDocumentContentChangePartial{Range: at, Text: "\n;; after\n"})
	if _, ok := ask(full.ResultID).(*protocol.RelatedUnchangedDocumentDiagnosticReport); !ok {
		t.Error("an edit that moves nothing is not unchanged")
	}
	at = protocol.Range{}
	c.edit(u, &protocol.TextDocumentContentChangePartial{Range: at, Text: " "})
	if _, ok := ask(full.ResultID).(*protocol.RelatedFullDocumentDiagnosticReport); !ok && len(full.Items) > 0 {
		t.Error("an edit that moves a diagnostic is unchanged")
	}
	c.close()
}

func TestTCP(t *testing.T) {
	for _, bad := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "example.org:0"} {
		if ln, err := Listen(bad); err == nil {
			ln.Close()
			t.Errorf("%s is accepted", bad)
		}
	}
	ln, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Skip("no loopback:", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- ServeListener(ctx, ln, Options{}) }()
	for range 2 {
		nc, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn := jsonrpc2.NewConn(jsonrpc2.NewStream(nc), jsonrpc2.WithCodec(wire.Codec{}))
		conn.Go(ctx, jsonrpc2.MethodNotFoundHandler)
		srv := protocol.ServerDispatcher(conn)
		if _, err := srv.Initialize(ctx, &protocol.InitializeParams{}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestTokenDelta(t *testing.T) {
	mk := func(ns ...uint32) []uint32 {
		var out []uint32
		for _, n := range ns {
			out = append(out, 0, n, 1, 0, 0)
		}
		return out
	}
	for _, c := range [][2][]uint32{
		{mk(), mk()}, {mk(1, 2, 3), mk(1, 2, 3)}, {mk(1, 2, 3), mk(1, 3)}, {mk(1), mk(1, 1)}, {mk(1, 1, 1), mk(1)},
		{mk(), mk(4, 5)}, {mk(1, 2), mk(3, 2)},
	} {
		got := append([]uint32(nil), c[0]...)
		for _, e := range tokenDelta(c[0], c[1]) {
			if e.Start%5 != 0 || e.DeleteCount%5 != 0 {
				t.Errorf("edit inside a token: %v", e)
			}
			tail := append([]uint32(nil), got[e.Start+e.DeleteCount:]...)
			got = append(append(got[:e.Start:e.Start], e.Data...), tail...)
		}
		if fmt.Sprint(got) != fmt.Sprint(c[1]) {
			t.Errorf("%v to %v gives %v", c[0], c[1], got)
		}
	}
}
