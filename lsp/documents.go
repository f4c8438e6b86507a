package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/lsp/internal/workspace"
)

// DidOpen takes a document over from the client.
func (s *documents) DidOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	td := &p.TextDocument
	if !s.versions.enter(s.ctx, len(td.Text)) {
		return s.ctx.Err()
	}
	d := s.store.Open(td.URI, td.Version, td.Text)
	s.analyse(d, len(td.Text))
	s.checks.push(d.URI)
	if len(td.Text) >= largeText {
		s.checks.announce(d)
	}
	s.checks.relinkAfter(d, nil)
	return nil
}

// DidChange applies edits, each to the text that the one before left.
func (s *documents) DidChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	u := p.TextDocument.URI
	changes := ownChanges(p.ContentChanges)
	size := sizeOf(changes)
	if !s.versions.enter(s.ctx, size) {
		return s.ctx.Err()
	}
	old, d := s.store.Change(u, p.TextDocument.Version, func(snap *analysis.Snapshot) *analysis.Snapshot {
		return s.applyChanges(snap, changes)
	})
	if d == nil {
		s.versions.leave(size)
		return fmt.Errorf("%s is not open", u)
	}
	s.analyse(d, size)
	s.checks.push(d.URI)
	s.checks.relinkAfter(d, old)
	return nil
}

// analyse begins to make the snapshot of a document, beside the reading of messages.
func (s *documents) analyse(d *workspace.Document, size int) {
	go func() {
		defer s.versions.leave(size)
		defer s.recovered("analysis")
		d.Snapshot()
	}()
}

// DidSave needs nothing: the text is known.
func (s *documents) DidSave(context.Context, *protocol.DidSaveTextDocumentParams) error { return nil }

// DidClose returns a document back to the client; its diagnostics go.
func (s *documents) DidClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	u := p.TextDocument.URI
	if !s.store.Close(u) {
		return fmt.Errorf("%s is not open", u)
	}
	s.shown.drop(u)
	s.checks.push(u)
	// Others now see the file as it is on disk.
	s.once("relink all", func(ctx context.Context) { s.checks.relink(ctx, nil) })
	return nil
}

// applyChanges returns the snapshot after the changes of a notification, each of which is told in
// terms of the text that the one before left. Runs of changes that go from the end of the text
// towards its start, as editors send those of a rename or of several cursors, are made at once:
// none of them moves the places of the next.
func (s *documents) applyChanges(
	snap *analysis.Snapshot, changes []protocol.TextDocumentContentChangeEvent,
) *analysis.Snapshot {
	var run []source.Edit // the last in the text first, in terms of the text of snap
	flush := func() {
		if len(run) > 0 {
			slices.Reverse(run)
			snap = snap.EditAll(run)
			run = nil
		}
	}
	for _, c := range changes {
		switch c := c.(type) {
		case *protocol.TextDocumentContentChangePartial:
			if n := len(run); n > 0 && !before(c.Range, s.rng(snap.File(), run[n-1].Span)) {
				flush()
			}
			sp := s.span(snap.File(), c.Range)
			if n := len(run); n > 0 && sp.End > run[n-1].Start {
				flush()
				sp = s.span(snap.File(), c.Range)
			}
			run = append(run, source.Edit{Span: sp, New: c.Text})
		case *protocol.TextDocumentContentChangeWholeDocument:
			flush()
			snap = snap.Edit(source.Difference(snap.File().Text, c.Text))
		}
	}
	flush()
	return snap
}

// sizeOf returns how many bytes changes insert.
func sizeOf(changes []protocol.TextDocumentContentChangeEvent) int {
	n := 0
	for _, c := range changes {
		switch c := c.(type) {
		case *protocol.TextDocumentContentChangePartial:
			n += len(c.Text)
		case *protocol.TextDocumentContentChangeWholeDocument:
			n += len(c.Text)
		}
	}
	return n
}

// ownChanges copies the changes of a notification, whose texts point into the message.
func ownChanges(changes []protocol.TextDocumentContentChangeEvent) []protocol.TextDocumentContentChangeEvent {
	out := make([]protocol.TextDocumentContentChangeEvent, 0, len(changes))
	for _, c := range changes {
		switch c := c.(type) {
		case *protocol.TextDocumentContentChangePartial:
			out = append(out, &protocol.TextDocumentContentChangePartial{Range: c.Range, Text: strings.Clone(c.Text)})
		case *protocol.TextDocumentContentChangeWholeDocument:
			out = append(out, &protocol.TextDocumentContentChangeWholeDocument{Text: strings.Clone(c.Text)})
		}
	}
	return out
}

// before reports whether a range ends strictly before where another begins, so that what
// stands at the other's place, a line end that became another included, cannot change what the
// range means.
func before(r, other protocol.Range) bool {
	last := func(a, b protocol.Position) protocol.Position {
		if a.Line > b.Line || a.Line == b.Line && a.Character > b.Character {
			return a
		}
		return b
	}
	end := last(r.Start, r.End)
	return end.Line < other.Start.Line || end.Line == other.Start.Line && end.Character < other.Start.Character
}
