package wasm

import (
	"encoding/binary"
	"sync"
)

// MaxSubtypeDepth is how many supertypes a type may have, one above the other: the limit of the
// JavaScript API.
const MaxSubtypeDepth = 63

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
	types CanonTypes
}

// NewTypeStore returns an empty store.
func NewTypeStore() *TypeStore { return &TypeStore{byKey: map[string]Canon{}} }

// Add enters the types of a module and returns the canonical id of each. Types that refer to what
// is not there (an invalid module) get ids of their own.
func (s *TypeStore) Add(m *Module) []Canon {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]Canon, len(m.Types))
	for i := range ids {
		ids[i] = BadCanon
	}
	a := adder{s: s, m: m, ids: ids}
	for _, g := range m.Recs {
		a.group(g)
	}
	return ids
}

// adder enters the types of one module.
type adder struct {
	s   *TypeStore
	m   *Module
	ids []Canon
	key []byte
	// busy are the implicit fiber types that are being entered, or were.
	busy map[uint32]bool
}

func (a *adder) group(g RecGroup) {
	s, m, ids := a.s, a.m, a.ids
	lo, hi := g.Start, g.Start+g.Len
	if hi < lo || int64(hi) > int64(len(m.Types)) || g.Len == 0 || ids[lo] != BadCanon {
		return
	}
	for i := lo; i < hi; i++ {
		a.inline(&m.Types[i])
	}
	key := a.key[:0]
	for i := lo; i < hi; i++ {
		key = appendKey(key, &m.Types[i], func(x uint32) uint64 {
			switch {
			case x >= lo && x < hi:
				return uint64(x-lo)<<2 | 1
			case int64(x) < int64(len(ids)) && ids[x] != BadCanon:
				return uint64(ids[x])<<2 | 2
			}
			return uint64(len(s.types))<<2 | 3 // unresolved: equal to nothing that was
		})
	}
	a.key = key
	first, ok := s.byKey[string(key)]
	if !ok {
		first = Canon(len(s.types))
		s.byKey[string(key)] = first
	}
	for i := lo; i < hi; i++ {
		ids[i] = first + Canon(i-lo)
	}
	if ok {
		return
	}
	for i := lo; i < hi; i++ {
		s.types = append(s.types, CanonType{SubType: mapType(&m.Types[i], ids)})
	}
	for i := lo; i < hi; i++ {
		s.chain(ids[i])
	}
}

// inline enters the implicit fiber types that a definition refers to: they stand at the end of the
// module. They do not refer to themselves; if one does in a module that is wrong, it stays
// unresolved.
func (a *adder) inline(t *SubType) {
	look := func(v ValType) {
		h := v.Heap()
		if !v.IsRef() || h < 0 || int(h) >= len(a.m.Types) || a.ids[h] != BadCanon || a.busy[uint32(h)] {
			return
		}
		if x := &a.m.Types[h]; x.Implicit && x.Kind == CompFiber {
			if a.busy == nil {
				a.busy = map[uint32]bool{}
			}
			a.busy[uint32(h)] = true
			a.group(RecGroup{uint32(h), 1})
		}
	}
	for _, v := range t.Params {
		look(v)
	}
	for _, v := range t.Results {
		look(v)
	}
	for _, f := range t.Fields {
		look(f.Type)
	}
}

// chain fills in the supertypes. A supertype has a smaller id than its subtypes in a valid module;
// other declarations are left out, so that the chains end.
func (s *TypeStore) chain(c Canon) {
	t := &s.types[c]
	var up []Canon
	if len(t.Supers) > 0 && Canon(t.Supers[0]) < c {
		up = s.types[t.Supers[0]].Chain
	}
	if len(up) > MaxSubtypeDepth { // reported by validation; from here on everything matches
		t.SubType, t.Chain = SubType{Kind: CompBad}, up
		return
	}
	t.Chain = append(append(make([]Canon, 0, len(up)+1), up...), c)
}

// Types returns the types that are in the store now. Later additions do not change the result, so
// it may be read without a lock.
func (s *TypeStore) Types() CanonTypes {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.types[:len(s.types):len(s.types)]
}

// Type returns a canonical type; the zero type (CompBad) for BadCanon. Its slices must not be
// changed.
func (s *TypeStore) Type(c Canon) CanonType {
	if t := s.Types().At(c); t != nil {
		return *t
	}
	return CanonType{}
}

// Sub is CanonTypes.Sub on the types there are.
func (s *TypeStore) Sub(a, b Canon) bool { return s.Types().Sub(a, b) }

// MatchVal is CanonTypes.MatchVal on the types there are.
func (s *TypeStore) MatchVal(a, b ValType) bool { return a == b || s.Types().MatchVal(a, b) }

// MatchVals is CanonTypes.MatchVals on the types there are.
func (s *TypeStore) MatchVals(a, b []ValType) bool { return s.Types().MatchVals(a, b) }

// MatchHeap is CanonTypes.MatchHeap on the types there are.
func (s *TypeStore) MatchHeap(a, b HeapType) bool { return a == b || s.Types().MatchHeap(a, b) }

// Top is CanonTypes.Top on the types there are.
func (s *TypeStore) Top(h HeapType) HeapType { return s.Types().Top(h) }

// CanonVal returns the type with canonical ids in place of a module's indices.
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
	c := SubType{
		Kind: t.Kind, Final: t.Final, Params: CanonVals(t.Params, ids),
		Results: CanonVals(t.Results, ids), Func: t.Func,
	}
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
