package main

import (
	"context"
	"path/filepath"
	"strings"

	"stackscope/dap"
	"stackscope/internal/cli"
	"stackscope/internal/termdbg"
)

func debugCommand() *cli.Command {
	return &cli.Command{
		Name:  "debug",
		Args:  "FILE [ARG…] [-- PROGRAM ARG…]",
		Short: "debug a program in the terminal",
		Long: `
The program stops before its first instruction. Type help for the commands. Input that is no terminal is
read as a script of commands, a line each.`,
		Flags: func(f *cli.Flags) func(context.Context, *cli.Env) int {
			d := debugFlags{
				p:        newProgramFlags(f),
				stepping: f.Choice("stepping", []string{"stack", "control"}, "step by the law of `LAW`: stack (default) stays on a stack, control stops where control goes"),
				logFile:  f.LogFlag(),
				history:  historyFlag(f),
			}
			return d.run
		},
	}
}

type debugFlags struct {
	p                 *programFlags
	stepping, logFile *string
	history           *int
}

func (d debugFlags) run(ctx context.Context, e *cli.Env) int {
	c, err := d.p.config(e)
	if err != nil {
		return loadError(e, err)
	}
	log, closeLog, err := e.Logger(*d.logFile, "error")
	if err != nil {
		return e.Fail(err)
	}
	defer closeLog()
	ctx, cancel := d.p.context(ctx)
	defer cancel()
	l := dap.Launch{
		Program: absolute(c.Path), Invoke: c.Invoke, Args: c.Args, Dialect: *d.p.dialect, Stepping: *d.stepping, WasiArgs: e.Rest,
		Limits: dap.Limits{Fuel: c.Limits.Fuel, MaxMemory: c.Limits.MaxMemory, MaxStacks: c.Limits.MaxStacks, MaxDepth: c.Limits.MaxDepth},
	}
	if l.HistoryEvents = *d.history; l.HistoryEvents == 0 {
		l.History = "off"
	}
	for _, im := range c.Imports {
		l.Imports = append(l.Imports, dap.Pair{Name: im.Name, Value: absolute(im.Path)})
	}
	for _, s := range *d.p.env {
		n, v, _ := strings.Cut(s, "=")
		l.Env = append(l.Env, dap.Pair{Name: n, Value: v})
	}
	for _, x := range c.WASI.Dirs {
		l.Dirs = append(l.Dirs, dap.Pair{Name: x.Guest, Value: x.Host})
	}
	return termdbg.Run(ctx, termdbg.Options{Launch: l, Server: serverConfig(log, ""), In: e.Stdin, Out: e.Stdout, Err: e.Stderr, Color: e.Color && cli.IsTerminal(e.Stdout)})
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
