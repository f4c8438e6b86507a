package wast

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/internal/values"
	"stackscope/vm"
	"stackscope/vm/debug"
	"stackscope/wasm"
)

// Config is what a script runs with.
type Config struct {
	Limits   vm.Options
	Analysis analysis.Options
	// Source is the script as its modules' source; nil: a new one.
	Source *debug.Source
	// Machine is where it runs; nil: a new one.
	Machine *vm.Machine
	// Host gives the modules that the host offers.
	Host func(*vm.Machine) vm.Imports
	// Instantiate takes the place of Machine.Instantiate, for a debugger.
	Instantiate func(ctx context.Context, u *loader.Unit, imports vm.Imports) (*vm.Instance, error)
	// Call takes the place of Machine.Call, for a debugger.
	Call func(ctx context.Context, fn *vm.Func, args ...vm.Value) ([]vm.Value, error)
}

// Runner runs the commands of one script, one after the other.
type Runner struct {
	cfg        Config
	snap       *analysis.Snapshot
	script     *Script
	mach       *vm.Machine
	hosts      vm.Imports
	registered map[string]vm.Imports
	instances  map[string]*vm.Instance
	current    *vm.Instance // nil if the last module failed
	defs       map[string]*loader.Unit
	lastDef    *loader.Unit
	units      []*debug.Unit // everything that was instantiated
	numbers    map[uint64]vm.Ref
}

// New gives a runner for a script, which has already been opened for analysis.
func New(snap *analysis.Snapshot, cfg Config) *Runner {
	r := &Runner{cfg: cfg, snap: snap, script: Parse(snap.Tree()), mach: cfg.Machine,
		registered: map[string]vm.Imports{}, instances: map[string]*vm.Instance{}, defs: map[string]*loader.Unit{},
		numbers: map[uint64]vm.Ref{}}
	if r.cfg.Source == nil {
		r.cfg.Source = debug.NewSource(r.script.File)
	}
	if r.mach == nil {
		r.mach = vm.New(cfg.Limits)
	}
	if cfg.Host != nil {
		r.hosts = cfg.Host(r.mach)
	}
	return r
}

// Script gives the commands.
func (r *Runner) Script() *Script { return r.script }

// Run runs all commands and reports each. It stops when the context ends.
func (r *Runner) Run(ctx context.Context, report func(*Result)) Summary {
	var sum Summary
	for _, c := range r.script.Commands {
		if ctx.Err() != nil {
			break
		}
		res := r.Command(ctx, c)
		sum.Add(res)
		if report != nil {
			report(res)
		}
	}
	return sum
}

// RunFile runs a script from its text.
func RunFile(ctx context.Context, f *source.File, cfg Config, report func(*Result)) Summary {
	return New(analysis.Open(f, cfg.Analysis), cfg).Run(ctx, report)
}

// Command runs a command. Those before it must have been run.
func (r *Runner) Command(ctx context.Context, c *Command) *Result {
	res := &Result{Command: c, File: r.script.File}
	if err := r.command(ctx, c); err != nil {
		res.Message, res.Err = err.Error(), err
	} else {
		res.OK = true
	}
	return res
}

// Import finds an import among registered modules, then the host's.
func (r *Runner) Import(module, name string) vm.Extern {
	if in := r.registered[module]; in != nil {
		return in.Import(module, name)
	}
	if r.hosts != nil {
		return r.hosts.Import(module, name)
	}
	return nil
}

func (r *Runner) command(ctx context.Context, c *Command) error {
	if c.Err != "" {
		return errors.New(c.Err)
	}
	switch c.Kind {
	case "module":
		return r.module(ctx, c.Module)
	case "input":
		return r.input(ctx, c)
	case "register":
		in, err := r.instance(c.Of)
		if err != nil {
			return err
		}
		r.registered[c.Name] = in
		return nil
	case "invoke", "get":
		_, err := r.action(ctx, c.Action)
		return describe(err)
	case "assert_return":
		got, err := r.action(ctx, c.Action)
		if err != nil {
			return describe(err)
		}
		return compare(got, c.Want)
	case "assert_invalid", "assert_malformed", "assert_invalid_custom", "assert_malformed_custom":
		_, err := r.load(c.Module, r.cfg.Analysis.Asserted(string(c.Kind), c.Message))
		return r.rejected(c, err)
	}
	var err error
	if c.Module != nil {
		var u *loader.Unit
		if u, err = r.load(c.Module, r.cfg.Analysis); err != nil {
			return fmt.Errorf("the module is rejected already: %w", err)
		}
		_, err = r.instantiate(ctx, u)
	} else {
		_, err = r.action(ctx, c.Action)
	}
	return expectFailure(c, err)
}

// rejected checks that a module was rejected, with the right message. The reference interpreter stops
// at the first error; the checker goes on, so that any of its errors may be the one that is meant.
func (r *Runner) rejected(c *Command, err error) error {
	if err == nil {
		return fmt.Errorf("the module is accepted, but should be rejected: %s", c.Message)
	}
	first, all := loader.Message(err)
	for _, m := range all {
		if strings.HasPrefix(m, c.Message) {
			return nil
		}
	}
	return fmt.Errorf("rejected with %q, not with %q", first, c.Message)
}

// expectFailure checks that what was run failed as the assertion says.
func expectFailure(c *Command, err error) error {
	var trap *vm.Trap
	var exn *vm.Exception
	var link *vm.LinkError
	isTrap := errors.As(err, &trap)
	msg, right := "", false
	switch c.Kind {
	case "assert_trap":
		right = isTrap && trap.Kind != wasm.TrapUnhandledTag && trap.Kind != wasm.TrapStackExhausted
	case "assert_exhaustion":
		right = isTrap && trap.Kind == wasm.TrapStackExhausted
	case "assert_suspension":
		right = isTrap && trap.Kind == wasm.TrapUnhandledTag
	case "assert_exception":
		right = errors.As(err, &exn)
	case "assert_unlinkable":
		right = errors.As(err, &link)
	}
	switch {
	case err == nil:
		return fmt.Errorf("it succeeds, but should fail: %s", c.Message)
	case isTrap:
		msg = trap.Message
	case link != nil:
		msg = link.Message
	}
	if !right {
		return fmt.Errorf("it fails in another way: %w", describe(err))
	}
	if c.Kind != "assert_exception" && !strings.HasPrefix(msg, c.Message) {
		return fmt.Errorf("it fails with %q, not with %q", msg, c.Message)
	}
	return nil
}

// failure is an error of the virtual machine, worded for a result.
type failure struct{ err error }

func (f *failure) Unwrap() error { return f.err }

func (f *failure) Error() string {
	var trap *vm.Trap
	var exn *vm.Exception
	switch {
	case errors.As(f.err, &trap):
		return "trap: " + trap.Message
	case errors.As(f.err, &exn):
		return exn.Error()
	}
	return f.err.Error()
}

func describe(err error) error {
	if err == nil {
		return nil
	}
	return &failure{err}
}

func compare(got []vm.Value, want []Pattern) error {
	ok := len(got) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = want[i].Match(got[i])
	}
	if ok {
		return nil
	}
	g, w := make([]string, len(got)), make([]string, len(want))
	for i := range got {
		g[i] = values.Format(got[i])
	}
	for i := range want {
		w[i] = want[i].Text
	}
	return fmt.Errorf("got %s, want %s", list(g), list(w))
}

func list(s []string) string {
	if len(s) == 0 {
		return "nothing"
	}
	return strings.Join(s, " ")
}
