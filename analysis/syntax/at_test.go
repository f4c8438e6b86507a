package syntax

import (
	"os"
	"testing"

	"stackscope/analysis/source"
	"stackscope/internal/testing/suite"
)

// TestAtOfLargeUnits compares the nodes at the places of large units, and their parents, with those
// of a walk from the root.
func TestAtOfLargeUnits(t *testing.T) {
	n := 0
	for _, path := range suite.Files(t) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tree := Parse(source.NewFile(path, string(raw)))
		for ui := range tree.Units {
			u := &tree.Units[ui]
			if len(u.Nodes) <= manyNodes {
				continue
			}
			parents := walkParents(u.Nodes)
			for i := range u.Nodes {
				want := N{tree, int32(ui), int32(parents[i])}
				if i == 0 {
					want = N{}
				}
				if got := (N{tree, int32(ui), int32(i)}).Parent(); got != want {
					t.Fatalf("%s: unit %d: the parent of %d is %d, want %d", path, ui, i, got.I, want.I)
				}
			}
			for k := 0; k < len(u.Tokens); k += 1 + len(u.Tokens)/50 {
				for _, off := range []uint32{u.Tokens[k].Off, u.Tokens[k].Off + u.Tokens[k].Len,
					u.Tokens[k].Off + u.Tokens[k].Len + 1} {
					if off >= u.Len {
						continue
					}
					n++
					got, tok := tree.atIn(ui, u.Off+int(off))
					if got.IsZero() {
						continue
					}
					if tok.IsZero() {
						continue
					}
					at := 0
					for c := 1; c < int(u.Nodes[at].Next); {
						if d := &u.Nodes[c]; int32(d.Tok) <= tok.I && tok.I < int32(d.TokEnd) {
							at = c
							c++
							continue
						}
						c = int(u.Nodes[c].Next)
					}
					if int(got.I) != at {
						t.Fatalf("%s: unit %d: the node at %d is %d, want %d", path, ui, off, got.I, at)
					}
				}
			}
		}
	}
	if t.Logf("%d places", n); n < 4000 {
		t.Error("too few")
	}
}

func walkParents(nodes []Node) []int {
	out := make([]int, len(nodes))
	var walk func(at int)
	walk = func(at int) {
		for c := at + 1; c < int(nodes[at].Next); c = int(nodes[c].Next) {
			out[c] = at
			walk(c)
		}
	}
	walk(0)
	return out
}
