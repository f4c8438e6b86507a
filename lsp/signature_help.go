package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
)

// SignatureHelp answers `textDocument/signatureHelp`.
func (s *Server) SignatureHelp(ctx context.Context, p *protocol.SignatureHelpParams) (*protocol.SignatureHelp, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	sig, ok := ide.Signature(d.snap(), s.offset(d.file(), p.Position))
	if !ok {
		return nil, nil
	}
	si := protocol.SignatureInformation{Label: sig.Label, Parameters: []protocol.ParameterInformation{}}
	if sig.Doc != "" {
		si.Documentation = s.markup(sig.Doc, true)
	}
	for _, par := range sig.Params {
		si.Parameters = append(si.Parameters, protocol.ParameterInformation{Label: protocol.String(sig.Label[par.Start:par.End])})
	}
	out := &protocol.SignatureHelp{Signatures: []protocol.SignatureInformation{si}, ActiveSignature: ptr(uint32(0))}
	if sig.Active >= 0 {
		out.ActiveParameter = protocol.NewNullable(uint32(sig.Active))
	}
	return out, nil
}
