package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// TestChangesInOneGo: the changes of a notification, however they lie, leave the text that they
// leave one by one.
func TestChangesInOneGo(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	news := []string{"", "x", "\n", "\r", "\r\n", "(func)", "é😀", "$y "}
	for range 400 {
		text := "(module\r\n  (func $f (param $x i32))\n  (func $g\r(nop)\r\n (nop)) ;; é😀\n)"
		s := &documents{session: &session{enc: []source.Encoding{source.UTF8, source.UTF16, source.UTF32}[r.IntN(3)]}}
		var changes []protocol.TextDocumentContentChangeEvent
		want := source.NewFile("f", text)
		from := len(text)
		for range 1 + r.IntN(6) {
			f := want
			a := r.IntN(len(f.Text) + 1)
			if r.IntN(4) > 0 { // towards the start, as editors do
				from = min(from, len(f.Text))
				a = from - r.IntN(min(from, 12)+1)
			}
			b := min(a+r.IntN(4), len(f.Text))
			if r.IntN(4) > 0 {
				b = max(a, min(b, from))
			}
			rg := s.rng(f, source.Span{Start: a, End: b})
			from = a
			nw := news[r.IntN(len(news))]
			changes = append(changes, &protocol.TextDocumentContentChangePartial{Range: rg, Text: nw})
			want = source.NewFile("f", f.Apply(source.Edit{Span: s.span(f, rg), New: nw}).Text)
		}
		snap := s.applyChanges(analysis.Open(source.NewFile("f", text), analysis.Options{}), changes)
		if got := snap.File().Text; got != want.Text {
			t.Fatalf("encoding %v, changes %+v\n got %q\nwant %q", s.enc, changes, got, want.Text)
		}
		var fresh, kept []string
		for _, d := range analysis.Open(want, analysis.Options{}).Diagnostics() {
			fresh = append(fresh, d.Message)
		}
		for _, d := range snap.Diagnostics() {
			kept = append(kept, d.Message)
		}
		if strings.Join(kept, "\n") != strings.Join(fresh, "\n") {
			t.Fatalf("%q\n got %q\nwant %q", want.Text, kept, fresh)
		}
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
