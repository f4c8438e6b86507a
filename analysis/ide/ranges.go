package ide

import (
	"cmp"
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// Fold is a stretch that an editor can fold away.
type Fold struct {
	Span    source.Span // from the end of its first line to its last character
	Comment bool
	Imports bool
}

// Folding returns what can be folded: fields, blocks, instructions, clauses and comments that go
// over several lines, runs of imports, and modules.
func Folding(s *analysis.Snapshot) []Fold {
	var out []Fold
	for i := range s.Tree().Units {
		out = append(out, UnitFolds(s, i)...)
	}
	out = append(out, WideFolds(s)...)
	slices.SortStableFunc(out, func(a, b Fold) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return out
}

// fold makes a fold of a span over several lines.
func fold(f *source.File, out []Fold, sp source.Span, comment, imports bool) []Fold {
	a, b := f.LineOf(sp.Start), f.LineOf(sp.End)
	if a == b {
		return out
	}
	return append(out, Fold{source.Span{Start: f.Line(a).End, End: sp.End}, comment, imports})
}

// UnitFolds returns what can be folded within a unit of the tree, in order. It depends on nothing
// but the unit's text.
func UnitFolds(s *analysis.Snapshot, unit int) []Fold {
	f := s.File()
	u := &s.Tree().Units[unit]
	var out []Fold
	for _, r := range commentRuns(f, u.Off, unitGaps(u)) {
		out = fold(f, out, r, true, false)
	}
	for k := range u.Nodes {
		nd := &u.Nodes[k]
		if nd.TokEnd <= nd.Tok || int(nd.TokEnd) > len(u.Tokens) {
			continue
		}
		a, b := &u.Tokens[nd.Tok], &u.Tokens[nd.TokEnd-1]
		out = fold(f, out, source.Span{Start: u.Off + int(a.Off), End: u.Off + int(b.Off) + int(b.Len)}, false, false)
	}
	slices.SortStableFunc(out, func(a, b Fold) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	// One fold per starting line and end is enough.
	return slices.CompactFunc(out, func(a, b Fold) bool { return a.Span == b.Span })
}

// WideFolds returns what can be folded across units: runs of imports, and modules.
func WideFolds(s *analysis.Snapshot) []Fold {
	f := s.File()
	var out []Fold
	var imports source.Span
	flush := func() {
		if imports.End > 0 {
			out = fold(f, out, imports, false, true)
			imports = source.Span{}
		}
	}
	t := s.Tree()
	for i := range t.Units {
		u := &t.Units[i]
		if u.Kind != syntax.UnitField || len(u.Nodes) == 0 || u.Nodes[0].Kind != syntax.KImport ||
			len(u.Tokens) == 0 {
			flush()
			continue
		}
		if imports.End == 0 {
			imports.Start = u.Off + int(u.Tokens[0].Off)
		}
		imports.End = u.Off + int(u.Len)
	}
	flush()
	for _, m := range s.Modules() {
		out = fold(f, out, m.Span(), false, false)
	}
	return out
}

// unitGaps returns the stretches of a unit between its tokens, relative to it.
func unitGaps(u *syntax.Placed) []source.Span {
	var out []source.Span
	at := 0
	for i := range u.Tokens {
		k := &u.Tokens[i]
		if int(k.Off) > at+1 {
			out = append(out, source.Span{Start: at, End: int(k.Off)})
		}
		at = int(k.Off) + int(k.Len)
	}
	if int(u.Len) > at+1 {
		out = append(out, source.Span{Start: at, End: int(u.Len)})
	}
	return out
}

// commentRuns finds block comments, and lines of `;;` comments without an empty line between them.
func commentRuns(f *source.File, base int, gaps []source.Span) []source.Span {
	var out []source.Span
	for _, g := range gaps {
		var run source.Span
		for i := base + g.Start; i < base+g.End; {
			rest := f.Text[i : base+g.End]
			switch {
			case strings.HasPrefix(rest, ";;"):
				j := strings.IndexAny(rest, "\r\n")
				if j < 0 {
					j = len(rest)
				}
				own := strings.TrimSpace(f.Text[f.LineStart(f.LineOf(i)):i]) == ""
				if own {
					if run.End > 0 && f.LineOf(i) == f.LineOf(run.End)+1 {
						run.End = i + j
					} else {
						if run.End > 0 {
							out = append(out, run)
						}
						run = source.Span{Start: i, End: i + j}
					}
				}
				i += j
			case strings.HasPrefix(rest, "(;"):
				j := query.BlockComment(rest)
				out = append(out, source.Span{Start: i, End: i + j})
				i += j
			default:
				i++
			}
		}
		if run.End > 0 {
			out = append(out, run)
		}
	}
	return out
}

// maxSelection is how many nodes around an offset Selection returns at most.
const maxSelection = 256

// Selection returns the spans around an offset, the innermost first, each inside the next: the
// word, the nodes, the module, the text. Of nodes nested deeper than anybody selects, the innermost
// are there.
func Selection(s *analysis.Snapshot, off int) []source.Span {
	p := query.At(s, off)
	var out []source.Span
	push := func(sp source.Span) {
		if n := len(out); n == 0 || out[n-1] != sp && query.Inside(out[n-1], sp) {
			out = append(out, sp)
		}
	}
	if p.HasTok {
		push(p.Tok.Span())
	}
	for n := p.Node; !n.IsZero() && len(out) < maxSelection; n = n.Parent() {
		if sp := n.Span(); sp.Contains(off) {
			push(sp)
		}
	}
	if f := p.Field(); !f.IsZero() && f.Span().Contains(off) {
		push(f.Span())
	}
	if p.Module != nil {
		push(p.Module.Span())
	}
	push(source.Span{End: len(s.File().Text)})
	return out
}
