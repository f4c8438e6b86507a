package lsp

import (
	"context"
	"encoding/json"
	"strconv"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/ide"
)

// The commands of our lenses; the client runs them, with the document's URI and the export's name.
const (
	CommandRun   = "stackscope.run"
	CommandDebug = "stackscope.debug"
	// CommandReferences shows places: the arguments are the document's URI, a position in it and
	// locations, as VS Code's own command for that takes them in its own types.
	CommandReferences = "stackscope.references"
)

// CodeLens answers `textDocument/codeLens`: what functions may do to stacks, the number of
// references (counted when a lens is resolved), and for clients that said that they have the
// commands, Run and Debug over exported functions.
func (s *Server) CodeLens(ctx context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.CodeLens{}
	if !s.store.settings().Lenses {
		return out, nil
	}
	u, err := json.Marshal(string(d.uri))
	if err != nil {
		return nil, err
	}
	if s.caps.lenses {
		for _, l := range ide.Lenses(d.snap()) {
			name, err := json.Marshal(l.Export)
			if err != nil {
				return nil, err
			}
			args := []protocol.LSPAny{u, name}
			r := s.rng(d.file(), l.Span)
			out = append(out,
				protocol.CodeLens{Range: r, Command: protocol.Command{Title: "▶ Run", Command: CommandRun, Arguments: args}},
				protocol.CodeLens{Range: r, Command: protocol.Command{Title: "Debug", Command: CommandDebug, Arguments: args}})
		}
	}
	for _, l := range ide.EffectLenses(d.snap()) {
		out = append(out, protocol.CodeLens{Range: s.rng(d.file(), l.Span), Command: protocol.Command{Title: l.Title}})
	}
	for _, sp := range ide.ReferenceLenses(d.snap()) {
		out = append(out, protocol.CodeLens{Range: s.rng(d.file(), sp), Data: u})
	}
	return out, nil
}

// CodeLensResolve counts the references of a lens, those in other files included. Clients that have our
// commands can show them.
func (s *Server) CodeLensResolve(ctx context.Context, l *protocol.CodeLens) (*protocol.CodeLens, error) {
	var name string
	if len(l.Data) == 0 || json.Unmarshal(l.Data, &name) != nil {
		return l, nil
	}
	d, err := s.doc(ctx, uri.URI(name))
	if err != nil {
		return nil, err
	}
	w := s.world(ctx)
	places := s.sites(w, ide.ReferencesIn(w.ide(), d.snap(), s.offset(d.file(), l.Range.Start), false))
	out := *l
	out.Command = protocol.Command{Title: "1 reference"}
	if n := len(places); n != 1 {
		out.Command.Title = strconv.Itoa(n) + " references"
	}
	if !s.caps.lenses || len(places) == 0 {
		return &out, nil
	}
	var args []protocol.LSPAny
	for _, v := range []any{d.uri, l.Range.Start, []protocol.Location(places)} {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		args = append(args, b)
	}
	out.Command.Command, out.Command.Arguments = CommandReferences, args
	return &out, nil
}
