package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
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
commands that assert something or must succeed: N passed, N failed.

With --format json each line is an object. One of a command has its place (file, line, col, endLine,
endCol), kind and title, whether it is ok, how many nanoseconds it took (ns) and, if it failed, the
message and, where an assertion got something else, the values expected and actual. All commands are
reported, not only those that fail. The last line has the numbers passed and failed.

With --line only the command on that line is reported. The commands before it run first, because modules
and state come from them; those after it do not run.`,
		Flags: func(f *cli.Flags) func(context.Context, *cli.Env) int {
			t := &testFlags{
				verbose: f.Bool("v", false, "report every command, show what scripts print, and backtraces"),
				run:     f.String("run", "", "run only scripts whose path matches `REGEXP`"),
				format:  f.Choice("format", []string{"text", "json"}, "output `FORMAT`: text or json"),
				lines:   f.Strings("line", "report only the command on line `N`, after those before it have run (repeatable)"),
				list:    f.Bool("list", false, "list the commands and do not run them"),
				dialect: f.DialectFlag(),
				limits:  newLimitFlags(f),
				timeout: f.Duration("timeout", 0, "stop after the `DURATION`, such as 10s (0: no limit)"),
			}
			return t.test
		},
	}
}

type testFlags struct {
	verbose, list        *bool
	run, dialect, format *string
	lines                *[]string
	limits               limitFlags
	timeout              *time.Duration

	selected []int // the numbers of lines
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
	for _, l := range *t.lines {
		n, err := strconv.Atoi(l)
		if err != nil || n < 1 {
			return e.UsageError("flag --line: %q is not the number of a line", l)
		}
		t.selected = append(t.selected, n)
	}
	files, err := loader.Find(e.Args, ".wast")
	if err != nil {
		return e.Fail(err)
	}
	if len(t.selected) > 0 && len(files) != 1 {
		return e.UsageError("flag --line needs one script, not %d", len(files))
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
		if *t.list {
			t.listCommands(e, f.Source())
			continue
		}
		s := t.script(ctx, e, f.Source(), d)
		all.Passed += s.Passed
		all.Failed += s.Failed
	}
	if e.Terminal {
		fmt.Fprint(e.Stderr, "\r\x1b[K")
	}
	if len(t.selected) > 0 && !*t.list && all.Passed+all.Failed == 0 && ctx.Err() == nil {
		return e.Fail(fmt.Errorf("%s: no command is on line %s", files[0], strings.Join(*t.lines, " or ")))
	}
	switch {
	case *t.list:
		return cli.OK
	case *t.format == "json":
		writeJSON(e.Stdout, map[string]int{"passed": all.Passed, "failed": all.Failed})
	default:
		fmt.Fprintln(e.Stdout, all)
	}
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
	out := io.Discard // what scripts print matters only to those who ask
	switch {
	case *t.format == "json":
		out = e.Stderr
	case *t.verbose:
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
	begin := time.Now()
	report := func(res *wast.Result) {
		took := time.Since(begin)
		defer func() { begin = time.Now() }()
		if *t.format == "json" {
			o := jsonCommand(f, res.Command)
			o.OK, o.NS, o.Message = &res.OK, took.Nanoseconds(), res.Message
			if m := (*wast.Mismatch)(nil); errors.As(res.Err, &m) {
				o.Expected, o.Actual = &m.Want, &m.Got
			}
			if res.Backtrace() {
				o.Backtrace = r.Describe(res.Err)
			}
			writeJSON(e.Stdout, o)
			return
		}
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
	}
	if len(t.selected) > 0 {
		return r.RunLines(ctx, t.selected, report)
	}
	return r.Run(ctx, report)
}

func (t *testFlags) line(e *cli.Env, res *wast.Result) string {
	if res.OK {
		return fmt.Sprintf("%s: ok", res.Command.Kind)
	}
	return fmt.Sprintf("%s: %s: %s", e.Paint("31;1", "error"), res.Command.Kind, res.Message)
}

// commandJSON is a command, and what came of it, in --format json.
type commandJSON struct {
	File      string  `json:"file"`
	Line      int     `json:"line"`
	Col       int     `json:"col"`
	EndLine   int     `json:"endLine"`
	EndCol    int     `json:"endCol"`
	Kind      string  `json:"kind"`
	Title     string  `json:"title"`
	OK        *bool   `json:"ok,omitempty"` // nil in a list
	NS        int64   `json:"ns,omitempty"`
	Message   string  `json:"message,omitempty"`
	Expected  *string `json:"expected,omitempty"`
	Actual    *string `json:"actual,omitempty"`
	Backtrace string  `json:"backtrace,omitempty"`
}

func jsonCommand(f *source.File, c *wast.Command) commandJSON {
	o := commandJSON{File: f.Name, Kind: string(c.Kind), Title: c.Title(f)}
	o.Line, o.Col = f.LineCol(c.Span.Start)
	o.EndLine, o.EndCol = f.LineCol(c.Span.End)
	return o
}

// writeJSON writes a value on a line.
func writeJSON(w io.Writer, v any) {
	_ = json.NewEncoder(w).Encode(v)
}

// listCommands writes the commands of a script.
func (t *testFlags) listCommands(e *cli.Env, f *source.File) {
	for _, c := range wast.Parse(syntax.Parse(f)).Commands {
		if *t.format == "json" {
			writeJSON(e.Stdout, jsonCommand(f, c))
		} else {
			fmt.Fprintf(e.Stdout, "%s: %s\n", cli.Place(f, c.Span.Start), c.Title(f))
		}
	}
}
