package main

import (
	"context"
	"errors"
	"os"

	"stackscope/analysis"
	"stackscope/analysis/diag"
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
Of a .wasm file the places are those in its text, as wasm-ls print gives it. The formats: text is one
diagnostic a line; json an array of objects; sarif a SARIF 2.1.0 log, for code scanning; github are
workflow commands that annotate a change.`,
		Flags: func(f *cli.Flags) func(context.Context, *cli.Env) int {
			format := f.Choice("format", []string{"text", "json", "sarif", "github"}, "write `FORMAT`: text (default), json, sarif or github")
			dialect := f.DialectFlag()
			return func(_ context.Context, e *cli.Env) int { return check(e, *format, *dialect) }
		},
	}
}

// checked is a file with what there is to say of it.
type checked struct {
	file  *source.File
	diags []diag.Diagnostic
}

func check(e *cli.Env, format, dialect string) int {
	d, err := cli.ParseDialect(dialect)
	if err != nil {
		return e.UsageError("%v", err)
	}
	if len(e.Args) == 0 {
		return e.UsageError("a file or directory is missing")
	}
	paths, err := loader.Find(e.Args, ".wat", ".wast", ".wasm")
	if err != nil {
		return e.Fail(err)
	}
	var all []checked
	bad := false
	for _, p := range paths {
		f, err := loader.Read(p, e.Stdin)
		if err != nil {
			return e.Fail(err)
		}
		c := diagnose(f, analysis.Options{Dialect: d})
		bad = bad || loader.HasErrors(c.diags)
		if format == "text" {
			e.Report(e.Stdout, c.file, c.diags)
		} else {
			all = append(all, c)
		}
	}
	switch format {
	case "json":
		err = writeJSON(e.Stdout, all)
	case "sarif":
		err = writeSARIF(e.Stdout, all)
	case "github":
		err = writeGitHub(e.Stdout, all)
	}
	switch {
	case err != nil:
		return e.Fail(err)
	case bad:
		return cli.Bad
	}
	return cli.OK
}

// diagnose gives the diagnostics of a file.
func diagnose(f *loader.File, o analysis.Options) checked {
	if f.Kind != loader.KindBinary {
		s := analysis.Open(f.Source(), o)
		return checked{s.File(), s.Diagnostics()}
	}
	_, err := f.Unit(o)
	var ds *loader.Errors
	if errors.As(err, &ds) {
		return checked{ds.File, ds.Diags}
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
	e.Report(e.Stderr, source.NewFile(f.Name(), ""), []diag.Diagnostic{{Code: diag.Binary, Severity: diag.Error, Message: msg}})
	return cli.Bad
}
