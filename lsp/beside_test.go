package lsp

import (
	"context"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// TestReadingDoesNotWait: while the text of one document is analysed, messages go on to be read,
// and requests about another are answered; those about the first wait, and see all edits in order.
func TestReadingDoesNotWait(t *testing.T) {
	hold := make(chan struct{})
	slow, quick := uri.URI("file:///slow.wat"), uri.URI("file:///quick.wat")
	s := &session{enc: source.UTF16}
	s.store.init(Options{})
	s.store.open(quick, 1, "(module (func $_quick))")
	s.store.mu.Lock()
	s.store.set(slow, newDocument(slow, 1, func() *analysis.Snapshot {
		<-hold
		return analysis.Open(source.NewFile("slow.wat", "(module)"), analysis.Options{})
	}))
	s.store.mu.Unlock()
	for i, text := range []string{"(func $a)", "(func $b)"} {
		old, now := s.store.change(slow, int32(2+i), func(snap *analysis.Snapshot) *analysis.Snapshot {
			return snap.Edit(source.Edit{Span: source.Span{Start: 7, End: 7}, New: text})
		})
		if old == nil || now == nil || now.made.Load() != nil {
			t.Fatal("the edit was not taken, or made at once")
		}
	}
	ctx := context.WithValue(context.Background(), viewKey{}, s.store.view())
	// The world of the quick document does not need the slow one.
	d, err := s.doc(ctx, quick)
	if err != nil {
		t.Fatal(err)
	}
	w := s.world(ctx)
	if ds := w.diagnostics(d); w.docOf(d.snap()) != d || len(ds) != 0 {
		t.Fatal("the quick document is not answered for", ds)
	}
	close(hold)
	now, err := s.doc(ctx, slow)
	if err != nil {
		t.Fatal(err)
	}
	if got := now.file().Text; got != "(module(func $b)(func $a))" || now.version != 3 {
		t.Fatalf("version %d: %s", now.version, got)
	}
	if _, now := s.store.change("file:///none.wat", 1, nil); now != nil {
		t.Fatal("a document that is not open was changed")
	}
}

// TestChangesOwnTheirText: what is applied later does not point into the message.
func TestChangesOwnTheirText(t *testing.T) {
	whole := &protocol.TextDocumentContentChangeWholeDocument{Text: "(module)"}
	part := &protocol.TextDocumentContentChangePartial{Text: "x"}
	out := ownChanges([]protocol.TextDocumentContentChangeEvent{whole, part})
	whole.Text, part.Text = "", ""
	a, _ := out[0].(*protocol.TextDocumentContentChangeWholeDocument)
	b, _ := out[1].(*protocol.TextDocumentContentChangePartial)
	if a == nil || b == nil || a.Text != "(module)" || b.Text != "x" {
		t.Fatal(out)
	}
}
