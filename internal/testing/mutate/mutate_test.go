package mutate

import (
	"math/rand/v2"
	"testing"
)

// TestSame expects the same texts from the same randomness, and texts of about the size asked for.
func TestSame(t *testing.T) {
	p := NewPool([]string{"(module (func $f (param i32) (local.get 0)))",
		"(assert_return (invoke \"f\" (i32.const 1)))"})
	for _, s := range Shapes {
		a := s.Text(p, rand.New(rand.NewPCG(1, 2)), 5000)
		if b := s.Text(p, rand.New(rand.NewPCG(1, 2)), 5000); a != b {
			t.Errorf("%s: two texts from one seed", s.Name)
		}
		if len(a) < 2500 || len(a) > 10000 {
			t.Errorf("%s: %d bytes, 5000 are asked for", s.Name, len(a))
		}
	}
	a, b := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
	x, y := p.Small(a), p.Small(b)
	for range 1000 {
		if x, y = p.Mutate(a, x), p.Mutate(b, y); x != y {
			t.Fatal("two texts from one seed")
		}
		if len(x) > 20000 {
			x, y = p.Small(a), p.Small(b)
		}
	}
}
