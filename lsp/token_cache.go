package lsp

import (
	"context"
	"encoding/binary"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"weak"

	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/lsp/internal/workspace"
)

// tokenCache holds the last token report of each document, to answer with what changed.
type tokenCache struct {
	mu   sync.Mutex
	docs map[uri.URI]*tokenDoc
}

type tokenDoc struct {
	mu     sync.Mutex // held while a report is made
	report *tokenReport
}

// tokenReport is the answer for a whole document: the tokens of its units, in order. A unit that an
// edit leaves alone is in the next report with the same chunk.
type tokenReport struct {
	id     string
	chunks []*tokenChunk // by unit of the tree
	units  []workspace.UnitID
}

// tokenChunk are the tokens of a unit, as numbers of the protocol in variable length: five for each
// token, relative to the one before. Those of the first are relative to the unit's start.
type tokenChunk struct {
	key   any // of the module's declarations
	data  []byte
	count int // of tokens
	// Lines from the unit's start to its first and last token, and columns: from the unit's start
	// if the line is 0.
	line, col, endLine, lastCol int
	// Lines from the unit's start to its end, and the column of the end likewise.
	lines, endCol int
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

// reports returns the report before (nil if there is none) and the report now of a document. Units
// that did not change since, in a module whose declarations did not, are taken over. It is false if
// ctx ended.
func (s *presentation) reports(ctx context.Context, d *workspace.Document) (old, r *tokenReport, ok bool) {
	td := s.tokens.doc(d.URI)
	td.mu.Lock()
	defer td.mu.Unlock()
	old = td.report
	units := d.Snapshot().Tree().Units
	r = &tokenReport{
		id: strconv.FormatUint(d.Gen, 36), chunks: make([]*tokenChunk, len(units)),
		units: make([]workspace.UnitID, len(units)),
	}
	known := func(int) (c *tokenChunk, ok bool) { return nil, false }
	if old != nil {
		known = workspace.Kept(old.units, old.chunks, units)
	}
	mods := d.Snapshot().Modules()
	var todo []int
	for i := range units {
		u := &units[i]
		r.units[i] = weak.Make(u.Unit)
		var key any
		if m := moduleOf(&mods, u.Off+int(u.Len)); m != nil {
			key = m.DeclKey()
		}
		if c, ok := known(i); ok && c.key == key {
			r.chunks[i] = c
			continue
		}
		r.chunks[i] = &tokenChunk{key: key}
		todo = append(todo, i)
	}
	if !s.encodeUnits(ctx, d, r, todo) {
		return old, old, false
	}
	td.report = r
	return old, r, true
}

// moduleOf returns the module that holds an offset; the offsets ascend from call to call, and
// modules that end before are dropped.
func moduleOf(mods *[]*analysis.Module, off int) *analysis.Module {
	for len(*mods) > 0 {
		sp := (*mods)[0].Span()
		if off < sp.Start {
			return nil
		}
		if off <= sp.End {
			return (*mods)[0]
		}
		*mods = (*mods)[1:]
	}
	return nil
}

// encodeUnits fills the chunks of units, on all processors. It is false if ctx ended.
func (s *presentation) encodeUnits(ctx context.Context, d *workspace.Document, r *tokenReport, todo []int) bool {
	units := d.Snapshot().Tree().Units
	work := func(is []int) {
		for _, i := range is {
			if ctx.Err() != nil {
				return
			}
			u := &units[i]
			s.encodeUnit(d, source.Span{Start: u.Off, End: u.Off + int(u.Len)}, r.chunks[i])
		}
	}
	const grain = 16
	workers := min(runtime.GOMAXPROCS(0), (len(todo)+grain-1)/grain)
	if workers <= 1 {
		work(todo)
		return ctx.Err() == nil
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			defer s.recovered("semantic tokens")
			for {
				i := int(next.Add(grain)) - grain
				if i >= len(todo) || ctx.Err() != nil {
					return
				}
				work(todo[i:min(i+grain, len(todo))])
			}
		})
	}
	wg.Wait()
	return ctx.Err() == nil
}

// encodeUnit encodes the tokens of a span: five numbers each, relative to the token before. A token
// over several lines is told line by line, as few clients take it otherwise; those of its lines
// that are not in the span are left out.
func (s *presentation) encodeUnit(d *workspace.Document, sp source.Span, c *tokenChunk) {
	f := d.File()
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
		if c.count == 0 {
			c.line, c.col = line-startLine, dc
		}
		c.count++
		for _, v := range [5]int{line - prevLine, dc, n, int(t.Type), int(t.Mods)} {
			c.data = binary.AppendUvarint(c.data, uint64(v))
		}
		prevLine, prevCol = line, col
	}
	ide.Tokens(d.Snapshot(), sp, func(t ide.Token) bool {
		start := max(t.Span.Start, sp.Start)
		line, col := cur.at(start)
		if line+1 >= f.NumLines() || f.LineStart(line+1) >= t.Span.End {
			put(line, col, source.Units(f.Text[start:t.Span.End], s.enc), t)
			return true
		}
		for ln := line; ln <= f.LineOf(min(t.Span.End, sp.End)); ln++ {
			part := f.Line(ln)
			part.Start, part.End = max(part.Start, start), min(part.End, t.Span.End)
			from := 0
			if ln == line {
				from = col
			}
			put(ln, from, source.Units(f.Text[part.Start:max(part.Start, part.End)], s.enc), t)
		}
		return true
	})
	relative := func(line, col int) (int, int) {
		if line == startLine {
			col -= startCol
		}
		return line - startLine, col
	}
	c.endLine, c.lastCol = relative(prevLine, prevCol)
	c.lines, c.endCol = relative(cur.at(sp.End))
	c.data = append([]byte(nil), c.data...) // no spare room
}
