package lsp

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/source"
	"stackscope/lsp/internal/workspace"
)

// position returns the protocol position of an offset.
func (s *session) position(f *source.File, off int) protocol.Position {
	p := f.Position(off, s.enc)
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Col)}
}

// rng returns the protocol range of a span.
func (s *session) rng(f *source.File, sp source.Span) protocol.Range {
	return protocol.Range{Start: s.position(f, sp.Start), End: s.position(f, sp.End)}
}

// offset returns the offset of a protocol position, clamped to the text.
func (s *session) offset(f *source.File, p protocol.Position) int {
	return f.Offset(source.Position{Line: int(p.Line), Col: int(p.Character)}, s.enc)
}

// span returns the span of a protocol range, clamped to the text; an inverted range is turned
// round.
func (s *session) span(f *source.File, r protocol.Range) source.Span {
	a, b := s.offset(f, r.Start), s.offset(f, r.End)
	return source.Span{Start: min(a, b), End: max(a, b)}
}

// location returns the protocol location of a span of a document.
func (s *session) location(d *workspace.Document, sp source.Span) protocol.Location {
	return protocol.Location{URI: d.URI, Range: s.rng(d.File(), sp)}
}

// edits returns text edits; never nil.
func (s *session) edits(f *source.File, es []source.Edit) []protocol.TextEdit {
	out := make([]protocol.TextEdit, 0, len(es))
	for _, e := range es {
		out = append(out, protocol.TextEdit{Range: s.rng(f, e.Span), NewText: e.New})
	}
	return out
}

// docEdits are edits of one document.
type docEdits struct {
	d     *workspace.Document
	edits []source.Edit
}

// workspaceEdit returns edits of one document, tied to its version if the client can tell versions.
func (s *session) workspaceEdit(d *workspace.Document, es []source.Edit) *protocol.WorkspaceEdit {
	return s.workspaceEdits([]docEdits{{d, es}})
}

// workspaceEdits returns edits of several documents. Those that are not open have no version.
func (s *session) workspaceEdits(all []docEdits) *protocol.WorkspaceEdit {
	if !s.caps.documentChanges {
		out := &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{}}
		for _, x := range all {
			out.Changes[x.d.URI] = s.edits(x.d.File(), x.edits)
		}
		return out
	}
	out := &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{}}
	for _, x := range all {
		edits := s.edits(x.d.File(), x.edits)
		elems := make([]protocol.TextDocumentEditElement, len(edits))
		for i := range edits {
			elems[i] = &edits[i]
		}
		te := &protocol.TextDocumentEdit{Edits: elems}
		te.TextDocument.URI = x.d.URI
		if x.d.Version >= 0 {
			te.TextDocument.Version = ptr(x.d.Version)
		}
		out.DocumentChanges = append(out.DocumentChanges, te)
	}
	return out
}

// markup returns Markdown, or its plain text for a client that shows none.
func markup(md string, markdown bool) *protocol.MarkupContent {
	if markdown {
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: md}
	}
	return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: plain(md)}
}

// lineCursor converts offsets to positions. Ascending offsets cost it no search.
type lineCursor struct {
	f    *source.File
	enc  source.Encoding
	line int
	from int // offset up to which col counts
	col  int
}

func newLineCursor(f *source.File, enc source.Encoding, off int) *lineCursor {
	c := &lineCursor{f: f, enc: enc}
	c.seek(off)
	return c
}

// seek goes to an offset.
func (c *lineCursor) seek(off int) {
	p := c.f.Position(off, c.enc)
	c.line, c.col, c.from = p.Line, p.Col, c.f.Offset(p, c.enc)
}

// at returns line and column of an offset.
func (c *lineCursor) at(off int) (line, col int) {
	if off < c.from {
		c.seek(off)
		return c.line, c.col
	}
	for c.line+1 < c.f.NumLines() && c.f.LineStart(c.line+1) <= off {
		c.line++
		c.from, c.col = c.f.LineStart(c.line), 0
	}
	c.col += source.Units(c.f.Text[c.from:off], c.enc)
	c.from = off
	return c.line, c.col
}
