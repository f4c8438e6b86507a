package vm

import (
	"encoding/binary"
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// layout is how the fields of a structure type, or the element of an array type, are kept.
type layout struct {
	canon      wasm.Canon
	kind       wasm.CompKind
	chain      []wasm.Canon // supertypes from the root down to the type itself
	nums, refs int          // slots in all (array: of one element)
	width      int          // array: bytes of an element, 0 for references
	size       int64        // structure: bytes that it takes
	packed     bool         // structure: some field is
	fields     []fieldLayout
}

// fieldLayout is where a field is: its slot in nums or refs by its kind.
type fieldLayout struct {
	typ  wasm.ValType // canonical; I8 and I16 as such
	slot int
}

// layoutOf returns the layout of a canonical structure or array type, nil for other types.
func layoutOf(c wasm.Canon, t wasm.CanonType) *layout {
	if t.Kind != wasm.CompStruct && t.Kind != wasm.CompArray {
		return nil
	}
	l := &layout{canon: c, kind: t.Kind, chain: t.Chain, fields: make([]fieldLayout, len(t.Fields))}
	for i, f := range t.Fields {
		l.fields[i] = fieldLayout{typ: f.Type, slot: l.nums}
		if f.Type.IsRef() {
			l.fields[i].slot = l.refs
		}
		n, r := code.Slots(f.Type)
		l.nums, l.refs = l.nums+n, l.refs+r
		l.packed = l.packed || f.Type.Packed()
	}
	l.size = structSize(l.nums, l.refs)
	if t.Kind == wasm.CompArray && len(t.Fields) == 1 {
		l.width = storageSize(t.Fields[0].Type)
	}
	return l
}

// storageSize returns how many bytes a number takes in an array, or of a data segment; 0 for
// references.
func storageSize(t wasm.ValType) int {
	switch t.Kind() {
	case wasm.KindI8:
		return 1
	case wasm.KindI16:
		return 2
	case wasm.KindI32, wasm.KindF32:
		return 4
	case wasm.KindI64, wasm.KindF64:
		return 8
	case wasm.KindV128:
		return 16
	}
	return 0
}

// below reports whether the type is b or declared a subtype of it.
func (l *layout) below(b *layout) bool {
	d := len(b.chain)
	return l.canon == b.canon || d <= len(l.chain) && l.chain[d-1] == b.canon
}

// pack cuts a number to what a field of the type keeps.
func pack(t wasm.ValType, x uint64) uint64 {
	switch t {
	case wasm.I8:
		return x & 0xff
	case wasm.I16:
		return x & 0xffff
	}
	return x
}

// signed returns a packed number as an i32 with its sign.
func signed(t wasm.ValType, x uint64) uint64 {
	if t == wasm.I8 {
		return uint64(uint32(int8(x)))
	}
	return uint64(uint32(int16(x)))
}

// Struct is a structure. The fields that are numbers are in nums in their order, two slots for a
// v128; the references are in refs in their order: the same layout as the operands of struct.new in
// a frame. A packed field is kept as its low bits, zero-extended.
type Struct struct {
	object
	seen   uint16 // the last count of the heap that has found it, see census
	layout *layout
	nums   []uint64
	refs   []Ref
}

// Small structures are one object for Go: the slots are after the head.
type (
	structN2 struct {
		Struct
		n [2]uint64
	}
	structN4 struct {
		Struct
		n [4]uint64
	}
	structR2 struct {
		Struct
		r [2]Ref
	}
	structN2R2 struct {
		Struct
		n [2]uint64
		r [2]Ref
	}
)

// newStruct returns a structure of zeros and nulls.
func newStruct(l *layout) *Struct {
	n, r := l.nums, l.refs
	var s *Struct
	switch {
	case r == 0 && n > 0 && n <= 2:
		x := &structN2{}
		s, x.nums = &x.Struct, x.n[:n:n]
	case r == 0 && n > 0 && n <= 4:
		x := &structN4{}
		s, x.nums = &x.Struct, x.n[:n:n]
	case n == 0 && r > 0 && r <= 2:
		x := &structR2{}
		s, x.refs = &x.Struct, x.r[:r:r]
	case n > 0 && n <= 2 && r > 0 && r <= 2:
		x := &structN2R2{}
		s, x.nums, x.refs = &x.Struct, x.n[:n:n], x.r[:r:r]
	default:
		s = &Struct{nums: make([]uint64, n), refs: make([]Ref, r)}
	}
	s.kind, s.layout = objStruct, l
	return s
}

// Array is an array. Numbers are in data, little-endian and as wide as the element type, so that
// Go's collector does not look at them; references are in refs.
type Array struct {
	object
	seen   uint16 // as in Struct
	n      uint32 // length in elements
	layout *layout
	data   []byte
	refs   []Ref
}

// maxArrayBytes bounds one array: Go would fail on more than there is memory, the program must not.
const maxArrayBytes = 1 << 30

// newArray makes an array of zeros or nulls; nil if it would be too large.
func (h *heap) newArray(l *layout, n uint32) *Array {
	size := uint64(n) * uint64(l.width+refSize*l.refs)
	if size > maxArrayBytes || !h.alloc(arrayHead+size) {
		return nil
	}
	a := &Array{object: object{kind: objArray}, n: n, layout: l}
	if l.refs > 0 {
		a.refs = make([]Ref, n)
	} else {
		a.data = make([]byte, size)
	}
	return a
}

// elemSize returns the bytes of an element.
func (a *Array) elemSize() uint64 { return uint64(a.layout.width + refSize*a.layout.refs) }

// num returns a number's slots; of a packed element zero-extended.
func (a *Array) num(i uint32) (lo, hi uint64) {
	return loadNum(a.data[int(i)*a.layout.width:], a.layout.width)
}

func loadNum(p []byte, width int) (lo, hi uint64) {
	switch width {
	case 1:
		return uint64(p[0]), 0
	case 2:
		return uint64(binary.LittleEndian.Uint16(p)), 0
	case 4:
		return uint64(binary.LittleEndian.Uint32(p)), 0
	case 8:
		return binary.LittleEndian.Uint64(p), 0
	}
	return binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
}

// setNum sets a number from its slots.
func (a *Array) setNum(i uint32, lo, hi uint64) {
	p := a.data[int(i)*a.layout.width:]
	switch a.layout.width {
	case 1:
		p[0] = byte(lo)
	case 2:
		binary.LittleEndian.PutUint16(p, uint16(lo))
	case 4:
		binary.LittleEndian.PutUint32(p, uint32(lo))
	case 8:
		binary.LittleEndian.PutUint64(p, lo)
	default:
		binary.LittleEndian.PutUint64(p, lo)
		binary.LittleEndian.PutUint64(p[8:], hi)
	}
}

// fill sets n elements from i on; they are in bounds.
func (a *Array) fill(m *Machine, i, n uint32, lo, hi uint64, r Ref) wasm.TrapKind {
	if n == 0 {
		return 0
	}
	if a.layout.refs > 0 {
		return fillRefs(m, a.refs[i:i+n], r)
	}
	a.setNum(i, lo, hi)
	w := a.layout.width
	return spread(m, a.data[int(i)*w:int(i+n)*w], w)
}

// Type returns the canonical type.
func (s *Struct) Type() wasm.Canon { return s.layout.canon }

// Len returns the number of fields.
func (s *Struct) Len() int { return len(s.layout.fields) }

// Field returns a field, unpacked without sign; the zero Value if there is none.
func (s *Struct) Field(i int) Value {
	if i < 0 || i >= len(s.layout.fields) {
		return Value{}
	}
	f := s.layout.fields[i]
	v := Value{Type: abstractType(f.typ.Unpacked())}
	if f.typ.IsRef() {
		v.Ref = s.refs[f.slot]
		return v
	}
	v.Lo = s.nums[f.slot]
	if f.typ == wasm.V128 {
		v.Hi = s.nums[f.slot+1]
	}
	return v
}

// FieldType returns the type of a field; a type index in it is a canonical id.
func (s *Struct) FieldType(i int) wasm.ValType { return s.layout.fields[i].typ.Unpacked() }

// Storage returns the type that a field is stored as: I8 and I16 too.
func (s *Struct) Storage(i int) wasm.ValType { return s.layout.fields[i].typ }

// SetField changes a field, also if it is immutable to programs, and reports whether there is one.
// The value must be of the field's type.
func (s *Struct) SetField(i int, v Value) bool {
	if i < 0 || i >= len(s.layout.fields) {
		return false
	}
	f := s.layout.fields[i]
	if f.typ.IsRef() {
		s.refs[f.slot] = v.Ref
		return true
	}
	s.nums[f.slot] = pack(f.typ, v.Lo)
	if f.typ == wasm.V128 {
		s.nums[f.slot+1] = v.Hi
	}
	return true
}

// Type returns the canonical type.
func (a *Array) Type() wasm.Canon { return a.layout.canon }

// Len returns the number of elements.
func (a *Array) Len() int { return int(a.n) }

// Elem returns an element, unpacked without sign; the zero Value if there is none.
func (a *Array) Elem(i int) Value {
	if i < 0 || i >= int(a.n) {
		return Value{}
	}
	t := a.layout.fields[0].typ
	v := Value{Type: abstractType(t.Unpacked())}
	if t.IsRef() {
		v.Ref = a.refs[i]
	} else {
		v.Lo, v.Hi = a.num(uint32(i))
	}
	return v
}

// ElemType returns the type of the elements; a type index in it is a canonical id.
func (a *Array) ElemType() wasm.ValType { return a.layout.fields[0].typ.Unpacked() }

// Storage returns the type that the elements are stored as: I8 and I16 too.
func (a *Array) Storage() wasm.ValType { return a.layout.fields[0].typ }

// SetElem changes an element, also if it is immutable to programs, and reports whether there is
// one. The value must be of the element type.
func (a *Array) SetElem(i int, v Value) bool {
	if i < 0 || i >= int(a.n) {
		return false
	}
	if a.layout.refs > 0 {
		a.refs[i] = v.Ref
	} else {
		a.setNum(uint32(i), v.Lo, v.Hi)
	}
	return true
}

// Field returns a field of a structure, unpacked without sign.
func (m *Machine) Field(s *Struct, i int) Value { return s.Field(i) }

// Elem returns an element of an array, unpacked without sign.
func (m *Machine) Elem(a *Array, i int) Value { return a.Elem(i) }

// within reports whether n elements from i on are in bounds of size elements.
func within(i, n, size uint64) bool { return i <= size && n <= size-i }
