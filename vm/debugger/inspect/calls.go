package inspect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/expr"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// callee finds a function by name, export or index in the module of a frame.
func (ev *Evaluator) callee(f Frame, name string) *vm.Func {
	in := f.instance()
	if in == nil {
		return nil
	}
	if i, ok := symbols.LookupName(f.Module.Names.Funcs, name); ok {
		return in.Func(i)
	}
	if fn, ok := in.Export(strings.Trim(name, `"`)).(*vm.Func); ok {
		return fn
	}
	if n, err := strconv.ParseUint(name, 10, 32); err == nil {
		return in.Func(uint32(n))
	}
	return nil
}

// callText calls a function with arguments as they were typed. Nothing stops in it.
func (ev *Evaluator) callText(f Frame, x *expr.Expr) ([]arith.Typed, error) {
	if f.instance() == nil || f.Module == nil {
		return nil, errors.New("there is no module to call a function of")
	}
	fn := ev.callee(f, x.Text)
	switch {
	case fn == nil:
		return nil, fmt.Errorf("there is no function %s here", expr.Brief(x.Text))
	case ev.caller.forbidden&MayCall != 0:
		return nil, errors.New("functions cannot be called here")
	}
	t := ev.mach.Types().Type(fn.Type())
	if len(x.Raw) != len(t.Params) {
		return nil, fmt.Errorf(
			"%s takes %s, not %d", ev.sym.Function(fn).Title, symbols.Plural(len(t.Params), "argument", "arguments"), len(x.Raw),
		)
	}
	vals := make([]vm.Value, len(x.Raw))
	for i, a := range x.Raw {
		v, err := ev.convert(f, Var{Name: a, ValType: t.Params[i], canon: t.Params[i], Type: t.Params[i].String()}, a)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		vals[i] = v
	}
	out, err := ev.caller.quietly(fn, vals)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expr.Brief(x.Text), err)
	}
	vs := make([]arith.Typed, len(out))
	for i, v := range out {
		vs[i] = arith.Typed{Value: v, Type: v.Type}
	}
	return vs, nil
}

// Callables lists the functions that Eval can call in a frame, by name or export, with their types.
// It must be called inside Do.
func (ev *Evaluator) Callables(f Frame) []Var {
	if f.Module == nil {
		return nil
	}
	var out []Var
	add := func(name string, i uint32) {
		if int64(i) < int64(len(f.Module.Funcs)) {
			if ft := f.Module.FuncType(f.Module.Funcs[i].Type); ft != nil {
				out = append(
					out,
					Var{
						Name: name,
						Type: wasm.FormatTypes(
							ft.Params, f.Module.Names.Type,
						) + " -> " + wasm.FormatTypes(
							ft.Results, f.Module.Names.Type,
						),
					},
				)
			}
		}
	}
	for i := range f.Module.Funcs {
		if n, ok := f.Module.Names.Funcs[uint32(i)]; ok {
			add("$"+n, uint32(i))
		}
	}
	for _, x := range f.Module.Exports {
		if x.Kind == wasm.ExternFunc && !strings.ContainsAny(x.Name, " \t\"()") {
			add(x.Name, x.Index)
		}
	}
	return out
}
