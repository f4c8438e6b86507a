package main

import (
	"context"
	"io"
	"testing"

	"stackscope/internal/cli"
	"stackscope/internal/testing/guide"
)

// TestGuide runs the commands of wasm-dap that the pages of docs/guide show.
func TestGuide(t *testing.T) {
	guide.Test(t, "../..", "wasm-dap", *update, func(args []string, in io.Reader, out, errs io.Writer) int {
		return app().Run(context.Background(), args, &cli.Env{Stdin: in, Stdout: out, Stderr: errs})
	})
}
