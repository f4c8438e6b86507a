package inspect

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"stackscope/vm"
	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/expr"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Compiler compiles an expression, written in the text format in folded or flat form, as if it
// stood in a function: it sees the function's locals by name and number, and all of the module. It
// gives the unit's module with one more function at the end, whose parameters are the locals of fn
// (its parameters first) and whose results are what the expression leaves on the operand stack. It
// ends early with its context. The error is for the user.
type Compiler func(ctx context.Context, u *symbols.Unit, fn uint32, expr string) (*wasm.Module, error)

type exprKey struct {
	fn   snapshot.FuncID
	text string
}

// expression is a compiled expression; fns are its instances, by the instance it was made for.
type expression struct {
	mod     *wasm.Module
	fn      uint32
	results []wasm.ValType
	nlocals int
	code    []wasm.Instr // the expression alone, without its end
	err     error
	fns     map[*vm.Instance]*vm.Func
}

// compile compiles an expression, once.
func (ev *Evaluator) compile(id snapshot.FuncID, text string) *expression {
	k := exprKey{id, text}
	if x := ev.exprs[k]; x != nil {
		return x
	}
	x := &expression{fns: map[*vm.Instance]*vm.Func{}}
	if len(ev.exprs) > 1000 { // a console session that never ends
		clear(ev.exprs)
	}
	ev.exprs[k] = x
	switch {
	case id.Unit < 0 || id.Unit >= len(ev.sym.Units()):
		x.err = errors.New("the module has no source")
		return x
	case ev.compiler == nil:
		x.err = errors.New("only names can be evaluated here")
		return x
	}
	if x.err = expr.Check(text); x.err != nil {
		return x
	}
	defer ev.caller.bounded()()
	mod, err := ev.compiler(ev.caller.evaluating, ev.sym.Units()[id.Unit], id.Func, text)
	if err != nil {
		if x.err = ev.caller.gaveUp(err); ev.caller.evaluating.Err() != nil {
			delete(ev.exprs, k) // another time there may be enough of it
		}
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
	out := &wasm.Module{
		Dialect: m.Dialect, Types: m.Types, Recs: m.Recs, Names: m.Names,
		Start: wasm.BadIndex, DataCount: true,
	}
	add := func(k wasm.ExternKind, i int) int32 {
		out.Imports = append(
			out.Imports, wasm.Import{Module: k.String(), Name: strconv.Itoa(i), Kind: k, Index: uint32(i)},
		)
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
		t.Limits = wasm.Limits{
			Is64: t.Limits.Is64, Shared: t.Limits.Shared, Max: t.Limits.Max,
			HasMax: t.Limits.Shared, PageBits: t.Limits.PageBits, HasPage: t.Limits.HasPage,
		}
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
	at := fn.At
	// The expression is a block of its own, so that a branch out of it leaves its values before the
	// locals.
	body := []wasm.Instr{{Op: wasm.OpBlock, Imm: uint64(wasm.BlockIndex(uint32(len(m.Types)))), At: at}}
	x.code = fn.Body[:len(fn.Body)-1]
	for _, in := range x.code {
		switch in.Op {
		case wasm.OpReturn, wasm.OpReturnCall, wasm.OpReturnCallIndirect, wasm.OpReturnCallRef:
			return fmt.Errorf("an expression cannot %s: there is nothing to return from", in.Op.Info().Name)
		}
		body = append(body, in)
	}
	body = append(body, wasm.Instr{Op: wasm.OpEnd, At: at})
	for i := range ft.Params {
		body = append(body, wasm.Instr{Op: wasm.OpLocalGet, A: uint32(i), At: at})
	}
	fn.Body = append(body, wasm.Instr{Op: wasm.OpEnd, At: at})
	fn.Import = -1
	fn.Stmts = nil
	full := wasm.SubType{
		Kind: wasm.CompFunc, Final: true, Params: ft.Params,
		Results: append(append([]wasm.ValType(nil), ft.Results...), ft.Params...), Implicit: true,
	}
	block := wasm.SubType{Kind: wasm.CompFunc, Final: true, Results: ft.Results, Implicit: true}
	out.Types = append(append([]wasm.SubType(nil), m.Types...), block, full)
	n32 := uint32(len(m.Types))
	out.Recs = append(
		append([]wasm.RecGroup(nil), m.Recs...), wasm.RecGroup{Start: n32, Len: 1},
		wasm.RecGroup{Start: n32 + 1, Len: 1},
	)
	fn.Type = n32 + 1
	out.Funcs = append(out.Funcs, fn)
	out.Exports = []wasm.Export{{Name: "", Kind: wasm.ExternFunc, Index: uint32(n)}}
	x.mod, x.fn = out, uint32(n)
	return nil
}

// everything returns all of an instance as imports, by kind and index.
func everything(in *vm.Instance) vm.Imports {
	return vm.ImportFunc(func(_, name string, kind wasm.ExternKind) vm.Extern {
		n, err := strconv.ParseUint(name, 10, 32)
		if err != nil {
			return nil
		}
		switch i := uint32(n); kind {
		case wasm.ExternFunc:
			return in.Func(i)
		case wasm.ExternTable:
			return in.Table(i)
		case wasm.ExternMemory:
			return in.Memory(i)
		case wasm.ExternGlobal:
			return in.Global(i)
		}
		return in.Tag(uint32(n))
	})
}

// runCode evaluates code of the text format in a frame.
func (ev *Evaluator) runCode(f *vm.Frame, text string) ([]arith.Typed, error) {
	fi := ev.sym.Function(f.Func())
	if fi.Func == nil {
		return nil, errors.New("a host function has no variables")
	}
	return ev.call(f, fi, text)
}

// call runs a compiled expression in a frame. What it does to locals is done to the frame.
func (ev *Evaluator) call(f *vm.Frame, fi *symbols.Function, text string) ([]arith.Typed, error) {
	if ev.caller.forbidden&MayCall != 0 {
		return nil, errOnlyNames
	}
	defer ev.caller.bounded()()
	x := ev.compile(fi.ID, text)
	if x.err != nil {
		return nil, x.err
	}
	if err := ev.caller.permits(x.code); err != nil {
		return nil, err
	}
	in := f.Instance()
	fn := x.fns[in]
	if fn == nil {
		end := ev.caller.silence()
		inst, err := ev.mach.Instantiate(ev.caller.evaluating, x.mod, evalName, everything(in))
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
	out, err := ev.caller.quietly(fn, locals)
	if err != nil {
		return nil, err
	}
	vs := make([]arith.Typed, len(x.results))
	for i := range vs {
		vs[i] = arith.Typed{Value: out[i], Type: x.results[i], In: in}
	}
	for i, v := range out[min(len(x.results), len(out)):] {
		if i < len(locals) && (v.Lo != locals[i].Lo || v.Hi != locals[i].Hi || v.Ref != locals[i].Ref) {
			v.Type = locals[i].Type
			f.SetLocal(i, v)
		}
	}
	return vs, nil
}

// evalName is the name of the instances that evaluations make; tools leave them out.
const evalName = "(evaluation)"
