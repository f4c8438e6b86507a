package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"stackscope/dap"
	"stackscope/internal/cli"
	"stackscope/internal/termdbg"
	"stackscope/vm/debugger"
)

func debugCommand() *cli.Command {
	return &cli.Command{
		Name:  "debug",
		Args:  "FILE [ARG…] [-- PROGRAM ARG…]",
		Short: "debug a program in the terminal",
		Long: `
The program stops before its first instruction. Type help for the commands, which are named as in
gdb and delve. Input that is not a terminal is read as a script of commands, one per line. At a
terminal the lines typed are kept in stackscope/debug_history below $XDG_STATE_HOME (default
~/.local/state).

Exit codes: 0 success, 1 the program cannot run or a command file failed, 2 wrong usage.`,
		New: func() ([]cli.Flag, cli.Run) {
			var d debugFlags
			return slices.Concat(d.program.table(), d.sources.table(), d.table()), d.run
		},
	}
}

type debugFlags struct {
	program                   programFlags
	sources                   sourceFlags
	stepping, logFile, attach string
	history                   int
	batch                     bool
	commands                  []termdbg.Script
}

func (d *debugFlags) table() []cli.Flag {
	return []cli.Flag{
		{
			Name: "stepping", Arg: "SEMANTICS", Default: "stack", Value: cli.Choice(&d.stepping, "stack", "control"),
			Usage: "step semantics: stack stays on one stack, control follows control to other stacks",
		},
		cli.LogFlag(&d.logFile),
		historyFlag(&d.history),
		{
			Name: "attach", Arg: "ADDRESS", Value: cli.String(&d.attach),
			Usage: "debug the program that 'wasm-dap run --listen ADDRESS' runs, instead of FILE",
		},
		{Name: "batch", Value: cli.Bool(&d.batch), Usage: "exit after the commands of -x and --ex"},
		{
			Name: "x", Arg: "FILE", Many: true, Usage: "execute the commands in FILE first",
			Value: func(v string) error {
				d.commands = append(d.commands, termdbg.Script{File: v})
				return nil
			},
		},
		{
			Name: "ex", Arg: "COMMAND", Many: true, Usage: "execute COMMAND first",
			Value: func(v string) error {
				d.commands = append(d.commands, termdbg.Script{Line: v})
				return nil
			},
		},
	}
}

func (d *debugFlags) run(ctx context.Context, e *cli.Env) int {
	o := termdbg.Options{
		Attach: d.attach, Commands: d.commands, Batch: d.batch, History: termdbg.HistoryFile(),
		In: e.Stdin, Out: e.Stdout, Err: e.Stderr, Color: e.Color && cli.IsTerminal(e.Stdout),
	}
	switch {
	case d.attach == "":
		l, err := d.launch(e)
		if err != nil {
			return loadError(e, err)
		}
		o.Launch = l
	case len(e.Args) > 0:
		return e.UsageError("--attach takes no file")
	default:
		if err := dap.CheckLoopback(d.attach); err != nil {
			return e.UsageError("%v", err)
		}
	}
	log, closeLog, err := e.Logger(d.logFile, "error")
	if err != nil {
		return e.Fail(err)
	}
	defer closeLog()
	ctx, cancel := d.program.context(ctx)
	defer cancel()
	o.Server = serverConfig(log, "")
	usage, load := false, o.Server.Load
	o.Server.Load = func(l *dap.Launch) (*debugger.Program, error) {
		p, err := load(l)
		var le *dap.LoadError
		usage = errors.As(err, &le) && le.Usage
		return p, err
	}
	code := termdbg.Run(ctx, o)
	if usage && code == cli.Bad {
		return cli.Usage
	}
	return code
}

// launch returns the launch configuration that the flags and arguments make.
func (d *debugFlags) launch(e *cli.Env) (dap.Launch, error) {
	c, err := d.program.config(e)
	if err != nil {
		return dap.Launch{}, err
	}
	l := dap.Launch{
		Program: absolute(c.Path), Invoke: c.Invoke, Args: c.Args, Dialect: d.program.dialect,
		Stepping: d.stepping, WasiArgs: e.Rest,
		Limits: dap.Limits{
			Fuel: c.Limits.Fuel, MaxMemory: c.Limits.MaxMemory, MaxStacks: c.Limits.MaxStacks,
			MaxDepth: c.Limits.MaxDepth,
		},
	}
	if l.HistoryEvents = d.history; l.HistoryEvents == 0 {
		l.History = "off"
	}
	if d.program.drive != "" {
		l.Drive = absolute(d.program.drive)
	}
	d.sources.launch(&l)
	l.Promising, l.Suspending = d.program.promising, d.program.suspending
	for _, im := range c.Imports {
		l.Imports = append(l.Imports, dap.Pair{Name: im.Name, Value: absolute(im.Path)})
	}
	for _, h := range c.Hosts {
		s := absolute(h.Path)
		if h.Name != "" {
			s = h.Name + "=" + s
		}
		l.Host = append(l.Host, s)
	}
	for _, s := range d.program.env {
		n, v, _ := strings.Cut(s, "=")
		l.Env = append(l.Env, dap.Pair{Name: n, Value: v})
	}
	for _, x := range c.WASI.Dirs {
		l.Dirs = append(l.Dirs, dap.Pair{Name: x.Guest, Value: x.Host})
	}
	return l, nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
