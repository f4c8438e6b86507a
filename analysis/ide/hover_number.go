package ide

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// constText returns what a number means that is written another way than people read it: in the
// other base, as a signed or unsigned integer of its type, as the float that it rounds to. The
// number is the token at the place, or that of the constant whose mnemonic is there.
func (p describer) constText() string {
	tok, op := p.Tok, p.Node.Op()
	if p.Node.Kind() != syntax.KInstr {
		op = wasm.OpInvalid
	}
	if tok.Kind() == syntax.TokKeyword {
		switch op {
		case wasm.OpI32Const, wasm.OpI64Const, wasm.OpF32Const, wasm.OpF64Const:
		default:
			return ""
		}
		for t := range p.Node.Own() {
			if isNumber(t.Kind()) {
				tok = t
				break
			}
		}
	}
	if !isNumber(tok.Kind()) {
		return ""
	}
	float, bits := false, 64
	switch op {
	case wasm.OpI32Const:
		bits = 32
	case wasm.OpF32Const:
		float, bits = true, 32
	case wasm.OpF64Const:
		float = true
	case wasm.OpV128Const:
		float, bits = laneOf(p.Node)
	default:
		float = tok.Kind() == syntax.TokFloat
	}
	if float {
		return floatText(tok.Text(), bits)
	}
	return intText(tok.Text(), bits)
}

func isNumber(k syntax.TokenKind) bool {
	return k == syntax.TokNat || k == syntax.TokInt || k == syntax.TokFloat
}

// laneOf returns the type of the lanes of a v128.const.
func laneOf(n syntax.N) (float bool, bits int) {
	for t := range n.Own() {
		switch t.Text() {
		case "i8x16":
			return false, 8
		case "i16x8":
			return false, 16
		case "i32x4":
			return false, 32
		case "f32x4":
			return true, 32
		case "f64x2":
			return true, 64
		}
	}
	return false, 64
}

// intText shows an integer in the other base, and with the other sign if that differs.
func intText(s string, bits int) string {
	v, err := syntax.ParseInt(s, bits)
	if err != nil {
		return ""
	}
	signed := int64(v<<(64-bits)) >> (64 - bits)
	hex := strings.HasPrefix(strings.TrimLeft(s, "+-"), "0x")
	minus := strings.HasPrefix(s, "-")
	switch {
	case hex && minus:
		return fmt.Sprintf("`%s` = %d = %#x, unsigned %d", s, signed, v, v)
	case hex && signed < 0:
		return fmt.Sprintf("`%s` = %d, signed %d", s, v, signed)
	case hex:
		return fmt.Sprintf("`%s` = %d", s, v)
	case signed < 0 && minus:
		return fmt.Sprintf("`%s` = %#x, unsigned %d", s, v, v)
	case signed < 0:
		return fmt.Sprintf("`%s` = %#x, signed %d", s, v, signed)
	case v < 10:
		return ""
	}
	return fmt.Sprintf("`%s` = %#x", s, v)
}

// floatText shows the value of a float and its bits.
func floatText(s string, bits int) string {
	var v float64
	var raw uint64
	if bits == 32 {
		b, err := syntax.ParseFloat32(s)
		if err != nil {
			return ""
		}
		raw, v = uint64(b), float64(math.Float32frombits(b))
	} else {
		b, err := syntax.ParseFloat64(s)
		if err != nil {
			return ""
		}
		raw, v = b, math.Float64frombits(b)
	}
	shown := fmt.Sprintf("bits %#0*x", bits/4, raw)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Sprintf("`%s`: %s", s, shown)
	}
	value := strconv.FormatFloat(v, 'g', -1, bits)
	if plain := strings.TrimPrefix(s, "+"); plain == value || plain == value+".0" {
		return fmt.Sprintf("`%s`: %s", s, shown)
	}
	return fmt.Sprintf("`%s` = %s, %s", s, value, shown)
}
