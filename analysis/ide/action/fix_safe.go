package action

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
)

// safeFixes names the fixes that diagnostics bring and that `wasm-ls check --fix` applies: those
// that keep what the program does, or that put a word right which can mean only one thing. The
// others choose between meanings, or add what the author has to think about. A fix that marks
// itself as safe needs no row.
var safeFixes = []struct {
	code  diag.Code
	title string // what the title of the fix begins with
}{
	{diag.NeedlessMut, "Remove mut"},
	{diag.Bidi, "Write as"},
	{diag.UnknownWord, "Change to local."}, // for oldNames alone
	{diag.UnknownWord, "Change to global."},
	{diag.UnknownWord, "Change to memory."},
}

// oldNames are the mnemonics of old drafts that mean one instruction of today. A mistyped word can
// mean several.
var oldNames = map[string]bool{
	"get_local": true, "set_local": true, "tee_local": true, "get_global": true, "set_global": true, "grow_memory": true, "current_memory": true,
}

// safeByPlace are the codes whose fixes are safe at some places, and mark themselves as safe there.
var safeByPlace = []diag.Code{diag.ImportOrder}

// mayBeSafe reports whether a diagnostic can have safe fixes: its own, or those of its code.
func mayBeSafe(d *diag.Diagnostic) bool {
	for i := range d.Fixes {
		if d.Fixes[i].Safe {
			return true
		}
	}
	for _, s := range safeFixes {
		if s.code == d.Code {
			return true
		}
	}
	if slices.Contains(safeByPlace, d.Code) {
		return true
	}
	return slices.ContainsFunc(quickFixes, func(q quickFix) bool { return q.safe && slices.Contains(q.codes, d.Code) })
}

// isSafe reports whether safeFixes has a fix.
func isSafe(snap *analysis.Snapshot, d *diag.Diagnostic, title string) bool {
	code := d.Code
	if code == diag.UnknownWord && !oldNames[snap.File().Text[d.Span.Start:d.Span.End]] {
		return false
	}
	for _, s := range safeFixes {
		if s.code == code && strings.HasPrefix(title, s.title) {
			return true
		}
	}
	return false
}
