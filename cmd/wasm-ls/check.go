package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/action"
	"stackscope/analysis/source"
	"stackscope/internal/cli"
	"stackscope/internal/loader"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:  "check",
		Args:  "FILE|DIR…",
		Short: "report the diagnostics of .wat, .wast and .wasm files",
		Long: `
The formats: full shows source lines with notes and fixes, and a summary; text has one diagnostic
per line; json is an array of objects; sarif is a SARIF 2.1.0 log for code scanning; github prints
workflow commands that annotate a change; auto is full on a terminal and text elsewhere. Positions
in a .wasm file are those in its text, as wasm-ls print prints it.

--fix applies the safe fixes, writes the files and reports the remaining diagnostics. With --diff
it prints a unified diff instead, and exits with 1 if the diff is not empty.`,
		New: func() ([]cli.Flag, cli.Run) {
			var c checkFlags
			return c.table(), c.run
		},
	}
}

type checkFlags struct {
	format, dialect string
	fix, diff       bool
}

func (c *checkFlags) table() []cli.Flag {
	return []cli.Flag{
		{
			Name: "format", Arg: "FORMAT", Default: "auto",
			Value: cli.Choice(&c.format, "auto", "full", "text", "json", "sarif", "github"),
			Usage: "output format: auto, full, text, json, sarif or github",
		},
		cli.DialectFlag(&c.dialect),
		{Name: "fix", Value: cli.Bool(&c.fix), Usage: "apply the safe fixes"},
		{
			Name: "diff", Value: cli.Bool(&c.diff),
			Usage: "with --fix: print the changes as a unified diff instead of writing them",
		},
	}
}

// checked is a file with its diagnostics.
type checked struct {
	file  *source.File
	diags []diag.Diagnostic
	snap  *analysis.Snapshot // of a text
}

// fixes returns the fixes of a diagnostic of the file.
func (c *checked) fixes(d *diag.Diagnostic) []diag.Fix {
	if c.snap == nil {
		return d.Fixes
	}
	return action.Fixes(c.snap, d)
}

func (c *checkFlags) run(_ context.Context, e *cli.Env) int {
	d, err := cli.ParseDialect(c.dialect)
	switch {
	case err != nil:
		return e.UsageError("%v", err)
	case len(e.Args) == 0:
		return e.UsageError("missing file or directory")
	case c.diff && !c.fix:
		return e.UsageError("--diff needs --fix")
	}
	paths, err := loader.Find(e.Args, ".wat", ".wast", ".wasm")
	if err != nil {
		return e.Fail(err)
	}
	if c.fix && !c.diff && slices.Contains(paths, "-") {
		return e.UsageError("standard input cannot be written in place")
	}
	format := c.format
	if format == "auto" {
		format = "text"
		if cli.IsTerminal(e.Stdout) {
			format = "full"
		}
	}
	var all []checked
	var count cli.Count
	fixed, fixedFiles := 0, 0
	o := analysis.Options{Dialect: d}
	for _, p := range paths {
		f, err := loader.Read(p, e.Stdin)
		if err != nil {
			return e.Fail(err)
		}
		if c.fix {
			var w io.Writer
			if c.diff {
				w = e.Stdout
			}
			var n int
			if f, n, err = fixFile(f, o, w); err != nil {
				return e.Fail(err)
			}
			if n > 0 {
				fixed, fixedFiles = fixed+n, fixedFiles+1
			}
		}
		x := diagnose(f, o)
		count.Add(x.diags)
		switch {
		case c.diff:
		case format == "text":
			e.ReportLines(e.Stdout, x.file, x.diags)
		case format == "full":
			out := e.Snippets(e.Stdout)
			out.Fixes = x.fixes
			out.Print(x.file, x.diags)
		default:
			all = append(all, x)
		}
	}
	switch {
	case c.diff:
	case format == "full":
		summary(e, count)
	case format == "json":
		err = writeJSON(e.Stdout, all)
	case format == "sarif":
		err = writeSARIF(e.Stdout, all)
	case format == "github":
		err = writeGitHub(e.Stdout, all)
	}
	if c.fix && fixed > 0 {
		verb := "applied"
		if c.diff {
			verb = "would apply"
		}
		fmt.Fprintf(e.Stderr, "%s %s in %s\n", verb, cli.Plural(fixed, "fix"), cli.Plural(fixedFiles, "file"))
	}
	switch {
	case err != nil:
		return e.Fail(err)
	case count.Errors > 0, c.diff && fixed > 0:
		return cli.Bad
	}
	return cli.OK
}

// summary prints the counts, and where to read more.
func summary(e *cli.Env, n cli.Count) {
	fmt.Fprintln(e.Stdout, n)
	if n.Errors+n.Warnings > 0 {
		fmt.Fprintln(e.Stdout, "Run 'wasm-ls explain CODE' for the code in brackets.")
	}
}

// diagnose returns the diagnostics of a file.
func diagnose(f *loader.File, o analysis.Options) checked {
	if f.Kind != loader.KindBinary {
		s := analysis.Open(f.Source(), o)
		return checked{s.File(), s.Diagnostics(), s}
	}
	_, err := f.Unit(o)
	var ds *loader.Errors
	if errors.As(err, &ds) {
		return checked{ds.File, ds.Diags, nil}
	}
	c := checked{file: source.NewFile(f.Name(), "")}
	var fe *loader.FileError
	if errors.As(err, &fe) {
		c.diags = []diag.Diagnostic{{Code: diag.Binary, Severity: diag.Error, Message: fe.Err.Error()}}
	}
	return c
}

// loadError reports why a module cannot be used, and returns the exit code.
func loadError(e *cli.Env, f *loader.File, err error) int {
	var ds *loader.Errors
	var pe *os.PathError
	switch {
	case errors.As(err, &ds):
		e.Report(e.Stderr, ds.File, ds.Diags)
		return cli.Bad
	case errors.As(err, &pe):
		return e.Fail(pe)
	}
	msg := err.Error()
	var fe *loader.FileError
	if errors.As(err, &fe) {
		msg = fe.Err.Error()
	}
	e.Report(
		e.Stderr, source.NewFile(f.Name(), ""),
		[]diag.Diagnostic{{Code: diag.Binary, Severity: diag.Error, Message: msg}},
	)
	return cli.Bad
}
