package lsp

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"weak"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/ide"
)

// symbolCache holds the symbols of the units of each document. An edit that leaves the declarations
// of a module as they were changes those of the edited units alone.
type symbolCache struct {
	mu   sync.Mutex
	docs map[uri.URI]*symbolDoc
}

// symbolDoc is immutable.
type symbolDoc struct {
	units  []unitID
	chunks []symbolChunk
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

func (c *symbolCache) drop(u uri.URI) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.docs, u)
}

// of returns the symbols of a document in order.
func (c *symbolCache) of(ctx context.Context, s *Server, d *document) ([]protocol.DocumentSymbol, error) {
	c.mu.Lock()
	old := c.docs[d.uri]
	c.mu.Unlock()
	if old == nil {
		old = &symbolDoc{}
	}
	units := d.snap().Tree().Units
	o := ide.NewOutline(d.snap())
	known := kept(old.units, old.chunks, units)
	now := &symbolDoc{make([]unitID, len(units)), make([]symbolChunk, len(units))}
	cur := newLineCursor(d.file(), s.enc, 0)
	out := []protocol.DocumentSymbol{}
	var items []protocol.DocumentSymbol // of the module that is being read
	mods, commands := o.Modules, o.Commands
	var declKey any
	for i := range units {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, protocol.ErrRequestCancelled
		}
		now.units[i] = weak.Make(units[i].Unit)
		for len(mods) > 0 && i >= mods[0].First+mods[0].Units {
			out, items = s.closeModule(d, &mods[0], out, items), nil
			mods, declKey = mods[1:], nil
		}
		chunk := &now.chunks[i]
		var read func() []ide.Symbol
		switch {
		case len(mods) > 0 && i >= mods[0].First:
			if declKey == nil {
				declKey = mods[0].DeclKey()
			}
			chunk.key, read = declKey, func() []ide.Symbol { return mods[0].Items(i) }
		case len(commands) > 0 && commands[0] == i:
			commands = commands[1:]
			chunk.key, read = commandKey, func() []ide.Symbol { return []ide.Symbol{ide.CommandSymbol(d.snap(), i)} }
		default:
			continue
		}
		line, col := cur.at(units[i].Off)
		if x, ok := known(i); ok && x.key == chunk.key {
			*chunk = x
		} else {
			chunk.syms = s.relativeSymbols(d, read(), line, col)
		}
		to := &items
		if chunk.key == commandKey {
			to = &out
		}
		*to = placeSymbols(*to, chunk.syms, line, col)
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
	c.mu.Lock()
	if c.docs == nil {
		c.docs = map[uri.URI]*symbolDoc{}
	}
	c.docs[d.uri] = now
	c.mu.Unlock()
	return out, nil
}

// closeModule adds a module with its items.
func (s *Server) closeModule(
	d *document, m *ide.OutlineModule, out, items []protocol.DocumentSymbol,
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
func (s *Server) relativeSymbols(d *document, syms []ide.Symbol, line, col int) []unitSymbol {
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
		x.whole, x.head = s.rng(d.file(), y.Span), s.rng(d.file(), y.NameSpan)
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
