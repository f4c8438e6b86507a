// Package values reads and writes WebAssembly values as people type and read them: arguments on a
// command line, constants of the text format.
package values

import (
	"fmt"
	"strings"

	"stackscope/analysis/syntax"
	"stackscope/vm"
	"stackscope/wasm"
	"stackscope/wasm/text"
)

// HostNumber is the host's value behind `(ref.extern 1)` and `(ref.host 1)` of scripts.
type HostNumber uint64

// Format gives a value as a constant of the text format, `(i64.const 499500)`.
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
		return fmt.Sprintf("(v128.const i32x4 0x%08x 0x%08x 0x%08x 0x%08x)", uint32(v.Lo), v.Lo>>32, uint32(v.Hi), v.Hi>>32)
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

// ParseArg reads an argument of a command line for a parameter of the type: `42`, `i64:42`,
// `f32:nan`, `0x10`, `ref.null`, `ref.extern:7`, and constants as Format writes them for numbers. A type that is
// written must be the parameter's.
func ParseArg(arg string, t wasm.ValType) (vm.Value, error) {
	lit := strings.TrimSpace(arg)
	want := t.String()
	if s, ok := strings.CutPrefix(lit, "("); ok && strings.HasSuffix(s, ")") {
		s = strings.TrimSuffix(s, ")")
		if name, x, ok := strings.Cut(s, " "); ok && strings.HasSuffix(name, ".const") {
			lit = strings.TrimSuffix(name, ".const") + ":" + strings.TrimSpace(x)
		} else {
			lit = s
		}
	}
	if strings.HasPrefix(lit, "ref.") {
		return parseRef(arg, lit, t)
	}
	if name, x, ok := strings.Cut(lit, ":"); ok && !strings.HasSuffix(name, "nan") {
		if name != want {
			return vm.Value{}, fmt.Errorf("argument `%s` is of type %s, but the parameter is of type %s", arg, name, want)
		}
		lit = x
	}
	v, err := Number(t, lit)
	if err != nil {
		return v, fmt.Errorf("argument `%s` is no %s: %v", arg, want, err)
	}
	return v, nil
}

func parseRef(arg, lit string, t wasm.ValType) (vm.Value, error) {
	switch {
	case !t.IsRef():
		return vm.Value{}, fmt.Errorf("argument `%s` is a reference, but the parameter is of type %s", arg, t)
	case lit == "ref.null" || strings.HasPrefix(lit, "ref.null "):
		if !t.Nullable() {
			return vm.Value{}, fmt.Errorf("argument `%s` is null, but the parameter's type %s is not nullable", arg, t)
		}
		return vm.NullValue(t), nil
	case strings.HasPrefix(lit, "ref.extern:"), strings.HasPrefix(lit, "ref.extern "):
		n, err := syntax.ParseNat(lit[len("ref.extern:"):], 32)
		if err == nil && t.Heap() == wasm.HeapExtern {
			return vm.HostValue(HostNumber(n)), nil
		}
	}
	return vm.Value{}, fmt.Errorf("argument `%s` cannot be passed as %s: only ref.null and, for externref, ref.extern:N can be given", arg, t)
}

// Number reads a number of the text format as a value of the numeric type.
func Number(t wasm.ValType, lit string) (vm.Value, error) {
	v := vm.Value{Type: t}
	var err error
	switch t {
	case wasm.I32:
		v.Lo, err = syntax.ParseInt(lit, 32)
	case wasm.I64:
		v.Lo, err = syntax.ParseInt(lit, 64)
	case wasm.F32:
		var x uint32
		x, err = syntax.ParseFloat32(lit)
		v.Lo = uint64(x)
	case wasm.F64:
		v.Lo, err = syntax.ParseFloat64(lit)
	case wasm.V128:
		f := strings.Fields(lit)
		if len(f) == 0 {
			return v, fmt.Errorf("want a shape and its lanes, as in `i32x4 1 2 3 4`")
		}
		v.Lo, v.Hi, err = Lanes(f[0], f[1:])
	default:
		err = fmt.Errorf("want ref.null")
	}
	return v, err
}

// Shape gives the number of lanes of a shape such as `i8x16`, and their bits; 0, 0 if there is none.
func Shape(name string) (lanes, bits int, float bool) {
	switch name {
	case "i8x16":
		return 16, 8, false
	case "i16x8":
		return 8, 16, false
	case "i32x4":
		return 4, 32, false
	case "i64x2":
		return 2, 64, false
	case "f32x4":
		return 4, 32, true
	case "f64x2":
		return 2, 64, true
	}
	return 0, 0, false
}

// Lanes gives the halves of a vector from its shape and lanes.
func Lanes(shape string, lits []string) (lo, hi uint64, err error) {
	lanes, bits, float := Shape(shape)
	if lanes == 0 {
		return 0, 0, fmt.Errorf("unknown shape `%s`", shape)
	}
	if len(lits) != lanes {
		return 0, 0, fmt.Errorf("%s has %d lanes, not %d", shape, lanes, len(lits))
	}
	half := [2]uint64{}
	for i, s := range lits {
		var x uint64
		switch {
		case float && bits == 32:
			var y uint32
			y, err = syntax.ParseFloat32(s)
			x = uint64(y)
		case float:
			x, err = syntax.ParseFloat64(s)
		default:
			x, err = syntax.ParseInt(s, bits)
		}
		if err != nil {
			return 0, 0, err
		}
		at := i * bits
		half[at/64] |= x << (at % 64)
	}
	return half[0], half[1], nil
}
