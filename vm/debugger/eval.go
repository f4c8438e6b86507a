package debugger

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/expr"
	"stackscope/wasm"
)

// Evaluator evaluates what people type: expressions, assignments and calls.
type Evaluator struct {
	mach     *vm.Machine
	sym      *Symbols
	insp     *Inspector
	caller   *caller
	compiler Compiler // nil: only names can be evaluated
	exprs    map[exprKey]*expression
}

// Typed is a value with its type in the terms of a module.
type Typed struct {
	Value vm.Value
	Type  wasm.ValType
	In    *vm.Instance // whose type indices Type has; nil if it has none
	canon wasm.ValType // the type with canonical ids, if that is known
}

// text returns the type with the names of its module.
func (t Typed) text() string {
	if t.In == nil {
		return TypeText(t.Type, nil)
	}
	return TypeText(t.Type, t.In.Module())
}

// scope returns what the parser of expressions needs to know of a function; fi may be nil.
func (ev *Evaluator) scope(fi *funcInfo) expr.Scope {
	s := expr.Scope{Mnemonic: func(word string) bool { return len(wasm.Lookup(word)) > 0 }}
	if fi == nil || fi.mod == nil {
		return s
	}
	s.Odd = fi.oddNames()
	s.Variable = func(word string) bool {
		_, local := lookupLocal(fi, word)
		_, global := lookupName(fi.mod.Names.Globals, word)
		return local || global
	}
	return s
}

// oddNames returns the names that have characters of operators in them, of variables that the
// function sees and of fields.
func (fi *funcInfo) oddNames() map[string]bool {
	if fi.odd != nil {
		return fi.odd
	}
	fi.odd = map[string]bool{}
	add := func(names map[uint32]string) {
		for _, n := range names {
			if strings.ContainsAny(n, expr.OperatorChars) {
				fi.odd[n] = true
			}
		}
	}
	names := fi.mod.Names
	for _, ns := range []map[uint32]string{names.Locals[fi.id.Func], names.Globals, names.Tables, names.Mems} {
		add(ns)
	}
	for _, ns := range names.Fields {
		add(ns)
	}
	return fi.odd
}

// parse parses an expression that is written for a function; fi may be nil.
func (ev *Evaluator) parse(fi *funcInfo, text string) (*expr.Expr, error) {
	return expr.Parse(text, ev.scope(fi))
}

// evalExpr evaluates an expression in a frame, which may be a command of a script.
func (ev *Evaluator) evalExpr(f Frame, x *expr.Expr) (operand, error) {
	arg := func(i int) (operand, error) { return ev.evalExpr(f, x.Args[i]) }
	if len(x.Args) > 0 && f.vf != nil { // the types of all parts count, also of those that are not evaluated
		t, err := ev.compileExpr(f.Func, x)
		if err != nil {
			return operand{}, err
		}
		return t.eval(f.vf)
	}
	switch x.Kind {
	case expr.Path:
		v, err := ev.Path(f, x.Text)
		switch {
		case errors.Is(err, errNoPath):
			return operand{}, noName(x.Text, f.vf != nil)
		case err != nil:
			return operand{}, err
		case !v.HasValue:
			return operand{}, fmt.Errorf("%s is no value", expr.Brief(x.Text))
		}
		return v.operand(), nil
	case expr.Code:
		if f.vf == nil {
			return operand{}, errors.New("there is no frame to evaluate code in")
		}
		vs, err := ev.runCode(f.vf, x.Text)
		return oneResult(x.Text, vs, err)
	case expr.Call:
		vs, err := ev.callText(f, x)
		return oneResult(x.Text, vs, err)
	case expr.Unary:
		a, err := arg(0)
		if err != nil {
			return a, err
		}
		return unaryOp(x.Op, a)
	case expr.Convert:
		a, err := arg(0)
		if err != nil {
			return a, err
		}
		return convertOp(x.Text, a)
	case expr.Binary:
		return ev.evalBinary(f, x)
	case expr.Cond:
		c, err := arg(0)
		if err != nil {
			return c, err
		}
		if truth(c.Typed) {
			return arg(1)
		}
		return arg(2)
	}
	return numeral(x)
}

func (ev *Evaluator) evalBinary(f Frame, x *expr.Expr) (operand, error) {
	a, err := ev.evalExpr(f, x.Args[0])
	if err != nil {
		return a, err
	}
	if logical := x.Op == "&&" || x.Op == "||"; logical && truth(a.Typed) == (x.Op == "||") {
		return operand{Typed: boolean(x.Op == "||")}, nil
	} else if b, err := ev.evalExpr(f, x.Args[1]); logical || err != nil {
		return operand{Typed: boolean(err == nil && truth(b.Typed))}, err
	} else {
		return binaryOp(x.Op, a, b)
	}
}

// oneResult returns the one result that code or a call is to have where it is an operand.
func oneResult(text string, vs []Typed, err error) (operand, error) {
	switch {
	case err != nil:
		return operand{}, err
	case len(vs) != 1:
		return operand{}, fmt.Errorf("%s has %d results, not one", expr.Brief(text), len(vs))
	}
	return operand{Typed: vs[0]}, nil
}

// parseIn parses an expression that is written for a frame.
func (ev *Evaluator) parseIn(f Frame, text string) (*expr.Expr, error) {
	if f.fi == nil && f.Module != nil { // a command of a script: it sees what the module has
		return ev.parse(&funcInfo{mod: f.Module, id: FuncID{Func: wasm.BadIndex}}, text)
	}
	return ev.parse(f.fi, text)
}

// valueOf evaluates a text that is to have one value in a frame.
func (ev *Evaluator) valueOf(f Frame, text string) (operand, error) {
	x, err := ev.parseIn(f, text)
	if err != nil {
		return operand{}, err
	}
	return ev.evalExpr(f, x)
}

// runCode evaluates code of the text format in a frame.
func (ev *Evaluator) runCode(f *vm.Frame, text string) ([]Typed, error) {
	fi := ev.sym.info(f.Func())
	if fi.fn == nil {
		return nil, errors.New("a host function has no variables")
	}
	return ev.call(f, fi, text)
}

// call runs a compiled expression in a frame. What it does to locals is done to the frame.
func (ev *Evaluator) call(f *vm.Frame, fi *funcInfo, text string) ([]Typed, error) {
	if ev.caller.forbidden&MayCall != 0 {
		return nil, errOnlyNames
	}
	defer ev.caller.bounded()()
	x := ev.compile(fi.id, text)
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
