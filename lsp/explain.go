package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"go.lsp.dev/uri"

	"stackscope/analysis/diag"
)

// explainParams names a code.
type explainParams struct {
	Code diag.Code `json:"code" doc:"The code of a diagnostic."`
}

// explainResult is its explanation.
type explainResult struct {
	Markdown string `json:"markdown" doc:"The explanation, as Markdown."`
}

// explain answers `stackscope/explain`.
func (s *ownRequests) explain(_ context.Context, p explainParams) (explainResult, error) {
	i := diag.Lookup(p.Code)
	if i == nil {
		return explainResult{}, fmt.Errorf("unknown diagnostic code %q", p.Code)
	}
	return explainResult{i.Markdown(1)}, nil
}

// docLink returns where a diagnostic's code is explained: the client's own command, if it has one
// for this, else the public page that has the rule; "" if there is neither.
func (s *session) docLink(code diag.Code) uri.URI {
	if s.caps.explain == "" || diag.Lookup(code) == nil {
		return uri.URI(diag.SpecLink(code))
	}
	args, err := json.Marshal([]diag.Code{code})
	if err != nil {
		return ""
	}
	return uri.URI("command:" + s.caps.explain + "?" + url.PathEscape(string(args)))
}
