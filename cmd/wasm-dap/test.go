package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
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
	"stackscope/vm/host/js"
	"stackscope/wasm"
)

func testCommand() *cli.Command {
	return &cli.Command{
		Name:  "test",
		Args:  "FILE.wast|DIR…",
		Short: "run scripts of the specification's test format",
		Long: `
Each command that fails is reported on one line: file:line:col: message. The last line counts the
commands that assert something or must succeed: N passed, N failed.

With --format json each line is an object, and all commands are reported. The object of a command
has its position (file, line, col, endLine, endCol), kind, title, ok, the nanoseconds it took (ns)
and, if it failed, the message and the expected and actual values of an assertion. The last line
has the counts passed and failed.

With --line only the command on that line is reported. The commands before it run first, because
they define modules and state; those after it do not run.`,
		New: func() ([]cli.Flag, cli.Run) {
			var t testFlags
			return t.table(), t.test
		},
	}
}

type testFlags struct {
	verbose, list        bool
	run, dialect, format string
	lines                []string
	limits               limitFlags
	link                 linkFlags
	timeout              time.Duration

	selected []int // the line numbers in lines
}

func (t *testFlags) table() []cli.Flag {
	return slices.Concat(t.limits.table(), t.link.table(), []cli.Flag{
		{
			Name: "v", Value: cli.Bool(&t.verbose),
			Usage: "report every command, and print the output of scripts and backtraces",
		},
		{
			Name: "run", Arg: "REGEXP", Value: cli.String(&t.run),
			Usage: "run only the scripts whose path matches REGEXP",
		},
		formatFlag(&t.format, "text", "json"),
		{
			Name: "line", Arg: "N", Many: true, Value: cli.Strings(&t.lines),
			Usage: "run up to the command on line N and report only that command",
		},
		{Name: "list", Value: cli.Bool(&t.list), Usage: "list the commands without running them"},
		cli.DialectFlag(&t.dialect),
		timeoutFlag(&t.timeout),
	})
}

func (t *testFlags) test(ctx context.Context, e *cli.Env) int {
	re, err := regexp.Compile(t.run)
	if err != nil {
		return e.UsageError("flag --run: %v", err)
	}
	d, err := cli.ParseDialect(t.dialect)
	if err != nil {
		return e.UsageError("%v", err)
	}
	if len(e.Args) == 0 {
		return e.UsageError("missing script or directory")
	}
	for _, l := range t.lines {
		n, err := strconv.Atoi(l)
		if err != nil || n < 1 {
			return e.UsageError("flag --line: %q is not a line number", l)
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
	if t.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.timeout)
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
		if t.list {
			t.listCommands(e, f.Source())
			continue
		}
		s, err := t.script(ctx, e, f.Source(), d)
		if err != nil {
			return loadError(e, err)
		}
		all.Passed += s.Passed
		all.Failed += s.Failed
	}
	if e.Terminal {
		fmt.Fprint(e.Stderr, "\r\x1b[K")
	}
	if len(t.selected) > 0 && !t.list && all.Passed+all.Failed == 0 && ctx.Err() == nil {
		return e.Fail(fmt.Errorf("%s: no command on line %s", files[0], strings.Join(t.lines, " or ")))
	}
	switch {
	case t.list:
		return cli.OK
	case t.format == "json":
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
func (t *testFlags) script(
	ctx context.Context, e *cli.Env, f *source.File, d wasm.Dialect,
) (wast.Summary, error) {
	c := loader.Config{Stdin: e.Stdin, Context: ctx, Options: analysis.Options{Dialect: d}}
	t.link.set(&c)
	units, err := c.Linked()
	if err != nil {
		return wast.Summary{}, err
	}
	var sys *host.System
	out := io.Discard // the output of scripts is printed on request only
	switch {
	case t.format == "json":
		out = e.Stderr
	case t.verbose:
		out = e.Stdout
	}
	cfg := wast.Config{Limits: t.limits.options(), Analysis: c.Options}
	cfg.Host = func(m *vm.Machine) vm.Imports {
		var hosts vm.Imports
		// Scripts get no directories, so nothing can fail to open.
		hosts, sys, _ = host.Modules(m, host.Options{Print: out, WASI: host.WASI{Stdout: out, Stderr: e.Stderr}})
		return js.Imports(m, nil, hosts)
	}
	r := wast.New(analysis.Open(f, cfg.Analysis), cfg)
	if sys != nil {
		defer sys.Close()
	}
	if err := r.Register(ctx, units); err != nil {
		return wast.Summary{}, err
	}
	begin := time.Now()
	report := func(res *wast.Result) {
		took := time.Since(begin)
		defer func() { begin = time.Now() }()
		if t.format == "json" {
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
		if res.OK && !t.verbose {
			return
		}
		if e.Terminal {
			fmt.Fprint(e.Stderr, "\r\x1b[K")
		}
		fmt.Fprintf(e.Stdout, "%s: %s\n", cli.Place(f, res.Command.Span.Start), t.line(e, res))
		if !res.OK && t.verbose && res.Backtrace() {
			fmt.Fprint(e.Stdout, r.Describe(res.Err))
		}
	}
	if len(t.selected) > 0 {
		return r.RunLines(ctx, t.selected, report), nil
	}
	return r.Run(ctx, report), nil
}

func (t *testFlags) line(e *cli.Env, res *wast.Result) string {
	if res.OK {
		return fmt.Sprintf("%s: ok", res.Command.Kind)
	}
	return fmt.Sprintf("%s: %s: %s", e.Paint("31;1", "error"), res.Command.Kind, res.Message)
}

// commandJSON is a command and its result in --format json.
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
		if t.format == "json" {
			writeJSON(e.Stdout, jsonCommand(f, c))
		} else {
			fmt.Fprintf(e.Stdout, "%s: %s\n", cli.Place(f, c.Span.Start), c.Title(f))
		}
	}
}
