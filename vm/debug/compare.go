package debug

import (
	"errors"
	"strings"

	"stackscope/wasm"
)

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
