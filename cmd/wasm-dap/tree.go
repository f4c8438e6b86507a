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
	"stackscope/internal/loader"
	"stackscope/stackview"
	"stackscope/vm/debugger"
)

func treeCommand() *cli.Command {
	return &cli.Command{
		Name:  "tree",
		Args:  "--at LOCATION FILE [ARG…] [-- PROGRAM ARG…]",
		Short: "run to a location and write the tree of stacks",
		Long: `
LOCATION is LINE, LINE:COLUMN, FILE:LINE, FILE:LINE:COLUMN, a function as $name or by its index, or an
export. The program runs until it is reached; what it writes itself goes to standard error.`,
		Flags: func(f *cli.Flags) func(context.Context, *cli.Env) int {
			pf := newProgramFlags(f)
			t := treeFlags{
				at:  f.String("at", "", "stop at the `LOCATION`"),
				hit: f.Uint64("hit", 1, "stop when the location is reached for the `N`th time"),
				format: f.Choice(
					"format", []string{"text", "json", "dot", "svg"},
					"write `FORMAT`: text (default), json, dot or svg",
				),
			}
			return func(ctx context.Context, e *cli.Env) int { return t.tree(ctx, e, pf) }
		},
	}
}

type treeFlags struct {
	at, format *string
	hit        *uint64
}

func (t treeFlags) tree(ctx context.Context, e *cli.Env, pf *programFlags) int {
	if *t.at == "" {
		return e.UsageError("--at is missing: where is the program to stop?")
	}
	p, dp, code := loadDebug(e, pf)
	if dp == nil {
		return code
	}
	b := &debugger.Breakpoint{ID: 1}
	if *t.hit > 1 {
		b.Hit = strconv.FormatUint(*t.hit, 10)
	}
	f, err := location(p, *t.at, b)
	if err != nil {
		return e.UsageError("%v", err)
	}
	stops := make(chan debugger.Stop, 1)
	end := make(chan error, 1)
	eng := debugger.NewEngine(
		dp,
		debugger.Options{
			OnEnd: func(x debugger.End) { end <- x.Err }, OnStop: func(s debugger.Stop) { stops <- s },
			OnOutput: toStderr(e),
		},
	)
	_, err = eng.SetFilters(nil)
	if err := errors.Join(err, eng.SetBreakpoints("tree", f, []*debugger.Breakpoint{b})); err != nil {
		return e.Fail(err)
	}
	if !b.Verified {
		return e.UsageError("--at %s: %s", *t.at, b.Message)
	}
	eng.Start()
	watch(ctx, eng, pf)
	select {
	case <-stops:
	case err := <-end:
		if err != nil {
			return runError(e, eng.Symbols, err)
		}
		fmt.Fprintf(e.Stderr, "%s: the program ended before it reached %s\n", e.App, *t.at)
		return cli.Bad
	}
	var snap *debugger.Snapshot
	err = eng.WhenStopped(func() { snap = eng.Snapshot(0, true, nil) })
	eng.Kill()
	<-eng.Done()
	if err != nil {
		return e.Fail(err)
	}
	view := stackview.New(snap)
	switch *t.format {
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

// location reads a location into a breakpoint, and gives its file.
func location(p *loader.Program, at string, b *debugger.Breakpoint) (*debugger.Source, error) {
	f := p.Main().File
	parts := strings.Split(at, ":")
	nums := 0 // how many numbers stand at the end
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
	if name := strings.Join(parts[:len(parts)-nums], ":"); name != "" {
		if f = fileNamed(p, name); f == nil {
			return nil, fmt.Errorf("--at %s: %s is no file of the program", at, name)
		}
	}
	line, _ := strconv.Atoi(parts[len(parts)-nums])
	if line < 1 || line > f.NumLines() {
		return nil, fmt.Errorf("--at %s: %s has %d lines", at, cli.Relative(f.Name), f.NumLines())
	}
	b.Line = line - 1
	if nums == 2 {
		col, _ := strconv.Atoi(parts[len(parts)-1])
		off := f.Offset(source.Position{Line: line - 1, Col: max(0, col-1)}, source.UTF32)
		b.Col = f.Position(off, source.UTF16).Col + 1
	}
	return f, nil
}

// fileNamed finds a file of the program by its path, or by the end of it.
func fileNamed(p *loader.Program, name string) *debugger.Source {
	for _, exact := range []bool{true, false} {
		for _, u := range p.Units {
			path := filepath.ToSlash(u.File.Name)
			if path == filepath.ToSlash(name) || !exact && strings.HasSuffix(path, "/"+filepath.ToSlash(name)) {
				return u.File
			}
		}
	}
	return nil
}
