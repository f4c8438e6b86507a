package lsp

import (
	"context"
	"encoding/binary"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// SemanticTokensFull answers `textDocument/semanticTokens/full`.
func (s *presentation) SemanticTokensFull(
	ctx context.Context, p *protocol.SemanticTokensParams,
) (*protocol.SemanticTokens, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	_, r, ok := s.reports(ctx, d)
	if !ok {
		return nil, protocol.ErrRequestCancelled
	}
	return &protocol.SemanticTokens{ResultID: &r.id, Data: r.data(0, len(r.chunks))}, nil
}

// SemanticTokensRange answers `textDocument/semanticTokens/range`.
func (s *presentation) SemanticTokensRange(
	ctx context.Context, p *protocol.SemanticTokensRangeParams,
) (*protocol.SemanticTokens, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	sp := s.span(d.File(), p.Range)
	// A token that the range begins in is part of the answer, from the line that the range begins
	// on.
	ide.Tokens(d.Snapshot(), sp, func(t ide.Token) bool {
		sp.Start = min(sp.Start, max(t.Span.Start, d.File().LineStart(d.File().LineOf(sp.Start))))
		return false
	})
	c := &tokenChunk{}
	s.encodeUnit(d, sp, c)
	start := d.File().Position(sp.Start, s.enc)
	w := tokenWriter{out: []uint32{}, line: start.Line, col: start.Col}
	w.chunk(c)
	return &protocol.SemanticTokens{Data: w.out}, nil
}

// SemanticTokensFullDelta answers `textDocument/semanticTokens/full/delta`: the one stretch that
// differs from the report the client has.
func (s *presentation) SemanticTokensFullDelta(
	ctx context.Context, p *protocol.SemanticTokensDeltaParams,
) (protocol.SemanticTokensDeltaResult, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	old, r, ok := s.reports(ctx, d)
	switch {
	case !ok:
		return nil, protocol.ErrRequestCancelled
	case old == nil || old.id != p.PreviousResultID:
		return &protocol.SemanticTokens{ResultID: &r.id, Data: r.data(0, len(r.chunks))}, nil
	}
	return &protocol.SemanticTokensDelta{ResultID: &r.id, Edits: old.delta(r)}, nil
}

// delta returns the edit that makes the data of r of those of old: nothing, or one stretch, in
// whole tokens. What the reports share at their ends is not looked at: numbers are relative, so
// only the first token after the stretch can differ.
func (old *tokenReport) delta(r *tokenReport) []protocol.SemanticTokensEdit {
	a, b := old.chunks, r.chunks
	n := min(len(a), len(b))
	head := 0
	start := 0 // tokens before it
	for head < n && a[head] == b[head] {
		start += a[head].count
		head++
	}
	tail := 0
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 { // with the first token after
		c := a[len(a)-tail]
		tail--
		if c.count > 0 {
			break
		}
	}
	edits := tokenDelta(old.data(head, len(a)-tail), r.data(head, len(b)-tail))
	for i := range edits {
		edits[i].Start += uint32(5 * start)
	}
	return edits
}

// tokenDelta returns the edit that makes b of a: nothing, or one stretch, in whole tokens.
func tokenDelta(a, b []uint32) []protocol.SemanticTokensEdit {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == len(a) && i == len(b) {
		return []protocol.SemanticTokensEdit{}
	}
	i -= i % 5
	j := 0
	for j < n-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	j -= j % 5
	return []protocol.SemanticTokensEdit{{
		Start: uint32(i), DeleteCount: uint32(len(a) - j - i), Data: b[i : len(b)-j],
	}}
}

// data returns the numbers of the chunks from one up to another.
func (r *tokenReport) data(from, to int) []uint32 {
	w := tokenWriter{}
	n := 0
	for i, c := range r.chunks[:to] {
		if i < from {
			w.skip(c)
			continue
		}
		n += c.count
	}
	w.out = make([]uint32, 0, 5*n)
	for _, c := range r.chunks[from:to] {
		w.chunk(c)
	}
	return w.out
}

// tokenWriter puts chunks after each other.
type tokenWriter struct {
	out              []uint32
	line, col        int // where the next chunk's unit begins
	tokLine, tokChar int // the last token
}

// skip goes over a chunk that is not written.
func (w *tokenWriter) skip(c *tokenChunk) {
	if c.count > 0 {
		w.tokLine, w.tokChar = w.at(c.endLine, c.lastCol)
	}
	w.line, w.col = w.at(c.lines, c.endCol)
}

// at returns the place that is some lines and a column from where the unit begins.
func (w *tokenWriter) at(lines, col int) (int, int) {
	if lines == 0 {
		col += w.col
	}
	return w.line + lines, col
}

func (w *tokenWriter) chunk(c *tokenChunk) {
	first := len(w.out)
	for b := c.data; len(b) > 0; {
		if b[0] < 0x80 {
			w.out = append(w.out, uint32(b[0]))
			b = b[1:]
			continue
		}
		v, n := binary.Uvarint(b)
		if n <= 0 {
			break
		}
		w.out = append(w.out, uint32(v))
		b = b[n:]
	}
	if c.count > 0 {
		line, col := w.at(c.line, c.col)
		if line == w.tokLine {
			col -= w.tokChar
		}
		w.out[first], w.out[first+1] = uint32(line-w.tokLine), uint32(col)
	}
	w.skip(c)
}
