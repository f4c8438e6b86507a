package decl

import (
	"slices"

	"stackscope/wasm"
)

// ItemUse is one item that a body, or the declarations, name: its space, index, and for a field its
// type, packed. It holds no place, so it stays true when the text moves.
type ItemUse uint64

const (
	useIndexBits = 28
	useWrite     = ItemUse(1) << 59 // the item is set, not read
)

func MakeItemUse(sp Space, owner, index uint32, kind RefKind) ItemUse {
	const mask = 1<<useIndexBits - 1
	u := ItemUse(sp)<<60 | ItemUse(owner&mask)<<useIndexBits | ItemUse(index&mask)
	if kind == RefWrite {
		u |= useWrite
	}
	return u
}

func (u ItemUse) Space() Space  { return Space(u >> 60) }
func (u ItemUse) Index() uint32 { return uint32(u & (1<<useIndexBits - 1)) }
func (u ItemUse) Write() bool   { return u&useWrite != 0 }

// UseSet collects the uses of one body after the other.
type UseSet struct {
	List []ItemUse
	seen map[ItemUse]bool
	Self uint32 // a type whose definition is being read: what it says of itself does not count
}

func NewUseSet() *UseSet { return &UseSet{seen: map[ItemUse]bool{}, Self: wasm.BadIndex} }

// Begin starts again.
func (s *UseSet) Begin() {
	s.List = s.List[:0]
	clear(s.seen)
}

// Add records a use. It may be called on nil.
func (s *UseSet) Add(sp Space, owner, index uint32, kind RefKind) {
	if s == nil || index == wasm.BadIndex || sp == SpaceType && index == s.Self {
		return
	}
	u := MakeItemUse(sp, owner, index, kind)
	if n := len(s.List); n > 0 && s.List[n-1] == u {
		return
	}
	if len(s.List) < fewUses {
		if slices.Contains(s.List, u) {
			return
		}
		if len(s.List)+1 == fewUses {
			for _, x := range s.List {
				s.seen[x] = true
			}
			s.seen[u] = true
		}
	} else if s.seen[u] {
		return
	} else {
		s.seen[u] = true
	}
	s.List = append(s.List, u)
}

const fewUses = 24

// Take returns the uses in order.
func (s *UseSet) Take() []ItemUse {
	if len(s.List) == 0 {
		return nil
	}
	out := slices.Clone(s.List)
	slices.Sort(out)
	return out
}

// WritesArray reports whether an instruction changes elements of an array, whose type is its first
// immediate.
func WritesArray(op wasm.Op) bool {
	switch op {
	case wasm.OpArraySet, wasm.OpArrayFill, wasm.OpArrayCopy, wasm.OpArrayInitData, wasm.OpArrayInitElem:
		return true
	}
	return false
}
