package arith

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/expr"
	"stackscope/wasm"
)

// Typed is a value with its type in the terms of a module.
type Typed struct {
	Value vm.Value
	Type  wasm.ValType
	In    *vm.Instance // whose type indices Type has; nil if it has none
	Canon wasm.ValType // the type with canonical ids, if that is known
}

// Shape is the type of an operand as far as it is fixed.
type Shape struct {
	Type wasm.ValType // 0: not known before it is evaluated
	Lit  bool         // it is made of typed numbers only
	View bool         // it is a number of at most 32 bits in a memory
}

// Operand is a value with what its type adapts to.
type Operand struct {
	Typed
	Lit, View bool
}

func (o Operand) Shape() Shape { return Shape{o.Type, o.Lit, o.View} }

func IsInt(t wasm.ValType) bool { return t == wasm.I32 || t == wasm.I64 }

func IsFloat(t wasm.ValType) bool { return t == wasm.F32 || t == wasm.F64 }

// describe names the type of an operand in an error.
func (s Shape) describe() string {
	switch {
	case s.Lit && IsFloat(s.Type):
		return "a float"
	case s.Lit && IsInt(s.Type):
		return "an integer"
	case s.Type.IsRef():
		return "a reference"
	}
	return s.Type.String()
}

// unify returns the type that both sides of an operator have; 0 if one is not known yet.
func unify(op string, a, b Shape) (wasm.ValType, error) {
	switch {
	case a.Type == 0 || b.Type == 0:
		return 0, nil
	case a.Type.IsRef() && b.Type.IsRef():
		return a.Type, nil
	case a.Type == b.Type:
		return a.Type, nil
	case a.Lit && b.Lit && !a.Type.IsRef() && !b.Type.IsRef():
		return wasm.F64, nil
	case a.Lit && IsInt(a.Type) && (IsInt(b.Type) || IsFloat(b.Type)), a.Lit && IsFloat(a.Type) && IsFloat(b.Type):
		return b.Type, nil
	case b.Lit && IsInt(b.Type) && (IsInt(a.Type) || IsFloat(a.Type)), b.Lit && IsFloat(b.Type) && IsFloat(a.Type):
		return a.Type, nil
	case isComparison(op) && (a.Lit && IsFloat(a.Type) && IsInt(b.Type) || b.Lit && IsFloat(b.Type) && IsInt(a.Type)):
		return wasm.F64, nil
	case a.View && b.View:
		return wasm.I64, nil
	case a.View && IsInt(b.Type):
		return b.Type, nil
	case b.View && IsInt(a.Type):
		return a.Type, nil
	}
	err := fmt.Sprintf("%s needs two operands of one type, not %s and %s", op, a.describe(), b.describe())
	switch {
	case IsInt(a.Type) && IsInt(b.Type) && !a.Lit && !b.Lit:
		err += ": convert one with i64(…) (signed) or i64u(…) (unsigned)"
	case (IsInt(a.Type) || IsFloat(a.Type)) && (IsInt(b.Type) || IsFloat(b.Type)):
		err += ": convert one, for example with f64(…)"
	}
	return 0, errors.New(err)
}

// Adapt returns an operand a type that unify has returned.
func (o Operand) Adapt(t wasm.ValType) (Operand, error) {
	if o.Type == t || t.IsRef() {
		return o, nil
	}
	n := Integer(o.Typed)
	out := Operand{Lit: o.Lit, View: o.View}
	switch {
	case IsFloat(o.Type):
		f, _ := number(o.Typed)
		out.Typed = floatValue(t, f)
	case t == wasm.I32:
		if o.Lit && (n < math.MinInt32 || n > math.MaxUint32) {
			return out, fmt.Errorf("%d does not fit into an i32", n)
		}
		out.Typed = IntValue(t, n)
	case t == wasm.I64:
		out.Typed = IntValue(t, n)
	default:
		out.Typed = floatValue(t, float64(n))
	}
	return out, nil
}

func IntValue(t wasm.ValType, n int64) Typed {
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

func Bool(b bool) Typed { return IntValue(wasm.I32, int64(bit(b))) }

func Truth(v Typed) bool {
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

func Integer(v Typed) int64 {
	if v.Type == wasm.I32 {
		return int64(v.Value.I32())
	}
	return v.Value.I64()
}

// number returns a value as a float, and whether it is an integer.
func number(v Typed) (float64, bool) {
	switch v.Type {
	case wasm.F32:
		return float64(v.Value.F32()), false
	case wasm.F64:
		return v.Value.F64(), false
	}
	return float64(Integer(v)), true
}

// Numeral returns the value of an Int or Float literal.
func Numeral(x *expr.Expr) (Operand, error) {
	if x.Kind == expr.Null {
		return Operand{Typed: Typed{Value: vm.NullValue(wasm.AnyRef), Type: wasm.AnyRef}}, nil
	}
	if x.Kind == expr.Float && (x.Text == "inf" || x.Text == "nan") {
		n, err := parseFloat(x.Text, 64)
		return Operand{Typed: Typed{Value: vm.Value{Type: wasm.F64, Lo: n}, Type: wasm.F64}, Lit: true}, err
	}
	v, ok := Literal(x.Text)
	if !ok {
		return Operand{}, fmt.Errorf("%s is not a number", expr.Brief(x.Text))
	}
	return Operand{Typed: v, Lit: true}, nil
}

// Literal reads a number: an integer as i64, else an f64.
func Literal(s string) (Typed, bool) {
	t := strings.ReplaceAll(s, "_", "")
	if t == "" {
		return Typed{}, false
	}
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
