package wasm

import (
	"encoding/binary"
	"sync"
)

// Canon identifies a type up to the equality of the specification (equal recursion groups, equal
// positions) across all modules of one TypeStore.
type Canon uint32

// BadCanon stands for a type that is not there.
const BadCanon = ^Canon(0)

// CanonType is a type definition whose type indices are Canon ids.
type CanonType struct {
	SubType
	// Chain are the supertypes from the root down to the type itself: i <: j iff j is in i's
	// chain at j's depth.
	Chain []Canon
}

// TypeStore holds canonical types. It is safe for concurrent use.
type TypeStore struct {
	mu    sync.RWMutex
	byKey map[string]Canon // key of a recursion group → its first type
	types []CanonType
}

// NewTypeStore gives an empty store.
func NewTypeStore() *TypeStore { return &TypeStore{byKey: map[string]Canon{}} }

// Add enters the types of a module and gives the canonical id of each. Types that refer to what is
// not there (an invalid module) get ids of their own.
func (s *TypeStore) Add(m *Module) []Canon {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]Canon, len(m.Types))
	for i := range ids {
		ids[i] = BadCanon
	}
	var key []byte
	for _, g := range m.Recs {
		lo, hi := g.Start, g.Start+g.Len
		if int(hi) > len(m.Types) || g.Len == 0 {
			continue
		}
		key = key[:0]
		for i := lo; i < hi; i++ {
			key = appendKey(key, &m.Types[i], func(x uint32) uint64 {
				switch {
				case x >= lo && x < hi:
					return uint64(x-lo)<<2 | 1
				case x < lo && ids[x] != BadCanon:
					return uint64(ids[x])<<2 | 2
				}
				return uint64(len(s.types))<<2 | 3 // unresolved: equal to nothing that was
			})
		}
		first, ok := s.byKey[string(key)]
		if !ok {
			first = Canon(len(s.types))
			s.byKey[string(key)] = first
		}
		for i := lo; i < hi; i++ {
			ids[i] = first + Canon(i-lo)
		}
		if ok {
			continue
		}
		for i := lo; i < hi; i++ {
			s.types = append(s.types, CanonType{SubType: mapType(&m.Types[i], ids)})
		}
		for i := lo; i < hi; i++ {
			s.chain(ids[i], 0)
		}
	}
	return ids
}

// chain fills in the supertypes; depth bounds the walk on invalid, cyclic declarations.
func (s *TypeStore) chain(c Canon, depth int) []Canon {
	t := &s.types[c]
	if t.Chain != nil {
		return t.Chain
	}
	var up []Canon
	if len(t.Supers) > 0 && Canon(t.Supers[0]) != BadCanon && Canon(t.Supers[0]) != c && depth < 1<<10 {
		up = s.chain(Canon(t.Supers[0]), depth+1)
	}
	t.Chain = append(append(make([]Canon, 0, len(up)+1), up...), c)
	return t.Chain
}

// Type gives a canonical type; the zero type (CompBad) for BadCanon. Its slices must not be changed.
func (s *TypeStore) Type(c Canon) CanonType {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if int64(c) >= int64(len(s.types)) {
		return CanonType{}
	}
	return s.types[c]
}

// Sub tells whether a is b or declared a subtype of it.
func (s *TypeStore) Sub(a, b Canon) bool {
	if a == b {
		return true
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if int64(a) >= int64(len(s.types)) || int64(b) >= int64(len(s.types)) {
		return false
	}
	ca, d := s.types[a].Chain, len(s.types[b].Chain)
	return d <= len(ca) && ca[d-1] == b
}

// CanonVal gives the type with canonical ids in place of a module's indices.
func CanonVal(t ValType, ids []Canon) ValType {
	h := t.Heap()
	if !t.IsRef() || h < 0 {
		return t
	}
	if int(h) >= len(ids) || ids[h] == BadCanon {
		return Ref(t.Nullable(), HeapBad)
	}
	return Ref(t.Nullable(), HeapType(ids[h]))
}

// CanonVals is CanonVal of each.
func CanonVals(ts []ValType, ids []Canon) []ValType {
	if ts == nil {
		return nil
	}
	out := make([]ValType, len(ts))
	for i, t := range ts {
		out[i] = CanonVal(t, ids)
	}
	return out
}

func mapType(t *SubType, ids []Canon) SubType {
	c := SubType{Kind: t.Kind, Final: t.Final, Params: CanonVals(t.Params, ids), Results: CanonVals(t.Results, ids), Func: t.Func}
	at := func(x uint32) uint32 {
		if int64(x) < int64(len(ids)) {
			return uint32(ids[x])
		}
		return uint32(BadCanon)
	}
	for _, x := range t.Supers {
		c.Supers = append(c.Supers, at(x))
	}
	for _, f := range t.Fields {
		c.Fields = append(c.Fields, FieldType{CanonVal(f.Type, ids), f.Mut})
	}
	if t.Kind == CompCont {
		c.Func = at(t.Func)
	}
	return c
}

func appendKey(k []byte, t *SubType, ref func(uint32) uint64) []byte {
	val := func(v ValType) {
		k = binary.AppendUvarint(k, uint64(v)&0xffffffff)
		if v.IsRef() {
			if h := v.Heap(); h >= 0 {
				k = binary.AppendUvarint(k, ref(uint32(h)))
			} else {
				k = binary.AppendUvarint(k, uint64(-int64(h))<<2)
			}
		}
	}
	b2 := byte(0)
	if t.Final {
		b2 = 1
	}
	k = append(k, byte(t.Kind), b2, byte(len(t.Supers)))
	for _, x := range t.Supers {
		k = binary.AppendUvarint(k, ref(x))
	}
	k = binary.AppendUvarint(k, uint64(len(t.Params)))
	for _, v := range t.Params {
		val(v)
	}
	k = binary.AppendUvarint(k, uint64(len(t.Results)))
	for _, v := range t.Results {
		val(v)
	}
	k = binary.AppendUvarint(k, uint64(len(t.Fields)))
	for _, f := range t.Fields {
		val(f.Type)
		if f.Mut {
			k = append(k, 1)
		} else {
			k = append(k, 0)
		}
	}
	if t.Kind == CompCont {
		k = binary.AppendUvarint(k, ref(t.Func))
	}
	return k
}

// MatchVal tells whether canonical type a is a subtype of canonical type b. Unknown matches all.
func (s *TypeStore) MatchVal(a, b ValType) bool {
	if a == b || a == Unknown || b == Unknown {
		return true
	}
	if !a.IsRef() || !b.IsRef() {
		return false
	}
	if a.Nullable() && !b.Nullable() {
		return false
	}
	return s.MatchHeap(a.Heap(), b.Heap())
}

// MatchVals tells whether canonical types a are, one by one, subtypes of b.
func (s *TypeStore) MatchVals(a, b []ValType) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !s.MatchVal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// Top gives the top of the hierarchy that a canonical heap type is in: any, func, extern, exn,
// cont, stack, fiber or task; HeapBad if unknown.
func (s *TypeStore) Top(h HeapType) HeapType {
	if h >= 0 {
		switch s.Type(Canon(h)).Kind {
		case CompFunc:
			return HeapFunc
		case CompStruct, CompArray:
			return HeapAny
		case CompCont:
			return HeapCont
		case CompStack:
			return HeapStack
		case CompFiber:
			return HeapFiber
		}
		return HeapBad
	}
	switch h {
	case HeapFunc, HeapNoFunc:
		return HeapFunc
	case HeapExtern, HeapNoExtern:
		return HeapExtern
	case HeapExn, HeapNoExn:
		return HeapExn
	case HeapCont, HeapNoCont:
		return HeapCont
	case HeapStack, HeapNoStack:
		return HeapStack
	case HeapFiber:
		return HeapFiber
	case HeapTask:
		return HeapTask
	case HeapBad:
		return HeapBad
	}
	return HeapAny
}

// MatchHeap tells whether canonical heap type a is a subtype of canonical heap type b.
func (s *TypeStore) MatchHeap(a, b HeapType) bool {
	if a == b || a == HeapBad || b == HeapBad {
		return true
	}
	if a >= 0 && b >= 0 {
		return s.Sub(Canon(a), Canon(b)) || s.structural(Canon(a), Canon(b))
	}
	switch a {
	case HeapNone, HeapNoFunc, HeapNoExtern, HeapNoExn, HeapNoCont, HeapNoStack:
		return s.Top(a) == s.Top(b)
	}
	if b >= 0 {
		return false
	}
	switch b {
	case HeapAny, HeapFunc, HeapExtern, HeapExn, HeapCont, HeapStack:
		return s.Top(a) == b
	case HeapEq:
		return a == HeapI31 || a == HeapStruct || a == HeapArray || a >= 0 && s.Top(a) == HeapAny
	case HeapStruct:
		return a >= 0 && s.Type(Canon(a)).Kind == CompStruct
	case HeapArray:
		return a >= 0 && s.Type(Canon(a)).Kind == CompArray
	}
	return false
}

// structural is the hook for fiber types of fibers-handle, whose inline spelling makes equal types
// that no declaration relates: `fiber r1* <: fiber r2*` iff `r1* <: r2*` (docs/dialects.md §5).
func (s *TypeStore) structural(a, b Canon) bool {
	ta, tb := s.Type(a), s.Type(b)
	return ta.Kind == CompFiber && tb.Kind == CompFiber && s.MatchVals(ta.Results, tb.Results)
}
