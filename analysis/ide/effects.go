package ide

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// shownTags is how many tags are listed for an effect.
const shownTags = 8

// effectPhrases returns what a function may do to stacks: the word, and the tags with their types.
func effectPhrases(t query.Types, m *analysis.Module, fn uint32) (words, tags []string) {
	e := m.StackEffects().Of(fn)
	add := func(word string, list []uint32) {
		if len(list) == 0 {
			return
		}
		var s []string
		for k, tag := range list {
			if k == shownTags {
				s = append(s, query.Index(uint32(len(list)-k))+" more")
				break
			}
			name := query.Index(tag)
			if y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceTag, Index: tag}); ok {
				name = query.Display(y)
			}
			if ft := t.TagType(tag); ft != nil && len(ft.Params) > 0 {
				ts := make([]string, len(ft.Params))
				for i, p := range ft.Params {
					ts[i] = t.Val(p)
				}
				name += " (" + strings.Join(ts, " ") + ")"
			}
			s = append(s, name)
		}
		words, tags = append(words, word), append(tags, strings.Join(s, ", "))
	}
	add("may suspend with", e.Suspends)
	add("may switch on", e.Switches)
	add("may throw", e.Throws)
	return words, tags
}

// effectLines returns what a function may do to stacks, for a hover.
func effectLines(t query.Types, m *analysis.Module, fn uint32) []string {
	words, tags := effectPhrases(t, m, fn)
	var out []string
	for i, w := range words {
		out = append(out, "M"+w[1:]+" `"+strings.ReplaceAll(tags[i], ", ", "`, `")+"`")
	}
	return out
}

// EffectLens is a line above a function with its effects.
type EffectLens struct {
	Span  source.Span
	Title string
}

// EffectLenses reports every function of a file that may suspend, switch or throw what it may do.
func EffectLenses(s *analysis.Snapshot) []EffectLens {
	var out []EffectLens
	for _, m := range s.Modules() {
		t := query.NewTypes(m)
		if t.Declared == nil || len(t.Declared.Tags) == 0 {
			continue
		}
		for fn := range uint32(len(t.Declared.Funcs)) {
			words, tags := effectPhrases(t, m, fn)
			if len(words) == 0 {
				continue
			}
			y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: fn})
			if !ok {
				continue
			}
			for i := range words {
				words[i] += " " + tags[i]
			}
			out = append(out, EffectLens{target(y).Name, strings.Join(words, " · ")})
		}
	}
	return out
}

// ReferenceLenses returns the places over which an editor shows how many references there are: the
// names of functions, and exported functions without a name; with all, the names of all items.
func ReferenceLenses(s *analysis.Snapshot, all bool) []source.Span {
	var out []source.Span
	for _, m := range s.Modules() {
		for sp := analysis.SpaceType; sp <= analysis.SpaceData; sp++ {
			if !all && sp != analysis.SpaceFunc {
				continue
			}
			out = append(out, m.NameSpans(sp)...)
		}
		ir := m.Declared()
		seen := map[uint32]bool{}
		for i, e := range ir.Exports {
			if e.Kind != wasm.ExternFunc || seen[e.Index] {
				continue
			}
			seen[e.Index] = true
			y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: e.Index})
			if at := m.ExportSpan(i); ok && y.Name == "" && y.DeclSpan.Contains(at.Start) {
				out = append(out, at)
			}
		}
	}
	return out
}
