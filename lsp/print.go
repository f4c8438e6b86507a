package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/uri"

	"stackscope/wasm/text"
)

// schemeText is the scheme of documents that show the text of a binary module.
const schemeText = "wasm-text"

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
	src, err := printBinary(ctx, p.URI)
	return printResult{src}, err
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
