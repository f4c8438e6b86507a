package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/cli"
	"stackscope/internal/drive"
	"stackscope/internal/loader"
	"stackscope/vm"
	"stackscope/vm/debugger"
	"stackscope/vm/host"
)

// programFlags are the flags of the commands that run a program.
type programFlags struct {
	invoke, dialect string
	link            linkFlags
	dirs, env       []string
	drive           string // script
	promising       []string
	suspending      []string
	limits          limitFlags
	timeout         time.Duration
}

// limitFlags are the flags that bound what a program may use.
type limitFlags struct {
	fuel, memory  uint64
	stacks, depth int
}

func (l *limitFlags) table() []cli.Flag {
	return []cli.Flag{
		{
			Name: "fuel", Arg: "N", Default: "0", Value: cli.Uint64(&l.fuel),
			Usage: "trap after N calls, loop iterations and stack switches (0 = unlimited)",
		},
		{
			Name: "max-memory", Arg: "BYTES", Default: "0", Value: cli.Uint64(&l.memory),
			Usage: "limit memories, tables, objects and stacks to BYTES in total " +
				"(0 = 4 GiB for memories, 1 GiB for the rest)",
		},
		{
			Name: "max-stacks", Arg: "N", Default: "0", Value: cli.Int(&l.stacks),
			Usage: "limit the program to N live stacks (0 = 2,000,000)",
		},
		{
			Name: "max-depth", Arg: "N", Default: "0", Value: cli.Int(&l.depth),
			Usage: "limit a stack to N frames (0 = 100,000)",
		},
	}
}

func (l *limitFlags) options() vm.Options {
	return vm.Options{Fuel: l.fuel, MaxMemory: l.memory, MaxStacks: l.stacks, MaxDepth: l.depth}
}

func (p *programFlags) table() []cli.Flag {
	return slices.Concat(p.limits.table(), p.link.table(), []cli.Flag{
		{
			Name: "invoke", Arg: "NAME", Value: cli.String(&p.invoke),
			Usage: "call export NAME instead of _start, main or the only exported function",
		},
		cli.DialectFlag(&p.dialect),
		{
			Name: "dir", Arg: "HOST[::GUEST]", Many: true, Value: cli.Strings(&p.dirs),
			Usage: "give the program access to directory HOST through WASI, under the name GUEST",
		},
		{
			Name: "env", Arg: "NAME=VALUE", Many: true, Value: cli.Strings(&p.env),
			Usage: "set a WASI environment variable",
		},
		{
			Name: "drive", Arg: "SCRIPT", Value: cli.String(&p.drive),
			Usage: "let a drive script call the exports on an event loop, instead of one export",
		},
		{
			Name: "promising", Arg: "NAME", Many: true, Value: cli.Strings(&p.promising),
			Usage: "let calls of export NAME wait for promises (JavaScript Promise Integration)",
		},
		{
			Name: "suspending", Arg: "MODULE.NAME", Many: true, Value: cli.Strings(&p.suspending),
			Usage: "let calls of import NAME of MODULE wait for the promise that it returns",
		},
		timeoutFlag(&p.timeout),
	})
}

// load reads the program, and its drive script. Each of set may change its configuration.
func (p *programFlags) load(e *cli.Env, set ...func(*loader.Config)) (*drive.Program, error) {
	c, err := p.config(e)
	if err != nil {
		return nil, err
	}
	for _, f := range set {
		f(&c)
	}
	return drive.Load(
		drive.Config{Config: c, Script: p.drive, Promising: p.promising, Suspending: p.suspending},
	)
}

// formatFlag is the row of --format; the first format is the default.
func formatFlag(p *string, formats ...string) cli.Flag {
	return cli.Flag{
		Name: "format", Arg: "FORMAT", Default: formats[0], Value: cli.Choice(p, formats...),
		Usage: "output format: " + strings.Join(formats[:len(formats)-1], ", ") + " or " + formats[len(formats)-1],
	}
}

func timeoutFlag(p *time.Duration) cli.Flag {
	return cli.Flag{
		Name: "timeout", Arg: "DURATION", Default: "0s", Value: cli.Duration(p),
		Usage: "stop after DURATION, such as 10s (0 = no limit)",
	}
}

// config returns what to run, from the flags and arguments.
func (p *programFlags) config(e *cli.Env) (loader.Config, error) {
	c := loader.Config{Stdin: e.Stdin, Invoke: p.invoke, Limits: p.limits.options(), Print: e.Stdout}
	if len(e.Args) == 0 {
		return c, &loader.UsageError{Message: "missing file"}
	}
	c.Path, c.Args = e.Args[0], e.Args[1:]
	d, err := cli.ParseDialect(p.dialect)
	if err != nil {
		return c, &loader.UsageError{Message: err.Error()}
	}
	c.Options = analysis.Options{Dialect: d}
	p.link.set(&c)
	c.WASI = host.WASI{
		Args: append([]string{c.Path}, e.Rest...), Env: p.env, Stdin: e.Stdin, Stdout: e.Stdout,
		Stderr: e.Stderr,
	}
	for _, s := range p.dirs {
		c.WASI.Dirs = append(c.WASI.Dirs, host.ParseDir(s))
	}
	return c, nil
}

// context returns the context with the timeout.
func (p *programFlags) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.timeout > 0 {
		return context.WithTimeout(ctx, p.timeout)
	}
	return context.WithCancel(ctx)
}

// loadError reports why a program cannot run, and returns the exit code.
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

// runError reports how a run ended, and returns the exit code.
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
	if s := y.Innermost(bt); s.Line > 0 {
		return s.Full()
	}
	return e.App
}
