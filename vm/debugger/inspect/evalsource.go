package inspect

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/vm"
	"stackscope/vm/debugger/expr"
	"stackscope/vm/debugger/lang"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// Expressions in a frame whose source is known are ones of the source's language; what they cannot
// be is tried as one of WebAssembly.

// Lookup returns a variable of the frame.
func (p *place) Lookup(name string) (lang.Value, bool) {
	x := p.lookup(name)
	if x == nil {
		return p.captured(name)
	}
	return p.value(x), true
}

// Machine returns what a path of WebAssembly names.
func (p *place) Machine(path string) (lang.Value, error) {
	v, err := p.ip.path(p.f, path)
	switch {
	case errors.Is(err, errNoPath):
		return lang.Value{}, noName(path, true)
	case err != nil:
		return lang.Value{}, err
	case !v.HasValue:
		return lang.Value{}, fmt.Errorf("%s is not a value", expr.Brief(path))
	}
	set := v.Set
	return lang.OfValue(p.env, p.fn.Language, v.Value, v.ValType, v.Type == "u32", lang.Home{}, set), nil
}

// captured returns what a function literal of Kotlin has captured: a field of its object.
func (p *place) captured(name string) (lang.Value, bool) {
	if p.fn.Language != debuginfo.Kotlin {
		return lang.Value{}, false
	}
	x := p.lookup("this")
	if x == nil || name == "this" {
		return lang.Value{}, false
	}
	for _, c := range p.value(x).Captured() {
		if c.Name == name {
			return c.Value, true
		}
	}
	return lang.Value{}, false
}

// static is a place of a function, where no value is known yet.
type static struct{ place }

func (s *static) Lookup(name string) (lang.Value, bool) {
	x := s.lookup(name)
	if x == nil {
		return lang.Value{}, false
	}
	if x.Type == nil {
		return s.untyped(x), true
	}
	return lang.Unknown(s.env, x.Type, s.fn.Language), true
}

// untyped returns a variable that has only a type of the machine.
func (s *static) untyped(x *debuginfo.Variable) lang.Value {
	if x.Locate != nil {
		if w, err := x.Locate(s.f.PC, nil); err == nil && len(w) == 1 && w[0].Kind == debuginfo.InLocal {
			t := s.f.Function.LocalType(int(w[0].Index))
			switch {
			case t == wasm.I32 && s.fn.Language == debuginfo.AssemblyScript: // it may be a reference
				class, _, ok := strings.Cut(s.f.Module.Names.Funcs[s.f.Func.Func], "#")
				if c := s.env.Managed.Class(class); ok && c != nil && x.Name == "this" {
					return lang.Unknown(s.env, c, s.fn.Language)
				}
			case t != 0:
				return lang.UnknownObject(s.env, s.fn.Language, s.f.Module, s.class(x, t))
			}
		}
	}
	return lang.Unknown(s.env, nil, s.fn.Language)
}

// class returns the type that a variable is declared with: of `this` of a method that overrides one
// of a base class, which has the type of that class, the class that the name of the function begins
// with.
func (s *static) class(x *debuginfo.Variable, t wasm.ValType) wasm.ValType {
	names := s.f.Module.Names
	class := names.Funcs[s.f.Func.Func]
	i := strings.LastIndexByte(class, '.')
	if x.Name != "this" || i <= 0 || s.fn.Language != debuginfo.Kotlin {
		return t
	}
	for k, n := range names.Types {
		if n == class[:i] && t.IsRef() {
			return wasm.Ref(true, wasm.HeapType(k))
		}
	}
	return t
}

func (s *static) Machine(path string) (lang.Value, error) {
	fi := s.f.Function
	var t wasm.ValType
	i, ok := localNamed(fi, path)
	switch {
	case ok:
		t = fi.LocalType(i)
	case isPath(fi, path):
	default:
		k, ok := lookupGlobal(fi, path)
		if !ok {
			return lang.Value{}, noName(path, true)
		}
		t = fi.Module.Globals[k].Type
	}
	if t == 0 || t.IsRef() {
		return lang.Unknown(s.env, nil, s.fn.Language), nil
	}
	return lang.Unknown(s.env, lang.NumberType(s.fn.Language, t), s.fn.Language), nil
}

// staticPlace returns an instruction of a function as its source sees it; nil: nothing is known.
func (v *sourceView) staticPlace(id snapshot.FuncID, pc int) *static {
	fi := v.ip.sym.FunctionOf(id)
	if fi == nil || fi.Unit == nil || fi.Func == nil {
		return nil
	}
	fn := fi.Unit.Info.Func(id.Func)
	if fn == nil {
		return nil
	}
	s := &static{place{
		ip: v.ip, f: Frame{Func: id, PC: pc, Function: fi, Module: fi.Module}, fn: fn, info: fi.Unit.Info,
		env: &lang.Env{Type: fi.Unit.Info.Type, Printers: v.ip.Printers, Managed: v.managed(fi.Module)},
	}}
	s.scopes = scopesOf(fn.Chain(pc), nil)
	return s
}

// check finds what is wrong with an expression of the source at an instruction; handled is false if
// nothing is known of the source there.
func (v *sourceView) check(id snapshot.FuncID, pc int, text string) (x *lang.Expr, handled bool, err error) {
	s := v.staticPlace(id, pc)
	if s == nil {
		return nil, false, nil
	}
	x, err = lang.Parse(text, s.fn.Language, s.env)
	if err != nil {
		return nil, true, placed(err, text)
	}
	if x.Assigns() {
		return nil, true, errors.New("unexpected =: write == to compare")
	}
	return x, true, s.where(x.Check(s.env, s))
}

// placed adds to a syntax error where it is.
func placed(err error, text string) error {
	var syntax *lang.SyntaxError
	if errors.As(err, &syntax) && syntax.At > 0 && syntax.At < len(text) {
		return fmt.Errorf("%w (at column %d)", err, len([]rune(text[:syntax.At]))+1)
	}
	return err
}

// where adds to the error of an unknown name where in the function there is such a variable.
func (p *place) where(err error) error {
	var name *lang.NameError
	if !errors.As(err, &name) || p.fn.Root == nil {
		return err
	}
	var found *debuginfo.Variable
	var walk func(s *debuginfo.Scope, depth int)
	walk = func(s *debuginfo.Scope, depth int) {
		for _, x := range s.Vars {
			if x.Name == name.Name && found == nil {
				found = x
			}
		}
		for _, in := range s.Inner {
			if found == nil && depth < 100 {
				walk(in, depth+1)
			}
		}
	}
	walk(p.fn.Root, 0)
	switch {
	case found == nil:
		return err
	case found.Decl.File == nil:
		return fmt.Errorf("%w: the one of this function is not in scope", err)
	}
	return fmt.Errorf("%w: the one of line %d is not in scope", err, found.Decl.Line)
}

// compileSource compiles a condition in the terms of the source; ok is false if it is none.
func (v *sourceView) compileSource(id snapshot.FuncID, pc int, text string) (t Test, ok bool, err error) {
	x, handled, err := v.check(id, pc, text)
	if !handled || err != nil {
		return t, false, err
	}
	return Test{Pure: true, Ask: func(f *vm.Frame) (bool, error) {
		p := v.sourcePlace(v.ip.frame(f, true))
		if p == nil {
			return false, errNoPath
		}
		v, err := x.Eval(p.env, p, false)
		if err != nil {
			return false, err
		}
		return v.Truth()
	}}, true, nil
}

// machineText reports whether a text can only be one of WebAssembly: a path that begins with `$` or
// `#`, code in parentheses.
func machineText(text string) bool {
	if strings.HasPrefix(text, "$") || strings.HasPrefix(text, "#") {
		return !strings.ContainsAny(text, " +-*/%<>=!&|^~?:(")
	}
	if rest, ok := strings.CutPrefix(text, "("); ok {
		head := strings.TrimSpace(rest)
		if i := strings.IndexAny(head, " ()"); i > 0 {
			head = head[:i]
		}
		return strings.Contains(head, ".") && len(wasm.Lookup(head)) > 0
	}
	return false
}

// evalSource evaluates an expression of the source; ok is false if it is to be tried as one of
// WebAssembly, and err is then what to tell if that fails, too.
func (view *sourceView) evalSource(f Frame, text string, may Effects) (v Var, ok bool, err error) {
	p := view.sourcePlace(f)
	if p == nil || machineText(text) {
		return v, false, nil
	}
	x, err := lang.Parse(text, p.fn.Language, p.env)
	if err != nil {
		return v, false, placed(err, text)
	}
	if x.Assigns() && may&MayAssign == 0 {
		return v, true, errNoAssignment
	}
	y, err := x.Eval(p.env, p, may&MayAssign != 0)
	if err != nil {
		return v, !retry(err), p.where(err)
	}
	name := text
	if x.Assigns() {
		name = x.Target()
		if t, err := lang.Parse(name, p.fn.Language, p.env); err == nil { // it may keep less than it was given
			if z, err := t.Eval(p.env, p, false); err == nil {
				y = z
			}
		}
	}
	if y.Err() != nil {
		return p.variable(name, name, y), true, nil
	}
	return p.variable(name, name, y), true, nil
}

// retry reports whether what is wrong with an expression of the source may be right in one of
// WebAssembly: a name.
func retry(err error) bool {
	var name *lang.NameError
	return errors.As(err, &name)
}

// assignSource sets a variable of the source to what a text means.
func (view *sourceView) assignSource(v Var, text string) (Var, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return v, errors.New("the value is empty")
	}
	if text == v.Text { // as it is shown
		return v, nil
	}
	p := v.at
	x, err := lang.Parse(text, p.fn.Language, p.env)
	if err != nil {
		return v, placed(err, text)
	}
	y, err := x.Assign(p.env, p, *v.src)
	if err != nil {
		return v, Brief(p.where(err))
	}
	return p.variable(v.Name, v.EvalName, y), nil
}

// SourceNames lists the names of variables that an expression in a frame may begin with: those of
// the source, with the members of `this`. It must be called inside Do.
func (ip *Inspector) SourceNames(f Frame) []Var {
	p := ip.src.sourcePlace(f)
	if p == nil {
		return nil
	}
	var out []Var
	for _, v := range ip.SourceLocals(f) {
		if v.EvalName != "" {
			out = append(out, v)
		}
		if v.Name == "this" && v.Children != nil && v.Page == nil {
			out = append(out, v.Children()...)
		}
	}
	if n, page := ip.SourceGlobals(f); n > 0 {
		out = append(out, page(0, maxNames)...)
	}
	return out
}

// maxNames is how many variables outside of functions are offered.
const maxNames = 200
