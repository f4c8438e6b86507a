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
	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/internal/cli"
	"stackscope/internal/loader"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:  "check",
		Args:  "FILE|DIR…",
		Short: "report everything there is to say about .wat, .wast and .wasm files",
		Long: `
The formats: full shows the lines that a diagnostic is about, with its notes and fixes, and a summary;
text is one diagnostic a line; json an array of objects; sarif a SARIF 2.1.0 log, for code scanning;
github are workflow commands that annotate a change. Without the flag it is full on a terminal and text
elsewhere. Of a .wasm file the places are those in its text, as wasm-ls print gives it.

--fix applies the fixes that are safe, writes the files, and reports what is left. With --diff it
writes a unified diff instead, and exits with 1 if there is one.`,
		Flags: func(f *cli.Flags) func(context.Context, *cli.Env) int {
			var c checkFlags
			c.format = f.Choice(
				"format", []string{"auto", "full", "text", "json", "sarif", "github"},
				"write `FORMAT`: auto (default), full, text, json, sarif or github",
			)
			c.dialect = f.DialectFlag()
			c.fix = f.Bool("fix", false, "apply the fixes that are safe")
			c.diff = f.Bool("diff", false, "with --fix: write what would change as a unified diff, and change nothing")
			return func(_ context.Context, e *cli.Env) int { return c.run(e) }
		},
	}
}

type checkFlags struct {
	format, dialect *string
	fix, diff       *bool
}

// checked is a file with what there is to say of it.
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
	return ide.Fixes(c.snap, d)
}

func (c *checkFlags) run(e *cli.Env) int {
	d, err := cli.ParseDialect(*c.dialect)
	switch {
	case err != nil:
		return e.UsageError("%v", err)
	case len(e.Args) == 0:
		return e.UsageError("a file or directory is missing")
	case *c.diff && !*c.fix:
		return e.UsageError("--diff needs --fix")
	}
	paths, err := loader.Find(e.Args, ".wat", ".wast", ".wasm")
	if err != nil {
		return e.Fail(err)
	}
	if *c.fix && !*c.diff && slices.Contains(paths, "-") {
		return e.UsageError("standard input cannot be written in place")
	}
	format := *c.format
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
		if *c.fix {
			var w io.Writer
			if *c.diff {
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
		case *c.diff:
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
	case *c.diff:
	case format == "full":
		summary(e, count)
	case format == "json":
		err = writeJSON(e.Stdout, all)
	case format == "sarif":
		err = writeSARIF(e.Stdout, all)
	case format == "github":
		err = writeGitHub(e.Stdout, all)
	}
	if *c.fix && fixed > 0 {
		verb := "applied"
		if *c.diff {
			verb = "would apply"
		}
		fmt.Fprintf(e.Stderr, "%s %s in %s\n", verb, cli.Plural(fixed, "fix"), cli.Plural(fixedFiles, "file"))
	}
	switch {
	case err != nil:
		return e.Fail(err)
	case count.Errors > 0, *c.diff && fixed > 0:
		return cli.Bad
	}
	return cli.OK
}

// summary prints how much was found, and where to read more.
func summary(e *cli.Env, n cli.Count) {
	fmt.Fprintln(e.Stdout, n)
	if n.Errors+n.Warnings > 0 {
		fmt.Fprintln(e.Stdout, "wasm-ls explain CODE says more about a code in brackets.")
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

// loadError reports why a module cannot be used, and gives the exit code.
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
