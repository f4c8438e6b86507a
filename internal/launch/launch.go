package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/analysis/diag"
	"stackscope/dap"
	"stackscope/internal/cli"
	"stackscope/internal/drive"
	"stackscope/internal/files"
	"stackscope/internal/loader"
	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/host"
	"stackscope/wasm"
)

// Load reads what a launch configuration names; it is a dap.Config's Load. The error is a
// *dap.LoadError.
func Load(l *dap.Launch) (*debugger.Program, error) {
	p, err := load(l)
	return p, wrap(err, l)
}

func load(l *dap.Launch) (*debugger.Program, error) {
	c, err := config(l)
	if err != nil {
		return nil, err
	}
	if c.Path == "-" {
		return nil, &dap.LoadError{Message: "a program on standard input cannot be debugged: write it to a file"}
	}
	f, err := loader.ReadContext(c.Context, c.Path, nil)
	if err != nil {
		return nil, err
	}
	if f.Kind == loader.KindScript {
		if l.Drive != "" {
			return nil, &dap.LoadError{Message: `"drive" applies to modules only: a .wast script drives itself`}
		}
		p, err := script(f, c, l.Line)
		return p, err
	}
	if l.Line > 0 {
		return nil, &dap.LoadError{Message: `"line" applies to scripts only`}
	}
	at := func(path string) string { return within(l.Cwd, path) }
	p, err := drive.Load(
		drive.Config{Config: c, Script: at(l.Drive), Promising: l.Promising, Suspending: l.Suspending},
	)
	if err != nil {
		return nil, err
	}
	d, err := p.Debug()
	if err == nil {
		d.Skip, d.WAT = l.SkipFiles, l.View == "wat"
		for _, x := range l.Printers {
			d.Printers = append(d.Printers, at(x))
		}
		err = debugger.CheckPrinters(d.Printers)
	}
	return d, err
}

// within returns a path from a directory.
func within(cwd, path string) string {
	if path == "" || path == "-" || cwd == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(cwd, path)
}

// config reads the launch configuration's fields.
func config(l *dap.Launch) (loader.Config, error) {
	at := func(path string) string { return within(l.Cwd, path) }
	c := loader.Config{
		Context: l.Context, Path: at(l.Program), Name: shown(at(l.Program), l.Cwd), Invoke: l.Invoke,
		Args: l.Args,
	}
	d, err := cli.ParseDialect(l.Dialect)
	if err != nil {
		return c, err
	}
	c.Options = analysis.Options{Dialect: d}
	c.Limits = vm.Options{
		Fuel: l.Limits.Fuel, MaxMemory: l.Limits.MaxMemory, MaxStacks: l.Limits.MaxStacks,
		MaxDepth: l.Limits.MaxDepth,
	}
	for _, x := range l.PathRules() {
		c.Sources.Rules = append(c.Sources.Rules, sources.Rule{From: x.From, To: at(x.To)})
	}
	for _, x := range l.SourcePaths {
		c.Sources.Dirs = append(c.Sources.Dirs, at(x))
	}
	for _, x := range l.Imports {
		c.Imports = append(c.Imports, loader.Import{Name: x.Name, Path: at(x.Value)})
	}
	for _, s := range l.Host {
		h, err := loader.ParseHost(s)
		if err != nil {
			return c, &loader.UsageError{Message: `"host": ` + err.Error()}
		}
		c.Hosts = append(c.Hosts, loader.Import{Name: h.Name, Path: at(h.Path)})
	}
	c.WASI.Args = append([]string{l.Program}, l.WasiArgs...)
	switch {
	case l.StdinFile != "":
		b, err := files.Read(l.Context, at(l.StdinFile), files.MaxSize)
		if err != nil {
			return c, err
		}
		c.WASI.Stdin = bytes.NewReader(b)
	case l.Stdin != "":
		c.WASI.Stdin = strings.NewReader(l.Stdin)
	}
	for _, x := range l.Env {
		c.WASI.Env = append(c.WASI.Env, x.Name+"="+x.Value)
	}
	for _, x := range l.Dirs {
		c.WASI.Dirs = append(c.WASI.Dirs, host.Dir{Guest: x.Name, Host: at(x.Value)})
	}
	return c, nil
}

// shown returns what messages call a file: its path from the working directory if it is below it,
// else the last part of it.
func shown(path, cwd string) string {
	if cwd == "" {
		cwd, _ = os.Getwd()
	}
	if abs, err := filepath.Abs(path); err == nil && cwd != "" {
		if rel, err := filepath.Rel(cwd, abs); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return filepath.Base(path)
}

// wrap returns an error of loading as the adapter reports it. The message names files the short
// way; the diagnostics have their paths.
func wrap(err error, l *dap.Launch) error {
	if err == nil {
		return nil
	}
	var known *dap.LoadError
	if errors.As(err, &known) {
		return known
	}
	cwd := l.Cwd
	out := &dap.LoadError{Message: err.Error()}
	if l.Program != "" {
		out.Message = strings.ReplaceAll(out.Message, l.Program, shown(l.Program, cwd))
	}
	var (
		ds *loader.Errors
		fe *loader.FileError
		xe *loader.EntryError
		pe *fs.PathError
		ue *loader.UsageError
	)
	out.Usage = errors.As(err, &ue) || errors.As(err, &xe) || errors.As(err, &pe)
	switch {
	case errors.As(err, &xe) && len(xe.Exports) > 0:
		out.Message += `; choose one: "invoke" in a launch configuration, --invoke on a command line`
	case errors.As(err, &fe):
		out.Message = shown(fe.Name, cwd) + ": " + fe.Err.Error()
	case errors.As(err, &pe):
		out.Message = fmt.Sprintf("cannot read %s: %v", shown(pe.Path, cwd), pe.Err)
	case errors.As(err, &ds):
		name := shown(ds.File.Name, cwd)
		out.Message = name + ": the module has errors"
		n := 0
		for _, d := range ds.Diags {
			if d.Severity != diag.Error {
				continue
			}
			n++
			line, col := ds.File.LineCol(d.Span.Start)
			if n == 1 {
				out.Message = fmt.Sprintf("%s:%d:%d: %s", name, line, col, d.Message)
			}
			text := d.Message
			if d.Code != "" {
				text += " [" + string(d.Code) + "]"
			}
			out.Diagnostics = append(out.Diagnostics, dap.Diagnostic{Path: ds.File.Name, Line: line, Col: col,
				Text: text})
		}
		if n > 1 {
			out.Message = fmt.Sprintf("%s (and %d more)", out.Message, n-1)
		}
	}
	return out
}

// script returns a script as a program that runs command by command. A command that fails is
// reported, and the program continues. If line is set, the program ends after the command on that
// line, and does not stop before it.
func script(f *loader.File, c loader.Config, line int) (*debugger.Program, error) {
	snap := analysis.Open(f.Source(), c.Options)
	file := symbols.NewSource(snap.File())
	linked, err := c.Linked()
	if err != nil {
		return nil, err
	}
	d := &debugger.Program{Path: c.Path, Limits: c.Limits, Compile: loader.Compile, Units: units(snap, file)}
	for _, u := range linked {
		d.Units = append(d.Units, u.Unit)
	}
	commands := wast.Parse(snap.Tree())
	selected, upTo := commands.Select(lines(line))
	if line > 0 && upTo == 0 {
		return nil, fmt.Errorf("no command of the script is on line %d", line)
	}
	for _, c := range commands.Commands {
		d.Commands = append(
			d.Commands,
			debugger.Command{
				File: file, Span: c.Span, Title: c.Label(), Runs: (line == 0 || selected[c]) && runs(snap, c),
			},
		)
	}
	d.Run = func(ctx context.Context, r *debugger.Runner) error {
		run := wast.New(snap, wast.Config{
			Analysis: c.Options, Machine: r.Machine, Source: file,
			Host: func(*vm.Machine) vm.Imports { return loader.DebugHost(r, c.WASI, nil) },
			Instantiate: func(ctx context.Context, u *loader.Unit, imports vm.Imports) (*vm.Instance, error) {
				return r.Instantiate(ctx, known(d.Units, u.Unit), imports)
			},
		})
		if err := run.Register(ctx, linked); err != nil {
			return err
		}
		var sum wast.Summary
		selected, upTo := run.Script().Select(lines(line))
		for i, c := range run.Script().Commands {
			if line > 0 {
				if i >= upTo {
					break
				}
				if !selected[c] {
					if c.Matters() {
						r.Mute(func() { run.Command(ctx, c) })
					}
					continue
				}
			}
			r.Command(i)
			if ctx.Err() != nil {
				break
			}
			r.ExpectFault(strings.HasPrefix(string(c.Kind), "assert_") && c.Kind != "assert_return")
			res := run.Command(ctx, c)
			r.ExpectFault(false)
			if ctx.Err() != nil { // the debugger ended the run: the command neither passed nor failed
				break
			}
			sum.Add(res)
			if !res.OK {
				r.Output(debugger.Console, res.String()+"\n")
				r.CommandFailed(res.Message)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.Output(debugger.Console, sum.String()+"\n")
		return sum.Err()
	}
	return d, nil
}

// lines returns the selection for a line.
func lines(line int) []int {
	if line > 0 {
		return []int{line}
	}
	return nil
}

// runs reports whether a command runs code: it calls a function, or instantiates a module with a
// start function.
func runs(snap *analysis.Snapshot, c *wast.Command) bool {
	if c.Action != nil {
		return !c.Action.Get
	}
	if c.Module == nil || c.Module.Definition || !c.Matters() {
		return false
	}
	for _, m := range snap.Modules() {
		if m.Span().Start >= c.Span.Start && m.Span().End <= c.Span.End {
			return m.Declared().Start != wasm.BadIndex
		}
	}
	return false
}

// units returns the text modules of a script that can be run.
func units(snap *analysis.Snapshot, f *debugger.Source) []*debugger.Unit {
	var us []*debugger.Unit
	for _, m := range snap.Modules() {
		if mod, ok := m.Lower(); ok {
			us = append(us, &debugger.Unit{Name: m.Name(), Module: mod, File: f})
		}
	}
	return us
}

// known returns the unit of the same module among those of the debugger, else the unit.
func known(us []*debugger.Unit, u *debugger.Unit) *debugger.Unit {
	for _, k := range us {
		if k.Module == u.Module {
			return k
		}
	}
	return u
}
