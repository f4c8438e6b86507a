package lsp

import (
	"weak"

	"stackscope/analysis/syntax"
)

// unitID tells units apart without keeping them alive: what is remembered of a text must not hold
// its whole tree.
type unitID = weak.Pointer[syntax.Unit]

// kept returns a function that finds what is known of a unit of a tree, given what was known of the
// units of an earlier one. Units at both ends are at their old places from there; others are looked
// for by what they are.
func kept[T any](old []unitID, known []T, units []syntax.Placed) func(i int) (T, bool) {
	shift := len(old) - len(units)
	var rest map[unitID]int
	return func(i int) (none T, ok bool) {
		u := weak.Make(units[i].Unit)
		if i < len(old) && old[i] == u {
			return known[i], true
		}
		if j := i + shift; j >= 0 && j < len(old) && old[j] == u {
			return known[j], true
		}
		if shift == 0 {
			return none, false // a unit made anew, as a rule
		}
		if rest == nil {
			rest = make(map[unitID]int, len(old))
			for k, o := range old {
				rest[o] = k
			}
		}
		if j, ok := rest[u]; ok {
			return known[j], true
		}
		return none, false
	}
}
