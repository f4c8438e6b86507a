package action

import (
	"slices"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/source"
)

// maxRounds bounds how often a text is checked again after fixes: one may make room for another.
const maxRounds = 100

// maxTries bounds how many fixes are tried one by one after a round that had to be undone.
const maxTries = 50

// maxFixes bounds the fixes of a round.
const maxFixes = 1000

// FixAll applies the safe fixes of a text until there are none left. It returns the edits that lead
// to the fixed text, in order, and how many fixes they are. No fix stays that leads to more errors
// than there were: a round that does is undone, and its fixes are tried one by one.
func FixAll(s *analysis.Snapshot) (edits []source.Edit, n int) {
	text := s.File().Text
	errs := countErrors(s.Diagnostics())
	now := s
	apply := func(fixes []diag.Fix) bool {
		var es []source.Edit
		for _, x := range fixes {
			es = append(es, x.Edits...)
		}
		slices.SortStableFunc(es, func(a, b source.Edit) int { return a.Start - b.Start })
		if next, ok := source.ApplyAll(now.File().Text, es); !ok || next == now.File().Text {
			return false
		}
		after := now.EditAll(es)
		count := countErrors(after.Diagnostics())
		if count > errs {
			return false
		}
		if n == 0 {
			edits = es
		} else {
			edits = nil // they are in the way of each other
		}
		now, errs, n = after, count, n+len(fixes)
		return true
	}
	for range maxRounds {
		fixes := safeFixesOf(now)
		if len(fixes) == 0 {
			break
		}
		if apply(fixes) {
			continue
		}
		// The last first, so that the places of the others stay right.
		good := false
		for i := len(fixes) - 1; i >= max(0, len(fixes)-maxTries); i-- {
			good = apply(fixes[i:i+1]) || good
		}
		if !good {
			break
		}
	}
	if n > 0 && edits == nil {
		edits = []source.Edit{source.Difference(text, now.File().Text)}
	}
	return edits, n
}

func countErrors(ds []diag.Diagnostic) (n int) {
	for i := range ds {
		if ds[i].Severity == diag.Error {
			n++
		}
	}
	return n
}

// safeFixesOf returns the safe fixes of a text, one for each diagnostic. A fix that overlaps or
// touches an earlier one waits for the next round.
func safeFixesOf(s *analysis.Snapshot) (out []diag.Fix) {
	var taken []source.Edit
	ds := s.Diagnostics()
	for i := 0; i < len(ds) && len(out) < maxFixes; i++ {
		if !mayBeSafe(&ds[i]) {
			continue // others are made with more effort
		}
		for _, x := range Fixes(s, &ds[i]) {
			if !x.Safe || len(x.Edits) == 0 {
				continue
			}
			apart := true
			for _, e := range x.Edits {
				apart = apart &&
					!slices.ContainsFunc(
						taken,
						func(y source.Edit) bool { return e.Start <= y.End && y.Start <= e.End },
					)
			}
			if apart {
				taken = append(taken, x.Edits...)
				out = append(out, x)
			}
			break
		}
	}
	return out
}
