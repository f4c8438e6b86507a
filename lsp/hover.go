package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/debuginfo/listing"
	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/lsp/internal/workspace"
)

// Hover answers `textDocument/hover`.
func (s *presentation) Hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	off := s.offset(d.File(), p.Position)
	h, ok := ide.HoverIn(s.world(ctx).IDE(), d.Snapshot(), off)
	if h, ok = s.hoverSource(ctx, d, off, h, ok); !ok {
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

// listing returns the places of source of a document that is the text of a binary module; nil: it is
// none, the module is of another version now, or nothing is known of its source.
func (s *session) listing(ctx context.Context, d *workspace.Document) *listing.Listing {
	if !strings.HasPrefix(string(d.URI), workspace.SchemeText+":") {
		return nil
	}
	l := s.listings.Of(ctx, d.Path())
	if l == nil || l.Text != d.File().Text {
		return nil
	}
	return l
}

// hoverSource adds the places of source of an offset to what a hover says.
func (s *presentation) hoverSource(
	ctx context.Context, d *workspace.Document, off int, h ide.HoverInfo, ok bool,
) (ide.HoverInfo, bool) {
	l := s.listing(ctx, d)
	if l == nil {
		return h, ok
	}
	text := d.File().Text
	if !ok { // nothing but the instruction of the line
		from := strings.LastIndexByte(text[:off], '\n') + 1
		to := from + len(text[from:]) - len(strings.TrimLeft(text[from:], " "))
		if off < to {
			return h, ok
		}
		end := len(text)
		if i := strings.IndexByte(text[to:], '\n'); i >= 0 {
			end = to + i
		}
		h.Span = source.Span{Start: to, End: end}
	}
	levels := l.At(off)
	if len(levels) == 0 {
		return h, ok
	}
	var b strings.Builder
	for i, v := range levels {
		place := inCode(v.String())
		if v.Path != "" && s.caps.hoverMarkdown {
			place = fmt.Sprintf("[%s](%s#L%d)", v, uri.File(v.Path), v.Place.Line)
		}
		switch {
		case i > 0:
			b.WriteString("  \ninlined at " + place)
		default:
			b.WriteString("**Source** " + place)
		}
		if v.Func != "" {
			b.WriteString(" in " + inCode(v.Func))
		}
	}
	if v := levels[0]; v.Text != "" {
		ext := strings.TrimPrefix(filepath.Ext(v.Place.File.Path), ".")
		fence := "```"
		for strings.Contains(v.Text, fence) {
			fence += "`"
		}
		fmt.Fprintf(&b, "\n\n%s%s\n%s\n%s", fence, ext, v.Text, fence)
	}
	if h.Markdown != "" {
		h.Markdown += "\n\n---\n\n"
	}
	h.Markdown += b.String()
	return h, true
}

// inCode returns a text as code of Markdown.
func inCode(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }
