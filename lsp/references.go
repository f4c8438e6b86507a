package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// References answers `textDocument/references`, across the files of the workspace.
func (s *navigation) References(ctx context.Context, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	w := s.world(ctx)
	return s.sites(
		w, ide.ReferencesIn(w.ide(), d.snap(), s.offset(d.file(), p.Position), p.Context.IncludeDeclaration),
	), nil
}

// DocumentHighlight answers `textDocument/documentHighlight`.
func (s *navigation) DocumentHighlight(
	ctx context.Context, p *protocol.DocumentHighlightParams,
) ([]protocol.DocumentHighlight, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	kinds := map[ide.MarkKind]protocol.DocumentHighlightKind{
		ide.MarkText:  protocol.DocumentHighlightKindText,
		ide.MarkRead:  protocol.DocumentHighlightKindRead,
		ide.MarkWrite: protocol.DocumentHighlightKindWrite,
	}
	out := []protocol.DocumentHighlight{}
	for _, m := range ide.Highlight(d.snap(), s.offset(d.file(), p.Position)) {
		out = append(out, protocol.DocumentHighlight{Range: s.rng(d.file(), m.Span), Kind: kinds[m.Kind]})
	}
	return out, nil
}
