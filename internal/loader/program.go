package loader

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"stackscope/analysis"
	"stackscope/analysis/debuginfo/load"
	"stackscope/analysis/debuginfo/sources"
	"stackscope/internal/entry"
	"stackscope/internal/values"
	"stackscope/vm"
	"stackscope/vm/debugger"
	"stackscope/vm/host"
	"stackscope/vm/host/js"
	"stackscope/wasm"
)

// Config describes a program to run.
type Config struct {
	Path    string
	Name    string    // name in messages; "": Path
	Stdin   io.Reader // for the path "-"
	Invoke  string    // export to call; "": _start, main, or the only function
	Args    []string  // for it
	Imports []Import
	Hosts   []Import // who offers imports besides the host; see ParseHost
	Options analysis.Options
	Limits  vm.Options
	WASI    host.WASI
	Print   io.Writer       // where spectest prints
	Context context.Context // ends Load early; may be nil
	Driven  bool            // a script calls the exports: no entry is looked for
	// Sources say where files of source are that debugging information names. The directory of each
	// module comes before the Dirs.
	Sources sources.Finder
}

// interrupted returns the error of the context, nil if there is none.
func (c *Config) interrupted() error {
	if c.Context == nil {
		return nil
	}
	return c.Context.Err()
}

// Import is a further module to link.
type Import struct{ Name, Path string }

// ParseImport parses NAME=FILE.
func ParseImport(s string) (Import, error) {
	n, p, ok := strings.Cut(s, "=")
	if !ok || n == "" || p == "" {
		return Import{}, fmt.Errorf("want NAME=FILE, got %q", s)
	}
	return Import{n, p}, nil
}

// ParseHost parses who offers imports: FILE.mjs is JavaScript that a compiler has emitted beside a
// module, with an empty name; NAME=FILE offers what the module NAME is to export, as JavaScript or
// as a module to link.
func ParseHost(s string) (Import, error) {
	n, p, ok := strings.Cut(s, "=")
	if !ok && isScriptFile(s) {
		return Import{Path: s}, nil
	}
	if !ok || n == "" || p == "" {
		return Import{}, fmt.Errorf("want NAME=FILE or FILE.mjs, got %q", s)
	}
	return Import{n, p}, nil
}

// isScriptFile reports whether a file is JavaScript, by its name.
func isScriptFile(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".mjs", ".js", ".cjs":
		return true
	}
	return false
}

// Linked reads the modules to link for a script, those that are hosts first.
func (c *Config) Linked() ([]*Unit, error) {
	for _, h := range c.Hosts {
		if isScriptFile(h.Path) {
			return nil, &UsageError{fmt.Sprintf("%s: JavaScript is the host of programs, not of scripts", h.Path)}
		}
	}
	return c.linked()
}

// linked reads the modules to link, those that are hosts first. Program.Script runs what is
// JavaScript.
func (c *Config) linked() ([]*Unit, error) {
	var us []*Unit
	for _, im := range slices.Concat(c.Hosts, c.Imports) {
		if isScriptFile(im.Path) {
			continue
		}
		u, err := readUnit(im.Path, *c)
		if err != nil {
			return nil, err
		}
		u.Name = im.Name
		us = append(us, u)
	}
	return us, nil
}

// UsageError is the error of a program that cannot run as requested.
type UsageError struct{ Message string }

// Error returns the message.
func (e *UsageError) Error() string { return e.Message }

// Program is a program that is ready to run.
type Program struct {
	Config Config
	Units  []*Unit // the imports, then the program itself
	Entry  string  // export to call; "" if there is none: only the start functions run
	Note   string  // why only those run; "" if there is an entry
	Args   []vm.Value
}

// Load reads the modules of a program and checks its arguments. The error is an *Errors, a
// *FileError, a *UsageError, an *EntryError, or that of reading a file.
func Load(c Config) (*Program, error) {
	units, err := c.linked()
	if err != nil {
		return nil, err
	}
	p := &Program{Config: c, Units: units}
	u, err := readUnit(c.Path, c)
	if err != nil {
		return nil, err
	}
	p.Units = append(p.Units, u)
	return p, p.entry(u.Module)
}

func readUnit(path string, c Config) (*Unit, error) {
	f, err := ReadContext(c.Context, path, c.Stdin)
	if err != nil {
		return nil, err
	}
	u, err := f.Unit(c.Options)
	if u != nil && f.Kind == KindBinary {
		u.path, u.data = path, f.Data
	}
	if stop := c.interrupted(); stop != nil {
		return nil, stop
	}
	return u, err
}

// Main returns the unit of the program itself.
func (p *Program) Main() *Unit { return p.Units[len(p.Units)-1] }

// entry finds the function to call and reads its arguments.
func (p *Program) entry(m *wasm.Module) error {
	c := &p.Config
	if c.Driven {
		return nil
	}
	name := c.Name
	if name == "" {
		name = (&File{Path: c.Path}).Name()
	}
	fs := entry.Functions(m)
	var names []string
	for _, f := range fs {
		names = append(names, f.Name)
	}
	f, ok := entry.Default(fs)
	if c.Invoke != "" {
		if f, ok = entry.Find(fs, c.Invoke); !ok {
			return &EntryError{Message: fmt.Sprintf("%s exports no function %q", name, c.Invoke), Exports: names}
		}
	}
	starts := false
	for _, u := range p.Units {
		starts = starts || u.Module.Start != wasm.BadIndex
	}
	switch {
	case ok:
	case len(c.Args) > 0 && len(fs) > 1:
		return &EntryError{
			Message: name + " exports several functions: the arguments need a choice of one",
			Exports: names,
		}
	case starts:
		p.Note = name + ": only start functions run: "
		if len(fs) == 0 {
			p.Note += "the module exports no function"
		} else {
			p.Note += "the module exports several functions and none is chosen: " + quoted(names)
		}
		if len(c.Args) > 0 {
			return &UsageError{p.Note + ", so it takes no arguments"}
		}
		return nil
	case len(fs) > 1:
		return &EntryError{Message: name + " exports several functions", Exports: names}
	default:
		return &UsageError{nothingToRun(name, m)}
	}
	p.Entry = f.Name
	args, err := entry.Check(f, c.Args, m.Names.Type)
	if err != nil {
		return &UsageError{err.Error()}
	}
	for i, a := range args {
		p.Args = append(p.Args, values.Arg(a, f.Type.Params[i]))
	}
	return nil
}

// nothingToRun returns why a module without exported functions does nothing, and how to change
// that.
func nothingToRun(path string, m *wasm.Module) string {
	s := path + " exports no function and has no start function, so there is nothing to run"
	all := entry.Candidates(m, 4)
	var names []string
	for _, i := range all[:min(len(all), 3)] {
		if n, ok := m.Names.Funcs[i]; ok {
			names = append(names, "$"+n)
		} else {
			names = append(names, fmt.Sprintf("function %d", i))
		}
	}
	switch {
	case len(names) == 0:
		return s + ": it defines no function"
	case len(all) > len(names):
		names = append(names, "…")
	}
	first := names[0]
	if !strings.HasPrefix(first, "$") {
		return s + `. Export a function: (func (export "main") …)`
	}
	return fmt.Sprintf(
		"%s. Export one of its functions (%s): (func %s (export %q) …)", s, strings.Join(names, ", "), first,
		first[1:],
	)
}

// EntryError is the error of a program with several functions to call: the user has to choose one.
type EntryError struct {
	Message string
	Exports []string // that can be chosen
}

// Error returns the message with the exports that can be chosen.
func (e *EntryError) Error() string {
	if len(e.Exports) == 0 {
		return e.Message + ": it exports none"
	}
	return e.Message + ": " + quoted(e.Exports)
}

// quoted lists names for a message, at most ten.
func quoted(names []string) string {
	var out []string
	for _, n := range names[:min(len(names), 10)] {
		out = append(out, strconv.Quote(n))
	}
	s := strings.Join(out, ", ")
	if n := len(names) - len(out); n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}

// Host makes the host's modules for a machine, with an event loop. Close the system when the
// program has ended.
func (p *Program) Host(m *vm.Machine, l *host.Loop) (vm.Imports, *host.System, error) {
	hosts, sys, err := host.Modules(m, host.Options{Print: p.Config.Print, WASI: p.Config.WASI, Loop: l})
	if err != nil {
		return nil, nil, err
	}
	return js.Imports(m, p.Main().Module, withRuntime(m, p.Main().Module, hosts, p.Config.WASI)), sys, nil
}

// Debug returns the program for the debugger: its output and that of the host's modules go to the
// runner. The error is that of opening a directory.
func (p *Program) Debug() (*debugger.Program, error) {
	sys, err := p.Config.WASI.System() // report its errors early
	if err != nil {
		return nil, err
	}
	if err := sys.Close(); err != nil {
		return nil, err
	}
	d := &debugger.Program{Path: p.Config.Path, Invoke: p.Entry, Args: p.Args, Limits: p.Config.Limits,
		Compile: Compile}
	for _, u := range p.Units {
		if u.data != nil && u.Info == nil {
			u.Info, u.Sources = load.OpenFile(p.Config.Context, u.path, u.Module, u.data, &p.Config.Sources)
		}
		d.Units = append(d.Units, u.Unit)
	}
	d.Prepare = func(r *debugger.Runner) debugger.Session {
		return debugger.Session{Imports: p.DebugHost(r, nil), Explain: p.Explain} // see drive.Program.Debug
	}
	return d, nil
}

// DebugHost makes the host's modules for a run of the program under the debugger, with an event
// loop; nil: a new one.
func (p *Program) DebugHost(r *debugger.Runner, l *host.Loop) vm.Imports {
	if p.Note != "" {
		r.Output(debugger.Console, p.Note+"\n")
	}
	return debugHost(r, p.Config.WASI, l, p.Main().Module)
}

// DebugScript is Script for a run of the program under the debugger. An error is written to its
// console.
func (p *Program) DebugScript(r *debugger.Runner, l *host.Loop) *js.Host {
	s, err := p.Script(r.Machine, l, output{r, debugger.Stdout}, output{r, debugger.Stderr})
	if err != nil {
		r.Output(debugger.Console, err.Error()+"\n")
	}
	return s
}

// DebugHost makes the host's modules for a runner of the debugger, with an event loop; nil: a new
// one.
func DebugHost(r *debugger.Runner, w host.WASI, l *host.Loop) vm.Imports {
	return debugHost(r, w, l, nil)
}

// withRuntime adds what the runtime of a module's language imports, if it is AssemblyScript.
func withRuntime(m *vm.Machine, mod *wasm.Module, hosts vm.Imports, w host.WASI) vm.Imports {
	if mod == nil {
		return hosts
	}
	own := host.AssemblyScript(m, mod, w)
	return vm.ImportFunc(func(module, name string, kind wasm.ExternKind) vm.Extern {
		if x := hosts.Import(module, name, kind); x != nil || module != host.EnvName {
			return x
		}
		return own.Import(module, name, kind)
	})
}

// debugHost is DebugHost for a program, whose main module is mod.
func debugHost(r *debugger.Runner, w host.WASI, l *host.Loop, mod *wasm.Module) vm.Imports {
	w.Stdout, w.Stderr = output{r, debugger.Stdout}, output{r, debugger.Stderr}
	if w.Stdin == nil {
		w.Stdin = &noInput{r: r}
	}
	hosts, _, err := host.Modules(r.Machine, host.Options{Print: w.Stdout, WASI: w, Loop: l})
	if err != nil {
		r.Output(debugger.Console, err.Error()+"\n")
	}
	return js.Imports(r.Machine, mod, withRuntime(r.Machine, mod, hosts, w))
}

// noInput is standard input that was not provided: it is empty, and prints a note at the first
// read.
type noInput struct {
	r    *debugger.Runner
	once sync.Once
}

func (in *noInput) Read([]byte) (int, error) {
	in.once.Do(func() {
		in.r.Output(
			debugger.Console,
			`The program reads standard input, which is empty. Set "stdin" or "stdinFile" in the launch configuration to provide it, or "console": "integratedTerminal" to type it.`+"\n",
		)
	})
	return 0, io.EOF
}

// output is a stream of a runner.
type output struct {
	r *debugger.Runner
	s debugger.Stream
}

func (o output) Write(b []byte) (int, error) {
	o.r.Output(o.s, string(b))
	return len(b), nil
}

// Link instantiates the units in order, each with the earlier ones and the host to import from, and
// returns the instance of the last. linked, if it is not nil, may replace what a unit imports from
// an earlier one. The last one is instantiated by the JavaScript of the program, if it has some.
func (p *Program) Link(
	ctx context.Context, m *vm.Machine, hosts vm.Imports, linked func(module, name string, x vm.Extern) vm.Extern,
	script *js.Host,
) (*vm.Instance, error) {
	done := map[string]*vm.Instance{}
	imports := vm.Linked(done, linked, hosts)
	var in *vm.Instance
	for i, u := range p.Units {
		instantiate := func(imports vm.Imports) (*vm.Instance, error) {
			return m.Instantiate(ctx, u.Module, u.Name, imports)
		}
		var err error
		if script != nil && i == len(p.Units)-1 {
			in, err = script.Run(ctx, u.Module, imports, instantiate)
		} else {
			in, err = instantiate(imports)
		}
		if err != nil {
			return nil, p.Explain(err)
		}
		done[u.Name] = in
	}
	return in, nil
}
