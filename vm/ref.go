package vm

// Ref is a reference as the VM keeps it: an object that Go's collector sees, and a word beside it.
// The zero Ref is null. Two references are the same (ref.eq) iff both words are.
//
//	function         obj → the function
//	structure, array obj → the object
//	i31              obj → a sentinel, aux = the 31 bits
//	exception        obj → the exception
//	host reference   obj → a box with the Go value
//	continuation     obj → the stack, aux = the generation that the reference is good for
type Ref struct {
	obj *object
	aux uint64
}

// object is the head of everything a Ref can point to: it is the first field of each such type, so
// that a pointer to one is a pointer to the other (the only such conversions are in this file).
type object struct{ kind objectKind }

type objectKind uint8

// IsNull tells whether it is the null reference.
func (r Ref) IsNull() bool { return r.obj == nil }
