package analysis

import (
	"sync"
)

// recent has what was last made of a large unit. One request asks for the same function again and
// again: for each diagnostic in it, say.
type recent struct {
	mu      sync.Mutex
	body    *Body
	refs    []Ref
	refUnit int32 // of refs, if they are not nil
	labels  []Symbol
	locals  []Symbol
	fn      uint32 // of labels and locals, if they are not nil
}

// largeUnit is how many tokens a unit has at least to be remembered.
const largeUnit = 200

// recall returns what get finds of the unit, or makes it and has put remember it.
func recall[T any](m *Module, unit int32, get func(r *recent) (T, bool), make func() T, put func(r *recent, x T)) T {
	if unit < 0 || int(unit) >= m.units {
		return make()
	}
	if u := &m.snap.tree.Units[m.first+int(unit)]; len(u.Tokens) < largeUnit {
		return make()
	}
	m.recent.mu.Lock()
	x, ok := get(&m.recent)
	m.recent.mu.Unlock()
	if ok {
		return x
	}
	x = make()
	m.recent.mu.Lock()
	put(&m.recent, x)
	m.recent.mu.Unlock()
	return x
}
