package text

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stackscope/wasm"
)

// ids are the identifiers of one index space: unique, escaped, with their `$`; and the names that
// they stand for. They are made when the first one is asked for. nil is a space without names.
type ids struct{ id, names map[uint32]string }

// unique returns the identifiers of an index space.
func unique(names map[uint32]string) *ids {
	if len(names) == 0 {
		return nil
	}
	return &ids{names: names}
}

// get returns the identifier of an item, if it has one.
func (t *ids) get(i uint32) (string, bool) {
	if t == nil {
		return "", false
	}
	if t.id == nil {
		t.id = identifiers(t.names)
	}
	s, ok := t.id[i]
	return s, ok
}

// identifiers makes names into identifiers. A name that occurs again gets a number; the empty name
// is none.
func identifiers(names map[uint32]string) map[uint32]string {
	out := make(map[uint32]string, len(names))
	taken := make(map[string]bool, len(names))
	keys := slices.Sorted(maps.Keys(names))
	var again []uint32
	for _, i := range keys {
		n := names[i]
		switch {
		case n == "":
		case taken[n]:
			again = append(again, i)
		default:
			taken[n] = true
			out[i] = Identifier(n)
		}
	}
	for _, i := range again {
		n := names[i]
		for k := 1; ; k++ {
			if c := fmt.Sprintf("%s_%d", n, k); !taken[c] {
				taken[c] = true
				out[i] = Identifier(c)
				break
			}
		}
	}
	return out
}

// use returns the identifier, or the index in digits.
func (t *ids) use(i uint32) string {
	if s, ok := t.get(i); ok {
		return s
	}
	return strconv.FormatUint(uint64(i), 10)
}

// note returns the annotation ` (@name "…")` that has the name where the identifier does not:
// another one has the same, or it is empty.
func (t *ids) note(i uint32) string {
	if !t.named(i) {
		return ""
	}
	n := t.names[i]
	if id, _ := t.get(i); n == "" || id != Identifier(n) {
		return " (@name " + Quote(n) + ")"
	}
	return ""
}

// named reports whether there is an identifier or an annotation to be put where the item is
// declared.
func (t *ids) named(i uint32) bool {
	if t == nil {
		return false
	}
	_, ok := t.names[i]
	return ok
}

// idChars are the characters of an identifier besides letters and digits.
const idChars = "!#$%&'*+-./:<=>?@\\^_`|~"

// Identifier returns a name as an identifier: `$name`, or `$"…"` if it needs that.
func Identifier(name string) string {
	plain := name != ""
	for i := 0; i < len(name) && plain; i++ {
		c := name[i]
		plain = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			strings.IndexByte(idChars, c) >= 0
	}
	if plain {
		return "$" + name
	}
	return "$" + Quote(name)
}

// Quote returns a string literal for a name: printable characters as they are.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && w <= 1:
			fmt.Fprintf(&b, "\\%02x", s[i])
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString("\\n")
		case r == '\t':
			b.WriteString("\\t")
		case r < 0x80 && !unicode.IsPrint(r):
			fmt.Fprintf(&b, "\\%02x", r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, "\\u{%x}", r)
		default:
			b.WriteString(s[i : i+w])
		}
		i += w
	}
	b.WriteByte('"')
	return b.String()
}

// quoteBytes returns a string literal for data: printable ASCII as it is.
func quoteBytes(s []byte) string {
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= ' ' && c < 0x7f:
			b = append(b, c)
		default:
			b = append(b, '\\', hex[c>>4], hex[c&15])
		}
	}
	return string(append(b, '"'))
}

// spaces are the identifiers of a module.
type spaces struct {
	types, funcs, tables, mems, globals, tags, elems, datas *ids
	fields                                                  map[uint32]*ids
}

func newSpaces(n *wasm.Names) spaces {
	s := spaces{unique(n.Types), unique(n.Funcs), unique(n.Tables), unique(n.Mems), unique(n.Globals), unique(n.Tags),
		unique(n.Elems), unique(n.Datas), make(map[uint32]*ids, len(n.Fields))}
	for t, f := range n.Fields {
		s.fields[t] = unique(f)
	}
	return s
}
