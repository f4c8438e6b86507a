package drive

import (
	"fmt"
	"slices"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/internal/entry"
	"stackscope/internal/loader"
	"stackscope/internal/wast"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Config describes a program to run on an event loop.
type Config struct {
	loader.Config
	Script     string   // the drive script; "": the entry is called
	Promising  []string // exports whose calls can wait for promises
	Suspending []string // imports whose calls do: MODULE.NAME
}

// Import is an import by its two names.
type Import struct{ Module, Name string }

// String returns `MODULE.NAME`.
func (i Import) String() string { return i.Module + "." + i.Name }

// Program is a program that is ready to run.
type Program struct {
	*loader.Program
	config    Config
	script    *wast.Script
	file      *symbols.Source // of the script
	commands  []*wast.Command // all of it, those within others too
	number    map[*wast.Command]int
	executed  map[*wast.Command]bool // those that a debugger can stop at: others only arrange for something
	promising map[string]bool
	suspends  map[Import]bool
	on        map[Import]*wast.Command
}

// Load reads a program and its script. The errors are those of loader.Load; those in the script are
// a *loader.Errors.
func Load(c Config) (*Program, error) {
	if c.Script != "" {
		if c.Invoke != "" || len(c.Args) > 0 {
			return nil, &loader.UsageError{
				Message: "the drive script calls the exports: an export to invoke, and arguments for it, are not used",
			}
		}
		c.Driven = true
	}
	p := &Program{
		config: c, promising: map[string]bool{}, suspends: map[Import]bool{}, on: map[Import]*wast.Command{},
		number: map[*wast.Command]int{}, executed: map[*wast.Command]bool{},
	}
	if c.Script != "" {
		f, err := loader.ReadContext(c.Context, c.Script, c.Stdin)
		if err != nil {
			return nil, err
		}
		if f.Kind == loader.KindBinary {
			return nil, &loader.FileError{Name: f.Name(), Err: fmt.Errorf("is a module, not a drive script")}
		}
		src := f.Source()
		p.file = symbols.NewSource(src)
		p.script = wast.ParseDrive(syntax.Parse(src))
		p.commands = p.script.All()
		for i, x := range p.commands {
			p.number[x] = i
		}
	}
	var err error
	if p.Program, err = loader.Load(c.Config); err != nil {
		return nil, err
	}
	return p, p.check()
}

// check checks the script against the program.
func (p *Program) check() error {
	for _, name := range p.config.Promising {
		if _, ok := p.export(name); !ok {
			return &loader.UsageError{Message: fmt.Sprintf("promising: %s", p.noExport(name))}
		}
		p.promising[name] = true
	}
	for _, s := range p.config.Suspending {
		m, n, ok := strings.Cut(s, ".")
		if i := strings.LastIndexByte(s, '.'); ok && !p.imported(Import{m, n}) {
			m, n = s[:i], s[i+1:]
		}
		if im := (Import{m, n}); !ok || !p.imported(im) {
			return &loader.UsageError{Message: fmt.Sprintf("suspending: no module imports a function %q", s)}
		}
		p.suspends[Import{m, n}] = true
	}
	if p.script == nil {
		return nil
	}
	k := checker{p: p, named: map[string]bool{}}
	for _, c := range p.script.Commands {
		k.command(c, nil)
	}
	if len(k.ds) > 0 {
		return &loader.Errors{File: p.script.File, Diags: k.ds}
	}
	return nil
}

func (p *Program) export(name string) (entry.Function, bool) {
	return entry.Find(entry.Functions(p.Main().Module), name)
}

func (p *Program) noExport(name string) string {
	var have []string
	for _, f := range entry.Functions(p.Main().Module) {
		have = append(have, fmt.Sprintf("%q", f.Name))
	}
	if len(have) == 0 {
		return fmt.Sprintf("the program exports no function %q; it exports none", name)
	}
	if len(have) > 10 {
		have = append(have[:10], "…")
	}
	return fmt.Sprintf("the program exports no function %q; it exports %s", name, strings.Join(have, ", "))
}

// imported reports whether a module of the program imports a function of the name.
func (p *Program) imported(i Import) bool { return p.declared(i) != nil }

// declared returns the type that the first module that imports a function declares for it; nil if
// none does.
func (p *Program) declared(i Import) *wasm.SubType {
	for _, u := range p.Units {
		for _, im := range u.Module.Imports {
			if im.Module == i.Module && im.Name == i.Name && im.Kind == wasm.ExternFunc {
				return u.Module.FuncType(u.Module.Funcs[im.Index].Type)
			}
		}
	}
	return nil
}

// maxErrors bounds the errors of a script that are reported.
const maxErrors = 20

// checker checks the commands of a script.
type checker struct {
	p     *Program
	named map[string]bool // promises
	ds    []diag.Diagnostic
}

func (k *checker) fail(at source.Span, format string, args ...any) {
	if len(k.ds) == maxErrors {
		return
	}
	k.ds = append(
		k.ds, diag.Diagnostic{Severity: diag.Error, Span: at, Message: fmt.Sprintf(format, args...)},
	)
}

// command checks a command. of is the type of the import that an `on` around it is about.
func (k *checker) command(c *wast.Command, of *wasm.SubType) {
	d := c.Drive
	if c.Err != "" {
		if !slices.ContainsFunc(inner(c), func(x *wast.Command) bool { return x.Err != "" }) {
			k.fail(c.Span, "%s", c.Err)
			return
		}
	}
	im := Import{d.Module, d.Name}
	switch c.Kind {
	case "promising":
		if _, ok := k.p.export(d.Name); !ok {
			k.fail(c.Span, "%s", k.p.noExport(d.Name))
		}
		k.p.promising[d.Name] = true
	case "suspending":
		if !k.p.imported(im) {
			k.fail(c.Span, "no module imports a function %q", im)
		}
		k.p.suspends[im] = true
	case "on":
		if of = k.p.declared(im); of == nil {
			k.fail(c.Span, "no module imports a function %q", im)
			return
		}
		if k.p.on[im] != nil {
			k.fail(c.Span, "a second `on` for %q", im)
		}
		k.p.on[im] = c
	case "promise":
		if k.named[d.Promise] {
			k.fail(c.Span, "a second promise $%s", d.Promise)
		}
		k.named[d.Promise] = true
	case "resolve", "reject":
		if d.Module != "" && !k.p.imported(im) {
			k.fail(c.Span, "no module imports a function %q", im)
		}
		k.use(c, d.Promise)
	case "await", "assert_pending":
		k.use(c, d.Promise)
	}
	k.ticks(c, of)
	for _, v := range d.Values {
		k.value(v.Span, &v.Pattern, of)
	}
	if a := c.Action; a != nil {
		k.action(c, a, of)
	}
	switch c.Kind {
	case "on", "at", "after", "promising", "suspending", "return":
	default:
		k.p.executed[c] = of == nil || c.Kind == "invoke"
	}
	for _, x := range inner(c) {
		k.command(x, of)
	}
}

func (k *checker) ticks(c *wast.Command, of *wasm.SubType) {
	n, ok := c.Drive.Ticks.Arg()
	switch {
	case !ok:
	case of == nil:
		k.fail(c.Span, "`(arg %d)` has a meaning in `on` only", n)
	case n >= len(of.Params):
		k.fail(c.Span, "the import has no argument %d: it takes %d", n, len(of.Params))
	case of.Params[n] != wasm.I32 && of.Params[n] != wasm.I64:
		k.fail(c.Span, "argument %d is of type %s, which is no time: it must be i32 or i64", n, of.Params[n])
	}
}

func inner(c *wast.Command) []*wast.Command {
	if c.Drive.Do != nil {
		return []*wast.Command{c.Drive.Do}
	}
	return c.Drive.Clauses
}

func (k *checker) use(c *wast.Command, name string) {
	if name != "" && !k.named[name] {
		k.fail(c.Span, "no promise $%s: a command `(promise $%s …)` before this one makes it", name, name)
	}
}

// action checks the call of an action.
func (k *checker) action(c *wast.Command, a *wast.Action, of *wasm.SubType) {
	switch {
	case a.Await != "":
		k.use(c, a.Await)
		return
	case a.Module != "":
		k.fail(a.Span, "a drive script calls exports of the program only: leave out $%s", a.Module)
		return
	case a.Get:
		e, ok := k.p.Main().Module.Export(a.Export)
		if !ok || e.Kind != wasm.ExternGlobal {
			k.fail(a.Span, "the program exports no global %q", a.Export)
		}
		return
	}
	f, ok := k.p.export(a.Export)
	if !ok {
		k.fail(a.Span, "%s", k.p.noExport(a.Export))
		return
	}
	if len(a.Args) != len(f.Type.Params) {
		k.fail(a.Span, "%q takes %d arguments, not %d", a.Export, len(f.Type.Params), len(a.Args))
		return
	}
	for i, x := range a.Args {
		if t, ok := k.value(x.Span, &x.Pattern, of); ok && t.Kind() != f.Type.Params[i].Kind() {
			k.fail(
				x.Span, "`%s` is of type %s, but parameter %d of %q is of type %s", x.Text, t, i, a.Export,
				f.Type.Params[i].Format(k.p.Main().Module.Names.Type),
			)
		}
	}
}

// value checks a value, and returns its type; ok is false if that is not known.
func (k *checker) value(at source.Span, v *wast.Pattern, of *wasm.SubType) (t wasm.ValType, ok bool) {
	if n, is := v.Arg(); is {
		switch {
		case of == nil:
			k.fail(at, "`(arg %d)` has a meaning in `on` only", n)
		case n >= len(of.Params):
			k.fail(at, "the import has no argument %d: it takes %d", n, len(of.Params))
		default:
			return of.Params[n], true
		}
		return 0, false
	}
	if name, is := v.Promise(); is {
		if !k.named[name] {
			k.fail(at, "no promise $%s: a command `(promise $%s …)` before this one makes it", name, name)
		}
		return wasm.ExternRef, true
	}
	x, err := wast.Numbers{}.Value(v)
	if err != nil {
		k.fail(at, "%v", err)
		return 0, false
	}
	return x.Type, true
}
