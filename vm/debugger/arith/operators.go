package arith

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"stackscope/wasm"
)

// isComparison reports whether an operator compares.
func isComparison(op string) bool {
	return op != "?:" && strings.ContainsAny(op[:1], "=!<>") && op != "<<" && op != ">>" && op != ">>u"
}

// checkTypes reports an error if an operator does not take operands of a type.
func checkTypes(op string, t wasm.ValType) error {
	comparison := isComparison(op)
	switch {
	case t == 0 || IsInt(t):
		return nil
	case t.IsRef() && comparison && op != "==" && op != "!=":
		return errors.New("references can only be compared with == and !=")
	case t.IsRef() && comparison,
		IsFloat(t) && (comparison && !strings.HasSuffix(op, "u") || op == "+" || op == "-" || op == "*" || op == "/"):
		return nil
	}
	return fmt.Errorf("%s does not take %s", op, Shape{Type: t}.describe())
}

var (
	errDivide   = errors.New("integer divide by zero")
	errOverflow = errors.New("integer overflow")
)

// Binary applies an operator other than `&&` and `||`.
func Binary(op string, a, b Operand) (Operand, error) {
	t, err := unify(op, a.Shape(), b.Shape())
	if err == nil {
		err = checkTypes(op, t)
	}
	if err != nil {
		return Operand{}, err
	}
	if t.IsRef() {
		return Operand{Typed: Bool((a.Value.Ref == b.Value.Ref) == (op == "=="))}, nil
	}
	lit := a.Lit && b.Lit
	if a, err = a.Adapt(t); err != nil {
		return a, err
	}
	if b, err = b.Adapt(t); err != nil {
		return b, err
	}
	if IsFloat(t) {
		x, _ := number(a.Typed)
		y, _ := number(b.Typed)
		if isComparison(op) {
			return Operand{Typed: Bool(compareFloats(op, x, y))}, nil
		}
		return Operand{Typed: floatValue(t, arithmetic(op, x, y)), Lit: lit}, nil
	}
	x, y := Integer(a.Typed), Integer(b.Typed)
	if isComparison(op) {
		return Operand{Typed: Bool(compareInts(op, t)(x, y))}, nil
	}
	if f := integerOp(op, t); f != nil {
		return Operand{Typed: IntValue(t, f(x, y)), Lit: lit}, nil
	}
	n, err := divide(op, t, x, y)
	return Operand{Typed: IntValue(t, n), Lit: lit}, err
}

func compareFloats(op string, x, y float64) bool {
	switch op {
	case "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	}
	return x >= y
}

func arithmetic(op string, x, y float64) float64 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	}
	return x / y
}

// unsigned returns an integer of a type, kept sign-extended, as unsigned.
func unsigned(t wasm.ValType, x int64) uint64 {
	if t == wasm.I32 {
		return uint64(uint32(x))
	}
	return uint64(x)
}

// compareInts returns a comparison of integers, which are kept sign-extended: then a comparison of
// 32 bits is one of 64, unsigned ones too.
func compareInts(op string, _ wasm.ValType) func(x, y int64) bool {
	switch op {
	case "==":
		return func(x, y int64) bool { return x == y }
	case "!=":
		return func(x, y int64) bool { return x != y }
	case "<":
		return func(x, y int64) bool { return x < y }
	case "<=":
		return func(x, y int64) bool { return x <= y }
	case ">":
		return func(x, y int64) bool { return x > y }
	case ">=":
		return func(x, y int64) bool { return x >= y }
	case "<u":
		return func(x, y int64) bool { return uint64(x) < uint64(y) }
	case "<=u":
		return func(x, y int64) bool { return uint64(x) <= uint64(y) }
	case ">u":
		return func(x, y int64) bool { return uint64(x) > uint64(y) }
	}
	return func(x, y int64) bool { return uint64(x) >= uint64(y) }
}

// integerOp returns an operator on sign-extended integers of a type that cannot fail; nil if it
// can.
func integerOp(op string, t wasm.ValType) func(x, y int64) int64 {
	var f func(x, y int64) int64
	mask := int64(63)
	if t == wasm.I32 {
		mask = 31
	}
	switch op {
	case "+":
		f = func(x, y int64) int64 { return x + y }
	case "-":
		f = func(x, y int64) int64 { return x - y }
	case "*":
		f = func(x, y int64) int64 { return x * y }
	case "&":
		return func(x, y int64) int64 { return x & y }
	case "|":
		return func(x, y int64) int64 { return x | y }
	case "^":
		return func(x, y int64) int64 { return x ^ y }
	case "<<":
		f = func(x, y int64) int64 { return x << (y & mask) }
	case ">>":
		return func(x, y int64) int64 { return x >> (y & mask) }
	case ">>u":
		f = func(x, y int64) int64 { return int64(unsigned(t, x) >> (y & mask)) }
	default:
		return nil
	}
	if t == wasm.I32 {
		return func(x, y int64) int64 { return int64(int32(f(x, y))) }
	}
	return f
}

// divide applies a division or remainder.
func divide(op string, t wasm.ValType, x, y int64) (int64, error) {
	least := int64(math.MinInt64)
	if t == wasm.I32 {
		least = math.MinInt32
	}
	var n int64
	switch {
	case y == 0:
		return 0, errDivide
	case op == "/u":
		n = int64(unsigned(t, x) / unsigned(t, y))
	case op == "%u":
		n = int64(unsigned(t, x) % unsigned(t, y))
	case op == "%" && y == -1:
	case op == "%":
		n = x % y
	case x == least && y == -1:
		return 0, errOverflow
	default:
		n = x / y
	}
	if t == wasm.I32 {
		n = int64(int32(n))
	}
	return n, nil
}

// Unary applies a prefix operator.
func Unary(op string, a Operand) (Operand, error) {
	if op == "!" {
		return Operand{Typed: Bool(!Truth(a.Typed))}, nil
	}
	if err := checkUnary(op, a.Type); err != nil {
		return a, err
	}
	switch {
	case op == "+":
	case IsFloat(a.Type):
		f, _ := number(a.Typed)
		a.Typed = floatValue(a.Type, math.Copysign(f, -math.Copysign(1, f)))
	case op == "-":
		a.Typed = IntValue(a.Type, -Integer(a.Typed))
	default:
		a.Typed = IntValue(a.Type, ^Integer(a.Typed))
	}
	a.View = false
	return a, nil
}

// checkUnary reports an error if a prefix operator does not take an operand of a type.
func checkUnary(op string, t wasm.ValType) error {
	if op == "!" || t == 0 || IsInt(t) || IsFloat(t) && op != "~" {
		return nil
	}
	return fmt.Errorf("%s does not take %s", op, Shape{Type: t}.describe())
}

// Convert applies a conversion.
func Convert(to string, a Operand) (Operand, error) {
	t, isUnsigned := conversion(to)
	switch {
	case !IsInt(a.Type) && !IsFloat(a.Type):
		return a, fmt.Errorf("%s(…) does not take %s", to, a.Shape().describe())
	case IsFloat(a.Type) && IsFloat(t):
		f, _ := number(a.Typed)
		return Operand{Typed: floatValue(t, f)}, nil
	case IsFloat(a.Type):
		f, _ := number(a.Typed)
		n, ok := truncate(math.Trunc(f), t, isUnsigned)
		if !ok {
			return a, fmt.Errorf("%v does not fit into an %s", f, t)
		}
		return Operand{Typed: IntValue(t, n)}, nil
	}
	n := Integer(a.Typed)
	if isUnsigned && !a.Lit && !a.View {
		n = int64(unsigned(a.Type, n))
	}
	switch {
	case IsInt(t):
		return Operand{Typed: IntValue(t, n)}, nil
	case isUnsigned && n < 0:
		return Operand{Typed: floatValue(t, float64(uint64(n)))}, nil
	}
	return Operand{Typed: floatValue(t, float64(n))}, nil
}

// conversion returns the type that a conversion makes, and whether it is unsigned.
func conversion(to string) (wasm.ValType, bool) {
	name, isUnsigned := strings.CutSuffix(to, "u")
	return map[string]wasm.ValType{"i32": wasm.I32, "i64": wasm.I64, "f32": wasm.F32, "f64": wasm.F64}[name], isUnsigned
}

// truncate returns an integral float as an integer.
func truncate(f float64, t wasm.ValType, isUnsigned bool) (int64, bool) {
	switch {
	case f != f:
		return 0, false
	case t == wasm.I32 && isUnsigned:
		return int64(f), f >= 0 && f <= math.MaxUint32
	case t == wasm.I32:
		return int64(f), f >= math.MinInt32 && f <= math.MaxInt32
	case isUnsigned && f >= 1<<63:
		return int64(uint64(f)), f < 1<<64
	case isUnsigned:
		return int64(f), f >= 0
	}
	return int64(f), f >= -1<<63 && f < 1<<63
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
