package vm

import "unsafe"

// Ref is a reference as the VM keeps it: an object that Go's collector sees, and a word beside it.
// The zero Ref is null. Two references are the same (ref.eq) iff both words are.
//
//	function         obj → the Func
//	structure, array obj → the Struct, the Array
//	i31              obj → a sentinel (see I31Ref), aux = the 31 bits
//	exception        obj → the Exn
//	host reference   obj → a box with the Go value
//	continuation     obj → the Stack, aux = the generation that the reference is good for, see useBits
type Ref struct {
	obj *object
	aux uint64
}

// object is the head of everything a Ref can point to: it is the first field of each such type, so
// that a pointer to one is a pointer to the other (the only such conversions are in this file).
type object struct{ kind objectKind }

type objectKind uint8

// The kinds of objects.
const (
	objNone   objectKind = iota
	objFunc              // Func
	objStruct            // Struct
	objArray             // Array
	objI31               // the sentinel
	objExn               // Exn
	objHost              // hostBox
	objStack             // Stack
)

// hostBox is a reference to a value of the host.
type hostBox struct {
	object
	val any
}

// i31Object is what every i31 reference points to.
var i31Object = &object{kind: objI31}

// IsNull reports whether it is the null reference.
func (r Ref) IsNull() bool { return r.obj == nil }

func (r Ref) kind() objectKind {
	if r.obj == nil {
		return objNone
	}
	return r.obj.kind
}

// The conversions from an object's head to the object. Each must only be called for the kind.
func (r Ref) asFunc() *Func     { return (*Func)(unsafe.Pointer(r.obj)) }
func (r Ref) asStruct() *Struct { return (*Struct)(unsafe.Pointer(r.obj)) }
func (r Ref) asArray() *Array   { return (*Array)(unsafe.Pointer(r.obj)) }
func (r Ref) asExn() *Exn       { return (*Exn)(unsafe.Pointer(r.obj)) }
func (r Ref) asHost() *hostBox  { return (*hostBox)(unsafe.Pointer(r.obj)) }
func (r Ref) asStack() *Stack   { return (*Stack)(unsafe.Pointer(r.obj)) }

// FuncRef returns the reference to a function; null for nil.
func FuncRef(f *Func) Ref {
	if f == nil {
		return Ref{}
	}
	return Ref{obj: &f.object}
}

// I31Ref returns the i31 reference with the low 31 bits of x.
func I31Ref(x uint32) Ref { return Ref{obj: i31Object, aux: uint64(x & 0x7fffffff)} }

// HostRef returns a new reference to a value of the host. Each call returns a reference that is
// equal to no other one; keep it where identity matters.
func HostRef(v any) Ref { return Ref{obj: &(&hostBox{object{kind: objHost}, v}).object} }

// RefKind reports what a reference refers to.
type RefKind uint8

// The kinds of references.
const (
	RefNull RefKind = iota
	RefFunc
	RefStruct
	RefArray
	RefI31
	RefExn
	RefHost
	RefStack // a continuation, stack, fiber or task
)

// Kind reports what the reference refers to.
func (r Ref) Kind() RefKind { return RefKind(r.kind()) }

// Func returns the function of a function reference, else nil.
func (r Ref) Func() *Func {
	if r.kind() == objFunc {
		return r.asFunc()
	}
	return nil
}

// Struct returns the structure of a reference to one, else nil.
func (r Ref) Struct() *Struct {
	if r.kind() == objStruct {
		return r.asStruct()
	}
	return nil
}

// Array returns the array of a reference to one, else nil.
func (r Ref) Array() *Array {
	if r.kind() == objArray {
		return r.asArray()
	}
	return nil
}

// I31 returns the 31 bits of an i31 reference, zero-extended, and whether it is one.
func (r Ref) I31() (uint32, bool) { return uint32(r.aux), r.kind() == objI31 }

// Exn returns the exception of a reference to one, else nil.
func (r Ref) Exn() *Exn {
	if r.kind() == objExn {
		return r.asExn()
	}
	return nil
}

// Host returns the host's value of a host reference, and whether it is one.
func (r Ref) Host() (any, bool) {
	if r.kind() == objHost {
		return r.asHost().val, true
	}
	return nil, false
}

// Stack returns the stack that a continuation (stack, fiber, task) reference names, the generation
// that the reference is good for, and whether it is stale: used up by a resume, bind, switch or the
// stack's end. Of a stale reference the stack may be one that has taken over the storage since: see
// StackID.
func (r Ref) Stack() (s *Stack, generation uint64, stale bool) {
	if r.kind() != objStack {
		return nil, 0, false
	}
	s = r.asStack()
	return s, r.aux & (1<<useBits - 1), s.generation != r.aux
}
