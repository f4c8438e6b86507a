// Command wasm-ls is the language server for WebAssembly text, and the same analysis on the command
// line.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

const usage = `Usage: wasm-ls [COMMAND] [ARGUMENTS]

  serve     serve the Language Server Protocol (the default)

Every command has --help.
`

// version gives the version that the binary was built from.
func version() string {
	if bi, ok := debug.ReadBuildInfo(); ok && bi.Main.Version != "" {
		return bi.Main.Version
	}
	return "(devel)"
}

func main() { os.Exit(run(os.Args[1:])) }

// run dispatches to the command and gives the exit status.
func run(args []string) int {
	name := "serve"
	switch {
	case len(args) == 0:
	case args[0] == "--help" || args[0] == "-h" || args[0] == "help":
		fmt.Print(usage)
		return 0
	case args[0] == "--version":
		fmt.Println("wasm-ls", version())
		return 0
	case !strings.HasPrefix(args[0], "-"):
		name, args = args[0], args[1:]
	}
	if name == "serve" {
		return serve(args, os.Stdin, os.Stdout, os.Stderr, version())
	}
	fmt.Fprintf(os.Stderr, "wasm-ls: no command %q\n\n%s", name, usage)
	return 2
}
