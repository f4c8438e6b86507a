package inspect

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"stackscope/vm/debugger/expr"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/debugger/watch"
)

// A path names a variable: a local, global, table or memory, and what is in it.
//
//	$x   local 3   global $g   table $t[4]   $p.$field   $a[7]   operand 0   event 0
//	memory $m.i32[0x10]   i32[$p]   string[16]   string[16,5]   #3   #3.state

// errNoPath is the error of what is no path at all.
var errNoPath = errors.New("no path")

// Find finds the variable that a path names in a frame, with or without `$`. It must be called
// inside Do.
func (ev *Evaluator) Find(f Frame, path string) (Var, error) {
	v, err := ev.Path(f, path)
	if errors.Is(err, errNoPath) {
		err = noVariable(path)
	}
	return v, err
}

// noVariable is what users are told of a text that names no variable.
func noVariable(text string) error {
	if text == "" {
		return errors.New("no variable is named")
	}
	return fmt.Errorf("%s is not a variable here", expr.Brief(text))
}

// Path is Find whose error is errNoPath if the text is no path at all. In a frame whose source is
// known it is an expression of the source, if it can be one. It must be called inside Do.
func (ev *Evaluator) Path(f Frame, path string) (Var, error) {
	v, ok, bad := ev.insp.src.evalSource(f, strings.TrimSpace(path), 0)
	if ok {
		return v, bad
	}
	v, err := ev.machinePath(f, path)
	if err != nil && bad != nil && retry(bad) {
		err = bad
	}
	return v, err
}

// machinePath finds what a path of WebAssembly names.
func (ev *Evaluator) machinePath(f Frame, path string) (Var, error) {
	if strings.HasPrefix(path, "(") || expr.Check(path) != nil || strings.Count(path, ".") > expr.MaxDepth {
		return Var{}, errNoPath
	}
	v, rest, err := ev.pathStart(f, strings.TrimSpace(path))
	for err == nil && rest != "" {
		var key string
		switch rest[0] {
		case '.':
			key, rest = splitPath(rest[1:])
			if view, index, ok := cutIndex(rest); ok && v.Memory != nil && v.MemoryLen == 0 {
				v, err = ev.inMemory(f, v, key, view)
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
			if n, err = ev.Number(f, index); err == nil {
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

// isPath reports, as far as can be seen from a function, whether a text is a path with more to it
// than the name of a local or global.
func isPath(fi *symbols.Function, text string) bool {
	if fi == nil || fi.Func == nil || strings.HasPrefix(text, "(") {
		return false
	}
	if strings.HasPrefix(text, "#") {
		return true
	}
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	names := fi.Module.Names
	known := func(names map[uint32]string, name string, n int) bool {
		if _, ok := symbols.LookupName(names, name); ok {
			return true
		}
		i, err := strconv.ParseUint(name, 10, 32)
		return err == nil && i < uint64(n)
	}
	if words := strings.Fields(text[:end]); len(words) == 2 {
		switch words[0] {
		case "local", "param":
			return known(names.Locals[fi.ID.Func], words[1], math.MaxInt32)
		case "global":
			return known(names.Globals, words[1], len(fi.Module.Globals))
		case "table":
			return known(names.Tables, words[1], len(fi.Module.Tables))
		case "memory":
			return known(names.Mems, words[1], len(fi.Module.Mems))
		case "operand", "event":
			return true
		}
		return false
	}
	if end = strings.IndexByte(text, '['); end < 0 {
		end = strings.LastIndexByte(text, '.')
	}
	if _, ok := symbols.LookupLocal(fi, text); ok { // a name may have dots in it
		return false
	}
	for ; end > 0; end = strings.LastIndexByte(text[:end], '.') {
		base := text[:end]
		for _, ns := range []map[uint32]string{names.Locals[fi.ID.Func], names.Globals, names.Tables, names.Mems} {
			if _, ok := symbols.LookupName(ns, base); ok {
				return true
			}
		}
		if text[end] == '[' && isView(base) && len(fi.Module.Mems) > 0 {
			return true
		}
	}
	return false
}

// Members lists what has a name in the variable that a path names: fields, views of a memory, what
// is known of a stack. Nothing is executed for it. It must be called inside Do.
func (ev *Evaluator) Members(f Frame, path string) []Var {
	defer ev.caller.limited(0)()
	v, err := ev.Path(f, path)
	switch {
	case err != nil:
		return nil
	case v.Named != nil:
		return v.Named()
	case v.Children != nil && v.Page == nil:
		return v.Children()
	}
	return nil
}

// pathStart finds what a path begins with, and returns the rest. A name may have dots in it: the
// longest one that is known counts.
func (ev *Evaluator) pathStart(f Frame, path string) (v Var, rest string, err error) {
	end := strings.IndexByte(path, '[')
	if end < 0 {
		end = len(path)
	}
	for end >= 0 {
		if v, rest, err = ev.pathBase(f, path[:end], path[end:]); err == nil {
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
func (ev *Evaluator) pathBase(f Frame, base, rest string) (Var, string, error) {
	if id, ok := strings.CutPrefix(base, "#"); ok {
		n, err := strconv.Atoi(id)
		if err != nil {
			return Var{}, "", errNoPath
		}
		if v, ok := ev.insp.StackVar(snapshot.StackID(n)); ok {
			return v, rest, nil
		}
		return Var{}, "", ev.insp.NoStack(snapshot.StackID(n))
	}
	if f.instance() == nil || f.VM != nil && (f.Function == nil || f.Function.Func == nil) {
		return Var{}, "", errNoPath
	}
	words := strings.Fields(base)
	if len(words) == 2 {
		space, name := words[0], words[1]
		pick := func(vars []Var, names map[uint32]string) (Var, string, error) {
			i, ok := symbols.LookupName(names, name)
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
			return pick(ev.insp.Locals(f), f.Module.Names.Locals[f.Func.Func])
		case "global":
			return pick(ev.insp.Globals(f), f.Module.Names.Globals)
		case "table":
			return pick(ev.insp.Tables(f), f.Module.Names.Tables)
		case "memory":
			return pick(ev.insp.Memories(f), f.Module.Names.Mems)
		case "event":
			if vs := ev.insp.Pending(f); len(vs) > 1 {
				return pick(vs[1:], nil)
			}
			return Var{}, "", errors.New("no event with values is pending here")
		case "operand":
			ops := ev.insp.Operands(f)
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
	ms := ev.insp.Memories(f)
	if index, after, ok := cutIndex(rest); ok && isView(base) {
		if len(ms) == 0 {
			return Var{}, "", errors.New("the module has no memory")
		}
		v, err := ev.inMemory(f, ms[0], base, index)
		return v, after, err
	}
	if i, ok := symbols.LookupLocal(f.Function, base); ok {
		if ls := ev.insp.Locals(f); i < len(ls) {
			return ls[i], rest, nil
		}
	}
	if i, ok := symbols.LookupName(f.Module.Names.Globals, base); ok {
		if gs := ev.insp.Globals(f); int(i) < len(gs) {
			return gs[i], rest, nil
		}
	}
	if i, ok := symbols.LookupName(f.Module.Names.Tables, base); ok {
		if ts := ev.insp.Tables(f); int(i) < len(ts) {
			return ts[i], rest, nil
		}
	}
	if i, ok := symbols.LookupName(f.Module.Names.Mems, base); ok && int(i) < len(ms) {
		return ms[i], rest, nil
	}
	return Var{}, "", errNoPath
}

// named returns the child of a name: of a structure a field, with or without `$`, or by number.
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

// element returns an indexed child.
func element(v Var, i uint64) (Var, error) {
	if v.Page != nil && i < uint64(v.Indexed) {
		if vs := v.Page(int(i), 1); len(vs) == 1 {
			return vs[0], nil
		}
	}
	return Var{}, fmt.Errorf("%s has no element %d", v.Name, i)
}

// inMemory returns what `i32[address]`, `string[address]` or `string[address,length]` names in a
// memory.
func (ev *Evaluator) inMemory(f Frame, mem Var, kind, index string) (Var, error) {
	m := ev.insp.Memory(*mem.Memory)
	if m == nil {
		return Var{}, watch.ErrNoData
	}
	first, second, two := strings.Cut(index, ",")
	at, err := ev.Number(f, first)
	if err != nil {
		return Var{}, err
	}
	if kind == "string" {
		size := -1
		if two {
			n, err := ev.Number(f, second)
			if err != nil {
				return Var{}, err
			}
			size = int(min(n, watch.MaxWatched))
		}
		return stringAt(m, *mem.Memory, mem.Name, at, size), nil
	}
	for _, w := range views() {
		if w.name == kind {
			if v, ok := typed(m, *mem.Memory, w, at, mem.Name); ok {
				return v, nil
			}
			return Var{}, fmt.Errorf("0x%x is beyond the end of %s", at, mem.Name)
		}
	}
	return Var{}, fmt.Errorf(
		"a memory has no view %s: want i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 or string", kind,
	)
}
