package lsp

import (
	"context"
	"strconv"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// tokenCache holds the last token report of each document, to answer with what changed, and the
// tokens of each unit, which an edit elsewhere leaves as they are.
type tokenCache struct {
	mu   sync.Mutex
	docs map[uri.URI]*tokenDoc
}

type tokenDoc struct {
	mu     sync.Mutex // held while a report is made
	report tokenReport
	units  map[*syntax.Unit]tokenChunk
}

type tokenReport struct {
	id   string
	data []uint32
}

// tokenChunk are the tokens of a unit. The first line and column are counted from the unit's start.
type tokenChunk struct {
	key              any // of the module's declarations
	data             []uint32
	line, col        int // of the first token; col counts from the unit's start if line is 0
	endLine, lastCol int // of the last token, likewise
}

func (c *tokenCache) doc(u uri.URI) *tokenDoc {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.docs == nil {
		c.docs = map[uri.URI]*tokenDoc{}
	}
	d := c.docs[u]
	if d == nil {
		d = &tokenDoc{}
		c.docs[u] = d
	}
	return d
}

func (c *tokenCache) drop(u uri.URI) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.docs, u)
}

// SemanticTokensFull answers `textDocument/semanticTokens/full`.
func (s *Server) SemanticTokensFull(ctx context.Context, p *protocol.SemanticTokensParams) (*protocol.SemanticTokens, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	_, r := s.fullTokens(ctx, d)
	return &protocol.SemanticTokens{ResultID: &r.id, Data: r.data}, nil
}

// SemanticTokensRange answers `textDocument/semanticTokens/range`.
func (s *Server) SemanticTokensRange(ctx context.Context, p *protocol.SemanticTokensRangeParams) (*protocol.SemanticTokens, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	sp := s.span(d.file(), p.Range)
	c := s.encodeTokens(ctx, d, sp)
	if len(c.data) > 0 {
		start := d.file().Position(sp.Start, s.enc)
		c.data[0] = uint32(start.Line + c.line)
		c.data[1] = uint32(c.col)
		if c.line == 0 {
			c.data[1] += uint32(start.Col)
		}
	}
	return &protocol.SemanticTokens{Data: c.data}, nil
}

// SemanticTokensFullDelta answers `textDocument/semanticTokens/full/delta`: the one stretch that
// differs from the report the client has.
func (s *Server) SemanticTokensFullDelta(ctx context.Context, p *protocol.SemanticTokensDeltaParams) (protocol.SemanticTokensDeltaResult, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	old, r := s.fullTokens(ctx, d)
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

// fullTokens gives the report before and the report now of a document. Units that did not change
// since, in a module whose declarations did not, are taken over.
func (s *Server) fullTokens(ctx context.Context, d *document) (old, r tokenReport) {
	td := s.tokens.doc(d.uri)
	td.mu.Lock()
	defer td.mu.Unlock()
	t := d.snap.Tree()
	f := d.file()
	units := make(map[*syntax.Unit]tokenChunk, len(t.Units))
	r = tokenReport{id: strconv.FormatUint(d.gen, 36), data: make([]uint32, 0, len(td.report.data)+1024)}
	cur := newLineCursor(f, s.enc, 0)
	line, col := 0, 0 // of the last token
	var m *analysis.Module
	var key any
	for i := range t.Units {
		u := &t.Units[i]
		if i%64 == 0 && ctx.Err() != nil {
			return td.report, td.report
		}
		if m == nil || !m.Span().Contains(u.Off+int(u.Len)) {
			key = nil
			if m = d.snap.ModuleAt(u.Off + int(u.Len)); m != nil {
				key = m.DeclKey()
			}
		}
		c, ok := td.units[u.Unit]
		if !ok || c.key != key {
			c = s.encodeTokens(ctx, d, source.Span{Start: u.Off, End: u.Off + int(u.Len)})
			c.key = key
		}
		units[u.Unit] = c
		if len(c.data) == 0 {
			continue
		}
		ul, uc := cur.at(u.Off)
		first := len(r.data)
		r.data = append(r.data, c.data...)
		fl, fc := ul+c.line, c.col
		if c.line == 0 {
			fc += uc
		}
		if fl == line {
			fc -= col
		}
		r.data[first], r.data[first+1] = uint32(fl-line), uint32(fc)
		line, col = ul+c.endLine, c.lastCol
		if c.endLine == 0 {
			col += uc
		}
	}
	old = td.report
	td.report, td.units = r, units
	return old, r
}

// encodeTokens encodes the tokens of a span: five numbers each, relative to the token before. A
// token over several lines is told line by line, as few clients take it otherwise.
func (s *Server) encodeTokens(ctx context.Context, d *document, sp source.Span) tokenChunk {
	f := d.file()
	c := tokenChunk{}
	cur := newLineCursor(f, s.enc, sp.Start)
	startLine, startCol := cur.at(sp.Start)
	prevLine, prevCol := startLine, startCol
	put := func(line, col, n int, t ide.Token) {
		if n == 0 {
			return
		}
		dc := col
		if line == prevLine {
			dc -= prevCol
		}
		if len(c.data) == 0 {
			c.line, c.col = line-startLine, dc
		}
		c.data = append(c.data, uint32(line-prevLine), uint32(dc), uint32(n), uint32(t.Type), uint32(t.Mods))
		prevLine, prevCol = line, col
	}
	count := 0
	ide.Tokens(d.snap, sp, func(t ide.Token) bool {
		line, col := cur.at(t.Span.Start)
		last := line
		if line+1 < f.NumLines() && f.LineStart(line+1) < t.Span.End {
			last = f.LineOf(t.Span.End)
		}
		for ln := line; ln <= last; ln++ {
			part := f.Line(ln)
			part.Start, part.End = max(part.Start, t.Span.Start), min(part.End, t.Span.End)
			c := 0
			if ln == line {
				c = col
			}
			put(ln, c, source.Units(f.Text[part.Start:max(part.Start, part.End)], s.enc), t)
		}
		count++
		return count%4096 != 0 || ctx.Err() == nil
	})
	c.endLine, c.lastCol = prevLine-startLine, prevCol
	if c.endLine == 0 {
		c.lastCol -= startCol
	}
	return c
}
