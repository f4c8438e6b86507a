package cursor

import (
	"strings"
)

// WriteID writes a name as an identifier.
func WriteID(name string) string {
	plain := name != ""
	for i := 0; i < len(name); i++ {
		if !IsIDChar(name[i]) {
			plain = false
		}
	}
	if plain {
		return "$" + name
	}
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteString(`$"`)
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c == 0x7f:
			b.WriteByte('\\')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func IsIDChar(c byte) bool {
	return c > ' ' && c < 0x7f && !strings.ContainsRune("\"(),;[]{}", rune(c))
}

// Quote writes a name as a string of the text format.
func Quote(s string) string {
	const hex = "0123456789abcdef"
	b := []byte{'"'}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c == 0x7f:
			b = append(b, '\\', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
