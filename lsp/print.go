package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/wasm/text"
)

// methodPrint is a request of our own: the text of a binary module. An editor shows it as a
// document of the scheme `wasm-text`, with which all else works as with any text.
const methodPrint = "stackscope/print"

// schemeText is the scheme of documents that show the text of a binary module.
const schemeText = "wasm-text"

// printParams names a .wasm file.
type printParams struct {
	URI uri.URI `json:"uri"`
}

// printResult is its text.
type printResult struct {
	Text string `json:"text"`
}

// Request answers the requests that are not part of the protocol.
func (s *Server) Request(ctx context.Context, method string, params any) (any, error) {
	raw, err := protocol.Marshal(params)
	if err != nil {
		return nil, err
	}
	switch method {
	case methodExplain:
		return explain(raw)
	case methodPrint:
		return custom(raw, func(p printParams) (printResult, error) {
			src, err := printBinary(ctx, p.URI)
			return printResult{src}, err
		})
	case methodExports:
		return custom(raw, func(p exportsParams) (exportsResult, error) { return s.exports(ctx, p) })
	case methodArguments:
		return custom(raw, func(p argumentsParams) (argumentsResult, error) { return s.arguments(ctx, p) })
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %q", method)
}

// custom decodes the parameters of a request and answers it. An error of answer is for the user.
func custom[P, R any](raw []byte, answer func(P) (R, error)) (any, error) {
	var p P
	if err := protocol.Unmarshal(raw, &p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid params: %v", err)
	}
	r, err := answer(p)
	if err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "%s", err)
	}
	return r, nil
}

// printBinary reads the file of a URI and prints the module. The debugger prints it the same way,
// so that lines agree.
func printBinary(ctx context.Context, u uri.URI) (string, error) {
	if len(u) < 5 || u[:5] != "file:" {
		return "", fmt.Errorf("%s is not a file", u)
	}
	m, err := readBinary(ctx, fileName(u))
	if err != nil {
		return "", err
	}
	src, _ := text.Print(m, text.Options{})
	return src, nil
}
