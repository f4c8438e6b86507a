package analysis

import (
	"fmt"
	"slices"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// proposals are proposals for WebAssembly that are not supported here, by the words that show them.
var proposals = []struct {
	name     string
	words    []string // exact
	prefixes []string
}{
	{"threads", []string{"atomic.fence"}, []string{"memory.atomic.", "i32.atomic.", "i64.atomic."}},
	{"shared-everything-threads", []string{"shared", "thread", "pause", "acqrel", "seqcst", "ref.i31_shared"},
		[]string{"global.atomic.", "table.atomic.", "struct.atomic.", "array.atomic.", "thread.", "cont.atomic."}},
	{"stringref", []string{"stringref", "stringview_wtf8", "stringview_wtf16", "stringview_iter"},
		[]string{"string.", "stringview_wtf8.", "stringview_wtf16.", "stringview_iter."}},
	{
		"custom-descriptors",
		[]string{"descriptor", "describes", "exact", "ref.get_desc", "struct.new_desc", "struct.new_default_desc",
			"ref.cast_desc", "ref.cast_desc_eq", "ref.test_desc", "br_on_cast_desc", "br_on_cast_desc_fail", "br_on_cast_desc_eq", "br_on_cast_desc_eq_fail"},
		nil,
	},
	{"wide-arithmetic", []string{"i64.add128", "i64.sub128", "i64.mul_wide_s", "i64.mul_wide_u"}, nil},
	{"half-precision", []string{"f32.load_f16", "f32.store_f16"}, []string{"f16x8."}},
	{"flexible-vectors", nil, []string{"vec.", "vec_"}},
	{"memory-control", []string{"memory.discard", "memory.protect"}, nil},
}

// proposalOf returns the unsupported proposal that a word belongs to, or "".
func proposalOf(word string) string {
	for i := range proposals {
		p := &proposals[i]
		if slices.Contains(p.words, word) ||
			slices.ContainsFunc(p.prefixes, func(s string) bool { return strings.HasPrefix(word, s) }) {
			return p.name
		}
	}
	return ""
}

// mergeProposals makes one error of those that a module, or a text without modules, gets because it
// uses proposals that are not supported: the first, which names them. What else is wrong in the
// same fields, or refers to what they declare, follows from it.
func (s *Snapshot) mergeProposals(ds []diag.Diagnostic) []diag.Diagnostic {
	type group struct {
		first  int // in out
		names  []string
		counts map[string]int
		units  map[int]bool
	}
	word := func(d *diag.Diagnostic) string {
		if d.Severity != diag.Error || d.Code != diag.UnknownWord && d.Code != diag.Syntax {
			return ""
		}
		return wordAt(s.File().Text, d.Span.Start)
	}
	if !slices.ContainsFunc(ds, func(d diag.Diagnostic) bool { return proposalOf(word(&d)) != "" }) {
		return ds
	}
	groups := map[*Module]*group{}
	moduleOf := func(sp source.Span) *Module { return s.ModuleAt(sp.Start) }
	for i := range ds {
		p := proposalOf(word(&ds[i]))
		if p == "" {
			continue
		}
		m := moduleOf(ds[i].Span)
		g := groups[m]
		if g == nil {
			g = &group{first: i, counts: map[string]int{}, units: map[int]bool{}}
			groups[m] = g
		}
		if g.counts[p]++; g.counts[p] == 1 {
			g.names = append(g.names, p)
		}
		g.units[s.tree.UnitAt(ds[i].Span.Start)] = true
	}
	out := ds[:0]
	for i, d := range ds {
		m := moduleOf(d.Span)
		g := groups[m]
		switch {
		case g != nil && g.first == i:
			d.Fixes = nil
			d.Code = diag.Proposal
			d.Severity = s.severity(d.Code)
			d.Message, _, _ = strings.Cut(d.Message, "; did you mean")
			total := 0
			for _, n := range g.counts {
				total += n
			}
			if n := len(g.names) - 1; n > 0 {
				d.Message += ": the proposals " + strings.Join(
					g.names[:n], ", ",
				) + " and " + g.names[n] + " are not supported"
			} else {
				d.Message += ": the proposal " + g.names[0] + " is not supported"
			}
			if total > 1 {
				d.Message += fmt.Sprintf(" (%d places in this module)", total)
			}
		case g != nil && d.Severity == diag.Error && (g.units[s.tree.UnitAt(d.Span.Start)] ||
			strings.HasPrefix(string(d.Code), "unknown-")):
			continue
		}
		if d.Severity != diag.Off {
			out = append(out, d)
		}
	}
	return out
}

// mergeComponent makes one error of those that a component gets: it is written in parentheses as a
// module is, and is something else. What follows the first component is not looked at.
func (s *Snapshot) mergeComponent(ds []diag.Diagnostic) []diag.Diagnostic {
	for i := range ds {
		d := &ds[i]
		if d.Code != diag.Syntax || wordAt(s.File().Text, d.Span.Start) != "component" ||
			s.tree.Units[s.tree.UnitAt(d.Span.Start)].Kind != syntax.UnitStray {
			continue
		}
		d.Code, d.Fixes, d.Related = diag.Proposal, nil, nil
		d.Message = "unexpected token: this is a component; only core modules are supported"
		if d.Severity = s.severity(d.Code); d.Severity == diag.Off {
			return ds[:i]
		}
		return ds[:i+1]
	}
	return ds
}

// wordAt returns the word at an offset, or after the parenthesis there.
func wordAt(text string, off int) string {
	text = text[min(off, len(text)):]
	text = strings.TrimLeft(strings.TrimPrefix(text, "("), " \t\r\n")
	end := 0
	for end < len(text) && end < 100 && cursor.IsIDChar(text[end]) {
		end++
	}
	return text[:end]
}
