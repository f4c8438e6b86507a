package debugger

import (
	"context"

	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/lang"
	"stackscope/vm/debugger/symbols"
)

// Program is what is debugged: modules with their sources, and how to run them. It can be run many
// times; each run has a machine of its own.
type Program struct {
	Path  string // what the user named
	Units []*symbols.Unit
	// Run runs the program on a machine: it instantiates the units and calls what is to be called.
	// It is called on the goroutine that runs the machine, once for each run. If it is nil, the
	// units are instantiated in order and Invoke of the last one is called.
	Run func(ctx context.Context, r *Runner) error
	// Commands are those that Run goes through, if it is a script. It reports each: see
	// Runner.Command.
	Commands []Command
	// Prepare prepares a run on a machine; nil: the host offers no imports, and calls Invoke.
	Prepare func(r *Runner) Session
	// Invoke is the export to call; "": none, only start functions run.
	Invoke string
	Args   []vm.Value
	Limits vm.Options
	// Skip are globs of files of source whose code steps pass by and whose frames are folded, in
	// order: `**/lib/**`, `<runtime>`; one with `!` takes out what those before it match.
	Skip []string
	// Printers are files with printers of library types.
	Printers []string
	// WAT reports that frames are shown in the text format even if their source is known.
	WAT bool
	// Compile compiles an expression of the text format for a function of a unit; nil: only names
	// can be evaluated.
	Compile inspect.Compiler
}

// Session is how a program is run on one machine.
type Session struct {
	Imports vm.Imports // that the host offers
	// Linked returns what a unit imports from an earlier one, if it is not x itself; nil: it is.
	Linked func(module, name string, x vm.Extern) vm.Extern
	// Link instantiates the last unit by a function, which takes what it is to import instead of
	// imports; nil: with imports.
	Link func(
		ctx context.Context, u *symbols.Unit, imports vm.Imports,
		instantiate func(vm.Imports) (*vm.Instance, error),
	) (*vm.Instance, error)
	// Explain returns the error of an instantiation for people; nil: as it is.
	Explain func(error) error
	// Drive calls exports of the last unit, and returns the results of the program; nil: it calls
	// Invoke.
	Drive func(ctx context.Context, in *vm.Instance) ([]vm.Value, error)
}

// Runner is what a program's Run works with.
type Runner struct {
	Machine *vm.Machine
	// Output takes what the program writes; it may be called while the machine runs.
	Output  func(stream Stream, text string)
	Program *Program
	engine  *Engine
}

// Stream is a kind of output.
type Stream uint8

// The streams.
const (
	Stdout Stream = iota
	Stderr
	Console // from the debugger
)

// StepSemantics is when a step ends if control leaves its stack.
type StepSemantics uint8

// The step semantics. By stack: Step Over stays on this stack, whatever others do meanwhile. By
// control: a step also ends when control leaves the stack other than for one that it resumes.
const (
	ByStack StepSemantics = iota
	ByControl
)

// Instantiate instantiates a unit. Breakpoints are in force in its start function already.
func (r *Runner) Instantiate(ctx context.Context, u *symbols.Unit, imports vm.Imports) (*vm.Instance, error) {
	if r.engine != nil {
		r.engine.beforeInstantiation(u)
	}
	in, err := r.Machine.Instantiate(ctx, u.Module, u.Name, imports)
	if r.engine != nil {
		r.engine.afterInstantiation(in)
	}
	return in, err
}

// ExpectFault reports whether a fault is what the next call is made for (an assertion of a script):
// the program does not stop at one then.
func (r *Runner) ExpectFault(on bool) {
	if r.engine != nil {
		r.engine.progress.expected = on
	}
}

// run is the default for Program.Run.
func (p *Program) run(ctx context.Context, r *Runner) ([]vm.Value, error) {
	if p.Run != nil {
		return nil, p.Run(ctx, r)
	}
	var s Session
	if p.Prepare != nil {
		s = p.Prepare(r)
		if r.engine != nil {
			r.engine.faults.script = s.Link != nil
		}
	}
	linked := map[string]*vm.Instance{}
	imports := vm.Linked(linked, s.Linked, s.Imports)
	var last *vm.Instance
	for i, u := range p.Units {
		instantiate := func(imports vm.Imports) (*vm.Instance, error) { return r.Instantiate(ctx, u, imports) }
		var in *vm.Instance
		var err error
		if s.Link != nil && i == len(p.Units)-1 {
			in, err = s.Link(ctx, u, imports, instantiate)
		} else {
			in, err = instantiate(imports)
		}
		if err != nil && s.Explain != nil {
			err = s.Explain(err)
		}
		if err != nil {
			return nil, err
		}
		if u.Name != "" {
			linked[u.Name] = in
		}
		last = in
	}
	if s.Drive != nil {
		return s.Drive(ctx, last)
	}
	if p.Invoke == "" || last == nil {
		return nil, nil
	}
	fn, _ := last.Export(p.Invoke).(*vm.Func)
	if fn == nil {
		return nil, &vm.LinkError{Message: "no exported function", Name: p.Invoke}
	}
	return r.Machine.Call(ctx, fn, p.Args...)
}

// CheckPrinters reports what is wrong with files of printers: the error names the file and the
// entry.
func CheckPrinters(paths []string) error {
	_, err := lang.LoadPrinters(paths...)
	return err
}
