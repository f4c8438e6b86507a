package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"stackscope/analysis/source"
	"stackscope/internal/cli"
	"stackscope/stackview"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/snapshot"
)

func treeCommand() *cli.Command {
	return &cli.Command{
		Name:  "tree",
		Args:  "--at LOCATION FILE [ARG…] [-- PROGRAM ARG…]",
		Short: "run to a location and write the stack tree",
		Long: `
LOCATION is LINE, LINE:COLUMN, FILE:LINE, FILE:LINE:COLUMN, a function as $name, by its index or by
its name in the source, or an export. FILE is a module, or a file that one was compiled from, by its
path or the end of it; without it the lines are those of the module's text. The program runs until it reaches the location. Its output goes to standard error.`,
		New: func() ([]cli.Flag, cli.Run) {
			var t treeFlags
			return t.table(), t.tree
		},
	}
}

type treeFlags struct {
	program        programFlags
	at, format, by string
	hit            uint64
}

func (t *treeFlags) table() []cli.Flag {
	return append(t.program.table(), []cli.Flag{
		{Name: "at", Arg: "LOCATION", Value: cli.String(&t.at), Usage: "stop at LOCATION (required)"},
		{
			Name: "hit", Arg: "N", Default: "1", Value: cli.Uint64(&t.hit),
			Usage: "stop when LOCATION is reached for the Nth time",
		},
		{
			Name: "by", Arg: "ORDER", Default: "parent", Value: cli.Choice(&t.by, "parent", "scheduler"),
			Usage: "put each stack below its parent, or below the stack that manages it: parent or scheduler",
		},
		formatFlag(&t.format, "text", "json", "dot", "svg"),
	}...)
}

func (t *treeFlags) tree(ctx context.Context, e *cli.Env) int {
	pf := &t.program
	if t.at == "" {
		return e.UsageError("missing --at LOCATION")
	}
	p, dp, code := loadDebug(e, pf)
	if dp == nil {
		return code
	}
	b := &debugger.Breakpoint{ID: 1}
	if t.hit > 1 {
		b.Hit = strconv.FormatUint(t.hit, 10)
	}
	history := 1 // only how stacks ended
	if t.by == "scheduler" {
		history = 20_000 // also who resumed whom
	}
	stops := make(chan debugger.Stop, 1)
	end := make(chan error, 1)
	eng := debugger.NewEngine(
		dp,
		debugger.Options{
			OnEnd: func(x debugger.End) { end <- x.Err }, OnStop: func(s debugger.Stop) { stops <- s },
			OnOutput: toStderr(e), History: history,
		},
	)
	f, err := location(eng.Symbols.Sources(), p.Main().File, t.at, b)
	if err != nil {
		return e.UsageError("--at %s: %v", t.at, err)
	}
	_, err = eng.Filters.Set(nil)
	if err := errors.Join(err, eng.Breakpoints.Set("tree", f, []*debugger.Breakpoint{b})); err != nil {
		return e.Fail(err)
	}
	if !b.Verified {
		return e.UsageError("--at %s: %s", t.at, b.Message)
	}
	eng.Start()
	watch(ctx, eng, pf)
	select {
	case <-stops:
	case err := <-end:
		if err != nil {
			return runError(e, eng.Symbols, err)
		}
		fmt.Fprintf(e.Stderr, "%s: the program ended before it reached %s\n", e.App, t.at)
		return cli.Bad
	}
	var snap *snapshot.Snapshot
	var failed error
	err = eng.WhenStopped(func() {
		if t.by == "scheduler" {
			snap, failed = eng.Stacks.Schedulers(maxScheduled, func() bool { return ctx.Err() != nil })
			return
		}
		snap = eng.Stacks.Snapshot(0, true, nil)
	})
	eng.Kill()
	<-eng.Done()
	if err := errors.Join(err, failed); err != nil {
		return e.Fail(err)
	}
	view := stackview.New(snap)
	if t.by == "scheduler" {
		view = stackview.ByScheduler(snap)
	}
	switch t.format {
	case "json":
		fmt.Fprintln(e.Stdout, strings.TrimSpace(view.JSON()))
	case "dot":
		fmt.Fprint(e.Stdout, view.DOT())
	case "svg":
		fmt.Fprint(e.Stdout, view.SVG())
	default:
		fmt.Fprint(e.Stdout, view.Text(stackview.Style{Color: e.Color && cli.IsTerminal(e.Stdout)}))
	}
	return cli.OK
}

// maxScheduled is how many stacks a tree by scheduler lists; the others are counted.
const maxScheduled = 1000

// location parses a location into a breakpoint and returns its file, one of files; of lines alone
// it is main.
func location(
	files []*debugger.Source, main *debugger.Source, at string, b *debugger.Breakpoint,
) (f *debugger.Source, err error) {
	parts := strings.Split(at, ":")
	nums := 0 // how many numbers are at the end
	for nums < 2 && nums < len(parts) {
		if _, err := strconv.ParseUint(parts[len(parts)-1-nums], 10, 31); err != nil {
			break
		}
		nums++
	}
	if nums == 0 {
		b.Func = at
		return nil, nil
	}
	f = main
	if name := strings.Join(parts[:len(parts)-nums], ":"); name != "" {
		if f, err = fileNamed(files, name); err != nil {
			return nil, err
		}
	}
	line, _ := strconv.Atoi(parts[len(parts)-nums])
	if line < 1 || line > f.NumLines() {
		return nil, fmt.Errorf("%s has %d lines", cli.Relative(f.Name), f.NumLines())
	}
	b.Line = line - 1
	if nums == 2 {
		col, _ := strconv.Atoi(parts[len(parts)-1])
		off := f.Offset(source.Position{Line: line - 1, Col: max(0, col-1)}, source.UTF32)
		b.Col = f.Position(off, source.UTF16).Col + 1
	}
	return f, nil
}

// fileNamed finds a file of the program by its path, or by the end of it. The error says that there
// is none, or that there are several.
func fileNamed(files []*debugger.Source, name string) (*debugger.Source, error) {
	path := filepath.ToSlash(filepath.Clean(name))
	full := path
	if abs, err := filepath.Abs(name); err == nil {
		full = filepath.ToSlash(abs)
	}
	var ends []*debugger.Source
	for _, f := range files {
		switch own := filepath.ToSlash(f.Name); {
		case own == path, own == full:
			return f, nil
		case strings.HasSuffix(own, "/"+path):
			ends = append(ends, f)
		}
	}
	switch len(ends) {
	case 0:
		return nil, fmt.Errorf("%s is not a file of the program", name)
	case 1:
		return ends[0], nil
	}
	return nil, fmt.Errorf(
		"%s and %s of the program end in %s: write more of the path",
		cli.Relative(ends[0].Name), cli.Relative(ends[1].Name), path,
	)
}
