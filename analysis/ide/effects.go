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

// phrase is a part of what a function does to stacks: words, items with their types, and words after
// them.
type phrase struct {
	words string
	items []string
	after string
}

// String returns the phrase as a part of a line of text.
func (p phrase) String() string { return p.words + " " + strings.Join(p.items, ", ") + p.after }

// effectPhrases returns what a function may do to stacks, in the words of its design.
func effectPhrases(t query.Types, m *analysis.Module, fn uint32) (out []phrase) {
	list := func(words, after string, all []uint32, item func(uint32) string) {
		if len(all) == 0 {
			return
		}
		p := phrase{words: words, after: after}
		for k, i := range all {
			if k == shownTags {
				p.items = append(p.items, query.Index(uint32(len(all)-k))+" more")
				break
			}
			p.items = append(p.items, item(i))
		}
		out = append(out, p)
	}
	tag := func(i uint32) string {
		name := query.Index(i)
		if y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceTag, Index: i}); ok {
			name = query.Display(y)
		}
		if ft := t.TagType(i); ft != nil && len(ft.Params) > 0 {
			name += " (" + typeWords(t, ft.Params) + ")"
		}
		return name
	}
	e := m.StackEffects().Of(fn)
	list("may suspend with", "", e.Suspends, tag)
	list("may switch on", "", e.Switches, tag)
	info := m.Dialect().Info()
	if info.HandlerClauses {
		list("handles", "", m.StackEffects().HandledTags(fn), tag)
	} else {
		x := analysis.ProtocolsOf(m).Exchange(fn)
		others := " " + info.Plural + " it " + info.Resume
		list("may send", " to its "+info.Parent, x.ToParent, tag)
		list("may send", " to"+others+"s", x.ToChildren, tag)
		list("may send", " to"+" "+info.Plural+" it switches to", x.ToPeers, tag)
		list("takes", " while "+info.Suspended, x.Suspended, tag)
		list("takes", " from"+others+"s", x.FromChildren, tag)
		gives := func(i uint32) string {
			if ty := t.Sub(i); ty != nil && len(ty.Params) > 0 {
				return t.Name(i) + " (" + typeWords(t, ty.Params) + ")"
			}
			return t.Name(i)
		}
		list("may switch to", "", x.SwitchesTo, func(i uint32) string {
			s := gives(i)
			if back := answer(t, i); back != nil {
				s += " → " + typeWords(t, query.Concat(back.Params, back.Results))
			}
			return s
		})
		list("may retire to", "", x.RetiresTo, gives)
	}
	list("may throw", "", e.Throws, tag)
	return out
}

// typeWords lists types without brackets.
func typeWords(t query.Types, ts []wasm.ValType) string {
	words := make([]string, len(ts))
	for i, p := range ts {
		words[i] = t.Val(p)
	}
	return strings.Join(words, " ")
}

// answer returns the type of what comes back when a stack of a type is switched to: that of the
// reference which it gets; nil if there is none.
func answer(t query.Types, i uint32) *wasm.SubType {
	ty := t.Sub(i)
	if ty == nil || len(ty.Results) == 0 || !ty.Results[0].IsRef() || ty.Results[0].Heap() < 0 {
		return nil
	}
	return t.Sub(uint32(ty.Results[0].Heap()))
}

// effectLines returns what a function may do to stacks, for a hover.
func effectLines(t query.Types, m *analysis.Module, fn uint32) []string {
	var out []string
	for _, p := range effectPhrases(t, m, fn) {
		out = append(out, strings.ToUpper(p.words[:1])+p.words[1:]+" `"+strings.Join(p.items, "`, `")+"`"+p.after)
	}
	return out
}

// EffectLens is a line above a function with its effects.
type EffectLens struct {
	Span  source.Span
	Title string
}

// EffectLenses reports what every function of a file may do to stacks, if anything.
func EffectLenses(s *analysis.Snapshot) []EffectLens {
	var out []EffectLens
	for _, m := range s.Modules() {
		t := query.NewTypes(m)
		if t.Declared == nil || len(t.Declared.Tags) == 0 && !m.Dialect().Switches() {
			continue
		}
		for fn := range uint32(len(t.Declared.Funcs)) {
			phrases := effectPhrases(t, m, fn)
			if len(phrases) == 0 {
				continue
			}
			y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: fn})
			if !ok {
				continue
			}
			words := make([]string, len(phrases))
			for i, p := range phrases {
				words[i] = p.String()
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
