package debug

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// Typed is a value with its type in the terms of a module.
type Typed struct {
	Value vm.Value
	Type  wasm.ValType
	In    *vm.Instance // whose type indices Type has; nil if it has none
	canon wasm.ValType // the type with canonical ids, if that is known
}

// text gives the type with the names of its module.
func (t Typed) text() string {
	if t.In == nil {
		return TypeText(t.Type, nil)
	}
	return TypeText(t.Type, t.In.Module())
}

// check tells what is wrong with an expression for a function, as far as that can be told before it
// is evaluated.
func (e *Engine) check(id FuncID, text string) error {
	l, _, r := splitComparison(text)
	if r != "" {
		if err := e.check(id, l); err != nil {
			return err
		}
		return e.check(id, r)
	}
	fi := e.infoOf(id)
	if fi == nil {
		return errors.New("there is no such function")
	}
	switch text = strings.TrimSpace(text); {
	case text == "":
		return errors.New("the expression is empty")
	case e.isPath(fi, text):
		return nil
	case isCode(text):
		return e.compile(id, text).err
	}
	if _, ok := literal(text); ok {
		return nil
	}
	if _, ok := lookupLocal(fi, text); ok {
		return nil
	}
	if _, ok := lookupName(fi.mod.Names.Globals, text); ok {
		return nil
	}
	return fmt.Errorf("there is no local or global %s here", text)
}

// isCode tells an expression of the text format from a name or a number.
func isCode(s string) bool {
	return strings.HasPrefix(s, "(") || strings.ContainsAny(s, " \t\n") || len(wasm.Lookup(s)) > 0
}

// inFrame is one for a frame that may be a command of a script, where no code is evaluated.
func (e *Engine) inFrame(f Frame, text string) (Typed, error) {
	if f.vf != nil {
		return e.one(f.vf, text)
	}
	if v, ok := literal(strings.TrimSpace(text)); ok {
		return v, nil
	}
	if isCode(text) {
		return Typed{}, errors.New("there is no frame to evaluate code in")
	}
	return Typed{}, fmt.Errorf("there is no global %s here", strings.TrimSpace(text))
}

func (e *Engine) one(f *vm.Frame, text string) (Typed, error) {
	vs, err := e.evaluate(f, text)
	if err != nil {
		return Typed{}, err
	}
	if len(vs) != 1 {
		return Typed{}, fmt.Errorf("%s has %d results, not one", strings.TrimSpace(text), len(vs))
	}
	return vs[0], nil
}

// evaluate evaluates a name, a number or an expression of the text format in a frame.
func (e *Engine) evaluate(f *vm.Frame, text string) ([]Typed, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errors.New("the expression is empty")
	}
	fi := e.info(f.Func())
	if fi.fn == nil {
		return nil, errors.New("a host function has no variables")
	}
	if e.isPath(fi, text) {
		v, err := e.Path(e.frame(f, true), text)
		switch {
		case err != nil:
			return nil, err
		case !v.HasValue:
			return nil, fmt.Errorf("%s is no value", text)
		}
		return []Typed{v.number()}, nil
	}
	if !isCode(text) {
		if v, ok := literal(text); ok {
			return []Typed{v}, nil
		}
		if v, ok := e.named(f, fi, text); ok {
			return []Typed{v}, nil
		}
		return nil, fmt.Errorf("there is no local or global %s here", text)
	}
	return e.call(f, fi, text)
}

// call runs a compiled expression in a frame. What it does to locals is done to the frame.
func (e *Engine) call(f *vm.Frame, fi *funcInfo, text string) ([]Typed, error) {
	if e.forbidden&MayCall != 0 {
		return nil, errOnlyNames
	}
	x := e.compile(fi.id, text)
	if x.err != nil {
		return nil, x.err
	}
	if err := e.permits(x.code); err != nil {
		return nil, err
	}
	in := f.Instance()
	fn := x.fns[in]
	if fn == nil {
		end := e.hush()
		ctx, cancel := context.WithTimeout(context.Background(), evaluationTime)
		inst, err := e.mach.Instantiate(ctx, x.mod, evalName, everything(in))
		cancel()
		end()
		if err != nil {
			return nil, err
		}
		fn, _ = inst.Export("").(*vm.Func)
		x.fns[in] = fn
	}
	locals := f.Locals()
	if len(locals) != x.nlocals {
		return nil, errors.New("the function has other locals than the expression expects")
	}
	out, err := e.quietly(fn, locals)
	if err != nil {
		return nil, err
	}
	vs := make([]Typed, len(x.results))
	for i := range vs {
		vs[i] = Typed{Value: out[i], Type: x.results[i], In: in}
	}
	for i, v := range out[min(len(x.results), len(out)):] {
		if i < len(locals) && (v.Lo != locals[i].Lo || v.Hi != locals[i].Hi || v.Ref != locals[i].Ref) {
			v.Type = locals[i].Type
			f.SetLocal(i, v)
		}
	}
	return vs, nil
}
