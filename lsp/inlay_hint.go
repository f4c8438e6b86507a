package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/lsp/internal/workspace"
)

// hintData comes back in `inlayHint/resolve`.
type hintData struct {
	URI     uri.URI `json:"uri"`
	Version int32   `json:"version"`
	Off     int     `json:"off"`
}

// inlayOptions returns the kinds of hints that the settings ask for.
func (s *presentation) inlayOptions() ide.InlayOptions {
	c := s.store.Settings().InlayHints
	return ide.InlayOptions{
		Types: c.Types, Stack: c.Stack, BlockEnds: c.BlockEnds, Indices: c.Indices,
		Parameters: c.Parameters,
	}
}

// InlayHint answers `textDocument/inlayHint`. A client that resolves hints gets what is shown; the
// rest when somebody points at one.
func (s *presentation) InlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	f := d.File()
	out := []protocol.InlayHint{}
	for _, h := range ide.Inlay(d.Snapshot(), s.span(f, p.Range), s.inlayOptions()) {
		ih := protocol.InlayHint{Position: s.position(f, h.Off), Label: protocol.String(h.Label)}
		if h.Param {
			ih.Kind, ih.PaddingRight = protocol.InlayHintKindParameter, yes()
		} else {
			ih.PaddingLeft = yes()
		}
		if h.Type {
			ih.Kind = protocol.InlayHintKindType
		}
		if s.caps.resolveHints {
			ih.Data, _ = json.Marshal(hintData{d.URI, d.Version, h.Off})
		} else {
			s.fillHint(d, h, &ih)
		}
		out = append(out, ih)
	}
	return out, nil
}

// InlayHintResolve answers `inlayHint/resolve`: the tooltip, and where what the hint is about is.
func (s *presentation) InlayHintResolve(ctx context.Context, ih *protocol.InlayHint) (*protocol.InlayHint, error) {
	var data hintData
	label, ok := ih.Label.(protocol.String)
	if !ok || len(ih.Data) == 0 || json.Unmarshal(ih.Data, &data) != nil {
		return ih, nil
	}
	d, err := s.doc(ctx, data.URI)
	if err != nil {
		return nil, err
	}
	if d.Version != data.Version {
		return nil, jsonrpc2.Errorf(contentModified, "%s has changed since the hint was shown", data.URI)
	}
	from := max(0, data.Off-1)
	for _, h := range ide.Inlay(d.Snapshot(), source.Span{Start: from, End: data.Off + 1}, s.inlayOptions()) {
		if h.Off == data.Off && h.Label == string(label) {
			s.fillHint(d, h, ih)
			return ih, nil
		}
	}
	return ih, nil
}

// fillHint adds the tooltip and the place to go to.
func (s *presentation) fillHint(d *workspace.Document, h ide.Hint, ih *protocol.InlayHint) {
	tip := h.Tooltip()
	if h.Target.End > h.Target.Start {
		part := protocol.InlayHintLabelPart{Value: h.Label, Location: s.location(d, h.Target)}
		if tip != "" {
			part.Tooltip = markup(tip, s.caps.hoverMarkdown)
		}
		ih.Label = protocol.InlayHintLabelPartSlice{part}
		return
	}
	if tip != "" {
		ih.Tooltip = markup(tip, s.caps.hoverMarkdown)
	}
}
