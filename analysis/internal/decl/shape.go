package decl

import "stackscope/wasm"

// OtherGroup reports whether two types differ in nothing but the recursion groups that they stand
// in. Types beyond a bound count as different.
func OtherGroup(m *wasm.Module, a, b uint32) bool {
	s := shapes{m: m, seen: map[[2]uint32]bool{}}
	return s.same(a, b) && !sameGroups(&s, a, b)
}

// sameGroups reports whether two types stand in groups that are the same, at the same place: then
// they are equal, and something else is wrong.
func sameGroups(s *shapes, a, b uint32) bool {
	x, y := s.group(a), s.group(b)
	if x.Len != y.Len || a-x.Start != b-y.Start {
		return false
	}
	for i := range x.Len {
		if !s.same(x.Start+i, y.Start+i) {
			return false
		}
	}
	return true
}

// maxShapes bounds how many pairs of types are compared.
const maxShapes = 256

// shapes compares types by what they are made of, without regard to recursion groups.
type shapes struct {
	m    *wasm.Module
	seen map[[2]uint32]bool // pairs that are the same unless something shows that they are not
}

// group returns the recursion group of a type; one of its own for an implicit type.
func (s *shapes) group(i uint32) wasm.RecGroup {
	for _, g := range s.m.Recs {
		if i >= g.Start && i-g.Start < g.Len {
			return g
		}
	}
	return wasm.RecGroup{Start: i, Len: 1}
}

func (s *shapes) same(a, b uint32) bool {
	if a == b || s.seen[[2]uint32{a, b}] {
		return true
	}
	if int64(max(a, b)) >= int64(len(s.m.Types)) || len(s.seen) >= maxShapes {
		return false
	}
	s.seen[[2]uint32{a, b}] = true
	x, y := &s.m.Types[a], &s.m.Types[b]
	if x.Kind != y.Kind || x.Final != y.Final || len(x.Supers) != len(y.Supers) || len(x.Fields) != len(y.Fields) ||
		!s.values(x.Params, y.Params) || !s.values(x.Results, y.Results) {
		return false
	}
	for i := range x.Fields {
		if x.Fields[i].Mut != y.Fields[i].Mut || !s.value(x.Fields[i].Type, y.Fields[i].Type) {
			return false
		}
	}
	for i := range x.Supers {
		if !s.same(x.Supers[i], y.Supers[i]) {
			return false
		}
	}
	return x.Kind != wasm.CompCont || s.same(x.Func, y.Func)
}

func (s *shapes) values(a, b []wasm.ValType) bool {
	for i := range a {
		if len(a) != len(b) || !s.value(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

func (s *shapes) value(a, b wasm.ValType) bool {
	if a == b {
		return true
	}
	return a.IsRef() && b.IsRef() && a.Nullable() == b.Nullable() && a.Heap() >= 0 && b.Heap() >= 0 &&
		s.same(uint32(a.Heap()), uint32(b.Heap()))
}
