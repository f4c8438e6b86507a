package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/debuginfo/listing"
	"stackscope/analysis/ide"
	"stackscope/lsp/internal/workspace"
)

// Definition answers `textDocument/definition`, of an imported item with its definition in the file
// that it comes from, if that is known. In the text of a binary module an instruction leads to its
// line in the source.
func (s *navigation) Definition(ctx context.Context, p *protocol.DefinitionParams) (protocol.DefinitionResult,
	error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	w := s.world(ctx)
	off := s.offset(d.File(), p.Position)
	out := s.sites(w, ide.DefinitionIn(w.IDE(), d.Snapshot(), off))
	if len(out) == 0 {
		if l := s.listing(ctx, d); l != nil {
			out = append(out, s.sourceOf(l, off)...)
		}
	}
	return out, nil
}

// sites returns the locations of sites, their names.
func (s *session) sites(w *workspace.World, sites []ide.Site) protocol.LocationSlice {
	out := protocol.LocationSlice{}
	for _, t := range sites {
		if d := w.DocOf(t.Snap); d != nil {
			out = append(out, s.location(d, t.Name))
		}
	}
	return out
}

// Declaration answers `textDocument/declaration`: of an imported item the import, else the
// definition. In the text of a binary module it is the line in the source, if that is known.
func (s *navigation) Declaration(
	ctx context.Context,
	p *protocol.DeclarationParams,
) (protocol.DeclarationResult, error) {
	if d, err := s.doc(ctx, p.TextDocument.URI); err == nil {
		off := s.offset(d.File(), p.Position)
		if ls := s.declared(ctx, d, off, ide.Definition(d.Snapshot(), off)); len(ls) > 0 {
			return ls, nil
		}
	}
	ls, err := s.targets(ctx, p.TextDocumentPositionParams, ide.Definition)
	return ls, err
}

// TypeDefinition answers `textDocument/typeDefinition`.
func (s *navigation) TypeDefinition(
	ctx context.Context, p *protocol.TypeDefinitionParams,
) (protocol.DefinitionResult, error) {
	ls, err := s.targets(ctx, p.TextDocumentPositionParams, ide.TypeDefinition)
	return ls, err
}

func (s *navigation) targets(
	ctx context.Context, p protocol.TextDocumentPositionParams, find ide.Finder,
) (protocol.LocationSlice, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := protocol.LocationSlice{}
	for _, t := range find(d.Snapshot(), s.offset(d.File(), p.Position)) {
		out = append(out, s.location(d, t.Name))
	}
	return out, nil
}

// Implementation answers `textDocument/implementation`: see ide.ImplementationIn.
func (s *navigation) Implementation(
	ctx context.Context, p *protocol.ImplementationParams,
) (protocol.DefinitionResult, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	w := s.world(ctx)
	return s.sites(w, ide.ImplementationIn(w.IDE(), d.Snapshot(), s.offset(d.File(), p.Position))), nil
}

// References answers `textDocument/references`, across the files of the workspace.
func (s *navigation) References(ctx context.Context, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	w := s.world(ctx)
	return s.sites(
		w, ide.ReferencesIn(w.IDE(), d.Snapshot(), s.offset(d.File(), p.Position), p.Context.IncludeDeclaration),
	), nil
}

// DocumentHighlight answers `textDocument/documentHighlight`.
func (s *navigation) DocumentHighlight(
	ctx context.Context, p *protocol.DocumentHighlightParams,
) ([]protocol.DocumentHighlight, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	kinds := map[ide.MarkKind]protocol.DocumentHighlightKind{
		ide.MarkText:  protocol.DocumentHighlightKindText,
		ide.MarkRead:  protocol.DocumentHighlightKindRead,
		ide.MarkWrite: protocol.DocumentHighlightKindWrite,
	}
	out := []protocol.DocumentHighlight{}
	for _, m := range ide.Highlight(d.Snapshot(), s.offset(d.File(), p.Position)) {
		out = append(out, protocol.DocumentHighlight{Range: s.rng(d.File(), m.Span), Kind: kinds[m.Kind]})
	}
	return out, nil
}

// sourceOf returns the place in the source of an offset, as a list of at most one.
func (s *session) sourceOf(l *listing.Listing, off int) protocol.LocationSlice {
	for _, v := range l.At(off) {
		if at, ok := s.levelAt(v); ok {
			return protocol.LocationSlice{at}
		}
	}
	return nil
}

// levelAt returns the location of a place of source; ok is false if the file is not here.
func (s *session) levelAt(v listing.Level) (protocol.Location, bool) {
	if v.Path == "" {
		return protocol.Location{}, false
	}
	pos := protocol.Position{Line: uint32(v.Place.Line - 1)}
	if v.Place.Col > 1 && !strings.ContainsFunc(v.Text, func(r rune) bool { return r >= 0x80 }) { // units differ
		pos.Character = uint32(v.Place.Col - 1)
	}
	return protocol.Location{URI: uri.File(v.Path), Range: protocol.Range{Start: pos, End: pos}}, true
}

// declared answers `textDocument/declaration` in the text of a binary module: of a function the place
// where the source declares it, else the place of the instruction.
func (s *session) declared(
	ctx context.Context, d *workspace.Document, off int, sites []ide.Target,
) protocol.LocationSlice {
	l := s.listing(ctx, d)
	if l == nil {
		return nil
	}
	for _, site := range sites {
		for fn := range l.NumFuncs() {
			if from, to, ok := l.Name(uint32(fn)); ok && from == site.Name.Start && to == site.Name.End {
				return s.sourceOf(l, from)
			}
		}
	}
	return s.sourceOf(l, off)
}
