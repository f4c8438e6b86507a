package main

import (
	"context"
	"fmt"
	"time"

	"stackscope/internal/cli"
	"stackscope/internal/loader"
	"stackscope/stackview"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/snapshot"
)

func traceCommand() *cli.Command {
	return &cli.Command{
		Name:  "trace",
		Args:  "FILE [ARG…] [-- PROGRAM ARG…]",
		Short: "run a program and write the history of its stacks",
		Long: `
The events are create, start, suspend, resume, switch, bind, throw, finish and release, each with
its position and payload. Where fibers are mounted and dismounted, text and perfetto say mount and
dismount for resume and suspend. The formats: text has one event per line, json one object per line;
perfetto is a trace file for ui.perfetto.dev. The output of the program goes to standard error.`,
		New: func() ([]cli.Flag, cli.Run) {
			var pf programFlags
			var format string
			flags := append(pf.table(), formatFlag(&format, "text", "json", "perfetto"))
			return flags, func(ctx context.Context, e *cli.Env) int { return trace(ctx, e, &pf, format) }
		},
	}
}

func trace(ctx context.Context, e *cli.Env, pf *programFlags, format string) int {
	_, dp, code := loadDebug(e, pf)
	if dp == nil {
		return code
	}
	var all []snapshot.Event // only where the whole history is needed
	var writeErr error
	end := make(chan debugger.End, 1)
	opt := debugger.Options{
		OnOutput: toStderr(e), History: 1, // for what stacks skipped
		OnEnd: func(x debugger.End) { end <- x },
		OnEvent: func(ev snapshot.Event) {
			switch {
			case format == "perfetto":
				all = append(all, ev)
			case writeErr != nil:
			case format == "json":
				writeErr = stackview.TraceJSON(e.Stdout, []snapshot.Event{ev})
			default:
				writeErr = stackview.TraceText(e.Stdout, []snapshot.Event{ev})
			}
		},
	}
	eng := debugger.NewEngine(dp, opt)
	if _, err := eng.Filters.Set(nil); err != nil {
		return e.Fail(err)
	}
	eng.Start()
	watch(ctx, eng, pf)
	x := <-end
	if format == "perfetto" {
		writeErr = stackview.TracePerfetto(e.Stdout, stackview.NewTimeline(all))
	}
	if writeErr != nil {
		return e.Fail(writeErr)
	}
	fmt.Fprint(e.Stderr, x.Skipped)
	if x.Err != nil {
		return runError(e, eng.Symbols, x.Err)
	}
	return cli.OK
}

// loadDebug loads a program for the debugger's engine. On failure it reports the error and returns
// a nil program and the exit code.
func loadDebug(e *cli.Env, pf *programFlags) (*loader.Program, *debugger.Program, int) {
	p, err := pf.load(e)
	if err != nil {
		return nil, nil, loadError(e, err)
	}
	dp, err := p.Debug()
	if err != nil {
		return nil, nil, e.Fail(err)
	}
	return p.Program, dp, cli.OK
}

// toStderr writes the output of a program to standard error: standard output is for the trace or
// tree.
func toStderr(e *cli.Env) func(debugger.Stream, string, snapshot.Site) {
	return func(_ debugger.Stream, text string, _ snapshot.Site) { fmt.Fprint(e.Stderr, text) }
}

// watch ends a program when the context or the time limit ends.
func watch(ctx context.Context, eng *debugger.Engine, pf *programFlags) {
	go func() {
		var limit <-chan time.Time
		if pf.timeout > 0 {
			limit = time.After(pf.timeout)
		}
		select {
		case <-eng.Done():
		case <-ctx.Done():
			eng.Kill()
		case <-limit:
			eng.Kill()
		}
	}()
}
