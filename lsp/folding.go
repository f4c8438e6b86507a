package lsp

import (
	"cmp"
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/lsp/internal/workspace"
)

// unitFold is a fold in a unit. Lines count from the unit's start; so do columns on line 0.
type unitFold struct {
	line, col, endLine, endCol int32
	comment                    bool
}

// folds returns the folding ranges of a document in order. Those of a unit that an edit leaves
// alone are not made again.
func (s *presentation) folds(ctx context.Context, d *workspace.Document) ([]protocol.FoldingRange, error) {
	f := d.File()
	units := d.Snapshot().Tree().Units
	cur := newLineCursor(f, s.enc, 0)
	w := foldWriter{out: []protocol.FoldingRange{}, chars: !s.caps.lineFoldingOnly}
	err := s.foldings.Each(ctx, d, func(i int, known func(int) ([]unitFold, bool)) []unitFold {
		line, col := cur.at(units[i].Off)
		folds, ok := known(i)
		if !ok {
			for _, x := range ide.UnitFolds(d.Snapshot(), i) {
				folds = append(folds, s.relativeFold(f, x, line, col))
			}
		}
		for _, x := range folds {
			w.put(x, line, col)
		}
		return folds
	})
	if err != nil {
		return nil, err
	}
	for _, x := range ide.WideFolds(d.Snapshot()) {
		w.put(s.relativeFold(f, x, 0, 0), 0, 0)
		if x.Imports {
			w.out[len(w.out)-1].Kind = protocol.FoldingRangeKindImports
		}
	}
	slices.SortStableFunc(w.out, func(a, b protocol.FoldingRange) int {
		return cmp.Compare(a.StartLine,
			b.StartLine)
	})
	return w.out, nil
}

// relativeFold counts a fold's places from that of a unit's start.
func (s *presentation) relativeFold(f *source.File, x ide.Fold, line, col int) unitFold {
	at := func(off int) (int32, int32) {
		p := f.Position(off, s.enc)
		if p.Line == line {
			p.Col -= col
		}
		return int32(p.Line - line), int32(p.Col)
	}
	out := unitFold{comment: x.Comment}
	out.line, out.col = at(x.Span.Start)
	out.endLine, out.endCol = at(x.Span.End)
	return out
}

// foldWriter makes protocol values. Columns are handed out from blocks, as they are pointers.
type foldWriter struct {
	out   []protocol.FoldingRange
	chars bool
	block []uint32
}

func (w *foldWriter) put(x unitFold, line, col int) {
	place := func(l, c int32) (uint32, uint32) {
		if l == 0 {
			c += int32(col)
		}
		return uint32(line) + uint32(l), uint32(c)
	}
	fr := protocol.FoldingRange{}
	var a, b uint32
	fr.StartLine, a = place(x.line, x.col)
	fr.EndLine, b = place(x.endLine, x.endCol)
	if x.comment {
		fr.Kind = protocol.FoldingRangeKindComment
	}
	if w.chars {
		if len(w.block)+2 > cap(w.block) {
			w.block = make([]uint32, 0, 1024)
		}
		w.block = append(w.block, a, b)
		fr.StartCharacter, fr.EndCharacter = &w.block[len(w.block)-2], &w.block[len(w.block)-1]
	}
	w.out = append(w.out, fr)
}

// FoldingRanges answers `textDocument/foldingRange`.
func (s *presentation) FoldingRanges(
	ctx context.Context,
	p *protocol.FoldingRangeParams,
) ([]protocol.FoldingRange, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return s.folds(ctx, d)
}

// SelectionRange answers `textDocument/selectionRange`.
func (s *presentation) SelectionRange(
	ctx context.Context, p *protocol.SelectionRangeParams,
) ([]protocol.SelectionRange, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	f := d.File()
	out := make([]protocol.SelectionRange, 0, len(p.Positions))
	for _, pos := range p.Positions {
		spans := ide.Selection(d.Snapshot(), s.offset(f, pos))
		var sel *protocol.SelectionRange
		for i := len(spans) - 1; i >= 0; i-- {
			sel = &protocol.SelectionRange{Range: s.rng(f, spans[i]), Parent: sel}
		}
		if sel == nil {
			sel = &protocol.SelectionRange{Range: protocol.Range{Start: pos, End: pos}}
		}
		out = append(out, *sel)
	}
	return out, nil
}
