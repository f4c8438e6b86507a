package debug

import (
	"fmt"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// splitCall splits `name(a, b)`.
func splitCall(s string) (name string, args []string, ok bool) {
	i := strings.IndexByte(s, '(')
	if i <= 0 || !strings.HasSuffix(s, ")") || strings.ContainsAny(s[:i], " \t") {
		return "", nil, false
	}
	in := strings.TrimSpace(s[i+1 : len(s)-1])
	depth, from := 0, 0
	for j := 0; j <= len(in); j++ {
		if j == len(in) || in[j] == ',' && depth == 0 {
			if a := strings.TrimSpace(in[from:j]); a != "" || len(args) > 0 || j < len(in) {
				args = append(args, a)
			}
			from = j + 1
			continue
		}
		switch in[j] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return "", nil, false
			}
		}
	}
	return s[:i], args, depth == 0
}

// callee finds a function by name, export or index in the module of a frame.
func (e *Engine) callee(f Frame, name string) *vm.Func {
	in := f.instance()
	if in == nil {
		return nil
	}
	if i, ok := lookupName(f.Module.Names.Funcs, name); ok {
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

// callExport calls a function with arguments as they were typed. Nothing stops in it.
func (e *Engine) callExport(f Frame, text string, fn *vm.Func, args []string) ([]Var, error) {
	t := e.mach.Types().Type(fn.Type())
	if len(args) != len(t.Params) {
		return nil, fmt.Errorf("%s takes %d arguments, not %d", e.info(fn).title, len(t.Params), len(args))
	}
	vals := make([]vm.Value, len(args))
	for i, a := range args {
		v, err := e.convert(f, Var{Name: a, ValType: t.Params[i], canon: t.Params[i], Type: t.Params[i].String()}, a)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		vals[i] = v
	}
	out, err := e.quietly(fn, vals)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	vs := make([]Var, len(out))
	for i, v := range out {
		vs[i] = e.value(Var{Name: text, Value: v, ValType: v.Type}, nil)
	}
	return vs, nil
}

// Callables lists the functions that Eval can call in a frame, by name or export, with their types. It
// must be called inside Do.
func (e *Engine) Callables(f Frame) []Var {
	if f.Module == nil {
		return nil
	}
	var out []Var
	add := func(name string, i uint32) {
		if int64(i) < int64(len(f.Module.Funcs)) {
			if ft := f.Module.FuncType(f.Module.Funcs[i].Type); ft != nil {
				out = append(out, Var{Name: name, Type: wasm.FormatTypes(ft.Params, f.Module.Names.Type) + " -> " + wasm.FormatTypes(ft.Results, f.Module.Names.Type)})
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
