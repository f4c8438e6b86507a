package lsp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
	"stackscope/lsp/internal/workspace"
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
			si := protocol.SymbolInformation{Location: protocol.Location{URI: d.URI, Range: y.Range}}
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
	v, _ := ctx.Value(viewKey{}).(workspace.View)
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
		walk("", ide.Symbols(d.Snapshot()))
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

// symbolChunk holds the symbols of a unit.
type symbolChunk struct {
	key  any // of the module's declarations; commandKey; nil if the unit has no symbols
	syms []unitSymbol
}

// commandKey is the key of the command of a script.
const commandKey = "command"

// unitSymbol is a symbol in a unit. The lines of its ranges count from the unit's start; so do
// columns on line 0.
type unitSymbol struct {
	name        string
	detail      *string
	kind        protocol.SymbolKind
	whole, head protocol.Range
	children    []unitSymbol
}

// symbols returns the symbols of a document in order. An edit that leaves the declarations of a
// module as they were makes those of the edited units alone again.
func (s *presentation) symbols(ctx context.Context, d *workspace.Document) ([]protocol.DocumentSymbol, error) {
	units := d.Snapshot().Tree().Units
	o := ide.NewOutline(d.Snapshot())
	cur := newLineCursor(d.File(), s.enc, 0)
	out := []protocol.DocumentSymbol{}
	var items []protocol.DocumentSymbol // of the module that is being read
	mods, commands := o.Modules, o.Commands
	var declKey any
	err := s.outlines.Each(ctx, d, func(i int, known func(int) (symbolChunk, bool)) (chunk symbolChunk) {
		for len(mods) > 0 && i >= mods[0].First+mods[0].Units {
			out, items = s.closeModule(d, &mods[0], out, items), nil
			mods, declKey = mods[1:], nil
		}
		var read func() []ide.Symbol
		switch {
		case len(mods) > 0 && i >= mods[0].First:
			if declKey == nil {
				declKey = mods[0].DeclKey()
			}
			chunk.key, read = declKey, func() []ide.Symbol { return mods[0].Items(i) }
		case len(commands) > 0 && commands[0] == i:
			commands = commands[1:]
			chunk.key, read = commandKey, func() []ide.Symbol {
				return []ide.Symbol{ide.CommandSymbol(d.Snapshot(),
					i)}
			}
		default:
			return chunk
		}
		line, col := cur.at(units[i].Off)
		if x, ok := known(i); ok && x.key == chunk.key {
			chunk = x
		} else {
			chunk.syms = s.relativeSymbols(d, read(), line, col)
		}
		to := &items
		if chunk.key == commandKey {
			to = &out
		}
		*to = placeSymbols(*to, chunk.syms, line, col)
		return chunk
	})
	if err != nil {
		return nil, err
	}
	for i := range mods {
		out, items = s.closeModule(d, &mods[i], out, items), nil
	}
	if len(o.Commands) > 0 || len(o.Modules) > 1 {
		slices.SortStableFunc(out, func(a, b protocol.DocumentSymbol) int {
			x, y := a.Range.Start, b.Range.Start
			return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Character, y.Character))
		})
	}
	return out, nil
}

// closeModule adds a module with its items.
func (s *presentation) closeModule(
	d *workspace.Document, m *ide.OutlineModule, out, items []protocol.DocumentSymbol,
) []protocol.DocumentSymbol {
	if m.Around == nil {
		return append(out, items...)
	}
	around := s.relativeSymbols(d, []ide.Symbol{*m.Around}, 0, 0)
	out = placeSymbols(out, around, 0, 0)
	out[len(out)-1].Children = items
	return out
}

// relativeSymbols counts the places of symbols from that of a unit's start.
func (s *presentation) relativeSymbols(d *workspace.Document, syms []ide.Symbol, line, col int) []unitSymbol {
	if len(syms) == 0 {
		return nil
	}
	at := func(p protocol.Position) protocol.Position {
		if int(p.Line) == line {
			p.Character -= uint32(col)
		}
		p.Line -= uint32(line)
		return p
	}
	out := make([]unitSymbol, len(syms))
	for i, y := range syms {
		x := &out[i]
		x.name, x.kind = y.Name, symbolKinds[y.Kind]
		if y.Detail != "" {
			x.detail = ptr(y.Detail)
		}
		x.whole, x.head = s.rng(d.File(), y.Span), s.rng(d.File(), y.NameSpan)
		for _, r := range []*protocol.Range{&x.whole, &x.head} {
			r.Start, r.End = at(r.Start), at(r.End)
		}
		x.children = s.relativeSymbols(d, y.Children, line, col)
	}
	return out
}

// placeSymbols adds the symbols of a unit that begins at a place.
func placeSymbols(out []protocol.DocumentSymbol, syms []unitSymbol, line, col int) []protocol.DocumentSymbol {
	at := func(p protocol.Position) protocol.Position {
		if p.Line == 0 {
			p.Character += uint32(col)
		}
		p.Line += uint32(line)
		return p
	}
	for i := range syms {
		x := &syms[i]
		y := protocol.DocumentSymbol{Name: x.name, Detail: x.detail, Kind: x.kind,
			Range:          protocol.Range{Start: at(x.whole.Start), End: at(x.whole.End)},
			SelectionRange: protocol.Range{Start: at(x.head.Start), End: at(x.head.End)}}
		if len(x.children) > 0 {
			y.Children = placeSymbols(nil, x.children, line, col)
		}
		out = append(out, y)
	}
	return out
}
