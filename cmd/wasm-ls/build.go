package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/debuginfo/listing"
	"stackscope/analysis/debuginfo/load"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/cli"
	"stackscope/internal/loader"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
)

func buildCommand() *cli.Command {
	return &cli.Command{
		Name:  "build",
		Args:  "FILE.wat",
		Short: "translate a text module to binary",
		Long: `
Names are written to the name section. Only WebAssembly 3.0 and dialect cont have a binary format.`,
		New: func() ([]cli.Flag, cli.Run) {
			var out, dialect string
			flags := []cli.Flag{
				{
					Name: "o", Arg: "OUT.wasm", Value: cli.String(&out),
					Usage: "write to OUT.wasm instead of FILE.wasm (- = standard output)",
				},
				cli.DialectFlag(&dialect),
			}
			return flags, func(_ context.Context, e *cli.Env) int { return build(e, out, dialect) }
		},
	}
}

func build(e *cli.Env, out, dialect string) int {
	f, u, code := oneModule(e, dialect)
	if u == nil {
		return code
	}
	b, err := binary.Encode(u.Module)
	var ee *binary.EncodeError
	if errors.As(err, &ee) {
		at := source.Span{Start: int(ee.At), End: int(ee.At)}
		e.Report(
			e.Stderr, u.File.File(),
			[]diag.Diagnostic{{Code: diag.Binary, Severity: diag.Error, Span: at, Message: ee.Msg}},
		)
		return cli.Bad
	}
	switch {
	case out == "" && f.Path == "-":
		out = "-"
	case out == "":
		out = strings.TrimSuffix(f.Path, filepath.Ext(f.Path)) + ".wasm"
		if out == f.Path {
			return e.UsageError("the output would overwrite the input; name it with -o")
		}
	}
	if out == "-" {
		_, err = e.Stdout.Write(b)
	} else {
		err = os.WriteFile(out, b, 0o644)
	}
	if err != nil {
		return e.Fail(err)
	}
	return cli.OK
}

func printCommand() *cli.Command {
	return &cli.Command{
		Name:  "print",
		Args:  "FILE.wasm",
		Short: "print a binary module as text",
		Long: `
One instruction per line, with the names of the name section. Text modules are printed in the same
form. With --source, the lines of the source that a binary module was compiled from stand as
comments before their instructions: those that its debugging information, or a source map beside
it, names.`,
		New: func() ([]cli.Flag, cli.Run) {
			var dialect string
			var withSource bool
			flags := []cli.Flag{
				cli.DialectFlag(&dialect),
				{Name: "source", Value: cli.Bool(&withSource), Usage: "put the lines of source between the instructions"},
			}
			return flags, func(ctx context.Context, e *cli.Env) int { return printModule(ctx, e, dialect, withSource) }
		},
	}
}

func printModule(ctx context.Context, e *cli.Env, dialect string, withSource bool) int {
	if len(e.Args) == 1 {
		// A binary module is printed even if it is invalid.
		f, err := loader.Read(e.Args[0], e.Stdin)
		if err != nil {
			return e.Fail(err)
		}
		if f.Kind == loader.KindBinary {
			m, err := binary.Decode(f.Data)
			if err != nil {
				return loadError(e, f, err)
			}
			if withSource {
				return printSource(ctx, e, f, m)
			}
			src, _ := text.Print(m, text.Options{})
			fmt.Fprint(e.Stdout, src)
			return cli.OK
		}
		e.Stdin = strings.NewReader(string(f.Data))
	}
	_, u, code := oneModule(e, dialect)
	if u == nil {
		return code
	}
	if withSource {
		return e.UsageError("--source needs a binary module: this one is its own source")
	}
	src, _ := text.Print(u.Module, text.Options{})
	fmt.Fprint(e.Stdout, src)
	return cli.OK
}

// printSource prints a binary module with the source that it was compiled from. That there is none
// is a message, and the module is printed.
func printSource(ctx context.Context, e *cli.Env, f *loader.File, m *wasm.Module) int {
	info, finder := load.OpenFile(ctx, f.Path, m, f.Data, &sources.Finder{})
	for _, w := range info.Warnings() {
		fmt.Fprintf(e.Stderr, "%s: %s\n", f.Name(), w)
	}
	if info == nil {
		fmt.Fprintf(e.Stderr, "%s: the module says nothing of its source, and there is no map beside it\n", f.Name())
	}
	fmt.Fprint(e.Stdout, listing.New(m, info, finder).Interleaved())
	return cli.OK
}

// oneModule reads the module that the one argument names. On failure it reports the error and
// returns a nil unit and the exit code.
func oneModule(e *cli.Env, dialect string) (*loader.File, *loader.Unit, int) {
	d, err := cli.ParseDialect(dialect)
	if err != nil {
		return nil, nil, e.UsageError("%v", err)
	}
	if len(e.Args) != 1 {
		return nil, nil, e.UsageError("need one file, got %d", len(e.Args))
	}
	f, err := loader.Read(e.Args[0], e.Stdin)
	if err != nil {
		return nil, nil, e.Fail(err)
	}
	u, err := f.Unit(analysis.Options{Dialect: d})
	if err != nil {
		return nil, nil, loadError(e, f, err)
	}
	return f, u, cli.OK
}
