package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
	"stackscope/analysis/source"
)

// SignatureHelp answers `textDocument/signatureHelp`.
func (s *presentation) SignatureHelp(
	ctx context.Context,
	p *protocol.SignatureHelpParams,
) (*protocol.SignatureHelp, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	sig, ok := ide.Signature(d.Snapshot(), s.offset(d.File(), p.Position))
	if !ok {
		return nil, nil
	}
	si := protocol.SignatureInformation{Label: sig.Label, Parameters: []protocol.ParameterInformation{}}
	if sig.Doc != "" {
		si.Documentation = markup(sig.Doc, true)
	}
	for _, par := range sig.Params {
		info := protocol.ParameterInformation{Label: protocol.String(sig.Label[par.Start:par.End])}
		if s.caps.labelOffsets { // two parameters can have the same text
			info.Label = protocol.ParameterInformationLabelTuple{
				units(sig.Label[:par.Start]),
				units(sig.Label[:par.End]),
			}
		}
		si.Parameters = append(si.Parameters, info)
	}
	out := &protocol.SignatureHelp{Signatures: []protocol.SignatureInformation{si}, ActiveSignature: ptr(uint32(0))}
	if sig.Active >= 0 {
		out.ActiveParameter = protocol.NewNullable(uint32(sig.Active))
	}
	return out, nil
}

// units returns the length of a text in UTF-16 units.
func units(s string) uint32 {
	return uint32(source.NewFile("", s).Position(len(s), source.UTF16).Col)
}
