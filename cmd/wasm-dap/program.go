package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/cli"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/vm/debugger"
	"stackscope/vm/host"
)

// programFlags are the flags of the commands that run a program.
type programFlags struct {
	invoke, dialect    *string
	imports, dirs, env *[]string
	limits             limitFlags
	timeout            *time.Duration
}

// limitFlags are the flags that bound what a program may use.
type limitFlags struct {
	fuel, memory *uint64
	stacks       *int
	depth        *int
}

func newLimitFlags(f *cli.Flags) limitFlags {
	return limitFlags{
		fuel: f.Uint64(
			"fuel", 0,
			"trap after `N` calls, loop iterations, stack switches and units of bulk work (0 = unlimited)",
		),
		memory: f.Uint64(
			"max-memory", 0,
			"limit memories, tables, objects and stacks to `BYTES` in all (0 = 4 GiB of memories, 1 GiB of the rest)",
		),
		stacks: f.Int("max-stacks", 0, "let at most `N` stacks live (0: 2,000,000)"),
		depth:  f.Int("max-depth", 0, "let a stack have at most `N` frames (0: 100,000)"),
	}
}

func (l limitFlags) options() vm.Options {
	return vm.Options{Fuel: *l.fuel, MaxMemory: *l.memory, MaxStacks: *l.stacks, MaxDepth: *l.depth}
}

func newProgramFlags(f *cli.Flags) *programFlags {
	return &programFlags{
		invoke: f.String(
			"invoke", "",
			"call the export `NAME` (default: _start, else main, else the only exported function)",
		),
		dialect: f.DialectFlag(),
		imports: f.Strings("import", "link the module `NAME=FILE` under that name; may be given many times"),
		dirs: f.Strings(
			"dir", "let the program use the directory `HOST`, or HOST::GUEST under another name, through WASI",
		),
		env:     f.Strings("env", "set the environment variable `NAME=VALUE` for WASI"),
		limits:  newLimitFlags(f),
		timeout: f.Duration("timeout", 0, "stop after the `DURATION`, such as 10s (0: no limit)"),
	}
}

// config returns what to run, from the flags and arguments.
func (p *programFlags) config(e *cli.Env) (loader.Config, error) {
	c := loader.Config{Stdin: e.Stdin, Invoke: *p.invoke, Limits: p.limits.options(), Print: e.Stdout}
	if len(e.Args) == 0 {
		return c, &loader.UsageError{Message: "a file is missing"}
	}
	c.Path, c.Args = e.Args[0], e.Args[1:]
	d, err := cli.ParseDialect(*p.dialect)
	if err != nil {
		return c, &loader.UsageError{Message: err.Error()}
	}
	c.Options = analysis.Options{Dialect: d}
	for _, s := range *p.imports {
		im, err := loader.ParseImport(s)
		if err != nil {
			return c, &loader.UsageError{Message: "flag --import: " + err.Error()}
		}
		c.Imports = append(c.Imports, im)
	}
	c.WASI = host.WASI{
		Args: append([]string{c.Path}, e.Rest...), Env: *p.env, Stdin: e.Stdin, Stdout: e.Stdout,
		Stderr: e.Stderr,
	}
	for _, s := range *p.dirs {
		c.WASI.Dirs = append(c.WASI.Dirs, host.ParseDir(s))
	}
	return c, nil
}

// context returns the context with the timeout.
func (p *programFlags) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if *p.timeout > 0 {
		return context.WithTimeout(ctx, *p.timeout)
	}
	return context.WithCancel(ctx)
}

// loadError reports why a program cannot be run, and gives the exit code.
func loadError(e *cli.Env, err error) int {
	var ds *loader.Errors
	var fe *loader.FileError
	var ue *loader.UsageError
	var xe *loader.EntryError
	var pe *os.PathError
	switch {
	case errors.As(err, &xe) && len(xe.Exports) > 0:
		return e.UsageError("%s; choose one with --invoke NAME", xe)
	case errors.As(err, &xe):
		return e.UsageError("%s", xe)
	case errors.As(err, &ds):
		e.Report(e.Stderr, ds.File, ds.Diags)
		return cli.Bad
	case errors.As(err, &fe):
		e.Report(
			e.Stderr, source.NewFile(fe.Name, ""),
			[]diag.Diagnostic{{Code: diag.Binary, Severity: diag.Error, Message: fe.Err.Error()}},
		)
		return cli.Bad
	case errors.As(err, &ue):
		return e.UsageError("%s", ue.Message)
	case errors.As(err, &pe):
		return e.Fail(pe)
	}
	return e.Fail(err)
}

// runError reports how a run ended, and gives the exit code.
func runError(e *cli.Env, y *debugger.Symbols, err error) int {
	var exit *vm.Exit
	if errors.As(err, &exit) {
		return int(exit.Code)
	}
	var trap *vm.Trap
	var exn *vm.Exception
	var bt vm.Backtrace
	switch {
	case errors.As(err, &trap):
		bt = trap.Backtrace
	case errors.As(err, &exn):
		bt = exn.Backtrace
	}
	fmt.Fprintf(e.Stderr, "%s: %s: %s", firstPlace(e, y, bt), e.Paint("31;1", "error"), y.Describe(err))
	return cli.Bad
}

// firstPlace returns the place of the innermost frame that has one, as `file:line:col`.
func firstPlace(e *cli.Env, y *debugger.Symbols, bt vm.Backtrace) string {
	for _, st := range bt {
		for _, f := range st.Frames {
			if s := y.Site(f, true); s.Line > 0 {
				return s.Full()
			}
		}
	}
	return e.App
}
