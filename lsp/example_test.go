package lsp_test

import (
	"context"
	"fmt"
	"net"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"stackscope/lsp"
)

// Run a session over a pipe and ask the server who it is.
func ExampleServe() {
	ctx := context.Background()
	client, server := net.Pipe()
	ended := make(chan error)
	go func() { ended <- lsp.Serve(ctx, server, lsp.Options{Version: "1.2"}) }()

	conn := jsonrpc2.NewConn(jsonrpc2.NewStream(client))
	conn.Go(ctx, jsonrpc2.MethodNotFoundHandler)
	call := func(method string, params, result any) {
		if _, err := conn.Call(ctx, method, params, result); err != nil {
			fmt.Println(method, err)
		}
	}
	var info struct {
		ServerInfo struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	call(protocol.MethodInitialize, map[string]any{"capabilities": map[string]any{}}, &info)
	fmt.Println(info.ServerInfo.Name, info.ServerInfo.Version)

	call(protocol.MethodShutdown, nil, nil)
	if err := conn.Notify(ctx, protocol.MethodExit, nil); err != nil {
		fmt.Println(err)
	}
	fmt.Println(<-ended)
	// Output:
	// wasm-ls 1.2
	// <nil>
}

// List the requests that the server has beyond the protocol.
func ExampleRequests() {
	for _, r := range lsp.Requests() {
		fmt.Println(r.Method)
	}
	// Output:
	// stackscope/explain
	// stackscope/print
	// stackscope/exports
	// stackscope/protocol
	// stackscope/builtFrom
	// stackscope/arguments
}
