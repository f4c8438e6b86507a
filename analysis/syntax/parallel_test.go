package syntax

import (
	"math/rand/v2"
	"testing"

	"stackscope/analysis/source"
	"stackscope/internal/testing/genwat"
)

func TestParallelEqualsSequential(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	text := genwat.Text(genwat.Options{Bytes: 300_000, Stacks: true})
	if n := len(guesses(text, 4)); n != 3 {
		t.Errorf("%d places to begin at, want 3", n)
	}
	for range 15 {
		f := source.NewFile("f", text)
		want := parse(f, 1)
		checkTree(t, want)
		for _, n := range []int{2, 5} {
			if d := diffTrees(parse(f, n), want); d != "" {
				t.Fatalf("%d chunks: %s", n, d)
			}
		}
		for range 3 {
			text = f.Apply(randomEdit(r, text)).Text
			f = source.NewFile("f", text)
		}
	}
}
