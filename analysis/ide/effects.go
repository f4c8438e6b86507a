package ide

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
)

// effectPhrases gives what a function may do to stacks: the word, and the tags with their types.
func effectPhrases(t typer, m *analysis.Module, fn uint32) (words, tags []string) {
	e := m.Effects(fn)
	add := func(word string, list []uint32) {
		if len(list) == 0 {
			return
		}
		var s []string
		for _, tag := range list {
			name := itoa(tag)
			if y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceTag, Index: tag}); ok {
				name = display(y)
			}
			if ft := t.tagType(tag); ft != nil && len(ft.Params) > 0 {
				ts := make([]string, len(ft.Params))
				for i, p := range ft.Params {
					ts[i] = t.val(p)
				}
				name += " (" + strings.Join(ts, " ") + ")"
			}
			s = append(s, name)
		}
		words, tags = append(words, word), append(tags, strings.Join(s, ", "))
	}
	add("suspends with", e.Suspends)
	add("switches on", e.Switches)
	add("throws", e.Throws)
	return words, tags
}

// effectLines says in a hover what a function may do to stacks.
func effectLines(t typer, m *analysis.Module, fn uint32) []string {
	words, tags := effectPhrases(t, m, fn)
	var out []string
	for i, w := range words {
		verb := map[string]string{"suspends with": "May suspend with", "switches on": "May switch on", "throws": "May throw"}[w]
		out = append(out, verb+" `"+strings.ReplaceAll(tags[i], ", ", "`, `")+"`")
	}
	return out
}

// EffectLens is a line over a function that tells its effects.
type EffectLens struct {
	Span  source.Span
	Title string
}

// EffectLenses tells of every function of a file that may suspend, switch or throw what it may do.
func EffectLenses(s *analysis.Snapshot) []EffectLens {
	var out []EffectLens
	for _, m := range s.Modules() {
		t := newTyper(m)
		if t.ir == nil || len(t.ir.Tags) == 0 {
			continue
		}
		for _, y := range m.Symbols(analysis.SpaceFunc) {
			words, tags := effectPhrases(t, m, y.Index)
			if len(words) == 0 {
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

// ReferenceLenses gives the names of the items of a file's modules, over each of which an editor
// shows how many references there are.
func ReferenceLenses(s *analysis.Snapshot) []source.Span {
	var out []source.Span
	for _, m := range s.Modules() {
		for sp := analysis.SpaceType; sp <= analysis.SpaceData; sp++ {
			for _, y := range m.Symbols(sp) {
				if y.NameSpan.End > y.NameSpan.Start {
					out = append(out, y.NameSpan)
				}
			}
		}
	}
	return out
}
