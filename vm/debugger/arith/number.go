package arith

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

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
		n, err := ParseInt(s, bits)
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
	return vm.Value{}, fmt.Errorf("%q is not a value of type %s", s, t)
}

// ParseInt reads a signed or unsigned integer of a width, as the text format does.
func ParseInt(s string, bits int) (uint64, error) {
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
		return 0, fmt.Errorf("%q is not an integer", s)
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
			return 0, fmt.Errorf(
				"%q is not a %d-bit NaN: want nan or nan:0x1 … nan:0x%x", s, bits, uint64(1)<<fraction-1,
			)
		}
		return sign | special | n, nil
	case d == "inf":
		return sign | special, nil
	case d == "" || d[0] != '.' && (d[0] < '0' || d[0] > '9'):
		return 0, fmt.Errorf("%q is not a float", s)
	}
	if strings.HasPrefix(d, "0x") && !strings.ContainsAny(d, "pP") {
		d += "p0"
	}
	f, err := strconv.ParseFloat(d, bits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s does not fit into a float of %d bits", s, bits)
	case err != nil:
		return 0, fmt.Errorf("%q is not a float", s)
	case bits == 32:
		return sign | uint64(math.Float32bits(float32(f))), nil
	}
	return sign | math.Float64bits(f), nil
}

// FormatFloat writes a float as the text format does.
func FormatFloat(f float64, bits int, payload, canonical uint64, neg bool) string {
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
