package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"time"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/cli"
	"stackscope/internal/loader"
	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/wasm"
)

func testCommand() *cli.Command {
	return &cli.Command{
		Name:  "test",
		Args:  "FILE.wast|DIR…",
		Short: "run scripts of the specification's test format",
		Long: `
Each command that fails is reported on a line, file:line:col: what is wrong. The last line counts the
commands that assert something or must succeed: N passed, N failed.`,
		Flags: func(f *cli.Flags) func(context.Context, *cli.Env) int {
			t := &testFlags{
				verbose: f.Bool("v", false, "report every command, show what scripts print, and backtraces"),
				run:     f.String("run", "", "run only scripts whose path matches `REGEXP`"),
				dialect: f.DialectFlag(),
				limits:  newLimitFlags(f),
				timeout: f.Duration("timeout", 0, "stop after the `DURATION`, such as 10s (0: no limit)"),
			}
			return t.test
		},
	}
}

type testFlags struct {
	verbose      *bool
	run, dialect *string
	limits       limitFlags
	timeout      *time.Duration
}

func (t *testFlags) test(ctx context.Context, e *cli.Env) int {
	re, err := regexp.Compile(*t.run)
	if err != nil {
		return e.UsageError("flag --run: %v", err)
	}
	d, err := cli.ParseDialect(*t.dialect)
	if err != nil {
		return e.UsageError("%v", err)
	}
	if len(e.Args) == 0 {
		return e.UsageError("a script or directory is missing")
	}
	files, err := loader.Find(e.Args, ".wast")
	if err != nil {
		return e.Fail(err)
	}
	if *t.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *t.timeout)
		defer cancel()
	}
	var all wast.Summary
	for i, name := range files {
		if !re.MatchString(name) {
			continue
		}
		if e.Terminal {
			fmt.Fprintf(e.Stderr, "\r\x1b[K%d/%d %s", i+1, len(files), name)
		}
		f, err := loader.Read(name, e.Stdin)
		if err != nil {
			return e.Fail(err)
		}
		s := t.script(ctx, e, f.Source(), d)
		all.Passed += s.Passed
		all.Failed += s.Failed
	}
	if e.Terminal {
		fmt.Fprint(e.Stderr, "\r\x1b[K")
	}
	fmt.Fprintln(e.Stdout, all)
	if all.Failed > 0 || ctx.Err() != nil {
		if ctx.Err() != nil {
			fmt.Fprintf(e.Stderr, "%s: stopped: %v\n", e.App, ctx.Err())
		}
		return cli.Bad
	}
	return cli.OK
}

// script runs a script and reports what fails.
func (t *testFlags) script(ctx context.Context, e *cli.Env, f *source.File, d wasm.Dialect) wast.Summary {
	var sys *host.System
	out := io.Discard // what scripts print is of interest only to who looks closely
	if *t.verbose {
		out = e.Stdout
	}
	cfg := wast.Config{Limits: t.limits.options(), Analysis: analysis.Options{Dialect: d}}
	cfg.Host = func(m *vm.Machine) vm.Imports {
		var hosts vm.ImportMap
		// Scripts get no directories, so there is nothing that could fail to open.
		hosts, sys, _ = host.Modules(m, host.Options{Print: out, WASI: host.WASI{Stdout: out, Stderr: e.Stderr}})
		return hosts
	}
	r := wast.New(analysis.Open(f, cfg.Analysis), cfg)
	if sys != nil {
		defer sys.Close()
	}
	return r.Run(ctx, func(res *wast.Result) {
		if res.OK && !*t.verbose {
			return
		}
		if e.Terminal {
			fmt.Fprint(e.Stderr, "\r\x1b[K")
		}
		fmt.Fprintf(e.Stdout, "%s: %s\n", cli.Place(f, res.Command.Span.Start), t.line(e, res))
		if !res.OK && *t.verbose && res.Backtrace() {
			fmt.Fprint(e.Stdout, r.Describe(res.Err))
		}
	})
}

func (t *testFlags) line(e *cli.Env, res *wast.Result) string {
	if res.OK {
		return fmt.Sprintf("%s: ok", res.Command.Kind)
	}
	return fmt.Sprintf("%s: %s: %s", e.Paint("31;1", "error"), res.Command.Kind, res.Message)
}
