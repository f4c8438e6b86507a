package workspace

import (
	"testing"

	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// TestReadingDoesNotWait: while the text of one document is analysed, messages go on to be read,
// and requests about another are answered; those about the first wait, and see all edits in order.
func TestReadingDoesNotWait(t *testing.T) {
	hold := make(chan struct{})
	slow, quick := uri.URI("file:///slow.wat"), uri.URI("file:///quick.wat")
	var st Store
	st.Init("")
	st.Open(quick, 1, "(module (func $_quick))")
	st.mu.Lock()
	st.set(slow, newDocument(slow, 1, func() *analysis.Snapshot {
		<-hold
		return analysis.Open(source.NewFile("slow.wat", "(module)"), analysis.Options{})
	}))
	st.mu.Unlock()
	for i, text := range []string{"(func $a)", "(func $b)"} {
		old, now := st.Change(slow, int32(2+i), func(snap *analysis.Snapshot) *analysis.Snapshot {
			return snap.Edit(source.Edit{Span: source.Span{Start: 7, End: 7}, New: text})
		})
		if old == nil || now == nil || now.made.Load() != nil {
			t.Fatal("the edit was not taken, or made at once")
		}
	}
	// The world of the quick document does not need the slow one.
	view := st.View()
	d := view[quick]
	w := NewWorld(view, st.Settings(), &Files{})
	if ds := w.Diagnostics(d); w.DocOf(d.Snapshot()) != d || len(ds) != 0 {
		t.Fatal("the quick document is not answered for", ds)
	}
	close(hold)
	now := view[slow]
	if got := now.File().Text; got != "(module(func $b)(func $a))" || now.Version != 3 {
		t.Fatalf("version %d: %s", now.Version, got)
	}
	if _, now := st.Change("file:///none.wat", 1, nil); now != nil {
		t.Fatal("a document that is not open was changed")
	}
}
