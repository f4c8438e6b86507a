package wasm

// CanonTypes are the types of a TypeStore at one time, indexed by Canon. It is read only, and the
// relations below need no lock.
type CanonTypes []CanonType

// At returns a type, or nil for BadCanon. It must not be changed.
func (ts CanonTypes) At(c Canon) *CanonType {
	if int64(c) >= int64(len(ts)) {
		return nil
	}
	return &ts[c]
}

// Sub reports whether a is b or declared a subtype of it.
func (ts CanonTypes) Sub(a, b Canon) bool {
	if a == b {
		return true
	}
	ta, tb := ts.At(a), ts.At(b)
	if ta == nil || tb == nil {
		return false
	}
	d := len(tb.Chain)
	return d <= len(ta.Chain) && ta.Chain[d-1] == b
}

// MatchVal reports whether canonical type a is a subtype of canonical type b. Unknown matches every
// type, and a reference to HeapBad every reference.
func (ts CanonTypes) MatchVal(a, b ValType) bool {
	if a == b || a == Unknown || b == Unknown {
		return true
	}
	if !a.IsRef() || !b.IsRef() {
		return false
	}
	if a.Nullable() && !b.Nullable() {
		return a.Heap() == HeapBad || b.Heap() == HeapBad
	}
	return ts.MatchHeap(a.Heap(), b.Heap())
}

// MatchVals reports whether canonical types a are, one by one, subtypes of b.
func (ts CanonTypes) MatchVals(a, b []ValType) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !ts.MatchVal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// Top returns the top of the hierarchy that a canonical heap type is in: any, func, extern, exn,
// cont, stack, fiber or task; HeapBad if unknown.
func (ts CanonTypes) Top(h HeapType) HeapType {
	if h >= 0 {
		t := ts.At(Canon(h))
		if t == nil {
			return HeapBad
		}
		switch t.Kind {
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
	if r := h.row(); r != nil {
		return r.top
	}
	return HeapAny
}

// MatchHeap reports whether canonical heap type a is a subtype of canonical heap type b. A type
// that is not known matches all.
func (ts CanonTypes) MatchHeap(a, b HeapType) bool {
	if a == b || a == HeapBad || b == HeapBad {
		return true
	}
	if a >= 0 && b >= 0 {
		return ts.matchDefined(Canon(a), Canon(b))
	}
	if r := a.row(); r != nil && r.bottom {
		top := ts.Top(b)
		return top == HeapBad || top == ts.Top(a)
	}
	if b >= 0 {
		return ts.Top(b) == HeapBad
	}
	top := ts.Top(a)
	if top == HeapBad {
		return true
	}
	switch b {
	case HeapEq:
		return a == HeapI31 || a == HeapStruct || a == HeapArray || a >= 0 && top == HeapAny
	case HeapStruct:
		return a >= 0 && ts[a].Kind == CompStruct
	case HeapArray:
		return a >= 0 && ts[a].Kind == CompArray
	}
	r := b.row()
	return r != nil && top == b && !r.alone
}

// matchDefined is MatchHeap of two defined types: a subtype is one that is declared. What is not
// known matches all.
func (ts CanonTypes) matchDefined(a, b Canon) bool {
	if ts.Sub(a, b) {
		return true
	}
	ta, tb := ts.At(a), ts.At(b)
	return ta == nil || tb == nil || ta.Kind == CompBad || tb.Kind == CompBad
}
