package lsp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

var symbolKinds = map[ide.SymbolKind]protocol.SymbolKind{
	ide.SymModule:   protocol.SymbolKindModule,
	ide.SymFunc:     protocol.SymbolKindFunction,
	ide.SymType:     protocol.SymbolKindClass,
	ide.SymStruct:   protocol.SymbolKindStruct,
	ide.SymArray:    protocol.SymbolKindArray,
	ide.SymFuncType: protocol.SymbolKindInterface,
	ide.SymCont:     protocol.SymbolKindInterface,
	ide.SymField:    protocol.SymbolKindField,
	ide.SymTable:    protocol.SymbolKindArray,
	ide.SymMemory:   protocol.SymbolKindArray,
	ide.SymGlobal:   protocol.SymbolKindVariable,
	ide.SymConstant: protocol.SymbolKindConstant,
	ide.SymTag:      protocol.SymbolKindEvent,
	ide.SymElem:     protocol.SymbolKindObject,
	ide.SymData:     protocol.SymbolKindString,
	ide.SymLabel:    protocol.SymbolKindKey,
	ide.SymCommand:  protocol.SymbolKindMethod,
}

// DocumentSymbol answers `textDocument/documentSymbol`.
func (s *presentation) DocumentSymbol(
	ctx context.Context, p *protocol.DocumentSymbolParams,
) (protocol.DocumentSymbolResult, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	syms, err := s.symbols(ctx, d)
	if err != nil {
		return nil, err
	}
	if s.caps.hierarchical {
		return protocol.DocumentSymbolSlice(syms), nil
	}
	out := protocol.SymbolInformationSlice{}
	var flat func(container string, syms []protocol.DocumentSymbol)
	flat = func(container string, syms []protocol.DocumentSymbol) {
		for _, y := range syms {
			si := protocol.SymbolInformation{Location: protocol.Location{URI: d.uri, Range: y.Range}}
			si.Name, si.Kind = y.Name, y.Kind
			if container != "" {
				si.ContainerName = ptr(container)
			}
			out = append(out, si)
			flat(y.Name, y.Children)
		}
	}
	flat("", syms)
	return out, nil
}

// maxWorkspaceSymbols bounds an answer; a longer query narrows it.
const maxWorkspaceSymbols = 500

// Symbols answers `workspace/symbol` over the open documents: names that have the query's
// characters in order, best matches first.
func (s *navigation) Symbols(
	ctx context.Context, p *protocol.WorkspaceSymbolParams,
) (protocol.WorkspaceSymbolResult, error) {
	v, _ := ctx.Value(viewKey{}).(view)
	type hit struct {
		sym   protocol.WorkspaceSymbol
		score int
	}
	var hits []hit
	for _, d := range v {
		var walk func(container string, syms []ide.Symbol)
		walk = func(container string, syms []ide.Symbol) {
			for _, y := range syms {
				if score, ok := ide.Fuzzy(p.Query, y.Name); ok {
					ws := protocol.WorkspaceSymbol{Location: ptr(s.location(d, y.NameSpan))}
					ws.Name, ws.Kind = y.Name, symbolKinds[y.Kind]
					if container != "" {
						ws.ContainerName = ptr(container)
					}
					hits = append(hits, hit{ws, score})
				}
				if y.Kind == ide.SymModule {
					walk(y.Name, y.Children)
				}
			}
		}
		walk("", ide.Symbols(d.snap()))
		if ctx.Err() != nil {
			return nil, protocol.ErrRequestCancelled
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(b.score-a.score, strings.Compare(a.sym.Name, b.sym.Name))
	})
	out := protocol.WorkspaceSymbolSlice{}
	for _, h := range hits[:min(len(hits), maxWorkspaceSymbols)] {
		out = append(out, h.sym)
	}
	return out, nil
}
