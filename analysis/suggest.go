package analysis

import (
	"slices"
	"strings"
)

// nearNames gives up to three names within a small edit distance, the nearest first.
func nearNames(name string, names map[string]uint32) []string {
	type cand struct {
		s string
		d int
	}
	limit := 1 + len(name)/4
	var cs []cand
	for s := range names {
		if sameStem(name, s) {
			d := limit
			if len(s) == len(name) {
				d = 1
			}
			cs = append(cs, cand{s, d})
			continue
		}
		if d := len(s) - len(name); d > limit || -d > limit {
			continue
		}
		if d := distance(name, s, limit); d <= limit {
			cs = append(cs, cand{s, d})
		}
	}
	slices.SortFunc(cs, func(a, b cand) int {
		if a.d != b.d {
			return a.d - b.d
		}
		return strings.Compare(a.s, b.s)
	})
	var out []string
	for _, c := range cs[:min(3, len(cs))] {
		out = append(out, c.s)
	}
	return out
}

// sameStem tells whether two names are alike but for `-` and `_`, or one is the beginning of the
// other up to a `-` or `_`: end and end-gen, go-ahead and go_ahead_fiber.
func sameStem(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	dash := func(c byte) bool { return c == '-' || c == '_' }
	for i := range len(a) {
		if a[i] != b[i] && !(dash(a[i]) && dash(b[i])) {
			return false
		}
	}
	return len(a) > 1 && (len(a) == len(b) || dash(b[len(a)]))
}

// distance is the edit distance (insertions, deletions, substitutions, swaps of neighbours); more
// than limit may come back as any larger number.
func distance(a, b string, limit int) int {
	if len(a) > 64 || len(b) > 64 {
		return limit + 1
	}
	var rows [3][65]int
	pp, p, c := &rows[0], &rows[1], &rows[2]
	for j := 0; j <= len(b); j++ {
		p[j] = j
	}
	for i := 1; i <= len(a); i++ {
		c[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			d := p[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, p[j]+1, c[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, pp[j-2]+1)
			}
			c[j] = d
			best = min(best, d)
		}
		if best > limit {
			return limit + 1
		}
		pp, p, c = p, c, pp
	}
	return p[len(b)]
}

// writeID writes a name as an identifier.
func writeID(name string) string {
	plain := name != ""
	for i := 0; i < len(name); i++ {
		if !idChar(name[i]) {
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

func idChar(c byte) bool {
	return c > ' ' && c < 0x7f && !strings.ContainsRune("\"(),;[]{}", rune(c))
}
