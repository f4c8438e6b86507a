package main

import (
	"context"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/cli"
	"stackscope/internal/loader"
)

func fmtCommand() *cli.Command {
	return &cli.Command{
		Name:  "fmt",
		Args:  "FILE…",
		Short: "format .wat and .wast files",
		Long: `
Without a flag, the formatted text is printed on standard output. A file with syntax errors is not
changed.`,
		New: func() ([]cli.Flag, cli.Run) {
			var write, diffs bool
			flags := []cli.Flag{
				{Name: "w", Value: cli.Bool(&write), Usage: "write the files in place"},
				{
					Name: "d", Value: cli.Bool(&diffs),
					Usage: "print the changes as a unified diff, and exit with 1 if there are any",
				},
			}
			return flags, func(_ context.Context, e *cli.Env) int { return format(e, write, diffs) }
		},
	}
}

func format(e *cli.Env, write, diffs bool) int {
	if len(e.Args) == 0 {
		return e.UsageError("missing file")
	}
	if write && diffs {
		return e.UsageError("-w and -d are mutually exclusive")
	}
	paths, err := loader.Find(e.Args, ".wat", ".wast")
	if err != nil {
		return e.Fail(err)
	}
	code := cli.OK
	for _, p := range paths {
		f, err := loader.Read(p, e.Stdin)
		switch {
		case err != nil:
			return e.Fail(err)
		case f.Kind == loader.KindBinary:
			return e.Fail(fmt.Errorf("%s: is a binary module; 'wasm-ls print' prints its text", f.Name()))
		case write && p == "-":
			return e.UsageError("standard input cannot be written in place")
		}
		t := syntax.Parse(f.Source())
		var errs []diag.Diagnostic
		for _, d := range t.Errors() {
			if d.Severity == diag.Error {
				errs = append(errs, d)
			}
		}
		if len(errs) > 0 {
			e.Report(e.Stderr, t.Src, errs)
			code = cli.Bad
			continue
		}
		old := string(f.Data)
		text, ok := source.ApplyAll(old, syntax.FormatAll(t, syntax.FormatOptions{}))
		if !ok {
			return e.Fail(fmt.Errorf("%s: the formatter's edits overlap", f.Name()))
		}
		switch {
		case diffs:
			if text != old {
				name := cli.Relative(f.Name())
				if _, err := e.Stdout.Write(diff.Diff(name, f.Data, name+" (formatted)", []byte(text))); err != nil {
					return e.Fail(err)
				}
				code = cli.Bad
			}
		case write:
			if text != old {
				if err := rewrite(p, text); err != nil {
					return e.Fail(err)
				}
			}
		default:
			fmt.Fprint(e.Stdout, text)
		}
	}
	return code
}
