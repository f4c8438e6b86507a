// Command wasm-dap runs, tests and debugs WebAssembly programs with stack switching. Without a
// command it is a debug adapter. Each command has a file of its own; flags and help come from its
// table.
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
		Summary: "run, test and debug WebAssembly programs with stack switching",
		Default: "serve",
		Commands: []*cli.Command{
			runCommand(), testCommand(), traceCommand(), treeCommand(), serveCommand(), debugCommand(),
			psCommand(),
		},
	}
}
