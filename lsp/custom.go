package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/diag"
	"stackscope/lsp/internal/workspace"
)

// customRequest is a request of our own, beside those of the protocol.
type customRequest struct {
	method string
	doc    string // one sentence
	params reflect.Type
	result reflect.Type
	answer func(s *ownRequests, ctx context.Context, raw []byte) (any, error)
}

// custom makes the row of a request. An error of answer is for the user.
func custom[P, R any](
	method, doc string, answer func(s *ownRequests, ctx context.Context, p P) (R, error),
) customRequest {
	return customRequest{
		method, doc, reflect.TypeFor[P](), reflect.TypeFor[R](),
		func(s *ownRequests, ctx context.Context, raw []byte) (any, error) {
			var p P
			if err := protocol.Unmarshal(raw, &p); err != nil {
				return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid params: %v", err)
			}
			r, err := answer(s, ctx, p)
			if err != nil {
				return nil, jsonrpc2.Errorf(requestFailed, "%s", err)
			}
			return r, nil
		},
	}
}

// customRequests are the requests of our own.
var customRequests = []customRequest{
	custom("stackscope/explain", "Returns the explanation of a diagnostic code.", (*ownRequests).explain),
	custom("stackscope/print",
		"Returns the text of a binary module, which an editor shows as a document of the scheme `wasm-text`.",
		(*ownRequests).print),
	custom("stackscope/exports", "Returns what a file can run: its exported functions and the default one.",
		(*ownRequests).exports),
	custom("stackscope/arguments", "Splits the arguments typed for an export and checks them against its parameters.",
		(*ownRequests).arguments),
}

// Request answers the requests that are not part of the protocol.
func (s *ownRequests) Request(ctx context.Context, method string, params any) (any, error) {
	raw, err := protocol.Marshal(params)
	if err != nil {
		return nil, err
	}
	for _, r := range customRequests {
		if r.method == method {
			return r.answer(s, ctx, raw)
		}
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %q", method)
}

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

// printParams names a .wasm file.
type printParams struct {
	URI uri.URI `json:"uri" doc:"A .wasm file."`
}

// printResult is its text.
type printResult struct {
	Text string `json:"text" doc:"The module in the text format."`
}

// print answers `stackscope/print`.
func (s *ownRequests) print(ctx context.Context, p printParams) (printResult, error) {
	src, err := workspace.PrintBinary(ctx, p.URI)
	return printResult{src}, err
}
