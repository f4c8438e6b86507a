// Package deps keeps the pinned dependencies in go.mod until the packages that use them land.
package deps

import (
	_ "github.com/google/go-dap"
	_ "go.lsp.dev/jsonrpc2"
	_ "go.lsp.dev/protocol"
	_ "go.lsp.dev/uri"
	_ "go.uber.org/zap"
)
