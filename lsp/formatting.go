package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// Formatting answers `textDocument/formatting`.
func (s *editing) Formatting(ctx context.Context, p *protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return s.edits(d.file(), syntax.FormatAll(d.snap().Tree(), s.formatOptions(p.Options))), nil
}

// RangeFormatting answers `textDocument/rangeFormatting`.
func (s *editing) RangeFormatting(
	ctx context.Context, p *protocol.DocumentRangeFormattingParams,
) ([]protocol.TextEdit, error) {
	return s.formatRanges(ctx, p.TextDocument, []protocol.Range{p.Range}, p.Options)
}

// RangesFormatting answers `textDocument/rangesFormatting`.
func (s *editing) RangesFormatting(
	ctx context.Context, p *protocol.DocumentRangesFormattingParams,
) ([]protocol.TextEdit, error) {
	return s.formatRanges(ctx, p.TextDocument, p.Ranges, p.Options)
}

func (s *editing) formatRanges(
	ctx context.Context, id protocol.TextDocumentIdentifier, rs []protocol.Range, o protocol.FormattingOptions,
) ([]protocol.TextEdit, error) {
	d, err := s.doc(ctx, id.URI)
	if err != nil {
		return nil, err
	}
	f := d.file()
	seen := map[source.Span]bool{} // two ranges may touch the same field
	var all []source.Edit
	for _, r := range rs {
		for _, e := range syntax.Format(d.snap().Tree(), s.formatOptions(o), s.span(f, r)) {
			if !seen[e.Span] {
				seen[e.Span] = true
				all = append(all, e)
			}
		}
	}
	return s.edits(f, all), nil
}

// formatOptions joins the editor's options with the settings.
func (s *editing) formatOptions(o protocol.FormattingOptions) syntax.FormatOptions {
	out := syntax.FormatOptions{Width: s.store.settings().Format.Width, Tabs: !o.InsertSpaces}
	if o.TabSize > 0 && o.TabSize <= 16 {
		out.Indent = int(o.TabSize)
	}
	return out
}
