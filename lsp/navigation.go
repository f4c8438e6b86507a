package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
	"stackscope/lsp/internal/workspace"
)

// Definition answers `textDocument/definition`, of an imported item with its definition in the file
// that it comes from, if that is known.
func (s *navigation) Definition(ctx context.Context, p *protocol.DefinitionParams) (protocol.DefinitionResult,
	error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	w := s.world(ctx)
	return s.sites(w, ide.DefinitionIn(w.IDE(), d.Snapshot(), s.offset(d.File(), p.Position))), nil
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
// definition.
func (s *navigation) Declaration(
	ctx context.Context,
	p *protocol.DeclarationParams,
) (protocol.DeclarationResult, error) {
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
