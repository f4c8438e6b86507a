package debugger

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"

	"stackscope/vm"
	"stackscope/wasm"
)

// ParseValue reads a number of a type as Format writes it and as the text format does (and binary
// and octal integers, as Formatted writes them), or `null`.
func ParseValue(t wasm.ValType, s string) (vm.Value, error) {
	if x := strings.ReplaceAll(strings.TrimSpace(s), "_", ""); x != "" {
		s = x
	}
	switch t.Kind() {
	case wasm.KindI32, wasm.KindI64:
		bits := 32
		if t == wasm.I64 {
			bits = 64
		}
		n, err := parseInt(s, bits)
		return vm.Value{Type: t, Lo: n}, err
	case wasm.KindF32:
		n, err := parseFloat(s, 32)
		return vm.Value{Type: t, Lo: n}, err
	case wasm.KindF64:
		n, err := parseFloat(s, 64)
		return vm.Value{Type: t, Lo: n}, err
	case wasm.KindRef:
		if s == "null" {
			if !t.Nullable() {
				return vm.Value{}, errors.New("it cannot be null")
			}
			return vm.NullValue(t), nil
		}
	}
	return vm.Value{}, fmt.Errorf("%q is no %s", s, t)
}

// parseInt reads a signed or unsigned integer of a width, as the text format does.
func parseInt(s string, bits int) (uint64, error) {
	neg := strings.HasPrefix(s, "-")
	d := strings.TrimLeft(s, "+-")
	base := 10
	if len(d) > 2 && d[0] == '0' {
		switch d[1] {
		case 'x', 'X':
			base, d = 16, d[2:]
		case 'b', 'B':
			base, d = 2, d[2:]
		case 'o', 'O':
			base, d = 8, d[2:]
		}
	}
	n, err := strconv.ParseUint(d, base, 64)
	mask := uint64(1)<<(bits-1)<<1 - 1
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && (n > mask || neg && n > 1<<(bits-1)):
		return 0, fmt.Errorf("%s does not fit into %d bits", s, bits)
	case err != nil:
		return 0, fmt.Errorf("%q is no integer", s)
	case neg:
		n = -n
	}
	return n & mask, nil
}

// parseFloat returns the bits of a float of a width: also infinities, and NaNs with a payload.
func parseFloat(s string, bits int) (uint64, error) {
	fraction, sign := 52, uint64(0)
	if bits == 32 {
		fraction = 23
	}
	d := strings.TrimPrefix(s, "+")
	if strings.HasPrefix(d, "-") {
		d, sign = d[1:], 1<<(bits-1)
	}
	special := uint64(1)<<(bits-1) - 1<<fraction // the exponent of what is no number
	switch payload, isNaN := strings.CutPrefix(d, "nan"); {
	case isNaN && payload == "":
		return sign | special | 1<<(fraction-1), nil
	case isNaN:
		n, err := strconv.ParseUint(strings.TrimPrefix(payload, ":0x"), 16, 64)
		if err != nil || !strings.HasPrefix(payload, ":0x") || n == 0 || n >= 1<<fraction {
			return 0, fmt.Errorf("%q is no NaN of %d bits: want nan or nan:0x1 … nan:0x%x", s, bits, uint64(1)<<fraction-1)
		}
		return sign | special | n, nil
	case d == "inf":
		return sign | special, nil
	case d == "" || d[0] != '.' && (d[0] < '0' || d[0] > '9'):
		return 0, fmt.Errorf("%q is no float", s)
	}
	if strings.HasPrefix(d, "0x") && !strings.ContainsAny(d, "pP") {
		d += "p0"
	}
	f, err := strconv.ParseFloat(d, bits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s does not fit into a float of %d bits", s, bits)
	case err != nil:
		return 0, fmt.Errorf("%q is no float", s)
	case bits == 32:
		return sign | uint64(math.Float32bits(float32(f))), nil
	}
	return sign | math.Float64bits(f), nil
}

// parseShown reads a reference or a vector as it is shown: `func $f`, `i31 5`, `i32x4 1 2 3 4`, or
// the text of the value that is there, which changes nothing. ok is false if the text is none of
// these.
func (ev *Evaluator) parseShown(f Frame, v Var, text string) (val vm.Value, ok bool, err error) {
	if v.HasValue && (text == ev.insp.Show(v, false) || text == ev.insp.Show(v, true)) {
		return v.Value, true, nil
	}
	if v.ValType == wasm.V128 && !strings.HasPrefix(text, "(") && isShape(text) && f.vf != nil {
		code := "(v128.const " + strings.NewReplacer("(", " ", ")", " ").Replace(text) + ")"
		vs, err := ev.runCode(f.vf, code)
		x, err := oneResult(code, vs, err)
		if err != nil {
			err = fmt.Errorf("%q is no v128", text)
		}
		return x.Value, true, err
	}
	if !v.ValType.IsRef() {
		return val, false, nil
	}
	if n, is := strings.CutPrefix(text, "i31 "); is || v.ValType.Heap() == wasm.HeapI31 {
		n, err := parseInt(strings.TrimSpace(n), 64)
		switch {
		case err != nil:
			return val, false, nil
		case int64(n) < -1<<30 || int64(n) >= 1<<31:
			return val, true, fmt.Errorf("%s does not fit into 31 bits", text)
		}
		return ev.fitting(v, text, vm.RefValue(vm.I31Ref(uint32(n))))
	}
	name, is := strings.CutPrefix(text, "func ")
	if (is || strings.HasPrefix(text, "$")) && f.instance() != nil && f.Module != nil {
		if fn := ev.callee(f, strings.TrimSpace(name)); fn != nil {
			return ev.fitting(v, text, vm.RefValue(vm.FuncRef(fn)))
		}
	}
	return val, false, nil
}

// fitting returns a value if a variable can hold it.
func (ev *Evaluator) fitting(v Var, text string, val vm.Value) (vm.Value, bool, error) {
	if !ev.refFits(Typed{Value: val, Type: val.Type}, v) {
		return val, true, fmt.Errorf("%s does not fit: %s is of type %s", text, v.Name, v.Type)
	}
	return val, true, nil
}

// isShape reports whether a text begins with the shape of a vector.
func isShape(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	switch word {
	case "i8x16", "i16x8", "i32x4", "i64x2", "f32x4", "f64x2":
		return true
	}
	return false
}

// quoted reads a text in quotes, also as an array is shown: `array of 3 "Hi!"`.
func quoted(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if i := strings.IndexByte(text, '"'); i > 0 && strings.HasPrefix(text, "array of ") {
		text = text[i:]
	}
	if !strings.HasPrefix(text, "\"") {
		return "", false
	}
	s, err := strconv.Unquote(text)
	return s, err == nil
}

// setArrayText sets the elements of an array of bytes or 16-bit units to a text of as many.
func setArrayText(a *vm.Array, s string) error {
	units := make([]uint16, 0, len(s))
	if a.Storage() == wasm.I16 {
		units = utf16.Encode([]rune(s))
	} else {
		for i := range len(s) {
			units = append(units, uint16(s[i]))
		}
	}
	if len(units) != a.Len() {
		return fmt.Errorf("the array has %d elements, the text %d", a.Len(), len(units))
	}
	for i, u := range units {
		a.SetElem(i, vm.I32(int32(u)))
	}
	return nil
}
