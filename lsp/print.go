package lsp

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/internal/files"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
)

// methodPrint is a request of our own: the text of a binary module. An editor shows it as a document
// of the scheme `wasm-text`, with which all else works as with any text.
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

// Request answers the requests that are no part of the protocol.
func (s *Server) Request(ctx context.Context, method string, params any) (any, error) {
	if method != methodPrint && method != methodExplain {
		return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %q", method)
	}
	raw, err := protocol.Marshal(params)
	if err != nil {
		return nil, err
	}
	if method == methodExplain {
		return explain(raw)
	}
	var p printParams
	if err := protocol.Unmarshal(raw, &p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid params: %v", err)
	}
	src, err := printBinary(ctx, p.URI)
	if err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed), "%s", err)
	}
	return printResult{src}, nil
}

// printBinary reads the file of a URI and prints the module. The debugger prints it the same way, so
// that lines agree.
func printBinary(ctx context.Context, u uri.URI) (string, error) {
	if len(u) < 5 || u[:5] != "file:" {
		return "", fmt.Errorf("%s is not a file", u)
	}
	name := fileName(u)
	b, err := files.Read(ctx, name, files.MaxSize)
	if err != nil {
		return "", err
	}
	m, err := binary.Decode(b)
	var be *binary.Error
	if errors.As(err, &be) {
		return "", fmt.Errorf("%s, byte %#x: %s", name, be.Off, be.Msg)
	}
	if err != nil {
		return "", err
	}
	src, _ := text.Print(m, text.Options{})
	return src, nil
}
