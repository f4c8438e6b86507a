package debugger

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/expr"
	"stackscope/wasm"
)

// What the infix operators do to values. Both sides of an operator have one type; nothing is
// converted, but what has no fixed type adapts: numbers that were typed, and numbers in a memory,
// as an instruction loads them as either width.

// shape is the type of an operand as far as it is fixed.
type shape struct {
	t    wasm.ValType // 0: not known before it is evaluated
	lit  bool         // it is made of typed numbers only
	view bool         // it is a number of at most 32 bits in a memory
}

// operand is a value with what its type adapts to.
type operand struct {
	Typed
	lit, view bool
}

func (o operand) shape() shape { return shape{o.Type, o.lit, o.view} }

func isInt(t wasm.ValType) bool   { return t == wasm.I32 || t == wasm.I64 }
func isFloat(t wasm.ValType) bool { return t == wasm.F32 || t == wasm.F64 }

// describe names the type of an operand in an error.
func (s shape) describe() string {
	switch {
	case s.lit && isFloat(s.t):
		return "a float"
	case s.lit && isInt(s.t):
		return "an integer"
	case s.t.IsRef():
		return "a reference"
	}
	return s.t.String()
}

// unify returns the type that both sides of an operator have; 0 if one is not known yet.
func unify(op string, a, b shape) (wasm.ValType, error) {
	switch {
	case a.t == 0 || b.t == 0:
		return 0, nil
	case a.t.IsRef() && b.t.IsRef():
		return a.t, nil
	case a.t == b.t:
		return a.t, nil
	case a.lit && b.lit && !a.t.IsRef() && !b.t.IsRef():
		return wasm.F64, nil
	case a.lit && isInt(a.t) && (isInt(b.t) || isFloat(b.t)), a.lit && isFloat(a.t) && isFloat(b.t):
		return b.t, nil
	case b.lit && isInt(b.t) && (isInt(a.t) || isFloat(a.t)), b.lit && isFloat(b.t) && isFloat(a.t):
		return a.t, nil
	case isComparison(op) && (a.lit && isFloat(a.t) && isInt(b.t) || b.lit && isFloat(b.t) && isInt(a.t)):
		return wasm.F64, nil
	case a.view && b.view:
		return wasm.I64, nil
	case a.view && isInt(b.t):
		return b.t, nil
	case b.view && isInt(a.t):
		return a.t, nil
	}
	err := fmt.Sprintf("%s needs two operands of one type, not %s and %s", op, a.describe(), b.describe())
	switch {
	case isInt(a.t) && isInt(b.t) && !a.lit && !b.lit:
		err += ": convert one, as i64(…) does for a signed and i64u(…) for an unsigned i32"
	case (isInt(a.t) || isFloat(a.t)) && (isInt(b.t) || isFloat(b.t)):
		err += ": convert one, as f64(…) does"
	}
	return 0, errors.New(err)
}

// adapt returns an operand a type that unify has returned.
func (o operand) adapt(t wasm.ValType) (operand, error) {
	if o.Type == t || t.IsRef() {
		return o, nil
	}
	n := integer(o.Typed)
	out := operand{lit: o.lit, view: o.view}
	switch {
	case isFloat(o.Type):
		f, _ := number(o.Typed)
		out.Typed = floatValue(t, f)
	case t == wasm.I32:
		if o.lit && (n < math.MinInt32 || n > math.MaxUint32) {
			return out, fmt.Errorf("%d does not fit into an i32", n)
		}
		out.Typed = intValue(t, n)
	case t == wasm.I64:
		out.Typed = intValue(t, n)
	default:
		out.Typed = floatValue(t, float64(n))
	}
	return out, nil
}

func intValue(t wasm.ValType, n int64) Typed {
	if t == wasm.I32 {
		return Typed{Value: vm.I32(int32(n)), Type: t}
	}
	return Typed{Value: vm.I64(n), Type: t}
}

func floatValue(t wasm.ValType, f float64) Typed {
	if t == wasm.F32 {
		return Typed{Value: vm.F32(float32(f)), Type: t}
	}
	return Typed{Value: vm.F64(f), Type: t}
}

func boolean(b bool) Typed { return intValue(wasm.I32, int64(bit(b))) }

// isComparison reports whether an operator compares.
func isComparison(op string) bool {
	return op != "?:" && strings.ContainsAny(op[:1], "=!<>") && op != "<<" && op != ">>" && op != ">>u"
}

// checkTypes reports an error if an operator does not take operands of a type.
func checkTypes(op string, t wasm.ValType) error {
	comparison := isComparison(op)
	switch {
	case t == 0 || isInt(t):
		return nil
	case t.IsRef() && comparison && op != "==" && op != "!=":
		return errors.New("references can only be compared with == and !=")
	case t.IsRef() && comparison,
		isFloat(t) && (comparison && !strings.HasSuffix(op, "u") || op == "+" || op == "-" || op == "*" || op == "/"):
		return nil
	}
	return fmt.Errorf("%s does not take %s", op, shape{t: t}.describe())
}

var (
	errDivide   = errors.New("integer divide by zero")
	errOverflow = errors.New("integer overflow")
)

// binary applies an operator other than `&&` and `||`.
func binaryOp(op string, a, b operand) (operand, error) {
	t, err := unify(op, a.shape(), b.shape())
	if err == nil {
		err = checkTypes(op, t)
	}
	if err != nil {
		return operand{}, err
	}
	if t.IsRef() {
		return operand{Typed: boolean((a.Value.Ref == b.Value.Ref) == (op == "=="))}, nil
	}
	lit := a.lit && b.lit
	if a, err = a.adapt(t); err != nil {
		return a, err
	}
	if b, err = b.adapt(t); err != nil {
		return b, err
	}
	if isFloat(t) {
		x, _ := number(a.Typed)
		y, _ := number(b.Typed)
		if isComparison(op) {
			return operand{Typed: boolean(compareFloats(op, x, y))}, nil
		}
		return operand{Typed: floatValue(t, arithmetic(op, x, y)), lit: lit}, nil
	}
	x, y := integer(a.Typed), integer(b.Typed)
	if isComparison(op) {
		return operand{Typed: boolean(compareInts(op, t)(x, y))}, nil
	}
	if f := integerOp(op, t); f != nil {
		return operand{Typed: intValue(t, f(x, y)), lit: lit}, nil
	}
	n, err := divide(op, t, x, y)
	return operand{Typed: intValue(t, n), lit: lit}, err
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

// unaryOp applies a prefix operator.
func unaryOp(op string, a operand) (operand, error) {
	if op == "!" {
		return operand{Typed: boolean(!truth(a.Typed))}, nil
	}
	if err := checkUnary(op, a.Type); err != nil {
		return a, err
	}
	switch {
	case op == "+":
	case isFloat(a.Type):
		f, _ := number(a.Typed)
		a.Typed = floatValue(a.Type, math.Copysign(f, -math.Copysign(1, f)))
	case op == "-":
		a.Typed = intValue(a.Type, -integer(a.Typed))
	default:
		a.Typed = intValue(a.Type, ^integer(a.Typed))
	}
	a.view = false
	return a, nil
}

// checkUnary reports an error if a prefix operator does not take an operand of a type.
func checkUnary(op string, t wasm.ValType) error {
	if op == "!" || t == 0 || isInt(t) || isFloat(t) && op != "~" {
		return nil
	}
	return fmt.Errorf("%s does not take %s", op, shape{t: t}.describe())
}

// convertOp applies a conversion.
func convertOp(to string, a operand) (operand, error) {
	t, isUnsigned := conversion(to)
	switch {
	case !isInt(a.Type) && !isFloat(a.Type):
		return a, fmt.Errorf("%s(…) does not take %s", to, a.shape().describe())
	case isFloat(a.Type) && isFloat(t):
		f, _ := number(a.Typed)
		return operand{Typed: floatValue(t, f)}, nil
	case isFloat(a.Type):
		f, _ := number(a.Typed)
		n, ok := truncate(math.Trunc(f), t, isUnsigned)
		if !ok {
			return a, fmt.Errorf("%v does not fit into an %s", f, t)
		}
		return operand{Typed: intValue(t, n)}, nil
	}
	n := integer(a.Typed)
	if isUnsigned && !a.lit && !a.view {
		n = int64(unsigned(a.Type, n))
	}
	switch {
	case isInt(t):
		return operand{Typed: intValue(t, n)}, nil
	case isUnsigned && n < 0:
		return operand{Typed: floatValue(t, float64(uint64(n)))}, nil
	}
	return operand{Typed: floatValue(t, float64(n))}, nil
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

// number returns what an Int or Float says.
func numeral(x *expr.Expr) (operand, error) {
	if x.Kind == expr.Null {
		return operand{Typed: Typed{Value: vm.NullValue(wasm.AnyRef), Type: wasm.AnyRef}}, nil
	}
	if x.Kind == expr.Float && (x.Text == "inf" || x.Text == "nan") {
		n, err := parseFloat(x.Text, 64)
		return operand{Typed: Typed{Value: vm.Value{Type: wasm.F64, Lo: n}, Type: wasm.F64}, lit: true}, err
	}
	v, ok := literal(x.Text)
	if !ok {
		return operand{}, fmt.Errorf("%s is no number", expr.Brief(x.Text))
	}
	return operand{Typed: v, lit: true}, nil
}
