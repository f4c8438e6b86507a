package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// FoldingRanges answers `textDocument/foldingRange`.
func (s *presentation) FoldingRanges(ctx context.Context, p *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return s.folds(ctx, d)
}

// SelectionRange answers `textDocument/selectionRange`.
func (s *presentation) SelectionRange(
	ctx context.Context, p *protocol.SelectionRangeParams,
) ([]protocol.SelectionRange, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	f := d.file()
	out := make([]protocol.SelectionRange, 0, len(p.Positions))
	for _, pos := range p.Positions {
		spans := ide.Selection(d.snap(), s.offset(f, pos))
		var sel *protocol.SelectionRange
		for i := len(spans) - 1; i >= 0; i-- {
			sel = &protocol.SelectionRange{Range: s.rng(f, spans[i]), Parent: sel}
		}
		if sel == nil {
			sel = &protocol.SelectionRange{Range: protocol.Range{Start: pos, End: pos}}
		}
		out = append(out, *sel)
	}
	return out, nil
}
