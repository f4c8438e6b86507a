package wasm

import (
	"fmt"
	"strings"
)

// ValType is a value type, or a storage type, packed into one word: kind in the low byte,
// nullability in bit 8, heap type in the high half. Types are comparable with == within one
// module; across modules compare canonical types (TypeStore).
type ValType uint64

// Kind is the kind of a value type.
type Kind uint8

// The kinds. KindUnknown is the type of what could not be resolved and the bottom type of
// unreachable code: it matches every type, so that one mistake makes one diagnostic.
const (
	KindUnknown Kind = iota
	KindI32
	KindI64
	KindF32
	KindF64
	KindV128
	KindRef
	KindI8  // storage only
	KindI16 // storage only
)

// The types that are not references, and the abbreviations of the text format that are.
const (
	Unknown ValType = ValType(KindUnknown)
	I32     ValType = ValType(KindI32)
	I64     ValType = ValType(KindI64)
	F32     ValType = ValType(KindF32)
	F64     ValType = ValType(KindF64)
	V128    ValType = ValType(KindV128)
	I8      ValType = ValType(KindI8)
	I16     ValType = ValType(KindI16)

	FuncRef       = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapFunc)))<<32
	ExternRef     = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapExtern)))<<32
	AnyRef        = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapAny)))<<32
	EqRef         = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapEq)))<<32
	I31Ref        = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapI31)))<<32
	I31RefNN      = ValType(KindRef) | ValType(uint32(0xffffffff&int64(HeapI31)))<<32 // (ref i31)
	StructRef     = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapStruct)))<<32
	ArrayRef      = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapArray)))<<32
	ExnRef        = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapExn)))<<32
	NullRef       = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapNone)))<<32
	NullFuncRef   = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapNoFunc)))<<32
	NullExternRef = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapNoExtern)))<<32
	NullExnRef    = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapNoExn)))<<32
	FiberRef      = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapFiber)))<<32
	TaskRef       = ValType(KindRef) | nullBit | ValType(uint32(0xffffffff&int64(HeapTask)))<<32
)

const nullBit ValType = 1 << 8

// Ref returns the reference type.
func Ref(null bool, h HeapType) ValType {
	t := ValType(KindRef) | ValType(uint32(h))<<32
	if null {
		t |= nullBit
	}
	return t
}

// Kind returns the kind.
func (t ValType) Kind() Kind { return Kind(t & 0xff) }

// IsRef reports whether it is a reference type.
func (t ValType) IsRef() bool { return t.Kind() == KindRef }

// IsNum reports whether it is i32, i64, f32 or f64.
func (t ValType) IsNum() bool { return t >= I32 && t <= F64 }

// Nullable reports whether a reference type admits null.
func (t ValType) Nullable() bool { return t&nullBit != 0 }

// NonNull returns the reference type without null; other types are unchanged.
func (t ValType) NonNull() ValType { return t &^ nullBit }

// OrNull returns the reference type with null; other types are unchanged.
func (t ValType) OrNull() ValType {
	if t.IsRef() {
		return t | nullBit
	}
	return t
}

// Heap returns the heap type of a reference type; HeapBad for other types.
func (t ValType) Heap() HeapType {
	if !t.IsRef() {
		return HeapBad
	}
	return HeapType(int32(uint32(t >> 32)))
}

// Unpacked returns i32 for the packed storage types, else the type itself.
func (t ValType) Unpacked() ValType {
	if t == I8 || t == I16 {
		return I32
	}
	return t
}

// Packed reports whether it is i8 or i16.
func (t ValType) Packed() bool { return t == I8 || t == I16 }

// Defaultable reports whether the type has a default value: all but non-null references.
func (t ValType) Defaultable() bool { return !t.IsRef() || t.Nullable() || t.Heap() == HeapBad }

// String returns the type in the text format, with numeric type indices. Use Names.Type for names.
func (t ValType) String() string {
	return t.Format(func(i uint32) string { return fmt.Sprint(i) })
}

// Format returns the type in the text format; name returns what stands for a type index.
func (t ValType) Format(name func(uint32) string) string {
	switch t.Kind() {
	case KindI32:
		return "i32"
	case KindI64:
		return "i64"
	case KindF32:
		return "f32"
	case KindF64:
		return "f64"
	case KindV128:
		return "v128"
	case KindI8:
		return "i8"
	case KindI16:
		return "i16"
	case KindRef:
		h := t.Heap()
		if t.Nullable() {
			if r := h.row(); r != nil && r.ref != "" {
				return r.ref
			}
			return "(ref null " + h.Format(name) + ")"
		}
		return "(ref " + h.Format(name) + ")"
	}
	return "unknown"
}

// maxFormatted is how many types FormatTypes writes; of more the middle is left out.
const maxFormatted = 1000

// FormatTypes returns a result type, `[i32 (ref $t)]`; name may be nil.
func FormatTypes(ts []ValType, name func(uint32) string) string {
	if name == nil {
		name = func(i uint32) string { return fmt.Sprint(i) }
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, t := range ts {
		if i > 0 {
			b.WriteByte(' ')
		}
		if n := len(ts) - maxFormatted; n > 0 && i == maxFormatted/2 {
			fmt.Fprintf(&b, "… %d more …", n)
			for _, t := range ts[len(ts)-maxFormatted/2:] {
				b.WriteByte(' ')
				b.WriteString(t.Format(name))
			}
			break
		}
		b.WriteString(t.Format(name))
	}
	b.WriteByte(']')
	return b.String()
}
