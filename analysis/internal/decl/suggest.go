package decl

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// NearName is a name to compare with, and which letters it has.
type NearName struct {
	Text    string
	Letters uint64
}

// Letters returns a set of the characters of a name. Each edit changes at most two of them.
func Letters(s string) (set uint64) {
	for i := range len(s) {
		set |= 1 << (s[i] & 63)
	}
	return
}

// manyNames is how many names are compared with at most. Of more, only those one edit away are
// found.
const manyNames = 5000

// nearList makes a list to compare with.
func nearList(names map[string]uint32) []NearName {
	out := make([]NearName, 0, len(names))
	for s := range names {
		out = append(out, NearName{s, Letters(s)})
	}
	return out
}

// NearNames returns up to three names within a small edit distance, the nearest first.
func NearNames(name string, names map[string]uint32) []string {
	if len(names) > manyNames {
		return oneEdit(name, names)
	}
	return Nearest(name, nearList(names))
}

// Nearest is nearNames of a list.
func Nearest(name string, list []NearName) []string {
	type cand struct {
		s string
		d int
	}
	limit := 1 + len(name)/4
	have := Letters(name)
	var cs []cand
	for i := range list {
		s := list[i].Text
		d := len(s) - len(name)
		if d <= limit && -d <= limit && bits.OnesCount64(have^list[i].Letters) <= 2*limit {
			if sameStem(name, s) {
				if d = limit; len(s) == len(name) {
					d = 1
				}
				cs = append(cs, cand{s, d})
			} else if d := distance(name, s, limit); d <= limit {
				cs = append(cs, cand{s, d})
			}
		} else if sameStem(name, s) {
			cs = append(cs, cand{s, limit})
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

// oneEdit returns up to three names that are one edit away.
func oneEdit(name string, names map[string]uint32) []string {
	if len(name) > 40 {
		return nil
	}
	const signs = "abcdefghijklmnopqrstuvwxyz0123456789_-."
	found := map[string]bool{}
	buf := make([]byte, 0, len(name)+1)
	try := func() {
		if _, ok := names[string(buf)]; ok {
			found[string(buf)] = true
		}
	}
	for i := range len(name) + 1 {
		if i < len(name) {
			buf = append(append(buf[:0], name[:i]...), name[i+1:]...)
			try()
		}
		if i+1 < len(name) {
			buf = append(append(append(buf[:0], name[:i]...), name[i+1], name[i]), name[i+2:]...)
			try()
		}
		for k := range len(signs) {
			buf = append(append(append(buf[:0], name[:i]...), signs[k]), name[i:]...)
			try()
			if i < len(name) {
				buf = append(append(append(buf[:0], name[:i]...), signs[k]), name[i+1:]...)
				try()
			}
		}
	}
	out := slices.Sorted(maps.Keys(found))
	return out[:min(3, len(out))]
}

// sameStem reports whether two names are alike but for `-` and `_`, or one is the beginning of the
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
