package vm

import "stackscope/wasm"

// Struct is a structure. The fields that are numbers are in nums in their order, two slots for a
// v128; the references are in refs in their order: the same layout as the operands of struct.new in
// a frame. A packed field is kept as its low bits, zero-extended.
type Struct struct {
	object
	canon wasm.Canon
	nums  []uint64
	refs  []Ref
}

// Array is an array. Of nums and refs only the one that suits the element type is used; elements
// are as in Struct, two slots for each v128.
type Array struct {
	object
	canon wasm.Canon
	n     uint32 // length in elements
	nums  []uint64
	refs  []Ref
}

// Type gives the canonical type.
func (s *Struct) Type() wasm.Canon { return s.canon }

// Type gives the canonical type.
func (a *Array) Type() wasm.Canon { return a.canon }

// Len gives the number of elements.
func (a *Array) Len() int { return int(a.n) }

// Field gives a field of a structure, unpacked without sign.
func (m *Machine) Field(s *Struct, i int) Value { return Value{} }

// Elem gives an element of an array, unpacked without sign.
func (m *Machine) Elem(a *Array, i int) Value { return Value{} }

// layout is how the fields of a structure type, or the element of an array type, are kept.
type layout struct {
	canon      wasm.Canon
	nums, refs int // slots in all (array: of one element)
	fields     []fieldLayout
}

// fieldLayout is where a field is: its slot in nums or refs by its kind.
type fieldLayout struct {
	typ  wasm.ValType // canonical; I8 and I16 as such
	slot int
}

// layoutOf gives the layout of a canonical structure or array type.
func layoutOf(c wasm.Canon, t wasm.CanonType) *layout { return nil }

// object executes an instruction on structures, arrays and references: struct.*, array.*, ref.test,
// ref.cast, any.convert_extern, extern.convert_any, ref.i31, i31.get_*. nums and refs are the frame's
// slots from the instruction's first numeric, and first reference, operand upward (the operands of
// each kind lie one behind the other); results are written from nums[0], refs[0] on. A reference
// operand that is not overwritten by a result is set to null. Type indices of the instruction are
// those of inst.mod; inst.types gives canonical ids, inst.prog.layouts the layouts by type index.
// A trap of 0 means none; an instruction that traps changes nothing.
func (m *Machine) object(inst *Instance, in *wasm.Instr, nums []uint64, refs []Ref) wasm.TrapKind {
	return wasm.TrapUnreachable
}

// objectSupported tells whether object (or bulk) executes the instruction.
func objectSupported(op wasm.Op) bool { return false }

// matches tells whether a reference is of a type whose type index, if any, is a canonical id: ref.test.
func (m *Machine) matches(r Ref, t wasm.ValType) bool { return false }
