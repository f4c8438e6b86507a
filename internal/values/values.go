package values

import (
	"fmt"
	"strings"

	"stackscope/internal/entry"
	"stackscope/vm"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// HostNumber is the host's value of `(ref.extern 1)` and `(ref.host 1)` in scripts.
type HostNumber uint64

// Format returns a value as a constant of the text format, `(i64.const 499500)`.
func Format(v vm.Value) string {
	switch v.Type.Kind() {
	case wasm.KindI32:
		return fmt.Sprintf("(i32.const %d)", v.I32())
	case wasm.KindI64:
		return fmt.Sprintf("(i64.const %d)", v.I64())
	case wasm.KindF32:
		return "(f32.const " + text.Float32(uint32(v.Lo)) + ")"
	case wasm.KindF64:
		return "(f64.const " + text.Float64(v.Lo) + ")"
	case wasm.KindV128:
		return fmt.Sprintf("(v128.const i32x4 0x%08x 0x%08x 0x%08x 0x%08x)", uint32(v.Lo), v.Lo>>32, uint32(v.Hi),
			v.Hi>>32)
	}
	return formatRef(v)
}

func formatRef(v vm.Value) string {
	switch v.Ref.Kind() {
	case vm.RefNull:
		if h := v.Type.Heap(); h != wasm.HeapBad {
			return "(ref.null " + h.Format(func(i uint32) string { return fmt.Sprint(i) }) + ")"
		}
		return "(ref.null)"
	case vm.RefFunc:
		if name := v.Ref.Func().String(); strings.HasPrefix(name, "$") {
			return "(ref.func " + name + ")"
		}
		return "(ref.func)"
	case vm.RefStruct:
		return "(ref.struct)"
	case vm.RefArray:
		return "(ref.array)"
	case vm.RefI31:
		x, _ := v.Ref.I31()
		return fmt.Sprintf("(ref.i31 %d)", int32(x<<1)>>1)
	case vm.RefExn:
		return "(ref.exn)"
	case vm.RefHost:
		kind := "extern"
		if v.Type.Heap() == wasm.HeapAny {
			kind = "host"
		}
		if x, _ := v.Ref.Host(); x != nil {
			if n, ok := x.(HostNumber); ok {
				return fmt.Sprintf("(ref.%s %d)", kind, n)
			}
		}
		return "(ref." + kind + ")"
	}
	if h := v.Type.Heap(); h < 0 && h != wasm.HeapBad {
		return "(ref." + h.Format(nil) + ")"
	}
	return "(ref.cont)"
}

// Arg returns an argument of a program as a value of its parameter's type.
func Arg(a entry.Arg, t wasm.ValType) vm.Value {
	switch a.Kind {
	case entry.Null:
		return vm.NullValue(t)
	case entry.Extern:
		return vm.HostValue(HostNumber(a.Lo))
	}
	return vm.Value{Type: t, Lo: a.Lo, Hi: a.Hi}
}
