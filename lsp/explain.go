package lsp

import (
	"encoding/json"
	"net/url"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/diag"
)

// methodExplain is a request of our own: the explanation of a diagnostic's code as Markdown.
const methodExplain = "stackscope/explain"

// explainParams names a code.
type explainParams struct {
	Code diag.Code `json:"code"`
}

// explainResult is its explanation.
type explainResult struct {
	Markdown string `json:"markdown"`
}

// explain answers `stackscope/explain`.
func explain(raw []byte) (any, error) {
	var p explainParams
	if err := protocol.Unmarshal(raw, &p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid params: %v", err)
	}
	i := diag.Lookup(p.Code)
	if i == nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "there is no code %q", p.Code)
	}
	return explainResult{i.Markdown(1)}, nil
}

// docLink returns where a diagnostic's code is explained: the client's own command, if it has one
// for this, else the public page that has the rule; "" if there is neither.
func (s *Server) docLink(code diag.Code) uri.URI {
	if s.caps.explain == "" || diag.Lookup(code) == nil {
		return uri.URI(diag.SpecLink(code))
	}
	args, err := json.Marshal([]diag.Code{code})
	if err != nil {
		return ""
	}
	return uri.URI("command:" + s.caps.explain + "?" + url.PathEscape(string(args)))
}
