package ide_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/ide"
	"stackscope/analysis/ide/action"
	"stackscope/analysis/ide/completion"
	"stackscope/analysis/source"
)

// TestQueriesOnDamagedTexts asks for actions, fixes, completions and hints all over the examples,
// whole and damaged. The edits of an action must lie in the text and not overlap.
func TestQueriesOnDamagedTexts(t *testing.T) {
	files, err := filepath.Glob("../../testdata/examples/*/*.wat")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	damage := []string{"", "(", ")", "\"", "$", "(func ", "end", "i32.add ", "\n", "(if ", "é", "$x"}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := analysis.Open(source.NewFile(name, string(b)), analysis.Options{})
		for round := range 6 {
			text := s.File().Text
			if round > 0 {
				at := r.IntN(len(text))
				s = s.Edit(
					source.Edit{
						Span: source.Span{Start: at, End: min(len(text), at+r.IntN(3))},
						New:  damage[r.IntN(len(damage))],
					},
				)
				text = s.File().Text
			}
			try := func(what string, edits []source.Edit) {
				if _, ok := source.ApplyAll(text, edits); !ok {
					t.Fatalf("%s: %s: edits %v are no good in\n%s", name, what, edits, text)
				}
			}
			for range 40 {
				off := r.IntN(len(text) + 1)
				for _, a := range action.Refactors(s, off) {
					try(a.Title, a.Make())
				}
				completion.Complete(s, off)
				ide.Signature(s, off)
				ide.Highlight(s, off)
				ide.Selection(s, off)
				ide.LinkedNames(s, off)
			}
			ds := s.Diagnostics()
			for i := range ds {
				for _, f := range action.Fixes(s, &ds[i]) {
					try(f.Title, f.Edits)
				}
			}
			for _, h := range ide.Inlay(s, source.Span{End: len(text)}, ide.InlayOptions{Types: true, Stack: true,
				BlockEnds: true, Indices: true, Parameters: true}) {
				h.Tooltip()
			}
			ide.Links(s)
			ide.Folding(s)
		}
	}
}
