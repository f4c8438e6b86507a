package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"stackscope/internal/cli"
	"stackscope/internal/loader"
	"stackscope/internal/values"
	"stackscope/stackview"
	"stackscope/vm"
	"stackscope/vm/debugger"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Args:  "FILE [ARG…] [-- PROGRAM ARG…]",
		Short: "run a program and print its results",
		Long: `
FILE is a .wat or .wasm module, or - for standard input. It is instantiated, its start function runs,
then the export. Arguments are written 42, or i64:42, f32:nan, ref.null; each result is printed on a
line of its own as a constant, (i64.const 499500). What stands behind -- are the program's own
arguments, which it reads through WASI.

The host offers the modules spectest, wasi_snapshot_preview1 and async. A trap is reported with a
backtrace across stacks.`,
		Flags: func(f *cli.Flags) func(context.Context, *cli.Env) int {
			pf := newProgramFlags(f)
			timed := f.Bool("time", false, "add a line on standard error with times and counts")
			tree := f.Bool("tree", false, "write the tree of stacks on standard error: on a trap, at exit, and on SIGUSR1")
			at := newAttachFlags(f)
			return func(ctx context.Context, e *cli.Env) int {
				if at.used() {
					if *timed || *tree {
						return e.UsageError("--time and --tree are for runs without a debugger")
					}
					return at.run(ctx, e, pf)
				}
				return run(ctx, e, pf, *timed, *tree)
			}
		},
	}
}

func run(ctx context.Context, e *cli.Env, pf *programFlags, timed, tree bool) int {
	c, err := pf.config(e)
	if err != nil {
		return loadError(e, err)
	}
	p, err := loader.Load(c)
	if err != nil {
		return loadError(e, err)
	}
	ctx, cancel := pf.context(ctx)
	defer cancel()
	m := vm.New(c.Limits)
	hosts, sys, err := p.Host(m)
	if err != nil {
		return e.Fail(err)
	}
	defer sys.Close()

	dp, err := p.Debug()
	if err != nil {
		return e.Fail(err)
	}
	y := debugger.NewSymbols(dp)
	if tree {
		stop := watchTree(e, m, y)
		defer stop()
	}

	if p.Note != "" {
		fmt.Fprintf(e.Stderr, "%s: note: %s\n", e.App, p.Note)
	}
	start := time.Now()
	in, err := p.Link(ctx, m, hosts)
	instantiated := time.Since(start)
	var results []vm.Value
	if err == nil {
		results, err = p.Call(ctx, m, in)
	}
	elapsed := time.Since(start)
	for _, v := range results {
		fmt.Fprintln(e.Stdout, values.Format(v))
	}
	code := cli.OK
	if err != nil {
		code = runError(e, y, err)
	} else if tree {
		writeTree(e, m, y)
	}
	if timed {
		s := m.Stats()
		fmt.Fprintf(e.Stderr, "elapsed_ns=%d instantiate_ns=%d stacks_created=%d switches=%d peak_stacks=%d\n",
			elapsed.Nanoseconds(), instantiated.Nanoseconds(), s.Created, s.Switches, s.Peak)
	}
	return code
}

// watchTree writes the tree of stacks when the program traps, and on the signal that asks for it.
// The program runs as fast as without.
func watchTree(e *cli.Env, m *vm.Machine, y *debugger.Symbols) (stop func()) {
	m.SetProbe(func(s *vm.Stop) {
		switch s.Reason {
		case vm.StopTrap, vm.StopThrow, vm.StopUnhandled, vm.StopPause:
			writeTree(e, m, y)
		}
	})
	c := make(chan os.Signal, 1)
	signal.Notify(c, treeSignals...)
	go func() {
		for range c {
			m.RequestPause()
		}
	}()
	return func() {
		signal.Stop(c)
		close(c)
	}
}

// writeTree writes the tree of stacks. It must be called where the machine stands.
func writeTree(e *cli.Env, m *vm.Machine, y *debugger.Symbols) {
	t := stackview.New(y.Snapshot(m, 0, 1000, true, nil))
	fmt.Fprint(e.Stderr, t.Text(stackview.Style{Color: e.Color}))
}
