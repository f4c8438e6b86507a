package arith

import (
	"stackscope/vm"
	"stackscope/wasm"
)

// Term is a compiled expression, or a part of one.
type Term struct {
	Shape
	Eval func(f *vm.Frame) (Operand, error)
	// Integer returns the value of a term that is an integer, sign-extended; nil if it is something
	// else, needs the machine or can fail.
	Integer func(f *vm.Frame) int64
	// Test reports whether the term is true; nil if that needs the machine or can fail.
	Test func(f *vm.Frame) bool
	// Pure reports that eval only looks.
	Pure bool
	// Constant reports that the value is always the same.
	Constant bool
}

// IntegerTerm makes a term of a function that returns an integer.
func IntegerTerm(s Shape, get func(f *vm.Frame) int64) Term {
	return Term{Shape: s, Integer: get, Pure: true,
		Test: func(f *vm.Frame) bool { return get(f) != 0 },
		Eval: func(f *vm.Frame) (Operand, error) {
			return Operand{Typed: IntValue(s.Type, get(f)), Lit: s.Lit}, nil
		}}
}

// testTerm makes a term of a function that reports something.
func testTerm(test func(f *vm.Frame) bool) Term {
	t := IntegerTerm(Shape{Type: wasm.I32}, func(f *vm.Frame) int64 { return int64(bit(test(f))) })
	t.Test = test
	return t
}

// ConstantTerm makes a term of a value.
func ConstantTerm(o Operand) Term {
	t := Term{Shape: o.Shape(), Pure: true, Eval: func(*vm.Frame) (Operand, error) { return o, nil }}
	if IsInt(o.Type) {
		n := Integer(o.Typed)
		t = IntegerTerm(t.Shape, func(*vm.Frame) int64 { return n })
	}
	t.Constant = true
	return t
}

// as returns the term as one of a type that unify has returned, if it is a constant.
func (t Term) as(ty wasm.ValType) (Term, error) {
	if ty == 0 || t.Type == ty || !t.Constant {
		return t, nil
	}
	o, err := t.Eval(nil)
	if err == nil {
		o, err = o.Adapt(ty)
	}
	return ConstantTerm(o), err
}

func UnaryTerm(op string, a Term) (Term, error) {
	if err := checkUnary(op, a.Type); err != nil {
		return a, err
	}
	if a.Integer != nil && op == "!" {
		test := a.Test
		return testTerm(func(f *vm.Frame) bool { return !test(f) }), nil
	}
	if get := a.Integer; get != nil {
		switch t := a.Type; op {
		case "-":
			sub := integerOp("-", t)
			return IntegerTerm(a.Shape, func(f *vm.Frame) int64 { return sub(0, get(f)) }), nil
		case "~":
			return IntegerTerm(a.Shape, func(f *vm.Frame) int64 { return ^get(f) }), nil
		}
	}
	out := Term{Shape: a.Shape, Pure: a.Pure, Eval: func(f *vm.Frame) (Operand, error) {
		o, err := a.Eval(f)
		if err != nil {
			return o, err
		}
		return Unary(op, o)
	}}
	if op == "!" {
		out.Shape = Shape{Type: wasm.I32}
	}
	return out, nil
}

func ConvertTerm(to string, a Term) (Term, error) {
	t, isUnsigned := conversion(to)
	if a.Type != 0 && !IsInt(a.Type) && !IsFloat(a.Type) {
		_, err := Convert(to, Operand{Typed: Typed{Type: a.Type}})
		return a, err
	}
	if get := a.Integer; get != nil && IsInt(t) && !a.Lit {
		from := a.Type
		return IntegerTerm(Shape{Type: t}, func(f *vm.Frame) int64 {
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
	return Term{Shape: Shape{Type: t}, Pure: a.Pure, Eval: func(f *vm.Frame) (Operand, error) {
		o, err := a.Eval(f)
		if err != nil {
			return o, err
		}
		return Convert(to, o)
	}}, nil
}

func CondTerm(c, a, b Term) (Term, error) {
	t, err := unify("?:", a.Shape, b.Shape)
	if err != nil {
		return c, err
	}
	if a, err = a.as(t); err != nil {
		return a, err
	}
	if b, err = b.as(t); err != nil {
		return b, err
	}
	s := Shape{Type: t, Lit: a.Lit && b.Lit}
	if x, y := a.Integer, b.Integer; c.Test != nil && x != nil && y != nil && a.Type == b.Type {
		test := c.Test
		return IntegerTerm(s, func(f *vm.Frame) int64 {
			if test(f) {
				return x(f)
			}
			return y(f)
		}), nil
	}
	return Term{Shape: s, Pure: c.Pure && a.Pure && b.Pure, Eval: func(f *vm.Frame) (Operand, error) {
		o, err := c.Eval(f)
		if err != nil {
			return o, err
		}
		if Truth(o.Typed) {
			return a.Eval(f)
		}
		return b.Eval(f)
	}}, nil
}

// LogicalTerm compiles `&&`, or `||` if stop is true: what decides it.
func LogicalTerm(stop bool, a, b Term) Term {
	if x, y := a.Test, b.Test; x != nil && y != nil {
		if stop {
			return testTerm(func(f *vm.Frame) bool { return x(f) || y(f) })
		}
		return testTerm(func(f *vm.Frame) bool { return x(f) && y(f) })
	}
	return Term{Shape: Shape{Type: wasm.I32}, Pure: a.Pure && b.Pure, Eval: func(f *vm.Frame) (Operand, error) {
		o, err := a.Eval(f)
		if err == nil && Truth(o.Typed) != stop {
			o, err = b.Eval(f)
		}
		if err != nil {
			return o, err
		}
		return Operand{Typed: Bool(Truth(o.Typed))}, nil
	}}
}

func BinaryTerm(op string, a, b Term) (Term, error) {
	t, err := unify(op, a.Shape, b.Shape)
	if err == nil {
		err = checkTypes(op, t)
	}
	if err != nil {
		return a, err
	}
	lit := a.Lit && b.Lit
	if a, err = a.as(t); err != nil {
		return a, err
	}
	if b, err = b.as(t); err != nil {
		return b, err
	}
	s := Shape{Type: t, Lit: lit}
	if isComparison(op) {
		s = Shape{Type: wasm.I32}
	}
	if x, y := a.Integer, b.Integer; x != nil && y != nil && IsInt(t) {
		if isComparison(op) {
			return compareTerm(op, t, x, y), nil
		}
		if get := integerOp(op, t); get != nil {
			return IntegerTerm(s, func(f *vm.Frame) int64 { return get(x(f), y(f)) }), nil
		}
		if b.Constant {
			if n := y(nil); n != 0 && n != -1 { // then it cannot fail
				return IntegerTerm(s, func(f *vm.Frame) int64 {
					out, _ := divide(op, t, x(f), n)
					return out
				}), nil
			}
		}
	}
	return Term{Shape: s, Pure: a.Pure && b.Pure, Eval: func(f *vm.Frame) (Operand, error) {
		x, err := a.Eval(f)
		if err != nil {
			return x, err
		}
		y, err := b.Eval(f)
		if err != nil {
			return y, err
		}
		return Binary(op, x, y)
	}}, nil
}

// compareTerm compares integers. The common comparisons have no function between them and the loop.
func compareTerm(op string, t wasm.ValType, x, y func(f *vm.Frame) int64) Term {
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
