package debug

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// A path names a variable: a local, global, table or memory, and what is in it.
//
//	$x   local 3   global $g   table $t[4]   $p.$field   $a[7]   operand 0
//	memory $m.i32[0x10]   i32[$p]   string[16]   string[16,5]   #3   #3.state

// errNoPath is the error of what is no path at all.
var errNoPath = errors.New("no path")

// Lookup finds the variable that a path names in a frame, with or without `$`. It must be called inside Do.
func (e *Engine) Lookup(f Frame, path string) (Var, bool) {
	v, err := e.Path(f, path)
	return v, err == nil
}

// Path is Lookup that says what is wrong. It must be called inside Do.
func (e *Engine) Path(f Frame, path string) (Var, error) {
	v, rest, err := e.pathStart(f, strings.TrimSpace(path))
	for err == nil && rest != "" {
		var key string
		switch rest[0] {
		case '.':
			key, rest = splitPath(rest[1:])
			if view, index, ok := cutIndex(rest); ok && v.Memory != nil && v.MemoryLen == 0 {
				v, err = e.inMemory(f, v, key, view)
				rest = index
				continue
			}
			v, err = named(v, key)
		case '[':
			index, after, ok := cutIndex(rest)
			if !ok {
				return Var{}, errNoPath
			}
			rest = after
			var n uint64
			if n, err = e.Number(f, index); err == nil {
				v, err = element(v, n)
			}
		default:
			return Var{}, errNoPath
		}
	}
	if err == nil {
		v.Name = strings.TrimSpace(path)
	}
	return v, err
}

// pathStart finds what a path begins with, and gives the rest. A name may have dots in it: the longest
// one that is known counts.
func (e *Engine) pathStart(f Frame, path string) (v Var, rest string, err error) {
	end := strings.IndexByte(path, '[')
	if end < 0 {
		end = len(path)
	}
	for end >= 0 {
		if v, rest, err = e.pathBase(f, path[:end], path[end:]); err == nil {
			return v, rest, nil
		}
		end = strings.LastIndexByte(path[:end], '.')
	}
	return v, rest, err
}

// splitPath takes the first name off a path.
func splitPath(s string) (name, rest string) {
	i := strings.IndexAny(s, ".[")
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

// cutIndex takes `[index]` off.
func cutIndex(s string) (index, rest string, ok bool) {
	if !strings.HasPrefix(s, "[") {
		return "", s, false
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[', '(':
			depth++
		case ']', ')':
			if depth--; depth == 0 {
				return s[1:i], s[i+1:], true
			}
		}
	}
	return "", s, false
}

// pathBase finds what a path begins with.
func (e *Engine) pathBase(f Frame, base, rest string) (Var, string, error) {
	if id, ok := strings.CutPrefix(base, "#"); ok {
		n, err := strconv.Atoi(id)
		if err != nil {
			return Var{}, "", errNoPath
		}
		if v, ok := e.StackVar(StackID(n)); ok {
			return v, rest, nil
		}
		return Var{}, "", fmt.Errorf("there is no stack #%d", n)
	}
	if f.fi == nil || f.fi.fn == nil {
		return Var{}, "", errNoPath
	}
	words := strings.Fields(base)
	if len(words) == 2 {
		space, name := words[0], words[1]
		pick := func(vars []Var, names map[uint32]string) (Var, string, error) {
			i, ok := lookupName(names, name)
			if !ok {
				n, err := strconv.ParseUint(name, 10, 32)
				if i = uint32(n); err != nil {
					return Var{}, "", fmt.Errorf("there is no %s %s here", space, name)
				}
			}
			if int(i) < len(vars) {
				return vars[i], rest, nil
			}
			return Var{}, "", fmt.Errorf("there is no %s %s here", space, name)
		}
		switch space {
		case "local", "param":
			return pick(e.Locals(f), f.Module.Names.Locals[f.Func.Func])
		case "global":
			return pick(e.Globals(f), f.Module.Names.Globals)
		case "table":
			return pick(e.Tables(f), f.Module.Names.Tables)
		case "memory":
			return pick(e.Memories(f), f.Module.Names.Mems)
		case "operand":
			ops := e.Operands(f)
			for i, j := 0, len(ops)-1; i < j; i, j = i+1, j-1 {
				ops[i], ops[j] = ops[j], ops[i]
			}
			return pick(ops, nil)
		}
		return Var{}, "", errNoPath
	}
	if len(words) != 1 {
		return Var{}, "", errNoPath
	}
	if i, ok := lookupLocal(f.fi, base); ok {
		if ls := e.Locals(f); i < len(ls) {
			return ls[i], rest, nil
		}
	}
	if i, ok := lookupName(f.Module.Names.Globals, base); ok {
		if gs := e.Globals(f); int(i) < len(gs) {
			return gs[i], rest, nil
		}
	}
	if i, ok := lookupName(f.Module.Names.Tables, base); ok {
		if ts := e.Tables(f); int(i) < len(ts) {
			return ts[i], rest, nil
		}
	}
	ms := e.Memories(f)
	if i, ok := lookupName(f.Module.Names.Mems, base); ok && int(i) < len(ms) {
		return ms[i], rest, nil
	}
	if index, after, ok := cutIndex(rest); ok && isView(base) {
		if len(ms) == 0 {
			return Var{}, "", errors.New("the module has no memory")
		}
		v, err := e.inMemory(f, ms[0], base, index)
		return v, after, err
	}
	return Var{}, "", errNoPath
}

func isView(name string) bool {
	if name == "string" {
		return true
	}
	for _, w := range views() {
		if w.name == name {
			return true
		}
	}
	return false
}

// named gives the child of a name: of a structure a field, with or without `$`, or by number.
func named(v Var, key string) (Var, error) {
	if v.Named != nil {
		for _, c := range v.Named() {
			if c.Name == key {
				return c, nil
			}
		}
	}
	if v.Children == nil || v.Page != nil {
		return Var{}, fmt.Errorf("%s has no %s", v.Name, key)
	}
	for i, c := range v.Children() {
		if c.Name == key || c.Name == "$"+key || strconv.Itoa(i) == key {
			return c, nil
		}
	}
	return Var{}, fmt.Errorf("%s has no %s", v.Name, key)
}

// element gives an indexed child.
func element(v Var, i uint64) (Var, error) {
	if v.Page != nil && i < uint64(v.Indexed) {
		if vs := v.Page(int(i), 1); len(vs) == 1 {
			return vs[0], nil
		}
	}
	return Var{}, fmt.Errorf("%s has no element %d", v.Name, i)
}

// Number evaluates an expression that gives an integer. It must be called inside Do.
func (e *Engine) Number(f Frame, text string) (uint64, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 0, 64); err == nil {
		return n, nil
	}
	v, err := e.Path(f, text)
	if errors.Is(err, errNoPath) && f.vf != nil {
		var x Typed
		if x, err = e.one(f.vf, text); err == nil {
			v = Var{HasValue: true, Value: x.Value, ValType: x.Type}
		}
	}
	switch {
	case err != nil:
		return 0, err
	case v.HasValue && v.ValType == wasm.I32:
		return uint64(uint32(v.Value.Lo)), nil
	case v.HasValue && v.ValType == wasm.I64:
		return v.Value.Lo, nil
	}
	return 0, fmt.Errorf("%s is no integer", text)
}

// Effects tells what an evaluation may do.
type Effects uint8

// The effects that an evaluation may have; the constants are bits.
const (
	MayCall Effects = 1 << iota
	MayAssign
)

// Eval evaluates what people type: a path, an assignment `path = value`, a call `f(1, $x)`, a
// comparison, a number, or an expression of the text format. It must be called inside Do.
func (e *Engine) Eval(f Frame, text string, may Effects) ([]Var, error) {
	if f.vf == nil && f.Stack == ScriptThread {
		return nil, errors.New("a command of the script has no variables")
	}
	text = strings.TrimSpace(text)
	if l, r, ok := splitAssignment(text); ok {
		if may&MayAssign == 0 {
			return nil, errors.New("assignments are made in the console")
		}
		v, err := e.Path(f, l)
		if errors.Is(err, errNoPath) {
			err = fmt.Errorf("%s is no variable here", l)
		}
		if err == nil {
			v, err = e.Assign(f, v, r)
		}
		if err != nil {
			return nil, err
		}
		return []Var{v}, nil
	}
	v, err := e.Path(f, text)
	if err == nil {
		return []Var{v}, nil
	}
	if _, _, r := splitComparison(text); r == "" && !errors.Is(err, errNoPath) {
		return nil, err
	}
	if fn, args, ok := splitCall(text); ok && f.vf != nil && f.Module != nil {
		if target := e.callee(f, fn); target != nil {
			if may&MayCall == 0 {
				return nil, errors.New("functions are not called here")
			}
			return e.callExport(f, text, target, args)
		}
	}
	if l, op, r := splitComparison(text); r != "" && f.vf != nil {
		ok, err := e.compareText(f, l, op, r)
		if err != nil {
			return nil, err
		}
		n := vm.I32(0)
		if ok {
			n = vm.I32(1)
		}
		return []Var{e.value(Var{Name: text, Value: n, ValType: wasm.I32}, nil)}, nil
	}
	if may == 0 && isCode(text) {
		return nil, errors.New("only names are evaluated here")
	}
	return e.Evaluate(f, text)
}

func (e *Engine) compareText(f Frame, l, op, r string) (bool, error) {
	var ts [2]Typed
	for i, s := range []string{l, r} {
		if v, err := e.Path(f, s); err == nil && v.HasValue {
			ts[i] = Typed{v.Value, v.ValType, v.In}
			continue
		}
		x, err := e.one(f.vf, s)
		if err != nil {
			return false, err
		}
		ts[i] = x
	}
	return compare(ts[0], op, ts[1])
}

// splitAssignment splits `a = b` outside of parentheses.
func splitAssignment(s string) (l, r string, ok bool) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '"':
			return "", "", false
		case '=':
			if depth != 0 {
				continue
			}
			if i > 0 && strings.IndexByte("=!<>", s[i-1]) >= 0 || i+1 < len(s) && s[i+1] == '=' {
				return "", "", false
			}
			l, r = strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:])
			return l, r, l != "" && r != ""
		}
	}
	return "", "", false
}

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
	in := f.vf.Instance()
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
