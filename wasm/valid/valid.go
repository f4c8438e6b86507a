package valid

import "stackscope/wasm"

// Code names a kind of violation. Each is also a code of the table in analysis/diag.
type Code string

// Part reports which part of a module an Error is about.
type Part uint8

// The parts. Index in Place is the index in the part's index space or list.
const (
	PartModule Part = iota
	PartType
	PartImport
	PartFunc // the declaration
	PartBody // Func.Body; Place.Instr counts. With Instr -1: the local Place.Sub, counted without parameters
	PartTable
	PartMemory
	PartGlobal
	PartTag
	PartExport
	PartStart
	PartElem
	PartData
	PartInit   // constant expression of a table or global: Place.Of reports which, Place.Instr counts
	PartOffset // offset of a segment: Place.Of is PartElem or PartData
	PartItem   // item of an element segment: Place.Sub is the item
)

// Place is where in a module an Error is.
type Place struct {
	Part    Part
	Of      Part
	Index   uint32
	Sub     uint32
	Instr   int // index in the instruction sequence, -1 if none
	Imm     int // which immediate (in text order), handler, catch clause or label, -1 if none
	Operand int // which operand of the instruction counted from the first, -1 if none
}

// Error is a violation.
type Error struct {
	Place
	Code Code
	// Msg begins with the specification suite's wording ("type mismatch", "unknown local" …).
	Msg       string
	Want, Got []wasm.ValType // for type mismatches: what was expected and found
	// Clause is set for a label that does not fit its clause: see ClauseMismatch.
	Clause *ClauseMismatch
}

// ClauseMismatch reports why a label does not fit an `(on $tag $label)` clause.
type ClauseMismatch struct {
	Tag    uint32         // the tag
	Resume int            // the instruction with the clause
	Block  int            // the block instruction that the label names; -1: the function
	Has    []wasm.ValType // the label's types
	// Needs are the types that would fit: the tag's parameters and the reference to a continuation.
	// Its last element's type index is wasm.BadIndex-like HeapBad if the module defines no
	// continuation type that would do; ContParams and ContResults then tell which one to define.
	Needs                   []wasm.ValType
	ContParams, ContResults []wasm.ValType
}
