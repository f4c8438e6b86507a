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
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Config is the configuration of a Runner.
type Config struct {
	Limits   vm.Options
	Analysis analysis.Options
	// Source is the script as its modules' source; nil: a new one.
	Source *debugger.Source
	// Machine runs the script; nil: a new one.
	Machine *vm.Machine
	// Host returns the modules that the host provides.
	Host func(*vm.Machine) vm.Imports
	// Instantiate replaces Machine.Instantiate, for a debugger.
	Instantiate func(ctx context.Context, u *loader.Unit, imports vm.Imports) (*vm.Instance, error)
	// Call replaces Machine.Call, for a debugger.
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
	units      []*debugger.Unit // everything that was instantiated
	numbers    Numbers
}

// New returns a runner for a script, which has already been opened for analysis.
func New(snap *analysis.Snapshot, cfg Config) *Runner {
	r := &Runner{cfg: cfg, snap: snap, script: Parse(snap.Tree()), mach: cfg.Machine,
		registered: map[string]vm.Imports{}, instances: map[string]*vm.Instance{}, defs: map[string]*loader.Unit{},
		numbers: Numbers{}}
	if r.cfg.Source == nil {
		r.cfg.Source = symbols.NewSource(r.script.File)
	}
	if r.mach == nil {
		r.mach = vm.New(cfg.Limits)
	}
	if cfg.Host != nil {
		r.hosts = cfg.Host(r.mach)
	}
	return r
}

// Register instantiates modules that are not of the script, and registers each under its name. The
// error is that of an instantiation.
func (r *Runner) Register(ctx context.Context, us []*loader.Unit) error {
	for _, u := range us {
		in, err := r.instantiate(ctx, u)
		if err != nil {
			return err
		}
		r.registered[u.Name] = in
	}
	return nil
}

// Script returns the commands.
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

// Select returns the commands of the script that contain one of the 1-based lines, and
// the number of commands that have to run for them: the last one and those before it.
func (s *Script) Select(lines []int) (selected map[*Command]bool, upTo int) {
	selected = map[*Command]bool{}
	for i, c := range s.Commands {
		from, _ := s.File.LineCol(c.Span.Start)
		to, _ := s.File.LineCol(c.Span.End)
		for _, l := range lines {
			if from <= l && l <= to {
				selected[c], upTo = true, i+1
			}
		}
	}
	return selected, upTo
}

// Matters reports whether a command can change what later commands do. Assertions about modules
// that must be rejected cannot.
func (c *Command) Matters() bool {
	switch c.Kind {
	case "assert_invalid", "assert_malformed", "assert_invalid_custom", "assert_malformed_custom":
		return false
	}
	return true
}

// RunLines runs the commands on some lines and reports each. The commands before them run first,
// without a report, because they define modules and state.
func (r *Runner) RunLines(ctx context.Context, lines []int, report func(*Result)) Summary {
	var sum Summary
	selected, upTo := r.script.Select(lines)
	for _, c := range r.script.Commands[:upTo] {
		if ctx.Err() != nil {
			break
		}
		if !selected[c] {
			if c.Matters() {
				_ = r.command(ctx, c)
			}
			continue
		}
		res := r.Command(ctx, c)
		sum.Add(res)
		report(res)
	}
	return sum
}

// RunFile runs a script from its text.
func RunFile(ctx context.Context, f *source.File, cfg Config, report func(*Result)) Summary {
	return New(analysis.Open(f, cfg.Analysis), cfg).Run(ctx, report)
}

// Command runs a command. Those before it must have run.
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
func (r *Runner) Import(module, name string, kind wasm.ExternKind) vm.Extern {
	if in := r.registered[module]; in != nil {
		return in.Import(module, name, kind)
	}
	if r.hosts != nil {
		return r.hosts.Import(module, name, kind)
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
		return Check(c, nil, err)
	case "assert_return":
		got, err := r.action(ctx, c.Action)
		return Check(c, got, err)
	case "assert_invalid", "assert_malformed", "assert_invalid_custom", "assert_malformed_custom":
		_, err := r.load(c.Module, r.cfg.Analysis.Asserted(string(c.Kind), c.Message))
		return r.rejected(c, err)
	}
	var got []vm.Value
	var err error
	if c.Module != nil {
		var u *loader.Unit
		if u, err = r.load(c.Module, r.cfg.Analysis); err != nil {
			return fmt.Errorf("the module is rejected before it is instantiated: %w", describe(err))
		}
		_, err = r.instantiate(ctx, u)
	} else {
		got, err = r.action(ctx, c.Action)
	}
	return Check(c, got, err)
}

// Check returns why the outcome of an action, its results or its error, is not what a command
// expects; nil if it is. A command that is no assertion expects only that there is no error.
func Check(c *Command, got []vm.Value, err error) error {
	switch c.Kind {
	case "assert_return":
		if err != nil {
			err = describe(err)
			return &Mismatch{Want: strings.Join(texts(c.Want), "\n"), Got: err.Error(), text: err.Error(), err: err}
		}
		return compare(got, c.Want)
	case "assert_trap", "assert_exhaustion", "assert_suspension", "assert_exception", "assert_unlinkable":
		return expectFailure(c, got, err)
	}
	return describe(err)
}

// rejected checks that a module was rejected, with the right message. The reference interpreter
// stops at the first error; the checker reports all, so any of its errors may be the expected one.
func (r *Runner) rejected(c *Command, err error) error {
	if err == nil {
		return &Mismatch{
			Want: "rejected: " + c.Message, Got: "accepted",
			text: "the module is accepted, want rejection: " + c.Message,
		}
	}
	first, all := loader.Message(err)
	for _, m := range all {
		if strings.HasPrefix(m, c.Message) {
			return nil
		}
	}
	return &Mismatch{Want: c.Message, Got: first, text: fmt.Sprintf("rejected with %q, want %q", first, c.Message)}
}

// expectFailure checks that a call or module failed as the assertion expects.
func expectFailure(c *Command, got []vm.Value, err error) error {
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
	want := strings.TrimSpace(failureWords[c.Kind] + " " + c.Message)
	switch {
	case err == nil:
		return &Mismatch{
			Want: want, Got: strings.Join(constants(got), "\n"),
			text: "succeeds, want failure: " + c.Message,
		}
	case isTrap:
		msg = trap.Message
	case link != nil:
		msg = link.Message
	}
	if !right {
		err = describe(err)
		return &Mismatch{Want: want, Got: err.Error(), text: "wrong failure: " + err.Error(), err: err}
	}
	if c.Kind != "assert_exception" && !strings.HasPrefix(msg, c.Message) {
		return &Mismatch{
			Want: want, Got: failureWords[c.Kind] + " " + msg,
			text: fmt.Sprintf("fails with %q, want %q", msg, c.Message),
		}
	}
	return nil
}

// failureWords are the words for the failure that an assertion expects.
var failureWords = map[Kind]string{
	"assert_trap": "trap:", "assert_exhaustion": "trap:", "assert_suspension": "trap:",
	"assert_exception": "uncaught exception", "assert_unlinkable": "link error:",
}

// constants formats values as constants.
func constants(vs []vm.Value) []string {
	s := make([]string, len(vs))
	for i, v := range vs {
		s[i] = values.Format(v)
	}
	return s
}

// texts returns the texts of patterns.
func texts(ps []Pattern) []string {
	s := make([]string, len(ps))
	for i := range ps {
		s[i] = ps[i].Text
	}
	return s
}

// failure is an error of the virtual machine or of a module, worded for a result: without the
// directory of the file.
type failure struct{ err error }

func (f *failure) Unwrap() error { return f.err }

func (f *failure) Error() string {
	var trap *vm.Trap
	var exn *vm.Exception
	var ds *loader.Errors
	switch {
	case errors.As(f.err, &ds):
		return ds.Short()
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
	g, w := constants(got), texts(want)
	return &Mismatch{
		Want: strings.Join(w, "\n"), Got: strings.Join(g, "\n"),
		text: fmt.Sprintf("got %s, want %s", list(g), list(w)),
	}
}

func list(s []string) string {
	if len(s) == 0 {
		return "nothing"
	}
	return strings.Join(s, " ")
}
