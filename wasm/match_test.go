package wasm

import "testing"

// module returns a module of types in groups of the lengths.
func typesModule(groups []uint32, ts ...SubType) *Module {
	m := &Module{Types: ts, Names: NewNames()}
	at := uint32(0)
	for _, n := range groups {
		m.Recs = append(m.Recs, RecGroup{at, n})
		at += n
	}
	return m
}

func fn(final bool, params []ValType, supers ...uint32) SubType {
	return SubType{Kind: CompFunc, Final: final, Params: params, Supers: supers}
}

func toType(i HeapType) []ValType { return []ValType{Ref(true, i)} }

func TestCanonicalTypes(t *testing.T) {
	s := NewTypeStore()
	a := s.Add(typesModule([]uint32{1, 2, 2, 1, 1},
		fn(true, nil),
		fn(true, toType(2)), fn(true, toType(1)),
		fn(true, toType(4)), fn(true, toType(3)), // the same group again
		fn(true, toType(5)), // refers to itself
		fn(true, toType(0)),
	))
	if a[1] != a[3] || a[2] != a[4] {
		t.Errorf("equal groups differ: %v", a)
	}
	for _, p := range [][2]int{{1, 2}, {0, 5}, {5, 6}, {1, 5}} {
		if a[p[0]] == a[p[1]] {
			t.Errorf("types %v are equal: %v", p, a)
		}
	}
	b := s.Add(typesModule([]uint32{1, 1, 2},
		fn(true, toType(0)), fn(true, nil), fn(true, toType(3)), fn(true, toType(2))))
	if b[0] != a[5] || b[1] != a[0] || b[2] != a[1] {
		t.Errorf("equal types of two modules differ: %v, %v", a, b)
	}
	c := s.Add(typesModule([]uint32{2}, fn(true, nil), fn(true, nil)))
	if c[0] == a[0] || c[0] == c[1] {
		t.Errorf("a type of a group equals one on its own: %v", c)
	}
	d := s.Add(typesModule([]uint32{1}, fn(false, nil)))
	if d[0] == a[0] {
		t.Error("an open type equals a final one")
	}
	if bad := s.Add(typesModule([]uint32{1}, fn(true, toType(9)))); s.Type(bad[0]).Params[0].Heap() != HeapBad {
		t.Errorf("a reference to nothing: %v", s.Type(bad[0]))
	}
}

func TestSubtyping(t *testing.T) {
	s := NewTypeStore()
	m := typesModule([]uint32{1, 1, 1, 1, 1, 1, 1, 1},
		fn(false, nil), fn(false, nil, 0), fn(true, nil, 1), fn(true, nil, 0),
		SubType{Kind: CompStruct}, SubType{Kind: CompArray, Fields: []FieldType{{I8, true}}},
		SubType{Kind: CompCont, Func: 0}, SubType{})
	ids := s.Add(m)
	heap := func(i int) HeapType { return HeapType(ids[i]) }
	for _, c := range []struct {
		a, b HeapType
		want bool
	}{
		{heap(2), heap(0), true}, {heap(2), heap(1), true}, {heap(0), heap(2), false}, {heap(3), heap(1), false},
		{heap(0), HeapFunc, true}, {heap(0), HeapAny, false}, {HeapNoFunc, heap(2), true}, {HeapNone, heap(2), false},
		{heap(4), HeapStruct, true}, {heap(4), HeapArray, false}, {heap(5), HeapArray, true}, {heap(5), HeapEq,
			true}, {heap(4), HeapAny, true},
		{HeapNone, heap(4), true}, {HeapNone, HeapI31, true}, {HeapI31, HeapEq, true}, {HeapI31, HeapStruct,
			false}, {HeapEq, HeapI31, false},
		{HeapAny, HeapEq, false}, {HeapExtern, HeapAny, false}, {HeapNoExtern, HeapExtern, true}, {HeapNoExn,
			HeapExn, true},
		{heap(6), HeapCont, true}, {HeapNoCont, heap(6), true}, {HeapCont, heap(6), false}, {heap(6), HeapFunc,
			false}, {HeapFunc, heap(0), false},
		{heap(7), heap(0), true}, {heap(0), heap(7), true}, {heap(7), HeapEq, true}, {HeapNone, heap(7), true},
		{HeapBad, heap(0), true}, {HeapFiber, HeapTask, false},
	} {
		if got := s.MatchHeap(c.a, c.b); got != c.want {
			t.Errorf("%v <: %v is %v", c.a, c.b, got)
		}
	}
	for _, c := range []struct {
		a, b ValType
		want bool
	}{
		{Ref(false, heap(2)), Ref(true, heap(0)), true}, {Ref(true, heap(2)), Ref(false, heap(0)), false},
		{I32, I32, true}, {I32, I64, false}, {Unknown, I32, true}, {I32, FuncRef, false}, {Ref(true, HeapBad),
			I31RefNN, true}, {Ref(true, HeapBad), I32, false},
	} {
		if got := s.MatchVal(c.a, c.b); got != c.want {
			t.Errorf("%v <: %v is %v", c.a, c.b, got)
		}
	}
}

// Invalid declarations must not make the chains endless.
func TestCyclicSupers(t *testing.T) {
	s := NewTypeStore()
	ids := s.Add(typesModule([]uint32{2}, fn(false, nil, 1), fn(false, nil, 0)))
	if n := len(s.Type(ids[1]).Chain); n != 2 {
		t.Errorf("chain of %d", n)
	}
	s.Add(typesModule([]uint32{1}, fn(false, nil, 0)))
}
