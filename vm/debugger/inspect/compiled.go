package inspect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/expr"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Test is a compiled condition.
type Test struct {
	Ask  func(f *vm.Frame) (bool, error)
	Pure bool // it only looks
}

// CompileTest compiles a condition for a function: one of its source with the names that are in
// scope at an instruction, or one of WebAssembly.
func (ev *Evaluator) CompileTest(id snapshot.FuncID, pc int, text string) (Test, error) {
	test, ok, bad := ev.insp.src.compileSource(id, pc, strings.TrimSpace(text))
	if ok {
		return test, nil
	}
	x, err := ev.parse(ev.sym.FunctionOf(id), text)
	var t arith.Term
	if err == nil {
		t, err = ev.compileExpr(id, x)
	}
	if err != nil {
		if bad != nil {
			err = bad
		}
		return Test{}, err
	}
	if is := t.Test; is != nil {
		return Test{func(f *vm.Frame) (bool, error) { return is(f), nil }, true}, nil
	}
	return Test{func(f *vm.Frame) (bool, error) {
		if !t.Pure {
			defer ev.caller.bounded()()
		}
		o, err := t.Eval(f)
		return err == nil && arith.Truth(o.Typed), err
	}, t.Pure}, nil
}

// compileExpr compiles an expression for a function. The error says what is wrong with it, as far
// as that can be known before it is evaluated.
func (ev *Evaluator) compileExpr(id snapshot.FuncID, x *expr.Expr) (arith.Term, error) {
	var args []arith.Term
	for _, a := range x.Args {
		t, err := ev.compileExpr(id, a)
		if err != nil {
			return t, err
		}
		args = append(args, t)
	}
	out, err := ev.compileNode(id, x, args)
	if err != nil || len(args) == 0 {
		return out, err
	}
	out.Constant = true
	for _, a := range args {
		out.Constant = out.Constant && a.Constant
	}
	if out.Constant {
		o, err := out.Eval(nil)
		return arith.ConstantTerm(o), err
	}
	return out, nil
}

func (ev *Evaluator) compileNode(id snapshot.FuncID, x *expr.Expr, args []arith.Term) (arith.Term, error) {
	switch x.Kind {
	case expr.Path:
		return ev.compilePath(id, x)
	case expr.Code:
		return ev.compileCode(id, x)
	case expr.Call:
		if !ev.hasCallee(id, x.Text) {
			return arith.Term{}, fmt.Errorf("there is no function %s here", expr.Brief(x.Text))
		}
		return ev.slowTerm(x), nil
	case expr.Unary:
		return arith.UnaryTerm(x.Op, args[0])
	case expr.Convert:
		return arith.ConvertTerm(x.Text, args[0])
	case expr.Cond:
		return arith.CondTerm(args[0], args[1], args[2])
	case expr.Binary:
		if x.Op == "&&" || x.Op == "||" {
			return arith.LogicalTerm(x.Op == "||", args[0], args[1]), nil
		}
		return arith.BinaryTerm(x.Op, args[0], args[1])
	}
	o, err := arith.Numeral(x)
	return arith.ConstantTerm(o), err
}

// slowTerm makes a term of an expression that runs on the machine.
func (ev *Evaluator) slowTerm(x *expr.Expr) arith.Term {
	return arith.Term{Eval: func(f *vm.Frame) (arith.Operand, error) { return ev.evalExpr(ev.insp.frame(f, true), x) }}
}

// hasCallee reports whether a function of a name can be called from another.
func (ev *Evaluator) hasCallee(id snapshot.FuncID, name string) bool {
	fi := ev.sym.FunctionOf(id)
	if fi == nil || fi.Module == nil {
		return false
	}
	if _, ok := symbols.LookupName(fi.Module.Names.Funcs, name); ok {
		return true
	}
	if x, ok := fi.Module.Export(strings.Trim(name, `"`)); ok {
		return x.Kind == wasm.ExternFunc
	}
	n, err := strconv.ParseUint(name, 10, 32)
	return err == nil && n < uint64(len(fi.Module.Funcs))
}

func (ev *Evaluator) compileCode(id snapshot.FuncID, x *expr.Expr) (arith.Term, error) {
	c := ev.compile(id, x.Text)
	switch fi := ev.sym.FunctionOf(id); {
	case c.err != nil:
		return arith.Term{}, c.err
	case len(c.results) != 1:
		return arith.Term{}, fmt.Errorf("%s has %d results, not one", expr.Brief(x.Text), len(c.results))
	case fi != nil:
		if t, ok := arith.CodeTerm(c.code, c.results[0], c.mod, fi.LocalType); ok {
			return t, nil
		}
	}
	t := ev.slowTerm(x)
	t.Type = c.results[0]
	return t, nil
}

// compilePath compiles a name, or a path with more to it.
func (ev *Evaluator) compilePath(id snapshot.FuncID, x *expr.Expr) (arith.Term, error) {
	fi := ev.sym.FunctionOf(id)
	if fi == nil || fi.Func == nil {
		return arith.Term{}, errors.New("there is no such function")
	}
	if i, ok := localNamed(fi, x.Text); ok {
		switch t := fi.LocalType(i); t {
		case wasm.I32:
			return arith.IntegerTerm(
				arith.Shape{Type: t}, func(f *vm.Frame) int64 { return int64(int32(f.LocalNum(i))) },
			), nil
		case wasm.I64:
			return arith.IntegerTerm(arith.Shape{Type: t}, func(f *vm.Frame) int64 { return int64(f.LocalNum(i)) }), nil
		case wasm.ValType(0):
			return ev.slowTerm(x), nil
		default:
			return arith.Term{Shape: arith.Shape{Type: t}, Pure: true, Eval: func(f *vm.Frame) (arith.Operand, error) {
				v := f.Local(i)
				return arith.Operand{Typed: arith.Typed{Value: v, Type: v.Type, In: f.Instance()}}, nil
			}}, nil
		}
	}
	if i, ok := lookupGlobal(fi, x.Text); ok {
		switch t := fi.Module.Globals[i].Type; t {
		case wasm.I32:
			return arith.IntegerTerm(
				arith.Shape{Type: t}, func(f *vm.Frame) int64 { return int64(int32(f.Instance().Global(i).Get().Lo)) },
			), nil
		case wasm.I64:
			return arith.IntegerTerm(
				arith.Shape{Type: t}, func(f *vm.Frame) int64 { return int64(f.Instance().Global(i).Get().Lo) },
			), nil
		default:
			return arith.Term{Shape: arith.Shape{Type: t}, Pure: true, Eval: func(f *vm.Frame) (arith.Operand, error) {
				in := f.Instance()
				return arith.Operand{Typed: arith.Typed{Value: in.Global(i).Get(), Type: t, In: in}}, nil
			}}, nil
		}
	}
	if isPath(fi, x.Text) {
		return ev.slowTerm(x), nil
	}
	return arith.Term{}, noName(x.Text, true)
}

// lookupGlobal finds a global by its name.
func lookupGlobal(fi *symbols.Function, name string) (uint32, bool) {
	i, ok := symbols.LookupName(fi.Module.Names.Globals, name)
	return i, ok && int64(i) < int64(len(fi.Module.Globals))
}

// localNamed finds the local that a path without anything after it names.
func localNamed(fi *symbols.Function, path string) (int, bool) {
	if i, ok := symbols.LookupLocal(fi, path); ok {
		return i, true
	}
	space, name, _ := strings.Cut(path, " ")
	if space != "local" && space != "param" {
		return 0, false
	}
	if i, ok := symbols.LookupLocal(fi, name); ok {
		return i, true
	}
	i, err := strconv.ParseUint(name, 10, 31)
	return int(i), err == nil && fi.LocalType(int(i)) != 0
}

// noName returns the error for a name that is not known.
func noName(text string, inCode bool) error {
	if !inCode {
		return fmt.Errorf("there is no global %s here", expr.Brief(text))
	}
	return fmt.Errorf("there is no local or global %s here", expr.Brief(text))
}
