package workspace

import (
	"context"
	"sync"
	"weak"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/syntax"
)

// UnitCache remembers an answer for each unit of each document, which an edit elsewhere leaves as
// it is. The zero value remembers nothing.
type UnitCache[T any] struct {
	mu   sync.Mutex
	docs map[uri.URI]*unitAnswers[T]
}

// unitAnswers are the answers for the units of one version of a document. They are immutable.
type unitAnswers[T any] struct {
	units   []UnitID
	answers []T
}

// Answers returns what is remembered of a document, by its units.
func (c *UnitCache[T]) Answers(u uri.URI) []T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.docs[u]; d != nil {
		return d.answers
	}
	return nil
}

// Drop forgets a document.
func (c *UnitCache[T]) Drop(u uri.URI) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.docs, u)
}

// Each has visit answer for each unit of a document, in order, and remembers the answers. known
// finds the answer for a unit in the version before. The error reports that ctx ended.
func (c *UnitCache[T]) Each(
	ctx context.Context, d *Document, visit func(i int, known func(i int) (T, bool)) T,
) error {
	c.mu.Lock()
	old := c.docs[d.URI]
	c.mu.Unlock()
	if old == nil {
		old = &unitAnswers[T]{}
	}
	units := d.Snapshot().Tree().Units
	known := Kept(old.units, old.answers, units)
	now := &unitAnswers[T]{make([]UnitID, len(units)), make([]T, len(units))}
	for i := range units {
		if i%256 == 0 && ctx.Err() != nil {
			return protocol.ErrRequestCancelled
		}
		now.units[i] = weak.Make(units[i].Unit)
		now.answers[i] = visit(i, known)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.docs == nil {
		c.docs = map[uri.URI]*unitAnswers[T]{}
	}
	c.docs[d.URI] = now
	return nil
}

// UnitID identifies a unit without keeping it alive: what is remembered of a text must not hold
// its whole tree.
type UnitID = weak.Pointer[syntax.Unit]

// Kept returns a function that finds what is known of a unit of a tree, given what was known of the
// units of an earlier one. Units at both ends are at their old places from there; others are looked
// for by what they are.
func Kept[T any](old []UnitID, known []T, units []syntax.Placed) func(i int) (T, bool) {
	shift := len(old) - len(units)
	var rest map[UnitID]int
	return func(i int) (none T, ok bool) {
		u := weak.Make(units[i].Unit)
		if i < len(old) && old[i] == u {
			return known[i], true
		}
		if j := i + shift; j >= 0 && j < len(old) && old[j] == u {
			return known[j], true
		}
		if shift == 0 {
			return none, false // a new unit, as a rule
		}
		if rest == nil {
			rest = make(map[UnitID]int, len(old))
			for k, o := range old {
				rest[o] = k
			}
		}
		if j, ok := rest[u]; ok {
			return known[j], true
		}
		return none, false
	}
}
