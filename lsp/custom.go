package lsp

import (
	"context"
	"reflect"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
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
