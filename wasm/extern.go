package wasm

// ExternType is the type of something that is imported or exported, its types canonical.
type ExternType struct {
	Kind   ExternKind
	Def    Canon   // the function type of a function or tag
	Type   ValType // of a global's value or a table's elements
	Mut    bool
	Limits Limits // of a table or memory; Min may be its size at the moment
}

// ExternType returns the type of an item of a module, whose types Add gave the ids, and whether
// there is such an item.
func (s *TypeStore) ExternType(m *Module, ids []Canon, k ExternKind, index uint32) (ExternType, bool) {
	t := ExternType{Kind: k, Def: BadCanon}
	def := func(i uint32) bool {
		if int64(i) < int64(len(ids)) {
			t.Def = ids[i]
		}
		return t.Def != BadCanon
	}
	i := int64(index)
	switch {
	case k == ExternFunc && i < int64(len(m.Funcs)):
		return t, def(m.Funcs[i].Type)
	case k == ExternTag && i < int64(len(m.Tags)):
		return t, def(m.Tags[i].Type)
	case k == ExternTable && i < int64(len(m.Tables)):
		t.Type, t.Limits = CanonVal(m.Tables[i].Type, ids), m.Tables[i].Limits
		return t, true
	case k == ExternMemory && i < int64(len(m.Mems)):
		t.Limits = m.Mems[i].Limits
		return t, true
	case k == ExternGlobal && i < int64(len(m.Globals)):
		t.Type, t.Mut = CanonVal(m.Globals[i].Type, ids), m.Globals[i].Mut
		return t, true
	}
	return t, false
}

// MatchExtern reports whether what there is can be imported as what is wanted (import matching of
// the specification).
func (s *TypeStore) MatchExtern(have, want ExternType) bool {
	if have.Kind != want.Kind {
		return false
	}
	same := func() bool { return s.MatchVal(have.Type, want.Type) && s.MatchVal(want.Type, have.Type) }
	h, w := have.Limits, want.Limits
	limits := h.Min >= w.Min && (!w.HasMax || h.HasMax && h.Max <= w.Max) && h.Is64 == w.Is64 && h.Shared == w.Shared
	switch have.Kind {
	case ExternFunc:
		return s.Sub(have.Def, want.Def)
	case ExternTag:
		return s.Sub(have.Def, want.Def) && s.Sub(want.Def, have.Def)
	case ExternTable:
		return same() && limits
	case ExternMemory:
		return limits && h.PageSizeBits() == w.PageSizeBits()
	case ExternGlobal:
		return have.Mut == want.Mut && (same() || !want.Mut && s.MatchVal(have.Type, want.Type))
	}
	return false
}

// PageSizeBits returns log2 of a memory's page size in bytes.
func (l Limits) PageSizeBits() uint8 {
	if l.HasPage {
		return l.PageBits
	}
	return 16
}
