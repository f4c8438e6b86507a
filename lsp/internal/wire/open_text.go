package wire

import (
	"bytes"
	"encoding/hex"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// OpenParams decodes the parameters of didOpen. The text, nearly all of the message, is decoded on
// its own into memory of its size; package protocol grows it piece by piece and holds it thrice.
func OpenParams(params []byte) (*protocol.DidOpenTextDocumentParams, error) {
	p := &protocol.DidOpenTextDocumentParams{}
	text, rest, ok := cutText(params)
	if !ok {
		if err := protocol.Unmarshal(params, p); err != nil {
			return nil, err
		}
		p.TextDocument.Text = strings.Clone(p.TextDocument.Text)
		return p, nil
	}
	if err := protocol.Unmarshal(rest, p); err != nil {
		return nil, err
	}
	p.TextDocument.Text = text
	return p, nil
}

// cutText takes the value of `text` out of the object `textDocument` of well-formed JSON, and
// returns the JSON with an empty string in its place. It is false where it does not find what it
// expects.
func cutText(js []byte) (text string, rest []byte, ok bool) {
	depth := 0
	var key, outer []byte // the last key, and the key of the object around
	for i := 0; i < len(js); {
		switch js[i] {
		case '{', '[':
			depth++
			outer = key
			i++
		case '}', ']':
			depth--
			i++
		case '"':
			end := stringEnd(js, i)
			if end < 0 {
				return "", nil, false
			}
			s := js[i+1 : end-1]
			k := end
			for k < len(js) && (js[k] == ' ' || js[k] == '\t' || js[k] == '\n' || js[k] == '\r') {
				k++
			}
			switch {
			case k < len(js) && js[k] == ':':
				key = s
				i = k + 1
			case depth == 2 && string(key) == "text" && string(outer) == "textDocument":
				if text, ok = unquote(s); ok && !utf8.ValidString(text) {
					return "", nil, false
				}
				rest = append(append(append(make([]byte, 0, len(js)-len(s)), js[:i]...), `""`...), js[end:]...)
				return text, rest, ok
			default:
				i = end
			}
		default:
			i++
		}
	}
	return "", nil, false
}

// stringEnd returns the offset after the string that begins at an offset, -1 if it does not end.
func stringEnd(js []byte, i int) int {
	for i++; ; {
		q := bytes.IndexByte(js[i:], '"')
		if q < 0 {
			return -1
		}
		i += q + 1
		slashes := 0
		for js[i-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
}

// unquote decodes the inside of a JSON string. Half of a surrogate pair is U+FFFD.
func unquote(s []byte) (string, bool) {
	var b strings.Builder
	b.Grow(len(s))
	for {
		k := bytes.IndexByte(s, '\\')
		if k < 0 {
			b.Write(s)
			return b.String(), true
		}
		b.Write(s[:k])
		s = s[k+1:]
		if len(s) == 0 {
			return "", false
		}
		c := s[0]
		s = s[1:]
		switch c {
		case '"', '\\', '/':
			b.WriteByte(c)
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			r, ok := hex4(s)
			if !ok {
				return "", false
			}
			s = s[4:]
			if utf16.IsSurrogate(r) {
				low := rune(utf8.RuneError)
				if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
					if low, ok = hex4(s[2:]); !ok {
						return "", false
					}
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					s = s[6:]
				}
			}
			b.WriteRune(r)
		default:
			return "", false
		}
	}
}

func hex4(s []byte) (rune, bool) {
	var v [2]byte
	if len(s) < 4 {
		return 0, false
	}
	if _, err := hex.Decode(v[:], s[:4]); err != nil {
		return 0, false
	}
	return rune(v[0])<<8 | rune(v[1]), true
}
