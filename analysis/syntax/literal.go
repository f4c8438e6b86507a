package syntax

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What can be wrong with a literal.
var (
	ErrForm  = errors.New("unexpected token")         // not such a literal at all
	ErrRange = errors.New("constant out of range")    // too large, or too small
	ErrUTF8  = errors.New("malformed UTF-8 encoding") // a name that is no UTF-8
	ErrEmpty = errors.New("empty identifier")
)

// numberKind classifies a token that begins with a digit or a sign.
func numberKind(s string) TokenKind {
	i, signed := 0, false
	if s[0] == '+' || s[0] == '-' {
		i, signed = 1, true
	}
	if i < len(s) && isFloatWord(s[i:]) {
		return TokFloat
	}
	hex := len(s) > i+1 && s[i] == '0' && s[i+1] == 'x'
	if hex {
		i += 2
	}
	j := digits(s, i, hex)
	if j == i {
		return TokReserved
	}
	if j == len(s) {
		if signed {
			return TokInt
		}
		return TokNat
	}
	i = j
	if s[i] == '.' {
		i++
		i = digits(s, i, hex)
	}
	if i < len(s) && (!hex && (s[i]|0x20) == 'e' || hex && (s[i]|0x20) == 'p') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if j = digits(s, i, false); j == i {
			return TokReserved
		}
		i = j
	}
	if i == len(s) {
		return TokFloat
	}
	return TokReserved
}

// digits goes over digits with single underscores between them.
func digits(s string, i int, hex bool) int {
	start := i
	for i < len(s) {
		c := s[i]
		if c == '_' && i > start && s[i-1] != '_' && i+1 < len(s) && isDigit(s[i+1], hex) {
			i++
			continue
		}
		if !isDigit(c, hex) {
			break
		}
		i++
	}
	return i
}

func isDigit(c byte, hex bool) bool {
	return c >= '0' && c <= '9' || hex && hexVal(c) >= 0
}

// isFloatWord reports whether s is inf, nan or nan:0x….
func isFloatWord(s string) bool {
	if s == "inf" || s == "nan" {
		return true
	}
	if !hasPrefix(s, "nan:0x") || len(s) == 6 {
		return false
	}
	return digits(s, 6, true) == len(s)
}

// ParseNat returns the value of an unsigned number of at most bits bits, decimal or hexadecimal.
func ParseNat(text string, bits int) (uint64, error) {
	v, over, ok := magnitude(text)
	if !ok {
		return 0, ErrForm
	}
	if over || bits < 64 && v>>bits != 0 {
		return 0, ErrRange
	}
	return v, nil
}

// ParseInt returns the value of an integer constant of bits bits, from -2^(bits-1) to 2^bits-1, in
// two's complement with the bits above zero.
func ParseInt(text string, bits int) (uint64, error) {
	neg := false
	if text != "" && (text[0] == '+' || text[0] == '-') {
		neg = text[0] == '-'
		text = text[1:]
	}
	v, over, ok := magnitude(text)
	switch {
	case !ok:
		return 0, ErrForm
	case over, bits < 64 && v>>bits != 0, neg && v > 1<<(bits-1):
		return 0, ErrRange
	}
	if neg {
		v = -v
	}
	return v & (math.MaxUint64 >> (64 - bits)), nil
}

func magnitude(s string) (v uint64, over, ok bool) {
	base := uint64(10)
	i := 0
	if hasPrefix(s, "0x") {
		base, i = 16, 2
	}
	if digits(s, i, base == 16) != len(s) || i == len(s) {
		return 0, false, false
	}
	for ; i < len(s); i++ {
		if s[i] == '_' {
			continue
		}
		d := uint64(hexVal(s[i]))
		if v > (math.MaxUint64-d)/base {
			return 0, true, true
		}
		v = v*base + d
	}
	return v, false, true
}

// ParseFloat32 returns the bits of a floating-point constant, rounded to nearest even; integers are
// constants too.
func ParseFloat32(text string) (uint32, error) {
	v, err := parseFloat(text, 32)
	return uint32(v), err
}

// ParseFloat64 is ParseFloat32 for 64 bits.
func ParseFloat64(text string) (uint64, error) { return parseFloat(text, 64) }

func parseFloat(text string, bits int) (uint64, error) {
	s := text
	sign := uint64(0)
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = 1 << (bits - 1)
		}
		s = s[1:]
	}
	frac := 52
	inf := uint64(0x7ff) << 52
	if bits == 32 {
		frac, inf = 23, 0xff<<23
	}
	switch {
	case s == "inf":
		return sign | inf, nil
	case s == "nan":
		return sign | inf | 1<<(frac-1), nil
	case isFloatWord(s):
		p, err := ParseNat(s[4:], frac)
		if err != nil || p == 0 {
			return 0, ErrRange
		}
		return sign | inf | p, nil
	}
	if s == "" || !(s[0] >= '0' && s[0] <= '9') {
		return 0, ErrForm
	}
	if k := numberKind(s); k != TokNat && k != TokFloat {
		return 0, ErrForm
	}
	s = strings.ReplaceAll(s, "_", "")
	if hasPrefix(s, "0x") && !strings.ContainsAny(s, "pP") {
		s += "p0"
	}
	f, err := strconv.ParseFloat(s, bits)
	if err != nil {
		return 0, ErrRange
	}
	if bits == 32 {
		return sign | uint64(math.Float32bits(float32(f))), nil
	}
	return sign | math.Float64bits(f), nil
}

// DecodeString returns the bytes of a string literal, quotes included in lit.
func DecodeString(lit string) ([]byte, error) {
	if len(lit) < 2 || lit[0] != '"' || lit[len(lit)-1] != '"' {
		return nil, ErrForm
	}
	s := lit[1 : len(lit)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return []byte(s), nil
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		w := escapeLen(s[i:])
		if w == 0 {
			return nil, ErrForm
		}
		switch s[i+1] {
		case 't':
			out = append(out, '\t')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case '"', '\'', '\\':
			out = append(out, s[i+1])
		case 'u':
			v, err := strconv.ParseUint(strings.ReplaceAll(s[i+3:i+w-1], "_", ""), 16, 32)
			if err != nil {
				return nil, ErrForm
			}
			out = utf8.AppendRune(out, rune(v))
		default:
			out = append(out, byte(hexVal(s[i+1])<<4|hexVal(s[i+2])))
		}
		i += w
	}
	return out, nil
}

// DecodeID returns the name of an identifier, without the `$`: `$x` and `$"x"` are both x.
func DecodeID(lit string) (string, error) {
	if len(lit) < 2 || lit[0] != '$' {
		return "", ErrEmpty
	}
	if lit[1] != '"' {
		return lit[1:], nil
	}
	b, err := DecodeString(lit[1:])
	switch {
	case err != nil:
		return "", err
	case len(b) == 0:
		return "", ErrEmpty
	case !utf8.Valid(b):
		return "", ErrUTF8
	}
	return string(b), nil
}
