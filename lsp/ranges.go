package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// FoldingRanges answers `textDocument/foldingRange`.
func (s *Server) FoldingRanges(ctx context.Context, p *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	f := d.file()
	out := []protocol.FoldingRange{}
	for _, x := range ide.Folding(d.snap) {
		r := s.rng(f, x.Span)
		fr := protocol.FoldingRange{StartLine: r.Start.Line, EndLine: r.End.Line}
		if x.Comment {
			fr.Kind = protocol.FoldingRangeKindComment
		} else if x.Imports {
			fr.Kind = protocol.FoldingRangeKindImports
		}
		if !s.caps.lineFoldingOnly {
			fr.StartCharacter, fr.EndCharacter = ptr(r.Start.Character), ptr(r.End.Character)
		}
		out = append(out, fr)
	}
	return out, nil
}

// SelectionRange answers `textDocument/selectionRange`.
func (s *Server) SelectionRange(ctx context.Context, p *protocol.SelectionRangeParams) ([]protocol.SelectionRange, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	f := d.file()
	out := make([]protocol.SelectionRange, 0, len(p.Positions))
	for _, pos := range p.Positions {
		spans := ide.Selection(d.snap, s.offset(f, pos))
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
