package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// Definition answers `textDocument/definition`, of an imported item with its definition in the file
// that it comes from, if that is known.
func (s *navigation) Definition(ctx context.Context, p *protocol.DefinitionParams) (protocol.DefinitionResult, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	w := s.world(ctx)
	return s.sites(w, ide.DefinitionIn(w.ide(), d.snap(), s.offset(d.file(), p.Position))), nil
}

// sites returns the locations of sites, their names.
func (s *session) sites(w *world, sites []ide.Site) protocol.LocationSlice {
	out := protocol.LocationSlice{}
	for _, t := range sites {
		if d := w.docOf(t.Snap); d != nil {
			out = append(out, s.location(d, t.Name))
		}
	}
	return out
}

// Declaration answers `textDocument/declaration`: of an imported item the import, else the
// definition.
func (s *navigation) Declaration(ctx context.Context, p *protocol.DeclarationParams) (protocol.DeclarationResult, error) {
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
	for _, t := range find(d.snap(), s.offset(d.file(), p.Position)) {
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
	return s.sites(w, ide.ImplementationIn(w.ide(), d.snap(), s.offset(d.file(), p.Position))), nil
}
