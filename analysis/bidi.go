package analysis

import (
	"fmt"
	"slices"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// maxBidi bounds how many places a file gets warnings for.
const maxBidi = 50

// bidiLen returns the length of the bidirectional control character that a text begins with, or 0.
// They are U+202A to U+202E, and U+2066 to U+2069.
func bidiLen(s string) int {
	if len(s) < 3 || s[0] != 0xe2 {
		return 0
	}
	if s[1] == 0x80 && 0xaa <= s[2] && s[2] <= 0xae || s[1] == 0x81 && 0xa6 <= s[2] && s[2] <= 0xa9 {
		return 3
	}
	return 0
}

// bidiDiagnostics warns of characters that make a text look other than it is read. Adjacent ones
// are one warning.
func (s *Snapshot) bidiDiagnostics(out []diag.Diagnostic) []diag.Diagnostic {
	sev := s.severity(diag.Bidi)
	if sev == diag.Off {
		return out
	}
	text := s.File().Text
	n := 0
	for i := 0; n < maxBidi; {
		k := strings.IndexByte(text[i:], 0xe2)
		if k < 0 {
			break
		}
		from := i + k
		i = from
		for bidiLen(text[i:]) > 0 {
			i += 3
		}
		if i == from {
			i++
			continue
		}
		sp := source.Span{Start: from, End: i}
		if m := s.ModuleAt(from); m != nil &&
			(slices.Contains(m.allowedCodes, string(diag.Bidi)) || m.suppressedAt(sp, diag.Bidi)) {
			continue
		}
		if d, ok := s.bidi(sp, sev); ok {
			n++
			out = append(out, d)
		}
	}
	return out
}

// bidi returns the warning for the characters of a span, if they are in a comment, string or
// annotation: elsewhere they are malformed.
func (s *Snapshot) bidi(sp source.Span, sev diag.Severity) (diag.Diagnostic, bool) {
	d := diag.Diagnostic{Code: diag.Bidi, Severity: sev, Span: sp}
	var names, escapes []string
	for _, r := range s.File().Text[sp.Start:sp.End] {
		names = append(names, fmt.Sprintf("U+%04X", r))
		escapes = append(escapes, fmt.Sprintf(`\u{%x}`, r))
	}
	shown := names
	if len(shown) > 4 {
		shown = append(slices.Clone(shown[:4]), "…")
	}
	d.Message = "bidirectional control character " + strings.Join(shown, " ") + ": the text looks other than it is read"
	_, tok := s.tree.At(sp.Start)
	if !tok.IsZero() && tok.Span().Start <= sp.Start && sp.End <= tok.Span().End {
		switch t := tok.Text(); {
		case tok.Kind() == syntax.TokString, strings.HasPrefix(t, `$"`):
			e := strings.Join(escapes, "")
			d.Fixes = []diag.Fix{{Title: "Write as " + e, Edits: []source.Edit{{Span: sp, New: e}}, Preferred: true}}
			return d, true
		case tok.Kind() == syntax.TokBad, tok.Kind() == syntax.TokReserved:
			return d, false
		}
	}
	d.Fixes = []diag.Fix{
		{Title: "Remove " + strings.Join(shown, " "), Edits: []source.Edit{{Span: sp}}, Preferred: true},
	}
	return d, true
}
