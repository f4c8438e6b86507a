package debugger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/expr"
	"stackscope/wasm"
)

// Expressions in conditions are compiled once: names are looked up, and what is no more than
// arithmetic on constants, locals and globals is executed here. Everything else runs on the
// machine.

// term is a compiled expression, or a part of one.
type term struct {
	shape
	eval func(f *vm.Frame) (operand, error)
	// integer returns the value of a term that is an integer, sign-extended; nil if it is something
	// else, needs the machine or can fail.
	integer func(f *vm.Frame) int64
	// test reports whether the term is true; nil if that needs the machine or can fail.
	test func(f *vm.Frame) bool
	// pure reports that eval only looks.
	pure bool
	// constant reports that the value is always the same.
	constant bool
}

// integerTerm makes a term of a function that returns an integer.
func integerTerm(s shape, get func(f *vm.Frame) int64) term {
	return term{shape: s, integer: get, pure: true,
		test: func(f *vm.Frame) bool { return get(f) != 0 },
		eval: func(f *vm.Frame) (operand, error) {
			return operand{Typed: intValue(s.t, get(f)), lit: s.lit}, nil
		}}
}

// testTerm makes a term of a function that reports something.
func testTerm(test func(f *vm.Frame) bool) term {
	t := integerTerm(shape{t: wasm.I32}, func(f *vm.Frame) int64 { return int64(bit(test(f))) })
	t.test = test
	return t
}

// constantTerm makes a term of a value.
func constantTerm(o operand) term {
	t := term{shape: o.shape(), pure: true, eval: func(*vm.Frame) (operand, error) { return o, nil }}
	if isInt(o.Type) {
		n := integer(o.Typed)
		t = integerTerm(t.shape, func(*vm.Frame) int64 { return n })
	}
	t.constant = true
	return t
}

// as returns the term as one of a type that unify has returned, if it is a constant.
func (t term) as(ty wasm.ValType) (term, error) {
	if ty == 0 || t.t == ty || !t.constant {
		return t, nil
	}
	o, err := t.eval(nil)
	if err == nil {
		o, err = o.adapt(ty)
	}
	return constantTerm(o), err
}

// compileExpr compiles an expression for a function. The error says what is wrong with it, as far
// as that can be known before it is evaluated.
func (ev *Evaluator) compileExpr(id FuncID, x *expr.Expr) (term, error) {
	var args []term
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
	out.constant = true
	for _, a := range args {
		out.constant = out.constant && a.constant
	}
	if out.constant {
		o, err := out.eval(nil)
		return constantTerm(o), err
	}
	return out, nil
}

func (ev *Evaluator) compileNode(id FuncID, x *expr.Expr, args []term) (term, error) {
	switch x.Kind {
	case expr.Path:
		return ev.compilePath(id, x)
	case expr.Code:
		return ev.compileCode(id, x)
	case expr.Call:
		if !ev.hasCallee(id, x.Text) {
			return term{}, fmt.Errorf("there is no function %s here", expr.Brief(x.Text))
		}
		return ev.slowTerm(x), nil
	case expr.Unary:
		return compileUnary(x.Op, args[0])
	case expr.Convert:
		return compileConvert(x.Text, args[0])
	case expr.Cond:
		return compileCond(args[0], args[1], args[2])
	case expr.Binary:
		if x.Op == "&&" || x.Op == "||" {
			return compileLogical(x.Op == "||", args[0], args[1]), nil
		}
		return compileBinary(x.Op, args[0], args[1])
	}
	o, err := numeral(x)
	return constantTerm(o), err
}

// slowTerm makes a term of an expression that runs on the machine.
func (ev *Evaluator) slowTerm(x *expr.Expr) term {
	return term{eval: func(f *vm.Frame) (operand, error) { return ev.evalExpr(ev.insp.frame(f, true), x) }}
}

// hasCallee reports whether a function of a name can be called from another.
func (ev *Evaluator) hasCallee(id FuncID, name string) bool {
	fi := ev.sym.infoOf(id)
	if fi == nil || fi.mod == nil {
		return false
	}
	if _, ok := lookupName(fi.mod.Names.Funcs, name); ok {
		return true
	}
	if x, ok := fi.mod.Export(strings.Trim(name, `"`)); ok {
		return x.Kind == wasm.ExternFunc
	}
	n, err := strconv.ParseUint(name, 10, 32)
	return err == nil && n < uint64(len(fi.mod.Funcs))
}

func (ev *Evaluator) compileCode(id FuncID, x *expr.Expr) (term, error) {
	c := ev.compile(id, x.Text)
	switch fi := ev.sym.infoOf(id); {
	case c.err != nil:
		return term{}, c.err
	case len(c.results) != 1:
		return term{}, fmt.Errorf("%s has %d results, not one", expr.Brief(x.Text), len(c.results))
	case fi != nil:
		if t, ok := fi.tiny(c); ok {
			return t, nil
		}
	}
	t := ev.slowTerm(x)
	t.t = c.results[0]
	return t, nil
}

// compilePath compiles a name, or a path with more to it.
func (ev *Evaluator) compilePath(id FuncID, x *expr.Expr) (term, error) {
	fi := ev.sym.infoOf(id)
	if fi == nil || fi.fn == nil {
		return term{}, errors.New("there is no such function")
	}
	if i, ok := localNamed(fi, x.Text); ok {
		switch t := fi.localType(i); t {
		case wasm.I32:
			return integerTerm(shape{t: t}, func(f *vm.Frame) int64 { return int64(int32(f.LocalNum(i))) }), nil
		case wasm.I64:
			return integerTerm(shape{t: t}, func(f *vm.Frame) int64 { return int64(f.LocalNum(i)) }), nil
		case wasm.ValType(0):
			return ev.slowTerm(x), nil
		default:
			return term{shape: shape{t: t}, pure: true, eval: func(f *vm.Frame) (operand, error) {
				v := f.Local(i)
				return operand{Typed: Typed{Value: v, Type: v.Type, In: f.Instance()}}, nil
			}}, nil
		}
	}
	if i, ok := lookupName(fi.mod.Names.Globals, x.Text); ok && int64(i) < int64(len(fi.mod.Globals)) {
		switch t := fi.mod.Globals[i].Type; t {
		case wasm.I32:
			return integerTerm(
				shape{t: t}, func(f *vm.Frame) int64 { return int64(int32(f.Instance().Global(i).Get().Lo)) },
			), nil
		case wasm.I64:
			return integerTerm(shape{t: t}, func(f *vm.Frame) int64 { return int64(f.Instance().Global(i).Get().Lo) }), nil
		default:
			return term{shape: shape{t: t}, pure: true, eval: func(f *vm.Frame) (operand, error) {
				in := f.Instance()
				return operand{Typed: Typed{Value: in.Global(i).Get(), Type: t, In: in}}, nil
			}}, nil
		}
	}
	if isPath(fi, x.Text) {
		return ev.slowTerm(x), nil
	}
	return term{}, noName(x.Text, true)
}

// localNamed finds the local that a path without anything behind it names.
func localNamed(fi *funcInfo, path string) (int, bool) {
	if i, ok := lookupLocal(fi, path); ok {
		return i, true
	}
	space, name, _ := strings.Cut(path, " ")
	if space != "local" && space != "param" {
		return 0, false
	}
	if i, ok := lookupLocal(fi, name); ok {
		return i, true
	}
	i, err := strconv.ParseUint(name, 10, 31)
	return int(i), err == nil && fi.localType(int(i)) != 0
}

// noName returns the error for a name that is not known.
func noName(text string, inCode bool) error {
	if !inCode {
		return fmt.Errorf("there is no global %s here", expr.Brief(text))
	}
	return fmt.Errorf("there is no local or global %s here", expr.Brief(text))
}

func compileUnary(op string, a term) (term, error) {
	if err := checkUnary(op, a.t); err != nil {
		return a, err
	}
	if a.integer != nil && op == "!" {
		test := a.test
		return testTerm(func(f *vm.Frame) bool { return !test(f) }), nil
	}
	if get := a.integer; get != nil {
		switch t := a.t; op {
		case "-":
			sub := integerOp("-", t)
			return integerTerm(a.shape, func(f *vm.Frame) int64 { return sub(0, get(f)) }), nil
		case "~":
			return integerTerm(a.shape, func(f *vm.Frame) int64 { return ^get(f) }), nil
		}
	}
	out := term{shape: a.shape, pure: a.pure, eval: func(f *vm.Frame) (operand, error) {
		o, err := a.eval(f)
		if err != nil {
			return o, err
		}
		return unaryOp(op, o)
	}}
	if op == "!" {
		out.shape = shape{t: wasm.I32}
	}
	return out, nil
}

func compileConvert(to string, a term) (term, error) {
	t, isUnsigned := conversion(to)
	if a.t != 0 && !isInt(a.t) && !isFloat(a.t) {
		_, err := convertOp(to, operand{Typed: Typed{Type: a.t}})
		return a, err
	}
	if get := a.integer; get != nil && isInt(t) && !a.lit {
		from := a.t
		return integerTerm(shape{t: t}, func(f *vm.Frame) int64 {
			n := get(f)
			if isUnsigned {
				n = int64(unsigned(from, n))
			}
			if t == wasm.I32 {
				n = int64(int32(n))
			}
			return n
		}), nil
	}
	return term{shape: shape{t: t}, pure: a.pure, eval: func(f *vm.Frame) (operand, error) {
		o, err := a.eval(f)
		if err != nil {
			return o, err
		}
		return convertOp(to, o)
	}}, nil
}

func compileCond(c, a, b term) (term, error) {
	t, err := unify("?:", a.shape, b.shape)
	if err != nil {
		return c, err
	}
	if a, err = a.as(t); err != nil {
		return a, err
	}
	if b, err = b.as(t); err != nil {
		return b, err
	}
	s := shape{t: t, lit: a.lit && b.lit}
	if x, y := a.integer, b.integer; c.test != nil && x != nil && y != nil && a.t == b.t {
		test := c.test
		return integerTerm(s, func(f *vm.Frame) int64 {
			if test(f) {
				return x(f)
			}
			return y(f)
		}), nil
	}
	return term{shape: s, pure: c.pure && a.pure && b.pure, eval: func(f *vm.Frame) (operand, error) {
		o, err := c.eval(f)
		if err != nil {
			return o, err
		}
		if truth(o.Typed) {
			return a.eval(f)
		}
		return b.eval(f)
	}}, nil
}

// compileLogical compiles `&&`, or `||` if stop is true: what decides it.
func compileLogical(stop bool, a, b term) term {
	if x, y := a.test, b.test; x != nil && y != nil {
		if stop {
			return testTerm(func(f *vm.Frame) bool { return x(f) || y(f) })
		}
		return testTerm(func(f *vm.Frame) bool { return x(f) && y(f) })
	}
	return term{shape: shape{t: wasm.I32}, pure: a.pure && b.pure, eval: func(f *vm.Frame) (operand, error) {
		o, err := a.eval(f)
		if err == nil && truth(o.Typed) != stop {
			o, err = b.eval(f)
		}
		if err != nil {
			return o, err
		}
		return operand{Typed: boolean(truth(o.Typed))}, nil
	}}
}

func compileBinary(op string, a, b term) (term, error) {
	t, err := unify(op, a.shape, b.shape)
	if err == nil {
		err = checkTypes(op, t)
	}
	if err != nil {
		return a, err
	}
	lit := a.lit && b.lit
	if a, err = a.as(t); err != nil {
		return a, err
	}
	if b, err = b.as(t); err != nil {
		return b, err
	}
	s := shape{t: t, lit: lit}
	if isComparison(op) {
		s = shape{t: wasm.I32}
	}
	if x, y := a.integer, b.integer; x != nil && y != nil && isInt(t) {
		if isComparison(op) {
			return compareTerm(op, t, x, y), nil
		}
		if get := integerOp(op, t); get != nil {
			return integerTerm(s, func(f *vm.Frame) int64 { return get(x(f), y(f)) }), nil
		}
		if b.constant {
			if n := y(nil); n != 0 && n != -1 { // then it cannot fail
				return integerTerm(s, func(f *vm.Frame) int64 {
					out, _ := divide(op, t, x(f), n)
					return out
				}), nil
			}
		}
	}
	return term{shape: s, pure: a.pure && b.pure, eval: func(f *vm.Frame) (operand, error) {
		x, err := a.eval(f)
		if err != nil {
			return x, err
		}
		y, err := b.eval(f)
		if err != nil {
			return y, err
		}
		return binaryOp(op, x, y)
	}}, nil
}

// compareTerm compares integers. The common comparisons have no function between them and the loop.
func compareTerm(op string, t wasm.ValType, x, y func(f *vm.Frame) int64) term {
	switch op {
	case "==":
		return testTerm(func(f *vm.Frame) bool { return x(f) == y(f) })
	case "!=":
		return testTerm(func(f *vm.Frame) bool { return x(f) != y(f) })
	case "<":
		return testTerm(func(f *vm.Frame) bool { return x(f) < y(f) })
	case "<=":
		return testTerm(func(f *vm.Frame) bool { return x(f) <= y(f) })
	case ">":
		return testTerm(func(f *vm.Frame) bool { return x(f) > y(f) })
	case ">=":
		return testTerm(func(f *vm.Frame) bool { return x(f) >= y(f) })
	}
	is := compareInts(op, t)
	return testTerm(func(f *vm.Frame) bool { return is(x(f), y(f)) })
}

// localType returns the type of a local; the zero type if the function does not have it.
func (fi *funcInfo) localType(i int) wasm.ValType {
	ft := fi.mod.FuncType(fi.fn.Type)
	switch {
	case ft == nil || i < 0:
	case i < len(ft.Params):
		return ft.Params[i]
	case i-len(ft.Params) < len(fi.fn.Locals):
		return fi.fn.Locals[i-len(ft.Params)]
	}
	return wasm.ValType(0)
}

// tinyDepth bounds the operands of what is executed here.
const tinyDepth = 16

// tiny makes a term of a compiled expression if that is arithmetic on integers without side
// effects.
func (fi *funcInfo) tiny(x *expression) (term, bool) {
	body, depth := x.code, 0
	for i := range body {
		in := &body[i]
		switch in.Op {
		case wasm.OpI32Const, wasm.OpI64Const:
			depth++
		case wasm.OpLocalGet:
			if t := fi.localType(int(in.A)); t != wasm.I32 && t != wasm.I64 {
				return term{}, false
			}
			depth++
		case wasm.OpGlobalGet:
			if t := x.mod.Globals[in.A].Type; t != wasm.I32 && t != wasm.I64 {
				return term{}, false
			}
			depth++
		default:
			n, ok := tinyArity(in.Op)
			if !ok || depth < n {
				return term{}, false
			}
			depth -= n - 1
		}
		if depth > tinyDepth {
			return term{}, false
		}
	}
	t := x.results[0]
	if depth != 1 || t != wasm.I32 && t != wasm.I64 {
		return term{}, false
	}
	if t == wasm.I32 {
		return integerTerm(shape{t: t}, func(f *vm.Frame) int64 { return int64(int32(runTiny(body, f))) }), true
	}
	return integerTerm(shape{t: t}, func(f *vm.Frame) int64 { return int64(runTiny(body, f)) }), true
}

// tinyArity reports how many operands an operation has that is executed here.
func tinyArity(op wasm.Op) (int, bool) {
	switch op {
	case wasm.OpI32Eqz, wasm.OpI64Eqz, wasm.OpI32WrapI64, wasm.OpI64ExtendI32S, wasm.OpI64ExtendI32U:
		return 1, true
	case wasm.OpI32Eq,
		wasm.OpI32Ne,
		wasm.OpI32LtS,
		wasm.OpI32LtU,
		wasm.OpI32GtS,
		wasm.OpI32GtU,
		wasm.OpI32LeS,
		wasm.OpI32LeU,
		wasm.OpI32GeS,
		wasm.OpI32GeU,
		wasm.OpI64Eq,
		wasm.OpI64Ne,
		wasm.OpI64LtS,
		wasm.OpI64LtU,
		wasm.OpI64GtS,
		wasm.OpI64GtU,
		wasm.OpI64LeS,
		wasm.OpI64LeU,
		wasm.OpI64GeS,
		wasm.OpI64GeU,
		wasm.OpI32Add,
		wasm.OpI32Sub,
		wasm.OpI32Mul,
		wasm.OpI32And,
		wasm.OpI32Or,
		wasm.OpI32Xor,
		wasm.OpI64Add,
		wasm.OpI64Sub,
		wasm.OpI64Mul,
		wasm.OpI64And,
		wasm.OpI64Or,
		wasm.OpI64Xor:
		return 2, true
	}
	return 0, false
}

// runTiny executes what tiny has let through. An i32 is kept zero-extended.
func runTiny(body []wasm.Instr, f *vm.Frame) uint64 {
	var st [tinyDepth + 1]uint64
	n := 0
	for i := range body {
		in := &body[i]
		switch in.Op {
		case wasm.OpI32Const, wasm.OpI64Const:
			st[n] = in.Imm
			n++
			continue
		case wasm.OpLocalGet:
			st[n] = f.LocalNum(int(in.A))
			n++
			continue
		case wasm.OpGlobalGet:
			st[n] = f.Instance().Global(in.A).Get().Lo
			n++
			continue
		case wasm.OpI32Eqz:
			st[n-1] = bit(uint32(st[n-1]) == 0)
			continue
		case wasm.OpI64Eqz:
			st[n-1] = bit(st[n-1] == 0)
			continue
		case wasm.OpI32WrapI64, wasm.OpI64ExtendI32U:
			st[n-1] = uint64(uint32(st[n-1]))
			continue
		case wasm.OpI64ExtendI32S:
			st[n-1] = uint64(int64(int32(st[n-1])))
			continue
		}
		n--
		st[n-1] = binary2(in.Op, st[n-1], st[n])
	}
	return st[0]
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// binary2 executes an operation with two operands.
func binary2(op wasm.Op, a, b uint64) uint64 {
	x, y := int32(a), int32(b)
	u, v := uint32(a), uint32(b)
	p, q := int64(a), int64(b)
	switch op {
	case wasm.OpI32Eq:
		return bit(u == v)
	case wasm.OpI32Ne:
		return bit(u != v)
	case wasm.OpI32LtS:
		return bit(x < y)
	case wasm.OpI32LtU:
		return bit(u < v)
	case wasm.OpI32GtS:
		return bit(x > y)
	case wasm.OpI32GtU:
		return bit(u > v)
	case wasm.OpI32LeS:
		return bit(x <= y)
	case wasm.OpI32LeU:
		return bit(u <= v)
	case wasm.OpI32GeS:
		return bit(x >= y)
	case wasm.OpI32GeU:
		return bit(u >= v)
	case wasm.OpI64Eq:
		return bit(a == b)
	case wasm.OpI64Ne:
		return bit(a != b)
	case wasm.OpI64LtS:
		return bit(p < q)
	case wasm.OpI64LtU:
		return bit(a < b)
	case wasm.OpI64GtS:
		return bit(p > q)
	case wasm.OpI64GtU:
		return bit(a > b)
	case wasm.OpI64LeS:
		return bit(p <= q)
	case wasm.OpI64LeU:
		return bit(a <= b)
	case wasm.OpI64GeS:
		return bit(p >= q)
	case wasm.OpI64GeU:
		return bit(a >= b)
	case wasm.OpI32Add:
		return uint64(u + v)
	case wasm.OpI32Sub:
		return uint64(u - v)
	case wasm.OpI32Mul:
		return uint64(u * v)
	case wasm.OpI32And:
		return uint64(u & v)
	case wasm.OpI32Or:
		return uint64(u | v)
	case wasm.OpI32Xor:
		return uint64(u ^ v)
	case wasm.OpI64Add:
		return a + b
	case wasm.OpI64Sub:
		return a - b
	case wasm.OpI64Mul:
		return a * b
	case wasm.OpI64And:
		return a & b
	case wasm.OpI64Or:
		return a | b
	}
	return a ^ b
}
