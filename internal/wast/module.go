package wast

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/internal/values"
	"stackscope/vm"
	"stackscope/vm/debugger/symbols"
)

// module runs a module command.
func (r *Runner) module(ctx context.Context, m *Module) error {
	if m.Form == FormInstance {
		u := r.lastDef
		if m.Of != "" {
			u = r.defs[m.Of]
		}
		if u == nil {
			return fmt.Errorf("unknown module definition `$%s`", m.Of)
		}
		return r.enter(ctx, m.Name, u)
	}
	u, err := r.load(m, r.cfg.Analysis)
	if err != nil {
		r.current = nil
		return describe(err)
	}
	r.lastDef = u
	if m.Name != "" {
		r.defs[m.Name] = u
	}
	if m.Definition {
		return nil
	}
	return r.enter(ctx, m.Name, u)
}

// input runs `(input $name? "file")`: the module in the file, whose path is relative to the
// script's, as if it were written here.
func (r *Runner) input(ctx context.Context, c *Command) error {
	r.current = nil
	if r.script.File.Name == "" || strings.HasPrefix(r.script.File.Name, "<") {
		return errors.New("a script without a path cannot use input")
	}
	path := filepath.FromSlash(c.Name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.script.File.Name), path)
	}
	f, err := loader.Read(path, nil)
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", c.Name, pe.Err)
	}
	if err != nil {
		return err
	}
	u, err := f.Unit(r.cfg.Analysis)
	if err != nil {
		return describe(err)
	}
	if c.Of != "" {
		r.defs[c.Of] = u
	}
	r.lastDef = u
	return r.enter(ctx, c.Of, u)
}

// enter instantiates a module and makes it the current one.
func (r *Runner) enter(ctx context.Context, name string, u *loader.Unit) error {
	in, err := r.instantiate(ctx, u)
	r.current = in
	if err != nil {
		r.current = nil
		return describe(err)
	}
	if name != "" {
		r.instances[name] = in
	}
	return nil
}

func (r *Runner) instantiate(ctx context.Context, u *loader.Unit) (*vm.Instance, error) {
	r.units = append(r.units, u.Unit)
	if r.cfg.Instantiate != nil {
		return r.cfg.Instantiate(ctx, u, r)
	}
	return r.mach.Instantiate(ctx, u.Module, u.Name, r)
}

// Describe returns the error of a result, with a backtrace if there is one.
func (r *Runner) Describe(err error) string {
	return symbols.NewSymbols(r.units).Describe(err)
}

// load parses a module of the script and checks it.
func (r *Runner) load(m *Module, o analysis.Options) (*loader.Unit, error) {
	line, _ := r.script.File.LineCol(m.Span.Start)
	name := fmt.Sprintf("%s:%d", r.script.File.Name, line)
	switch m.Form {
	case FormBinary:
		return loader.Binary(name, m.Bytes, o)
	case FormQuote:
		return loader.Text(source.NewFile(name, string(m.Bytes)), o)
	}
	am := r.find(m.Span)
	if am == nil {
		return nil, errors.New("unexpected token: expected a module")
	}
	mod, ok := am.Lower()
	if ok {
		return loader.NewUnit(m.Name, mod, r.cfg.Source, am), nil
	}
	errs := &loader.Errors{File: r.script.File}
	for _, d := range r.moduleDiagnostics(m.Span, o) {
		if d.Severity == diag.Error {
			errs.Diags = append(errs.Diags, d)
		}
	}
	if len(errs.Diags) == 0 {
		errs.Diags = append(
			errs.Diags,
			diag.Diagnostic{Code: diag.Syntax, Severity: diag.Error, Span: m.Span, Message: "the module has errors"},
		)
	}
	return nil, errs
}

// moduleDiagnostics returns the diagnostics of one module. Those that an assertion expects are not
// among the script's, so the module's text is checked by itself.
func (r *Runner) moduleDiagnostics(span source.Span, o analysis.Options) []diag.Diagnostic {
	s := analysis.Open(source.NewFile(r.script.File.Name, r.script.File.Text[span.Start:span.End]), o)
	ds := s.Diagnostics()
	for i := range ds {
		ds[i].Span.Start += span.Start
		ds[i].Span.End += span.Start
	}
	return ds
}

// find returns the analysis of the text module at a place. The span of a module in an assertion may
// be the whole command.
func (r *Runner) find(span source.Span) *analysis.Module {
	for _, m := range r.snap.Modules() {
		if s := m.Span(); s.Start < span.End && span.Start < s.End {
			return m
		}
	}
	return nil
}

func (r *Runner) instance(name string) (*vm.Instance, error) {
	in := r.current
	if name != "" {
		in = r.instances[name]
	}
	switch {
	case in != nil:
		return in, nil
	case name != "":
		return nil, fmt.Errorf("unknown module `$%s`", name)
	}
	return nil, errors.New("there is no current module")
}

// action calls an exported function or reads an exported global.
func (r *Runner) action(ctx context.Context, a *Action) ([]vm.Value, error) {
	in, err := r.instance(a.Module)
	if err != nil {
		return nil, err
	}
	switch x := in.Export(a.Export).(type) {
	case *vm.Func:
		if a.Get {
			break
		}
		params := r.mach.Types().Type(x.Type()).Params
		if len(params) != len(a.Args) {
			return nil, fmt.Errorf("wrong number of arguments for %q: want %d, got %d", a.Export, len(params),
				len(a.Args))
		}
		args := make([]vm.Value, len(a.Args))
		for i := range a.Args {
			if args[i], err = r.numbers.Value(&a.Args[i].Pattern); err != nil {
				return nil, err
			}
			if args[i].Type.Kind() != params[i].Kind() {
				return nil, fmt.Errorf("argument `%s` is not of type %s", a.Args[i].Text, params[i])
			}
		}
		if r.cfg.Call != nil {
			return r.cfg.Call(ctx, x, args...)
		}
		return r.mach.Call(ctx, x, args...)
	case *vm.Global:
		if a.Get {
			return []vm.Value{x.Get()}, nil
		}
	}
	if a.Get {
		return nil, fmt.Errorf("unknown global: the module exports no global %q", a.Export)
	}
	return nil, fmt.Errorf("unknown function: the module exports no function %q", a.Export)
}

// host returns the reference to a host number.
func (r Numbers) host(n uint64) vm.Ref {
	ref, ok := r[n]
	if !ok {
		ref = vm.HostRef(values.HostNumber(n))
		r[n] = ref
	}
	return ref
}
