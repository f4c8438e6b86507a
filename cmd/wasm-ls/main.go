// Command wasm-ls is the language server for WebAssembly text, and the same analysis on the command
// line: it checks, fixes, formats, builds and prints modules and explains diagnostics. Each command
// has a file of its own; flags and help come from its table.
package main

import (
	"context"

	"stackscope/internal/cli"
)

func main() { app().Main(context.Background()) }

// app lists the commands. Each has a file of its own.
func app() *cli.App {
	return &cli.App{
		Name:    "wasm-ls",
		Summary: "language server for WebAssembly text, and its analysis on the command line",
		Default: "serve",
		Commands: []*cli.Command{serveCommand(), checkCommand(), fmtCommand(), buildCommand(), printCommand(),
			explainCommand(), protocolCommand()},
	}
}
