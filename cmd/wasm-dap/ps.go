package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stackscope/internal/cli"
	"stackscope/internal/running"
)

func psCommand() *cli.Command {
	return &cli.Command{
		Name:  "ps",
		Short: "list the programs that debuggers can attach to",
		Long: `
Lists what this user runs with wasm-dap run --listen, the latest first: process, address and
program. With --format json each line is an object with pid, address, program, args and started.`,
		New: func() ([]cli.Flag, cli.Run) {
			var format string
			flags := []cli.Flag{formatFlag(&format, "text", "json")}
			return flags, func(_ context.Context, e *cli.Env) int {
				if len(e.Args) > 0 {
					return e.UsageError("unexpected argument %q", e.Args[0])
				}
				ps, err := running.List()
				if err != nil {
					return e.Fail(err)
				}
				for _, p := range ps {
					if format == "json" {
						writeJSON(e.Stdout, p)
						continue
					}
					fmt.Fprintf(
						e.Stdout, "%d %s %s\n", p.PID, p.Address,
						strings.Join(append([]string{cli.Relative(p.Program)}, p.Args...), " "),
					)
				}
				return cli.OK
			}
		},
	}
}

// announce adds a program that listens for debuggers to the list. remove removes it. A list that
// cannot be written does not keep the program from running.
func announce(address, program string, args []string) (remove func()) {
	abs, err := filepath.Abs(program)
	if err != nil {
		abs = program
	}
	remove, err = running.Add(
		running.Program{PID: os.Getpid(), Address: address, Program: abs, Args: args, Started: time.Now()},
	)
	if err != nil {
		return func() {}
	}
	return remove
}
