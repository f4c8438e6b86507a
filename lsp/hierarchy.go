package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
	"stackscope/lsp/internal/workspace"
)

// PrepareCallHierarchy answers `textDocument/prepareCallHierarchy`.
func (s *navigation) PrepareCallHierarchy(
	ctx context.Context, p *protocol.CallHierarchyPrepareParams,
) ([]protocol.CallHierarchyItem, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.CallHierarchyItem{}
	for _, c := range ide.PrepareCalls(d.Snapshot(), s.offset(d.File(), p.Position)) {
		out = append(out, s.callItem(d, c))
	}
	return out, nil
}

func (s *navigation) callItem(d *workspace.Document, c ide.CallItem) protocol.CallHierarchyItem {
	return protocol.CallHierarchyItem{
		Name:           c.Name,
		Kind:           protocol.SymbolKindFunction,
		Detail:         ptr(c.Detail),
		URI:            d.URI,
		Range:          s.rng(d.File(), c.Span),
		SelectionRange: s.rng(d.File(), c.Target.Name),
	}
}

// IncomingCalls answers `callHierarchy/incomingCalls`: calls, and resumes, suspensions and switches
// that may lead to the function.
func (s *navigation) IncomingCalls(
	ctx context.Context, p *protocol.CallHierarchyIncomingCallsParams,
) ([]protocol.CallHierarchyIncomingCall, error) {
	d, err := s.doc(ctx, p.Item.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.CallHierarchyIncomingCall{}
	for _, e := range ide.IncomingCalls(d.Snapshot(), s.offset(d.File(), p.Item.SelectionRange.Start)) {
		c := protocol.CallHierarchyIncomingCall{From: s.callItem(d, e.CallItem), FromRanges: []protocol.Range{}}
		for _, sp := range e.Places {
			c.FromRanges = append(c.FromRanges, s.rng(d.File(), sp))
		}
		out = append(out, c)
	}
	return out, nil
}

// OutgoingCalls answers `callHierarchy/outgoingCalls`.
func (s *navigation) OutgoingCalls(
	ctx context.Context, p *protocol.CallHierarchyOutgoingCallsParams,
) ([]protocol.CallHierarchyOutgoingCall, error) {
	d, err := s.doc(ctx, p.Item.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.CallHierarchyOutgoingCall{}
	for _, e := range ide.OutgoingCalls(d.Snapshot(), s.offset(d.File(), p.Item.SelectionRange.Start)) {
		c := protocol.CallHierarchyOutgoingCall{To: s.callItem(d, e.CallItem), FromRanges: []protocol.Range{}}
		for _, sp := range e.Places {
			c.FromRanges = append(c.FromRanges, s.rng(d.File(), sp))
		}
		out = append(out, c)
	}
	return out, nil
}

func (s *navigation) typeItems(d *workspace.Document, ts []ide.TypeItem) []protocol.TypeHierarchyItem {
	out := []protocol.TypeHierarchyItem{}
	for _, t := range ts {
		out = append(
			out,
			protocol.TypeHierarchyItem{Name: t.Name, Kind: protocol.SymbolKindClass, Detail: ptr(t.Detail),
				URI:   d.URI,
				Range: s.rng(d.File(), t.Span), SelectionRange: s.rng(d.File(), t.Target.Name)},
		)
	}
	return out
}

// PrepareTypeHierarchy answers `textDocument/prepareTypeHierarchy`.
func (s *navigation) PrepareTypeHierarchy(
	ctx context.Context, p *protocol.TypeHierarchyPrepareParams,
) ([]protocol.TypeHierarchyItem, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return s.typeItems(d, ide.PrepareTypes(d.Snapshot(), s.offset(d.File(), p.Position))), nil
}

// Supertypes answers `typeHierarchy/supertypes`.
func (s *navigation) Supertypes(
	ctx context.Context, p *protocol.TypeHierarchySupertypesParams,
) ([]protocol.TypeHierarchyItem, error) {
	d, err := s.doc(ctx, p.Item.URI)
	if err != nil {
		return nil, err
	}
	return s.typeItems(d, ide.Supertypes(d.Snapshot(), s.offset(d.File(), p.Item.SelectionRange.Start))), nil
}

// Subtypes answers `typeHierarchy/subtypes`.
func (s *navigation) Subtypes(
	ctx context.Context, p *protocol.TypeHierarchySubtypesParams,
) ([]protocol.TypeHierarchyItem, error) {
	d, err := s.doc(ctx, p.Item.URI)
	if err != nil {
		return nil, err
	}
	return s.typeItems(d, ide.Subtypes(d.Snapshot(), s.offset(d.File(), p.Item.SelectionRange.Start))), nil
}
