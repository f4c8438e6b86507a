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
Without a flag the formatted text goes to standard output. A file with syntax errors is left alone.`,
		Flags: func(f *cli.Flags) func(context.Context, *cli.Env) int {
			write := f.Bool("w", false, "write the files in place")
			diffs := f.Bool("d", false, "write what would change, as a unified diff; exit with 1 if anything would")
			return func(_ context.Context, e *cli.Env) int { return format(e, *write, *diffs) }
		},
	}
}

func format(e *cli.Env, write, diffs bool) int {
	if len(e.Args) == 0 {
		return e.UsageError("a file is missing")
	}
	if write && diffs {
		return e.UsageError("-w and -d exclude each other")
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
			return e.Fail(fmt.Errorf("%s: is a binary module; wasm-ls print gives its text", f.Name()))
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
