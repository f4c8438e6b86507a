// Command wasm-ls is the language server for WebAssembly text, and the same analysis on the command
// line.
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
		Summary: "the language server for WebAssembly text, and its analysis on the command line",
		Default: "serve",
		Commands: []*cli.Command{serveCommand(), checkCommand(), fmtCommand(), buildCommand(), printCommand(),
			explainCommand()},
	}
}
