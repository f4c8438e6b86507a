package inspect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/expr"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// scope returns what the parser of expressions needs to know of a function; fi may be nil.
func (ev *Evaluator) scope(fi *symbols.Function) expr.Scope {
	s := expr.Scope{Mnemonic: func(word string) bool { return len(wasm.Lookup(word)) > 0 }}
	if fi == nil || fi.Module == nil {
		return s
	}
	s.Odd = fi.OddNames()
	s.Variable = func(word string) bool {
		_, local := symbols.LookupLocal(fi, word)
		_, global := symbols.LookupName(fi.Module.Names.Globals, word)
		return local || global
	}
	return s
}

// parse parses an expression that is written for a function; fi may be nil.
func (ev *Evaluator) parse(fi *symbols.Function, text string) (*expr.Expr, error) {
	return expr.Parse(text, ev.scope(fi))
}

// parseIn parses an expression that is written for a frame.
func (ev *Evaluator) parseIn(f Frame, text string) (*expr.Expr, error) {
	if f.Function == nil && f.Module != nil { // a command of a script: it sees what the module has
		return ev.parse(&symbols.Function{Module: f.Module, ID: snapshot.FuncID{Func: wasm.BadIndex}}, text)
	}
	return ev.parse(f.Function, text)
}

// evalExpr evaluates an expression in a frame, which may be a command of a script.
func (ev *Evaluator) evalExpr(f Frame, x *expr.Expr) (arith.Operand, error) {
	arg := func(i int) (arith.Operand, error) { return ev.evalExpr(f, x.Args[i]) }
	if len(x.Args) > 0 && f.VM != nil { // the types of all parts count, also of those that are not evaluated
		t, err := ev.compileExpr(f.Func, x)
		if err != nil {
			return arith.Operand{}, err
		}
		return t.Eval(f.VM)
	}
	switch x.Kind {
	case expr.Path:
		v, err := ev.machinePath(f, x.Text)
		switch {
		case errors.Is(err, errNoPath):
			return arith.Operand{}, noName(x.Text, f.VM != nil)
		case err != nil:
			return arith.Operand{}, err
		case !v.HasValue:
			return arith.Operand{}, fmt.Errorf("%s is not a value", expr.Brief(x.Text))
		}
		return v.operand(), nil
	case expr.Code:
		if f.VM == nil {
			return arith.Operand{}, errors.New("there is no frame to evaluate code in")
		}
		vs, err := ev.runCode(f.VM, x.Text)
		return oneResult(x.Text, vs, err)
	case expr.Call:
		vs, err := ev.callText(f, x)
		return oneResult(x.Text, vs, err)
	case expr.Unary:
		a, err := arg(0)
		if err != nil {
			return a, err
		}
		return arith.Unary(x.Op, a)
	case expr.Convert:
		a, err := arg(0)
		if err != nil {
			return a, err
		}
		return arith.Convert(x.Text, a)
	case expr.Binary:
		return ev.evalBinary(f, x)
	case expr.Cond:
		c, err := arg(0)
		if err != nil {
			return c, err
		}
		if arith.Truth(c.Typed) {
			return arg(1)
		}
		return arg(2)
	}
	return arith.Numeral(x)
}

func (ev *Evaluator) evalBinary(f Frame, x *expr.Expr) (arith.Operand, error) {
	a, err := ev.evalExpr(f, x.Args[0])
	if err != nil {
		return a, err
	}
	if logical := x.Op == "&&" || x.Op == "||"; logical && arith.Truth(a.Typed) == (x.Op == "||") {
		return arith.Operand{Typed: arith.Bool(x.Op == "||")}, nil
	} else if b, err := ev.evalExpr(f, x.Args[1]); logical || err != nil {
		return arith.Operand{Typed: arith.Bool(err == nil && arith.Truth(b.Typed))}, err
	} else {
		return arith.Binary(x.Op, a, b)
	}
}

// oneResult returns the one result that code or a call is to have where it is an operand.
func oneResult(text string, vs []arith.Typed, err error) (arith.Operand, error) {
	switch {
	case err != nil:
		return arith.Operand{}, err
	case len(vs) != 1:
		return arith.Operand{}, fmt.Errorf("%s has %d results, not one", expr.Brief(text), len(vs))
	}
	return arith.Operand{Typed: vs[0]}, nil
}

// valueOf evaluates a text that is to have one value in a frame.
func (ev *Evaluator) valueOf(f Frame, text string) (arith.Operand, error) {
	x, err := ev.parseIn(f, text)
	if err != nil {
		return arith.Operand{}, err
	}
	return ev.evalExpr(f, x)
}

// Number evaluates an expression that returns an integer. It must be called inside Do.
func (ev *Evaluator) Number(f Frame, text string) (uint64, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 0, 64); err == nil {
		return n, nil
	}
	x, err := ev.valueOf(f, text)
	switch {
	case err != nil:
		return 0, err
	case x.Type == wasm.I32 && !x.View:
		return uint64(uint32(x.Value.Lo)), nil
	case arith.IsInt(x.Type):
		return uint64(arith.Integer(x.Typed)), nil
	}
	return 0, fmt.Errorf("%s is not an integer", expr.Brief(text))
}
