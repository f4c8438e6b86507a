package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/lsp/internal/wire"
)

// testClient is an editor in memory, connected to a real server over a pipe.
type testClient struct {
	protocol.Server // the server's methods
	t               testing.TB
	conn            jsonrpc2.Conn
	done            chan error
	settings        json.RawMessage

	mu       sync.Mutex
	arrived  *sync.Cond
	pushed   map[uri.URI]*protocol.PublishDiagnosticsParams
	pushes   int
	versions map[uri.URI]int32
	init     *protocol.InitializeResult

	progress   []string // `token value`, as they came
	registered []string // methods
	refreshes  int      // how often the client was told to pull diagnostics again

	tokenID   string
	tokenData []uint32
}

type clientOptions struct {
	encoding protocol.PositionEncodingKind
	pull     bool
	settings string // of the section `stackscope`
	init     string // initializationOptions
	plain    bool   // has none of the optional capabilities
	before   func(ctx context.Context, method string)
	quiet    bool          // errors in the log are expected
	patience time.Duration // of the server, see Options
	folders  []string      // workspace folders
	watch    bool          // the client registers watchers and can be told to pull again
}

// newClient starts a server and a client, and initializes the session.
func newClient(t testing.TB, o clientOptions) *testClient {
	t.Helper()
	a, b := net.Pipe()
	c := &testClient{
		t: t, done: make(chan error, 1), pushed: map[uri.URI]*protocol.PublishDiagnosticsParams{},
		versions: map[uri.URI]int32{},
	}
	c.arrived = sync.NewCond(&c.mu)
	if o.settings != "" {
		c.settings = json.RawMessage(o.settings)
	}
	ctx, cancel := context.WithCancel(context.Background())
	opt := Options{Version: "test", before: o.before, patience: o.patience}
	if !o.quiet {
		opt.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	}
	go func() { c.done <- Serve(ctx, a, opt) }()
	c.conn = jsonrpc2.NewConn(jsonrpc2.NewStream(b), jsonrpc2.WithCodec(wire.Codec{}))
	c.conn.Go(ctx, c.handle)
	c.Server = protocol.ServerDispatcher(c.conn)
	t.Cleanup(func() {
		cancel()
		b.Close()
	})
	p := &protocol.InitializeParams{}
	if o.folders != nil {
		var fs []protocol.WorkspaceFolder
		for _, f := range o.folders {
			fs = append(fs, protocol.WorkspaceFolder{URI: uri.File(f), Name: "folder"})
		}
		p.WorkspaceFolders = protocol.NewNullable(fs)
	}
	if !o.plain {
		p.Capabilities = testCapabilities(o)
	}
	if o.init != "" {
		p.InitializationOptions = protocol.LSPAny(o.init)
	}
	res, err := c.Initialize(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	c.init = res
	if err := c.Initialized(ctx, &protocol.InitializedParams{}); err != nil {
		t.Fatal(err)
	}
	return c
}

func testCapabilities(o clientOptions) protocol.ClientCapabilities {
	var caps protocol.ClientCapabilities
	watch := ""
	if o.watch {
		watch = `, "didChangeWatchedFiles": {"dynamicRegistration": true}, "diagnostics": {"refreshSupport": true}`
	}
	raw := `{
		"general": {"positionEncodings": ["` + string(o.encoding) + `"]},
		"window": {"workDoneProgress": true},
		"workspace": {"configuration": true, "workspaceEdit": {"documentChanges": true}` + watch + `},
		"textDocument": {
			"hover": {"contentFormat": ["markdown"]},
			"inlayHint": {"resolveSupport": {"properties": ["tooltip", "label.location"]}},
			"codeAction": {"resolveSupport": {"properties": ["edit"]}},
			"completion": {"completionItem": {"snippetSupport": true, "documentationFormat": ["markdown"]}},
			"documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
			"publishDiagnostics": {"relatedInformation": true}`
	if o.pull {
		raw += `, "diagnostic": {"relatedInformation": true}`
	}
	raw += `}}`
	if err := protocol.Unmarshal([]byte(raw), &caps); err != nil {
		panic(err)
	}
	return caps
}

// handle answers what the server sends.
func (c *testClient) handle(ctx context.Context, r *jsonrpc2.Request) (any, error) {
	switch r.Method() {
	case protocol.MethodTextDocumentPublishDiagnostics:
		p := &protocol.PublishDiagnosticsParams{}
		if err := protocol.Unmarshal(r.Params(), p); err != nil {
			return nil, err
		}
		c.mu.Lock()
		c.pushed[p.URI] = p
		c.pushes++
		c.mu.Unlock()
		c.arrived.Broadcast()
		return nil, nil
	case protocol.MethodClientRegisterCapability:
		p := &protocol.RegistrationParams{}
		if err := protocol.Unmarshal(r.Params(), p); err != nil {
			return nil, err
		}
		c.mu.Lock()
		for _, x := range p.Registrations {
			c.registered = append(c.registered, x.Method)
		}
		c.mu.Unlock()
		c.arrived.Broadcast()
		return nil, nil
	case protocol.MethodWorkspaceDiagnosticRefresh:
		c.mu.Lock()
		c.refreshes++
		c.mu.Unlock()
		c.arrived.Broadcast()
		return nil, nil
	case protocol.MethodProgress:
		p := &protocol.ProgressParams{}
		if err := protocol.Unmarshal(r.Params(), p); err != nil {
			return nil, err
		}
		c.mu.Lock()
		c.progress = append(c.progress, fmt.Sprintf("%v %s", p.Token, p.Value))
		c.mu.Unlock()
		c.arrived.Broadcast()
		return nil, nil
	case protocol.MethodWorkspaceConfiguration:
		jsonrpc2.Async(ctx)
		if c.settings == nil {
			return []protocol.LSPAny{protocol.LSPAny("null")}, nil
		}
		return []protocol.LSPAny{protocol.LSPAny(c.settings)}, nil
	}
	return nil, nil
}

// open opens a document.
func (c *testClient) open(u uri.URI, text string) {
	c.t.Helper()
	c.versions[u] = 1
	err := c.DidOpen(
		context.Background(),
		&protocol.DidOpenTextDocumentParams{
			TextDocument: protocol.TextDocumentItem{URI: u, LanguageID: "wat", Version: 1, Text: text},
		},
	)
	if err != nil {
		c.t.Fatal(err)
	}
}

// edit replaces a range.
func (c *testClient) edit(u uri.URI, changes ...protocol.TextDocumentContentChangeEvent) {
	c.t.Helper()
	c.versions[u]++
	p := &protocol.DidChangeTextDocumentParams{ContentChanges: changes}
	p.TextDocument.URI, p.TextDocument.Version = u, c.versions[u]
	if err := c.DidChange(context.Background(), p); err != nil {
		c.t.Fatal(err)
	}
}

// waitPush waits for the diagnostics of a document at its present version.
func (c *testClient) waitPush(u uri.URI) *protocol.PublishDiagnosticsParams {
	c.t.Helper()
	timer := time.AfterFunc(20*time.Second, c.arrived.Broadcast)
	defer timer.Stop()
	deadline := time.Now().Add(20 * time.Second)
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if p := c.pushed[u]; p != nil {
			if v, ok := p.Version.Get(); ok && v == c.versions[u] {
				return p
			}
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("no diagnostics of %s", u)
		}
		c.arrived.Wait()
	}
}

// pull asks for the diagnostics of a document.
func (c *testClient) pull(u uri.URI) []protocol.Diagnostic {
	c.t.Helper()
	r, err := c.Diagnostic(
		context.Background(),
		&protocol.DocumentDiagnosticParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}},
	)
	if err != nil {
		c.t.Fatal(err)
	}
	full, ok := r.(*protocol.RelatedFullDocumentDiagnosticReport)
	if !ok {
		c.t.Fatalf("report is a %T", r)
	}
	return full.Items
}

// close ends the session in order.
func (c *testClient) close() {
	c.t.Helper()
	ctx := context.Background()
	if err := c.Shutdown(ctx); err != nil {
		c.t.Fatal(err)
	}
	if err := c.Exit(ctx); err != nil {
		c.t.Fatal(err)
	}
	select {
	case err := <-c.done:
		if err != nil {
			c.t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		c.t.Fatal("the server did not exit")
	}
}

// waitProgress waits until so many progress notifications have come, and returns them.
func (c *testClient) waitProgress(n int) []string {
	c.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	timer := time.AfterFunc(20*time.Second, c.arrived.Broadcast)
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.progress) < n {
		if time.Now().After(deadline) {
			c.t.Errorf("progress is %q", c.progress)
			break
		}
		c.arrived.Wait()
	}
	return append([]string(nil), c.progress...)
}

// waitFor waits until a condition on what the server has sent holds.
func (c *testClient) waitFor(what string, ok func() bool) {
	c.t.Helper()
	timer := time.AfterFunc(20*time.Second, c.arrived.Broadcast)
	defer timer.Stop()
	deadline := time.Now().Add(20 * time.Second)
	c.mu.Lock()
	defer c.mu.Unlock()
	for !ok() {
		if time.Now().After(deadline) {
			c.t.Fatal("waited in vain for " + what)
		}
		c.arrived.Wait()
	}
}
