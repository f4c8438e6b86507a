package vm

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"stackscope/vm/internal/code"
)

// An index finds the first clause with a tag, as a search through the list does, and looks at few
// places for it, whatever the tags' numbers are.
func TestTagIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const golden = 0x9e3779b97f4a7c15
	inverse := uint64(1) // of golden, modulo 1 << 64
	for range 6 {
		inverse *= 2 - golden*inverse
	}
	numbers := map[string]func(i int) uint32{
		"in order":  func(i int) uint32 { return uint32(i) + 1 },
		"spaced":    func(i int) uint32 { return uint32(i) << 12 },
		"random":    func(int) uint32 { return rng.Uint32() },
		"repeated":  func(i int) uint32 { return uint32(i) % 7 },
		"fibonacci": func(i int) uint32 { return []uint32{832040, 1346269, 2178309, 3524578}[i%4] * uint32(i/4+1) },
		"near":      func(i int) uint32 { return bits.Reverse32(uint32(uint64(i) * inverse >> 32)) },
	}
	for name, number := range numbers {
		for _, n := range []int{1, 2, 3, 5, 6, 16, 17, 100, 256, 1000} {
			byNumber := map[uint32]*Tag{}
			tagged := func(x uint32) *Tag {
				if byNumber[x] == nil {
					byNumber[x] = &Tag{number: x}
				}
				return byNumber[x]
			}
			list := make([]taggedClause, n)
			for i := range list {
				list[i] = taggedClause{tagged(number(i)), &code.HandlerClause{PC: uint32(i)}}
			}
			linear := func(tag *Tag) *code.HandlerClause {
				for _, l := range list {
					if l.tag == tag {
						return l.clause
					}
				}
				return nil
			}
			x := newTagIndex(list)
			for _, l := range list {
				at := x.start(l.tag)
				for probes := 1; x.places[at].tag != l.tag; probes++ {
					if at = x.next(at); probes == maxProbes {
						t.Fatalf("%s, %d: a search looks at more than %d places", name, n, probes)
					}
				}
			}
			if len(x.places) > 64*n {
				t.Errorf("%s, %d: the table has %d places", name, n, len(x.places))
			}
			for range 100 {
				tagged(rng.Uint32N(uint32(4 * n)))
			}
			clauses := newTaggedClauses(list)
			if (clauses.many != nil) != (n > fewClauses) {
				t.Errorf("%s, %d: is there an index? %v", name, n, clauses.many != nil)
			}
			for _, tag := range byNumber {
				want := linear(tag)
				if x.find(tag) != want || clauses.find(tag) != want {
					t.Fatalf("%s, %d: tag %d is taken by %v, %v, not %v", name, n, tag.number, x.find(tag), clauses.find(tag), want)
				}
			}
		}
	}
}
