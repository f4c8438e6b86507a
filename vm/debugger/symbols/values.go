package symbols

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"stackscope/vm"
	"stackscope/vm/debugger/arith"
	"stackscope/wasm"
)

// Format returns a value as the debugger shows it; hex asks for numbers in hexadecimal.
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
		return arith.FormatFloat(float64(v.F32()), 32, v.Lo&0x7fffff, 0x400000, v.Lo>>31 != 0)
	case wasm.KindF64:
		if hex {
			return fmt.Sprintf("0x%x", v.Lo)
		}
		return arith.FormatFloat(v.F64(), 64, v.Lo&(1<<52-1), 1<<51, v.Lo>>63 != 0)
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

func (y *Symbols) formatRef(r vm.Ref) string {
	switch r.Kind() {
	case vm.RefNull:
		return "null"
	case vm.RefFunc:
		return "func " + y.Function(r.Func()).Title
	case vm.RefI31:
		n, _ := r.I31()
		return "i31 " + strconv.Itoa(int(int32(n<<1)>>1))
	case vm.RefStruct:
		return "struct"
	case vm.RefArray:
		if s, ok := ArrayText(r.Array()); ok {
			return fmt.Sprintf("array of %d %q", r.Array().Len(), s)
		}
		return fmt.Sprintf("array of %d", r.Array().Len())
	case vm.RefExn:
		x := r.Exn()
		s := "exception " + TagName(x.Tag())
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
			return y.Stale(r)
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

// Declared finds a definition of a type: in the instance if that has one, else in another; nil if
// none has. Equal types may have several: the first with names for its fields counts, else the
// first.
func (y *Symbols) Declared(t wasm.Canon, in *vm.Instance) (*wasm.Module, uint32) {
	var anon *wasm.Module
	anonAt := uint32(0)
	of := func(in *vm.Instance) (*wasm.Module, uint32) {
		m := in.Module()
		for i := range m.Types {
			if in.Canon(uint32(i)) != t {
				continue
			}
			if len(m.Names.Fields[uint32(i)]) > 0 {
				return m, uint32(i)
			}
			if anon == nil {
				anon, anonAt = m, uint32(i)
			}
		}
		return nil, 0
	}
	if in != nil {
		if m, i := of(in); m != nil || anon != nil {
			if m == nil {
				m, i = anon, anonAt
			}
			return m, i
		}
	}
	if y.mach == nil {
		return anon, anonAt
	}
	for _, x := range y.mach.Instances() {
		if m, i := of(x); m != nil {
			return m, i
		}
	}
	return anon, anonAt
}

// FieldName names a field of a type that declared has found: `$x`, else its number.
func FieldName(m *wasm.Module, t uint32, i int) string {
	if m != nil {
		if n, ok := m.Names.Fields[t][uint32(i)]; ok {
			return "$" + n
		}
	}
	return fmt.Sprint(i)
}

// Bounds of what is shown of a structure or array in one line.
const (
	previewItems = 8
	previewBytes = 80
)

// Preview is Format that also shows the first fields of a structure or elements of an array. It
// must be called inside Do.
func (y *Symbols) Preview(v vm.Value, hex bool) string {
	var b strings.Builder
	var item func(i int) string
	size, end := 0, "}"
	switch r := v.Ref; r.Kind() {
	case vm.RefStruct:
		s := r.Struct()
		m, t := y.Declared(s.Type(), nil)
		b.WriteString("struct ")
		if m != nil && m.Names.Types[t] != "" {
			b.WriteString("$" + m.Names.Types[t] + " ")
		}
		b.WriteString("{")
		size, item = s.Len(), func(i int) string {
			return FieldName(m, t, i) + ": " + y.Format(s.Field(i), hex)
		}
	case vm.RefArray:
		a := r.Array()
		b.WriteString(y.Format(v, hex))
		if _, ok := ArrayText(a); ok || a.Len() == 0 {
			return b.String()
		}
		b.WriteString(" [")
		size, item, end = a.Len(), func(i int) string { return y.Format(a.Elem(i), hex) }, "]"
	default:
		return y.Format(v, hex)
	}
	for i := range size {
		text := ""
		if i < previewItems {
			text = item(i)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if text == "" || b.Len()+len(text) > previewBytes && i > 0 {
			b.WriteString("…")
			break
		}
		b.WriteString(text)
	}
	return b.String() + end
}

// ArrayText returns the text of an array of bytes or of 16-bit units that are text.
func ArrayText(a *vm.Array) (string, bool) {
	t := a.Storage()
	if t != wasm.I8 && t != wasm.I16 || a.Len() == 0 || a.Len() > MaxText {
		return "", false
	}
	if t == wasm.I8 {
		b := make([]byte, a.Len())
		for i := range b {
			b[i] = byte(a.Elem(i).Lo)
		}
		return string(b), TextLen(b) == len(b)
	}
	s := make([]uint16, a.Len())
	for i := range s {
		s[i] = uint16(a.Elem(i).Lo)
	}
	out := string(utf16.Decode(s))
	return out, TextLen([]byte(out)) == len(out)
}

// TextLen returns how many bytes at the start of b are text.
func TextLen(b []byte) int {
	n := 0
	for n < len(b) && n < MaxText {
		if c := b[n]; c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				break
			}
			n++
			continue
		}
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError {
			break
		}
		n += size
	}
	return n
}

// MaxText is how many bytes of a run of text are shown.
const MaxText = 4096
