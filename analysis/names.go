package analysis

import (
	"stackscope/analysis/internal/decl"
)

// Space is an index space.
type Space = decl.Space

// The index spaces. Locals and labels are per function, fields per type.
const (
	SpaceNone   = decl.SpaceNone
	SpaceType   = decl.SpaceType
	SpaceFunc   = decl.SpaceFunc
	SpaceTable  = decl.SpaceTable
	SpaceMemory = decl.SpaceMemory
	SpaceGlobal = decl.SpaceGlobal
	SpaceTag    = decl.SpaceTag
	SpaceElem   = decl.SpaceElem
	SpaceData   = decl.SpaceData
	SpaceLocal  = decl.SpaceLocal // parameters first
	SpaceLabel  = decl.SpaceLabel // by the ordinal of the block instruction in the body
	SpaceField  = decl.SpaceField
)

// Sym names an item of a module: its space, the function or type that owns it, and its index.
type Sym = decl.Sym

// RefKind is what a reference does to the item.
type RefKind = decl.RefKind

// The kinds of references.
const (
	RefDef   = decl.RefDef   // the identifier in the declaration
	RefRead  = decl.RefRead  // any use that does not set it
	RefWrite = decl.RefWrite // local.set, local.tee, global.set, table.set, struct.set, stores and the like
)
