package lsp

import (
	"context"
	"strconv"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/ide"
	"stackscope/analysis/source"
)

// tokenCache holds the last token report of each document, to answer with what changed.
type tokenCache struct {
	mu   sync.Mutex
	last map[uri.URI]tokenReport
}

type tokenReport struct {
	id   string
	data []uint32
}

func (c *tokenCache) swap(u uri.URI, r tokenReport) (old tokenReport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old = c.last[u]
	if c.last == nil {
		c.last = map[uri.URI]tokenReport{}
	}
	c.last[u] = r
	return old
}

func (c *tokenCache) drop(u uri.URI) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.last, u)
}

// SemanticTokensFull answers `textDocument/semanticTokens/full`.
func (s *Server) SemanticTokensFull(ctx context.Context, p *protocol.SemanticTokensParams) (*protocol.SemanticTokens, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	r := s.tokenReport(ctx, d, source.Span{End: len(d.file().Text)})
	s.tokens.swap(d.uri, r)
	return &protocol.SemanticTokens{ResultID: &r.id, Data: r.data}, nil
}

// SemanticTokensRange answers `textDocument/semanticTokens/range`.
func (s *Server) SemanticTokensRange(ctx context.Context, p *protocol.SemanticTokensRangeParams) (*protocol.SemanticTokens, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return &protocol.SemanticTokens{Data: s.tokenReport(ctx, d, s.span(d.file(), p.Range)).data}, nil
}

// SemanticTokensFullDelta answers `textDocument/semanticTokens/full/delta`: the one stretch that
// differs from the report the client has.
func (s *Server) SemanticTokensFullDelta(ctx context.Context, p *protocol.SemanticTokensDeltaParams) (protocol.SemanticTokensDeltaResult, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	r := s.tokenReport(ctx, d, source.Span{End: len(d.file().Text)})
	if ctx.Err() != nil {
		return nil, protocol.ErrRequestCancelled
	}
	old := s.tokens.swap(d.uri, r)
	if old.id == "" || old.id != p.PreviousResultID {
		return &protocol.SemanticTokens{ResultID: &r.id, Data: r.data}, nil
	}
	return &protocol.SemanticTokensDelta{ResultID: &r.id, Edits: tokenDelta(old.data, r.data)}, nil
}

// tokenDelta gives the edit that makes b of a: nothing, or one stretch, in whole tokens.
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

// tokenReport encodes the tokens of a span: five numbers each, relative to the token before. A
// token over several lines is told line by line, as few clients take it otherwise.
func (s *Server) tokenReport(ctx context.Context, d *document, sp source.Span) tokenReport {
	f := d.file()
	r := tokenReport{id: strconv.FormatUint(d.gen, 36), data: make([]uint32, 0, 5*((sp.End-sp.Start)/8+1))}
	cur := newLineCursor(f, s.enc, sp.Start)
	prevLine, prevCol := 0, 0
	put := func(line, col, n int, t ide.Token) {
		if n == 0 {
			return
		}
		dc := col
		if line == prevLine {
			dc -= prevCol
		}
		r.data = append(r.data, uint32(line-prevLine), uint32(dc), uint32(n), uint32(t.Type), uint32(t.Mods))
		prevLine, prevCol = line, col
	}
	count := 0
	ide.Tokens(d.snap, sp, func(t ide.Token) bool {
		line, col := cur.at(t.Span.Start)
		text := f.Text[t.Span.Start:t.Span.End]
		last := f.LineOf(t.Span.End)
		if last == line || (line+1 < f.NumLines() && f.LineStart(line+1) >= t.Span.End) {
			put(line, col, source.Units(text, s.enc), t)
		} else {
			for ln := line; ln <= last; ln++ {
				part := f.Line(ln)
				part.Start, part.End = max(part.Start, t.Span.Start), min(part.End, t.Span.End)
				c := 0
				if ln == line {
					c = col
				}
				put(ln, c, source.Units(f.Text[part.Start:max(part.Start, part.End)], s.enc), t)
			}
		}
		count++
		return count%4096 != 0 || ctx.Err() == nil
	})
	return r
}
