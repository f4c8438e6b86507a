package debugger

import (
	"stackscope/wasm"
)

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

func integer(v Typed) int64 {
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
	return float64(integer(v)), true
}
