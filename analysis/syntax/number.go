package syntax

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/wasm"
)

// ParseNumber reads a number of the text format as a value of the numeric type.
func ParseNumber(t wasm.ValType, lit string) (lo, hi uint64, err error) {
	switch t {
	case wasm.I32:
		lo, err = ParseInt(lit, 32)
	case wasm.I64:
		lo, err = ParseInt(lit, 64)
	case wasm.F32:
		var x uint32
		x, err = ParseFloat32(lit)
		lo = uint64(x)
	case wasm.F64:
		lo, err = ParseFloat64(lit)
	case wasm.V128:
		f := strings.Fields(lit)
		if len(f) == 0 {
			return 0, 0, errors.New("write a shape and its lanes, as in `i32x4 1 2 3 4`")
		}
		lo, hi, err = parseLanes(f[0], f[1:])
	default:
		err = errors.New("write ref.null")
	}
	return lo, hi, err
}

// LaneShape returns the number of lanes of a shape such as `i8x16`, and their bits; 0, 0 if there
// is none.
func LaneShape(name string) (lanes, bits int, float bool) {
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

// parseLanes returns the halves of a vector from its shape and lanes.
func parseLanes(shape string, lits []string) (lo, hi uint64, err error) {
	lanes, bits, float := LaneShape(shape)
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
			y, err = ParseFloat32(s)
			x = uint64(y)
		case float:
			x, err = ParseFloat64(s)
		default:
			x, err = ParseInt(s, bits)
		}
		if err != nil {
			return 0, 0, err
		}
		at := i * bits
		half[at/64] |= x << (at % 64)
	}
	return half[0], half[1], nil
}
