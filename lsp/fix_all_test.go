package lsp

import (
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// TestFixAll asks for the safe fixes of a text, which are not offered unasked.
func TestFixAll(t *testing.T) {
	c := newClient(t, clientOptions{})
	defer c.close()
	const text = "(module\n  (func (export \"f\") (param $x i32) (result i32)\n    (get_local $x))\n  (func (export \"g\") (param $x i32) (result i32)\n    (get_local $x)))\n"
	const u = uri.URI("file:///a.wat")
	c.open(u, text)
	ask := func(only ...protocol.CodeActionKind) []*protocol.CodeAction {
		p := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}}
		p.Context.Diagnostics, p.Context.Only = []protocol.Diagnostic{}, only
		as, err := c.CodeAction(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		var out []*protocol.CodeAction
		for _, a := range as {
			if ca := a.(*protocol.CodeAction); *ca.Kind == protocol.CodeActionKindSourceFixAll {
				out = append(out, ca)
			}
		}
		return out
	}
	if got := ask(); len(got) != 0 {
		t.Errorf("offered unasked: %v", got)
	}
	for _, only := range []protocol.CodeActionKind{protocol.CodeActionKindSource, protocol.CodeActionKindSourceFixAll} {
		got := ask(only)
		if len(got) != 1 || got[0].Edit == nil {
			t.Fatalf("%s: %v", only, got)
		}
	}
}
