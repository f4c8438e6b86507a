package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/ide"
)

// LinkedEditingRange answers `textDocument/linkedEditingRange`: a block's label and that of its
// end.
func (s *editing) LinkedEditingRange(
	ctx context.Context, p *protocol.LinkedEditingRangeParams,
) (*protocol.LinkedEditingRanges, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	spans := ide.LinkedNames(d.Snapshot(), s.offset(d.File(), p.Position))
	if len(spans) == 0 {
		return nil, nil
	}
	out := &protocol.LinkedEditingRanges{WordPattern: ptr(`\$[0-9A-Za-z!#$%&'*+\-./:<=>?@\\^_` + "`" + `|~]*`)}
	for _, sp := range spans {
		out.Ranges = append(out.Ranges, s.rng(d.File(), sp))
	}
	return out, nil
}

// DocumentLink answers `textDocument/documentLink`: the addresses in comments.
func (s *presentation) DocumentLink(
	ctx context.Context,
	p *protocol.DocumentLinkParams,
) ([]protocol.DocumentLink, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.DocumentLink{}
	for _, l := range ide.Links(d.Snapshot()) {
		out = append(out, protocol.DocumentLink{Range: s.rng(d.File(), l.Span), Target: ptr(uri.URI(l.URL))})
	}
	return out, nil
}

// InlineValue answers `textDocument/inlineValue`: the locals that the lines up to the stop name.
func (s *presentation) InlineValue(ctx context.Context, p *protocol.InlineValueParams) ([]protocol.InlineValue, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.InlineValue{}
	stop := s.offset(d.File(), p.Context.StoppedLocation.Start)
	for _, sp := range ide.InlineNames(d.Snapshot(), s.span(d.File(), p.Range), stop) {
		out = append(
			out,
			&protocol.InlineValueVariableLookup{
				Range:        s.rng(d.File(), sp),
				VariableName: ptr(d.File().Text[sp.Start:sp.End]), CaseSensitiveLookup: true,
			},
		)
	}
	return out, nil
}
