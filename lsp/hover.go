package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// Hover answers `textDocument/hover`.
func (s *presentation) Hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	h, ok := ide.HoverIn(s.world(ctx).IDE(), d.Snapshot(), s.offset(d.File(), p.Position))
	if !ok {
		return nil, nil
	}
	return &protocol.Hover{
		Contents: markup(h.Markdown, s.caps.hoverMarkdown),
		Range:    ptr(s.rng(d.File(), h.Span)),
	}, nil
}

// plain takes the marks of our own Markdown off: fences, emphasis, code ticks, links' targets.
func plain(md string) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(md, "\n") {
		if strings.HasPrefix(line, "```") || strings.TrimSpace(line) == "---" {
			continue
		}
		b.WriteString(strings.NewReplacer("**", "", "`", "", "  \n", "\n", "\\", "").Replace(line))
	}
	return strings.TrimSpace(b.String())
}
