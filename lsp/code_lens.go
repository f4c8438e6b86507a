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

// CodeLensResolve counts the references of a lens.
func (s *Server) CodeLensResolve(ctx context.Context, l *protocol.CodeLens) (*protocol.CodeLens, error) {
	var name string
	if len(l.Data) == 0 || json.Unmarshal(l.Data, &name) != nil {
		return l, nil
	}
	d, err := s.doc(ctx, uri.URI(name))
	if err != nil {
		return nil, err
	}
	n := len(ide.References(d.snap(), s.offset(d.file(), l.Range.Start), false))
	out := *l
	out.Command = protocol.Command{Title: "1 reference"}
	if n != 1 {
		out.Command.Title = strconv.Itoa(n) + " references"
	}
	return &out, nil
}
