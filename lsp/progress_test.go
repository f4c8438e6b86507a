package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"stackscope/internal/testing/genwat"
)

// TestProgress: a request that takes long and brings a token is told of until it is answered.
func TestProgress(t *testing.T) {
	told := make(chan struct{})
	c := newClient(
		t,
		clientOptions{encoding: "utf-8", pull: true, patience: -1, before: func(_ context.Context, method string) {
			if method == protocol.MethodTextDocumentReferences {
				<-told // goes on until the client has heard of it
			}
		}},
	)
	c.open("file:///a.wat", sumWat)
	go func() {
		c.waitProgress(1)
		close(told)
	}()
	p := &protocol.ReferenceParams{}
	p.TextDocument.URI, p.Position = "file:///a.wat", protocol.Position{Line: 1, Character: 10}
	p.WorkDoneToken = protocol.String("mine")
	if _, err := c.References(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	want := []string{`mine {"kind":"begin","title":"Finding references"}`, `mine {"kind":"end"}`}
	if got := c.waitProgress(2); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	// One without a token is not told of.
	if _, err := c.References(context.Background(),
		&protocol.ReferenceParams{TextDocumentPositionParams: p.TextDocumentPositionParams}); err != nil {
		t.Fatal(err)
	}
	c.close()
	if got := c.waitProgress(2); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

// TestProgressOfOpening: the check of a large text is told of under a token of the server's.
func TestProgressOfOpening(t *testing.T) {
	c := newClient(t, clientOptions{encoding: "utf-8", pull: true, patience: -1})
	c.open("file:///small.wat", sumWat)
	c.open("file:///big.wat", genwat.Text(genwat.Options{Bytes: largeText, Seed: 1}))
	got := c.waitProgress(2)
	for i, want := range []string{`{"kind":"begin","title":"Checking big.wat"}`, `{"kind":"end"}`} {
		if got[i] != fmt.Sprintf("check file:///big.wat %s", want) {
			t.Errorf("got %q, want %s", got[i], want)
		}
	}
	c.close()
}

// TestCancelAtOnce: a cancelled request is answered though its work goes on, and others are not
// kept waiting by it.
func TestCancelAtOnce(t *testing.T) {
	release := make(chan struct{})
	entered := make(chan struct{})
	c := newClient(t, clientOptions{encoding: "utf-8", pull: true, before: func(_ context.Context, method string) {
		if method == protocol.MethodTextDocumentReferences {
			close(entered)
			<-release // does not look at its context
		}
	}})
	defer close(release)
	c.open("file:///a.wat", sumWat)
	ctx, cancel := context.WithCancel(context.Background())
	res := make(chan error)
	p := &protocol.ReferenceParams{}
	p.TextDocument.URI = "file:///a.wat"
	go func() {
		_, err := c.References(ctx, p)
		res <- err
	}()
	<-entered
	if ds := c.pull("file:///a.wat"); len(ds) != 0 { // meanwhile
		t.Errorf("diagnostics %v", ds)
	}
	cancel()
	if err := <-res; err == nil || !strings.Contains(strings.ToLower(err.Error()), "cancel") {
		t.Errorf("got %v", err)
	}
	c.close()
}

// TestLateResolve: what was offered for a text that has changed since is answered ContentModified.
func TestLateResolve(t *testing.T) {
	c := newClient(t, clientOptions{encoding: "utf-8", pull: true})
	c.open("file:///a.wat", sumWat)
	ctx := context.Background()
	p := &protocol.CodeActionParams{Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{}}}
	p.TextDocument.URI = "file:///a.wat"
	p.Range.Start = protocol.Position{Line: 1, Character: 4}
	p.Range.End = p.Range.Start
	as, err := c.CodeAction(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(as, func(a protocol.CommandOrCodeAction) bool {
		return a.(*protocol.CodeAction).Title == "Write the function flat"
	})
	if i < 0 {
		t.Fatalf("actions %v", as)
	}
	a := as[i].(*protocol.CodeAction)
	if a.Edit != nil {
		t.Error("the edit was made before it was asked for")
	}
	c.edit("file:///a.wat", &protocol.TextDocumentContentChangePartial{Text: "\n"})
	if _, err := c.CodeActionResolve(ctx, a); code(err) != contentModified {
		t.Errorf("resolve: %v", err)
	}
	hint := &protocol.InlayHint{
		Label: protocol.String("x"), Data: protocol.LSPAny(`{"uri":"file:///a.wat","version":1,"off":3}`),
	}
	if _, err := c.InlayHintResolve(ctx, hint); code(err) != contentModified {
		t.Errorf("resolve of a hint: %v", err)
	}
	c.close()
}
