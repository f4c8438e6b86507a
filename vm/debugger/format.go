package debugger

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"stackscope/vm"
	"stackscope/wasm"
)

// Format returns a value as people read it; hex asks for numbers in hexadecimal.
func (y *Symbols) Format(v vm.Value, hex bool) string {
	switch v.Type.Kind() {
	case wasm.KindI32:
		if hex {
			return fmt.Sprintf("0x%x", uint32(v.Lo))
		}
		return strconv.Itoa(int(v.I32()))
	case wasm.KindI64:
		if hex {
			return fmt.Sprintf("0x%x", v.Lo)
		}
		return strconv.FormatInt(v.I64(), 10)
	case wasm.KindF32:
		if hex {
			return fmt.Sprintf("0x%x", uint32(v.Lo))
		}
		return float(float64(v.F32()), 32, v.Lo&0x7fffff, 0x400000, v.Lo>>31 != 0)
	case wasm.KindF64:
		if hex {
			return fmt.Sprintf("0x%x", v.Lo)
		}
		return float(v.F64(), 64, v.Lo&(1<<52-1), 1<<51, v.Lo>>63 != 0)
	case wasm.KindV128:
		var b [16]byte
		binary.LittleEndian.PutUint64(b[:], v.Lo)
		binary.LittleEndian.PutUint64(b[8:], v.Hi)
		s := "i32x4"
		for i := 0; i < 16; i += 4 {
			s += fmt.Sprintf(" 0x%08x", binary.LittleEndian.Uint32(b[i:]))
		}
		return s
	}
	return y.formatRef(v.Ref)
}

// float writes a float as the text format does.
func float(f float64, bits int, payload, canonical uint64, neg bool) string {
	sign := ""
	if neg {
		sign = "-"
	}
	switch {
	case math.IsNaN(f) && payload == canonical:
		return sign + "nan"
	case math.IsNaN(f):
		return fmt.Sprintf("%snan:0x%x", sign, payload)
	case math.IsInf(f, 0):
		return sign + "inf"
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

func (y *Symbols) formatRef(r vm.Ref) string {
	switch r.Kind() {
	case vm.RefNull:
		return "null"
	case vm.RefFunc:
		return "func " + y.info(r.Func()).title
	case vm.RefI31:
		n, _ := r.I31()
		return "i31 " + strconv.Itoa(int(int32(n<<1)>>1))
	case vm.RefStruct:
		return "struct"
	case vm.RefArray:
		if s, ok := arrayText(r.Array()); ok {
			return fmt.Sprintf("array of %d %q", r.Array().Len(), s)
		}
		return fmt.Sprintf("array of %d", r.Array().Len())
	case vm.RefExn:
		x := r.Exn()
		s := "exception " + tagName(x.Tag())
		for _, v := range x.Values() {
			s += " " + y.Format(v, false)
		}
		return s
	case vm.RefHost:
		h, _ := r.Host()
		return fmt.Sprintf("host %v", h)
	case vm.RefStack:
		st, _, stale := r.Stack()
		if stale {
			return "consumed continuation"
		}
		s := y.Stack(st)
		return s.Title()
	}
	return "reference"
}

// Constant returns a value as a constant of the text format: `(i64.const 499500)`, `(ref.null)`.
func (y *Symbols) Constant(v vm.Value) string {
	switch v.Type.Kind() {
	case wasm.KindI32, wasm.KindI64, wasm.KindF32, wasm.KindF64:
		return "(" + v.Type.String() + ".const " + y.Format(v, false) + ")"
	case wasm.KindV128:
		return "(v128.const " + y.Format(v, false) + ")"
	}
	switch v.Ref.Kind() {
	case vm.RefNull:
		return "(ref.null)"
	case vm.RefFunc:
		return "(ref.func)"
	case vm.RefI31:
		return "(ref.i31)"
	case vm.RefStruct:
		return "(ref.struct)"
	case vm.RefArray:
		return "(ref.array)"
	case vm.RefExn:
		return "(ref.exn)"
	case vm.RefHost:
		h, _ := v.Ref.Host()
		return fmt.Sprintf("(ref.extern %v)", h)
	}
	st, _, _ := v.Ref.Stack()
	word := "cont"
	if st != nil {
		word = st.Dialect().Info().Word
	}
	return "(ref." + word + ")"
}

// TypeText returns a type with the names of a module; m may be nil.
func TypeText(t wasm.ValType, m *wasm.Module) string {
	if m == nil {
		return t.String()
	}
	return t.Format(m.Names.Type)
}
