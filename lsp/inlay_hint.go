package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// InlayHint answers `textDocument/inlayHint`.
func (s *Server) InlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	f := d.file()
	c := s.store.settings().InlayHints
	opt := ide.InlayOptions{Types: c.Types, BlockEnds: c.BlockEnds, Indices: c.Indices}
	out := []protocol.InlayHint{}
	for _, h := range ide.Inlay(d.snap, s.span(f, p.Range), opt) {
		ih := protocol.InlayHint{Position: s.position(f, h.Off), Label: protocol.String(h.Label), PaddingLeft: yes()}
		if h.Type {
			ih.Kind = protocol.InlayHintKindType
		}
		if h.Tooltip != "" {
			ih.Tooltip = protocol.String(h.Tooltip)
		}
		out = append(out, ih)
	}
	return out, nil
}
