package analysis

import (
	"slices"

	"stackscope/wasm"
)

// named is one item that a body, or the declarations, name: its space, index, and for a field its
// type, packed. It holds no place, so it stays true when the text moves.
type named uint64

const (
	useIndexBits = 28
	useWrite     = named(1) << 59 // the item is set, not read
)

func makeNamed(sp Space, owner, index uint32, kind RefKind) named {
	const mask = 1<<useIndexBits - 1
	u := named(sp)<<60 | named(owner&mask)<<useIndexBits | named(index&mask)
	if kind == RefWrite {
		u |= useWrite
	}
	return u
}

func (u named) space() Space  { return Space(u >> 60) }
func (u named) index() uint32 { return uint32(u & (1<<useIndexBits - 1)) }
func (u named) write() bool   { return u&useWrite != 0 }

// useSet collects the uses of one body after the other.
type useSet struct {
	list []named
	seen map[named]bool
	self uint32 // a type whose definition is being read: what it says of itself does not count
}

func newUseSet() *useSet { return &useSet{seen: map[named]bool{}, self: wasm.BadIndex} }

// begin starts again.
func (s *useSet) begin() {
	s.list = s.list[:0]
	clear(s.seen)
}

// add records a use. It may be called on nil.
func (s *useSet) add(sp Space, owner, index uint32, kind RefKind) {
	if s == nil || index == wasm.BadIndex || sp == SpaceType && index == s.self {
		return
	}
	u := makeNamed(sp, owner, index, kind)
	if n := len(s.list); n > 0 && s.list[n-1] == u {
		return
	}
	if len(s.list) < fewUses {
		if slices.Contains(s.list, u) {
			return
		}
		if len(s.list)+1 == fewUses {
			for _, x := range s.list {
				s.seen[x] = true
			}
			s.seen[u] = true
		}
	} else if s.seen[u] {
		return
	} else {
		s.seen[u] = true
	}
	s.list = append(s.list, u)
}

const fewUses = 24

// take returns the uses in order.
func (s *useSet) take() []named {
	if len(s.list) == 0 {
		return nil
	}
	out := slices.Clone(s.list)
	slices.Sort(out)
	return out
}

// writesArray reports whether an instruction changes elements of an array, whose type is its first
// immediate.
func writesArray(op wasm.Op) bool {
	switch op {
	case wasm.OpArraySet, wasm.OpArrayFill, wasm.OpArrayCopy, wasm.OpArrayInitData, wasm.OpArrayInitElem:
		return true
	}
	return false
}
