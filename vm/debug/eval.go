package debug

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stackscope/vm"
	"stackscope/wasm"
)

// Typed is a value with its type in the terms of a module.
type Typed struct {
	Value vm.Value
	Type  wasm.ValType
	In    *vm.Instance // whose type indices Type has; nil if it has none
}

// text gives the type with the names of its module.
func (t Typed) text() string {
	if t.In == nil {
		return TypeText(t.Type, nil)
	}
	return TypeText(t.Type, t.In.Module())
}

type exprKey struct {
	fn   FuncID
	text string
}

// expression is a compiled expression; fns are its instances, by the instance it was made for.
type expression struct {
	mod     *wasm.Module
	fn      uint32
	results []wasm.ValType
	nlocals int
	err     error
	fns     map[*vm.Instance]*vm.Func
}

// evaluationTime bounds one evaluation.
const evaluationTime = 2 * time.Second

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

// lookupLocal finds a local of a function by name, with or without `$`.
func lookupLocal(fi *funcInfo, name string) (int, bool) {
	i, ok := lookupName(fi.mod.Names.Locals[fi.id.Func], name)
	return int(i), ok
}

func lookupName(names map[uint32]string, name string) (uint32, bool) {
	name = strings.TrimPrefix(name, "$")
	for i, n := range names {
		if n == name {
			return i, true
		}
	}
	return 0, false
}

// literal reads a number: an integer as i64, else an f64.
func literal(s string) (Typed, bool) {
	t := strings.ReplaceAll(s, "_", "")
	if n, err := strconv.ParseInt(t, 0, 64); err == nil {
		return Typed{Value: vm.I64(n), Type: wasm.I64}, true
	}
	if n, err := strconv.ParseUint(t, 0, 64); err == nil {
		return Typed{Value: vm.I64(int64(n)), Type: wasm.I64}, true
	}
	if c := t[0]; c >= '0' && c <= '9' || c == '-' || c == '+' {
		if f, err := strconv.ParseFloat(t, 64); err == nil {
			return Typed{Value: vm.F64(f), Type: wasm.F64}, true
		}
	}
	return Typed{}, false
}

// splitComparison splits `a == b` (also != < <= > >=) outside of parentheses; r is "" if there is none.
func splitComparison(s string) (l, op, r string) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '=', '!', '<', '>':
			if depth != 0 {
				continue
			}
			op = s[i : i+1]
			if i+1 < len(s) && s[i+1] == '=' {
				op = s[i : i+2]
			}
			if op == "=" || op == "!" || strings.TrimSpace(s[:i]) == "" || strings.TrimSpace(s[i+len(op):]) == "" {
				return s, "", ""
			}
			return s[:i], op, s[i+len(op):]
		}
	}
	return s, "", ""
}

func truth(v Typed) bool {
	switch v.Type.Kind() {
	case wasm.KindRef:
		return !v.Value.Ref.IsNull()
	case wasm.KindF32:
		return v.Value.F32() != 0
	case wasm.KindF64:
		return v.Value.F64() != 0
	}
	return v.Value.Lo != 0 || v.Value.Hi != 0
}

// compare compares two numbers as mathematical values (integers signed), or two references for identity.
func compare(a Typed, op string, b Typed) (bool, error) {
	if a.Type.IsRef() && b.Type.IsRef() {
		switch op {
		case "==":
			return a.Value.Ref == b.Value.Ref, nil
		case "!=":
			return a.Value.Ref != b.Value.Ref, nil
		}
		return false, errors.New("references can only be compared with == and !=")
	}
	var c int
	x, xi := number(a)
	y, yi := number(b)
	switch {
	case a.Type.IsRef() || b.Type.IsRef() || a.Type == wasm.V128 || b.Type == wasm.V128:
		return false, errors.New("these values cannot be compared")
	case xi && yi:
		p, q := integer(a), integer(b)
		c = cmp(p, q)
	case x != x || y != y:
		return op == "!=", nil
	default:
		c = cmp(x, y)
	}
	switch op {
	case "==":
		return c == 0, nil
	case "!=":
		return c != 0, nil
	case "<":
		return c < 0, nil
	case "<=":
		return c <= 0, nil
	case ">":
		return c > 0, nil
	}
	return c >= 0, nil
}

func cmp[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func integer(v Typed) int64 {
	if v.Type == wasm.I32 {
		return int64(v.Value.I32())
	}
	return v.Value.I64()
}

// number gives a value as a float, and whether it is an integer.
func number(v Typed) (float64, bool) {
	switch v.Type {
	case wasm.F32:
		return float64(v.Value.F32()), false
	case wasm.F64:
		return v.Value.F64(), false
	}
	return float64(integer(v)), true
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

// named gives the local or global of a name.
func (e *Engine) named(f *vm.Frame, fi *funcInfo, name string) (Typed, bool) {
	if i, ok := lookupLocal(fi, name); ok {
		if ls := f.Locals(); i < len(ls) {
			return Typed{ls[i], ls[i].Type, f.Instance()}, true
		}
	}
	if i, ok := lookupName(fi.mod.Names.Globals, name); ok {
		if g := f.Instance().Global(i); g != nil {
			return Typed{g.Get(), fi.mod.Globals[i].Type, f.Instance()}, true
		}
	}
	return Typed{}, false
}

// compile compiles an expression, once.
func (e *Engine) compile(id FuncID, text string) *expression {
	k := exprKey{id, text}
	if x := e.exprs[k]; x != nil {
		return x
	}
	x := &expression{fns: map[*vm.Instance]*vm.Func{}}
	if len(e.exprs) > 1000 { // a console session that never ends
		clear(e.exprs)
	}
	e.exprs[k] = x
	switch {
	case id.Unit < 0 || id.Unit >= len(e.list):
		x.err = errors.New("the module has no source")
		return x
	case e.prog.Compile == nil:
		x.err = errors.New("only names can be evaluated here")
		return x
	}
	u := e.list[id.Unit]
	mod, err := e.prog.Compile(u, id.Func, text)
	if err != nil {
		x.err = err
		return x
	}
	x.err = x.link(mod)
	return x
}

// link turns the compiler's module into one that imports everything of the instance, so that it can
// be run beside it. Its function also gives back the locals, which an expression may set.
func (x *expression) link(m *wasm.Module) error {
	n := len(m.Funcs) - 1
	if n < 0 {
		return errors.New("the expression could not be compiled")
	}
	out := &wasm.Module{Dialect: m.Dialect, Types: m.Types, Recs: m.Recs, Names: m.Names, Start: wasm.BadIndex, DataCount: true}
	add := func(k wasm.ExternKind, i int) int32 {
		out.Imports = append(out.Imports, wasm.Import{Module: k.String(), Name: strconv.Itoa(i), Kind: k, Index: uint32(i)})
		return int32(len(out.Imports) - 1)
	}
	for i := range m.Funcs[:n] {
		out.Funcs = append(out.Funcs, wasm.Func{Type: m.Funcs[i].Type, Import: add(wasm.ExternFunc, i)})
	}
	for i, t := range m.Tables {
		t.Import, t.Init = add(wasm.ExternTable, i), nil
		t.Limits = wasm.Limits{Is64: t.Limits.Is64}
		out.Tables = append(out.Tables, t)
	}
	for i, t := range m.Mems {
		t.Import = add(wasm.ExternMemory, i)
		t.Limits = wasm.Limits{Is64: t.Limits.Is64, Shared: t.Limits.Shared, Max: t.Limits.Max, HasMax: t.Limits.Shared, PageBits: t.Limits.PageBits, HasPage: t.Limits.HasPage}
		out.Mems = append(out.Mems, t)
	}
	for i, g := range m.Globals {
		g.Import, g.Init = add(wasm.ExternGlobal, i), nil
		out.Globals = append(out.Globals, g)
	}
	for i, t := range m.Tags {
		t.Import = add(wasm.ExternTag, i)
		out.Tags = append(out.Tags, t)
	}
	fn := m.Funcs[n]
	ft := m.FuncType(fn.Type)
	if ft == nil {
		return errors.New("the expression could not be compiled")
	}
	x.results = ft.Results
	x.nlocals = len(ft.Params)
	body := append([]wasm.Instr(nil), fn.Body[:len(fn.Body)-1]...)
	at := fn.At
	for i := range ft.Params {
		body = append(body, wasm.Instr{Op: wasm.OpLocalGet, A: uint32(i), At: at})
	}
	fn.Body = append(body, wasm.Instr{Op: wasm.OpEnd, At: at})
	fn.Import = -1
	fn.Stmts = nil
	full := wasm.SubType{Kind: wasm.CompFunc, Final: true, Params: ft.Params, Results: append(append([]wasm.ValType(nil), ft.Results...), ft.Params...), Implicit: true}
	out.Types = append(append([]wasm.SubType(nil), m.Types...), full)
	out.Recs = append(append([]wasm.RecGroup(nil), m.Recs...), wasm.RecGroup{Start: uint32(len(m.Types)), Len: 1})
	fn.Type = uint32(len(m.Types))
	out.Funcs = append(out.Funcs, fn)
	out.Exports = []wasm.Export{{Name: "", Kind: wasm.ExternFunc, Index: uint32(n)}}
	x.mod, x.fn = out, uint32(n)
	return nil
}

// evalName is the name of the instances that evaluations make; tools leave them out.
const evalName = "(evaluation)"

// call runs a compiled expression in a frame. What it does to locals is done to the frame.
func (e *Engine) call(f *vm.Frame, fi *funcInfo, text string) ([]Typed, error) {
	x := e.compile(fi.id, text)
	if x.err != nil {
		return nil, x.err
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
		vs[i] = Typed{out[i], x.results[i], in}
	}
	for i, v := range out[min(len(x.results), len(out)):] {
		if i < len(locals) && (v.Lo != locals[i].Lo || v.Hi != locals[i].Hi || v.Ref != locals[i].Ref) {
			v.Type = locals[i].Type
			f.SetLocal(i, v)
		}
	}
	return vs, nil
}

// hush lets nothing stop, and nothing be recorded, until what it gives is called.
func (e *Engine) hush() (end func()) {
	e.quiet++
	e.mach.SetRecorder(nil)
	return func() {
		e.forget()
		if e.quiet--; e.quiet == 0 {
			e.watchEvents()
		}
	}
}

// quietly calls a function on top of the running chain: nothing stops in it, and it has limited time.
func (e *Engine) quietly(fn *vm.Func, args []vm.Value) ([]vm.Value, error) {
	defer e.hush()()
	ctx, cancel := context.WithTimeout(context.Background(), evaluationTime)
	defer cancel()
	return e.mach.CallTrusted(ctx, fn, args...)
}

// everything gives all of an instance as imports, by kind and index.
func everything(in *vm.Instance) vm.Imports {
	return vm.ImportFunc(func(kind, name string) vm.Extern {
		n, err := strconv.ParseUint(name, 10, 32)
		if err != nil {
			return nil
		}
		switch i := uint32(n); kind {
		case wasm.ExternFunc.String():
			return in.Func(i)
		case wasm.ExternTable.String():
			return in.Table(i)
		case wasm.ExternMemory.String():
			return in.Memory(i)
		case wasm.ExternGlobal.String():
			return in.Global(i)
		}
		return in.Tag(uint32(n))
	})
}
