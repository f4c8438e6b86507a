// Command wasm-dap runs and debugs WebAssembly programs with stack switching.
package main

import (
	"context"

	"stackscope/internal/cli"
)

func main() { app().Main(context.Background()) }

// app lists the commands. Each has a file of its own.
func app() *cli.App {
	return &cli.App{
		Name:    "wasm-dap",
		Summary: "runs, tests and debugs WebAssembly programs with stack switching",
		Default: "serve",
		Commands: []*cli.Command{
			runCommand(), testCommand(), traceCommand(), treeCommand(), serveCommand(), debugCommand(),
			psCommand(),
		},
	}
}
