package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"stackscope/analysis"
)

// DidOpen takes a document over from the client.
func (s *documents) DidOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	td := &p.TextDocument
	if !s.versions.enter(s.ctx, len(td.Text)) {
		return s.ctx.Err()
	}
	d := s.store.open(td.URI, td.Version, td.Text)
	s.analyse(d, len(td.Text))
	s.checks.push(d.uri)
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
	old, d := s.store.change(u, p.TextDocument.Version, func(snap *analysis.Snapshot) *analysis.Snapshot {
		return s.applyChanges(snap, changes)
	})
	if d == nil {
		s.versions.leave(size)
		return fmt.Errorf("%s is not open", u)
	}
	s.analyse(d, size)
	s.checks.push(d.uri)
	s.checks.relinkAfter(d, old)
	return nil
}

// analyse begins to make the snapshot of a document, beside the reading of messages.
func (s *documents) analyse(d *document, size int) {
	go func() {
		defer s.versions.leave(size)
		defer s.recovered("analysis")
		d.snap()
	}()
}

// DidSave needs nothing: the text is known.
func (s *documents) DidSave(context.Context, *protocol.DidSaveTextDocumentParams) error { return nil }

// DidClose returns a document back to the client; its diagnostics go.
func (s *documents) DidClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	u := p.TextDocument.URI
	if !s.store.close(u) {
		return fmt.Errorf("%s is not open", u)
	}
	s.shown.drop(u)
	s.checks.push(u)
	// Others now see the file as it is on disk.
	s.once("relink all", func(ctx context.Context) { s.checks.relink(ctx, nil) })
	return nil
}
