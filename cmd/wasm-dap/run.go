package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"stackscope/internal/cli"
	"stackscope/internal/drive"
	"stackscope/internal/values"
	"stackscope/internal/wast"
	"stackscope/stackview"
	"stackscope/vm"
	"stackscope/vm/debugger/stacks"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/host"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Args:  "FILE [ARG…] [-- PROGRAM ARG…]",
		Short: "run a program and print its results",
		Long: `
FILE is a .wat or .wasm module, or - for standard input. It is instantiated, its start function
runs, then the export: _start, else main, else the only exported function, or the one that
--invoke names. Write arguments as 42, i64:42, f32:nan or ref.null. Each result is printed on its
own line as a constant, such as (i64.const 499500). The words after -- are the program's own
arguments, which it reads through WASI.

The host provides the modules spectest, wasi_snapshot_preview1, async, promise and wasm:js-string, and
runs the JavaScript that a compiler has emitted beside FILE (see --host). When the export has
returned, the host's event loop runs until nothing is pending. With --drive, a script calls the
exports instead. A trap is reported with a backtrace across stacks.`,
		New: func() ([]cli.Flag, cli.Run) {
			var r runFlags
			return r.table(), r.run
		},
	}
}

type runFlags struct {
	program    programFlags
	attach     attachFlags
	time, tree bool
}

func (r *runFlags) table() []cli.Flag {
	return slices.Concat(r.program.table(), r.attach.table(), []cli.Flag{
		{Name: "time", Value: cli.Bool(&r.time), Usage: "print times and counts on standard error"},
		{
			Name: "tree", Value: cli.Bool(&r.tree),
			Usage: "print the stack tree on standard error on a trap, at exit and on SIGUSR1",
		},
	})
}

func (r *runFlags) run(ctx context.Context, e *cli.Env) int {
	if r.attach.used() {
		if r.time || r.tree {
			return e.UsageError("--time and --tree need a run without a debugger")
		}
		return r.attach.run(ctx, e, &r.program)
	}
	p, err := r.program.load(e, r.attach.sources.find)
	if err != nil {
		return loadError(e, err)
	}
	ctx, cancel := r.program.context(ctx)
	defer cancel()
	m, loop := vm.New(p.Config.Limits), &host.Loop{}
	hosts, sys, err := p.Host(m, loop)
	if err != nil {
		return e.Fail(err)
	}
	defer sys.Close()

	dp, err := p.Debug()
	if err != nil {
		return e.Fail(err)
	}
	y := symbols.NewSymbols(dp.Units)
	var ss *stacks.Stacks
	if r.tree {
		rec := vm.NewRecorder(1) // only how stacks ended
		m.SetRecorder(rec)
		ss = stacks.NewStacks(m, y, rec)
		stop := watchTree(e, m, ss)
		defer stop()
	}

	if p.Note != "" {
		fmt.Fprintf(e.Stderr, "%s: note: %s\n", e.App, p.Note)
	}
	script, err := p.Script(m, loop, e.Stdout, e.Stderr)
	if err != nil {
		return e.Fail(err)
	}
	drv := p.NewRun(m, loop, script, drive.Hooks{
		Failed: func(res *wast.Result) { reportCommand(e, y, res) },
		Print:  func(text string) { fmt.Fprintln(e.Stdout, text) },
	})
	start := time.Now()
	in, err := drv.Link(ctx, hosts)
	instantiated := time.Since(start)
	var results []vm.Value
	if err == nil {
		results, err = drv.Drive(ctx, in)
	}
	elapsed := time.Since(start)
	for _, v := range results {
		fmt.Fprintln(e.Stdout, values.Format(v))
	}
	code := cli.OK
	if err != nil {
		code = runError(e, y, err)
	} else if r.tree {
		writeTree(e, ss)
	}
	if r.tree {
		fmt.Fprint(e.Stderr, ss.Skipped())
	}
	if drv.Summary().Failed > 0 {
		code = cli.Bad
	}
	if r.time {
		s := m.Stats()
		fmt.Fprintf(e.Stderr, "elapsed_ns=%d instantiate_ns=%d stacks_created=%d switches=%d peak_stacks=%d\n",
			elapsed.Nanoseconds(), instantiated.Nanoseconds(), s.Created, s.Switches, s.Peak)
	}
	return code
}

// reportCommand writes why a command of a drive script has failed.
func reportCommand(e *cli.Env, y *symbols.Symbols, res *wast.Result) {
	line, col := res.Place()
	fmt.Fprintf(
		e.Stderr, "%s:%d:%d: %s: %s: %s\n", cli.Relative(res.File.Name), line, col, e.Paint("31;1", "error"),
		res.Command.Kind, res.Message,
	)
	if res.Backtrace() {
		_, trace, _ := strings.Cut(y.Describe(res.Err), "\n")
		fmt.Fprint(e.Stderr, trace)
	}
}

// watchTree writes the stack tree when the program traps, and on the signal that asks for it.
func watchTree(e *cli.Env, m *vm.Machine, ss *stacks.Stacks) (stop func()) {
	m.SetProbe(func(s *vm.Stop) {
		switch s.Reason {
		case vm.StopTrap, vm.StopThrow, vm.StopUnhandled, vm.StopPause:
			writeTree(e, ss)
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

// writeTree writes the stack tree. The machine must be stopped.
func writeTree(e *cli.Env, ss *stacks.Stacks) {
	ss.Forget()
	t := stackview.New(ss.Snapshot(1000, true, nil))
	fmt.Fprint(e.Stderr, t.Text(stackview.Style{Color: e.Color}))
}
