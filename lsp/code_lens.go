package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// The commands of our lenses; the client runs them, with the document's URI and the export's name.
const (
	CommandRun   = "stackscope.run"
	CommandDebug = "stackscope.debug"
)

// CodeLens answers `textDocument/codeLens`: Run and Debug over exported functions, for clients that
// said that they have the commands.
func (s *Server) CodeLens(ctx context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := []protocol.CodeLens{}
	if !s.caps.lenses || !s.store.settings().Lenses {
		return out, nil
	}
	for _, l := range ide.Lenses(d.snap) {
		u, err := json.Marshal(string(d.uri))
		if err != nil {
			return nil, err
		}
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
	return out, nil
}
