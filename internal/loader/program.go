package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"

	"stackscope/analysis"
	"stackscope/internal/values"
	"stackscope/vm"
	"stackscope/vm/debug"
	"stackscope/vm/host"
	"stackscope/wasm"
)

// Config tells which program to run, and how.
type Config struct {
	Path    string
	Stdin   io.Reader // for the path "-"
	Invoke  string    // export to call; "": _start, main, or the only function
	Args    []string  // for it
	Imports []Import
	Options analysis.Options
	Limits  vm.Options
	WASI    host.WASI
	Print   io.Writer       // where spectest prints
	Context context.Context // ends Load early; nil: nothing does
}

// interrupted returns the error of a load that nobody waits for any more.
func (c *Config) interrupted() error {
	if c.Context == nil {
		return nil
	}
	return c.Context.Err()
}

// Import is a further module to link.
type Import struct{ Name, Path string }

// ParseImport reads NAME=FILE.
func ParseImport(s string) (Import, error) {
	n, p, ok := strings.Cut(s, "=")
	if !ok || n == "" || p == "" {
		return Import{}, fmt.Errorf("want NAME=FILE, not %q", s)
	}
	return Import{n, p}, nil
}

// UsageError is a program that cannot be run the way it was asked for.
type UsageError struct{ Message string }

// Error gives the message.
func (e *UsageError) Error() string { return e.Message }

// Program is a program that is ready to run.
type Program struct {
	Config Config
	Units  []*Unit // the imports, then the program itself
	Entry  string  // export to call; "" if there is none: only the start functions run
	Args   []vm.Value
}

// Load reads the modules of a program and checks its arguments. The error is an *Errors, a
// *FileError, a *UsageError, or that of reading a file.
func Load(c Config) (*Program, error) {
	p := &Program{Config: c}
	for _, im := range c.Imports {
		u, err := readUnit(im.Path, c)
		if err != nil {
			return nil, err
		}
		u.Name = im.Name
		p.Units = append(p.Units, u)
	}
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
	if stop := c.interrupted(); stop != nil {
		return nil, stop
	}
	return u, err
}

// Main gives the unit of the program itself.
func (p *Program) Main() *Unit { return p.Units[len(p.Units)-1] }

// entry finds the function to call and reads its arguments.
func (p *Program) entry(m *wasm.Module) error {
	var names []string
	for _, e := range m.Exports {
		if e.Kind == wasm.ExternFunc {
			names = append(names, e.Name)
		}
	}
	has := func(n string) bool {
		e, ok := m.Export(n)
		return ok && e.Kind == wasm.ExternFunc
	}
	c := &p.Config
	switch {
	case c.Invoke != "" && has(c.Invoke):
		p.Entry = c.Invoke
	case c.Invoke != "":
		return &UsageError{fmt.Sprintf("%s exports no function %q; it has %s", c.Path, c.Invoke, quoted(names))}
	case has("_start"):
		p.Entry = "_start"
	case has("main"):
		p.Entry = "main"
	case len(names) == 1:
		p.Entry = names[0]
	case len(names) > 1 && m.Start == wasm.BadIndex:
		return &UsageError{fmt.Sprintf("%s exports several functions; choose one with --invoke: %s", c.Path, quoted(names))}
	}
	if p.Entry == "" {
		if len(c.Args) > 0 {
			return &UsageError{fmt.Sprintf("%s has no function to call, so it takes no arguments", c.Path)}
		}
		return nil
	}
	e, _ := m.Export(p.Entry)
	ft := m.FuncType(m.Funcs[e.Index].Type)
	if ft == nil {
		return &UsageError{fmt.Sprintf("%q is no function", p.Entry)}
	}
	if len(ft.Params) != len(c.Args) {
		return &UsageError{fmt.Sprintf("%q takes %s, but %d given: its type is %s -> %s", p.Entry, count(len(ft.Params), "argument"), len(c.Args),
			wasm.FormatTypes(ft.Params, m.Names.Type), wasm.FormatTypes(ft.Results, m.Names.Type))}
	}
	for i, a := range c.Args {
		v, err := values.ParseArg(a, ft.Params[i])
		if err != nil {
			return &UsageError{err.Error()}
		}
		p.Args = append(p.Args, v)
	}
	return nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// quoted lists names for a message, at most ten.
func quoted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	sort.Strings(names)
	more := ""
	if len(names) > 10 {
		more = fmt.Sprintf(" and %d more", len(names)-10)
		names = names[:10]
	}
	return strings.Join(names, ", ") + more
}

// Host makes the host's modules for a machine. Close the system when the program has ended.
func (p *Program) Host(m *vm.Machine) (vm.ImportMap, *host.System, error) {
	return host.Modules(m, host.Options{Print: p.Config.Print, WASI: p.Config.WASI})
}

// Debug gives the program as the debugger takes it: what it and the host's modules write goes to the
// runner. The error is that of opening a directory.
func (p *Program) Debug() (*debug.Program, error) {
	sys, err := p.Config.WASI.System() // to know early
	if err != nil {
		return nil, err
	}
	if err := sys.Close(); err != nil {
		return nil, err
	}
	d := &debug.Program{Path: p.Config.Path, Invoke: p.Entry, Args: p.Args, Limits: p.Config.Limits, Compile: Compile}
	for _, u := range p.Units {
		d.Units = append(d.Units, u.Unit)
	}
	d.Host = func(r *debug.Runner) vm.Imports { return DebugHost(r, p.Config.WASI) }
	return d, nil
}

// DebugHost makes the host's modules for a runner of the debugger.
func DebugHost(r *debug.Runner, w host.WASI) vm.Imports {
	w.Stdout, w.Stderr = output{r, debug.Stdout}, output{r, debug.Stderr}
	if w.Stdin == nil {
		w.Stdin = &noInput{r: r}
	}
	hosts, _, err := host.Modules(r.Machine, host.Options{Print: w.Stdout, WASI: w})
	if err != nil {
		r.Output(debug.Console, err.Error()+"\n")
	}
	return hosts
}

// noInput is standard input that nobody has provided: it is empty, and says so to the first who reads it.
type noInput struct {
	r    *debug.Runner
	once sync.Once
}

func (in *noInput) Read([]byte) (int, error) {
	in.once.Do(func() {
		in.r.Output(debug.Console, `The program reads standard input, which is empty. Set "stdin" or "stdinFile" in the launch configuration to provide it, or "console": "integratedTerminal" to type it.`+"\n")
	})
	return 0, io.EOF
}

// output is a stream of a runner.
type output struct {
	r *debug.Runner
	s debug.Stream
}

func (o output) Write(b []byte) (int, error) {
	o.r.Output(o.s, string(b))
	return len(b), nil
}

// Link instantiates the units in order, each with the earlier ones and the host to import from, and
// gives the instance of the last.
func (p *Program) Link(ctx context.Context, m *vm.Machine, hosts vm.Imports) (*vm.Instance, error) {
	linked := map[string]*vm.Instance{}
	imports := vm.ImportFunc(func(module, name string) vm.Extern {
		if in := linked[module]; in != nil {
			if x := in.Export(name); x != nil {
				return x
			}
		}
		return hosts.Import(module, name)
	})
	var in *vm.Instance
	for _, u := range p.Units {
		var err error
		if in, err = m.Instantiate(ctx, u.Module, u.Name, imports); err != nil {
			return nil, err
		}
		linked[u.Name] = in
	}
	return in, nil
}

// Call calls the entry of the linked program; without one it does nothing.
func (p *Program) Call(ctx context.Context, m *vm.Machine, in *vm.Instance) ([]vm.Value, error) {
	if p.Entry == "" {
		return nil, nil
	}
	fn, ok := in.Export(p.Entry).(*vm.Func)
	if !ok {
		return nil, errors.New("the exported function is gone")
	}
	return m.Call(ctx, fn, p.Args...)
}
