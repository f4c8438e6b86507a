package decl

import (
	"stackscope/analysis/diag"
)

// Space is an index space.
type Space uint8

// The index spaces. Locals and labels are per function, fields per type.
const (
	SpaceNone Space = iota
	SpaceType
	SpaceFunc
	SpaceTable
	SpaceMemory
	SpaceGlobal
	SpaceTag
	SpaceElem
	SpaceData
	SpaceLocal // parameters first
	SpaceLabel // by the ordinal of the block instruction in the body
	SpaceField
)

var spaceNames = [...]string{
	"name", "type", "function", "table", "memory", "global", "tag", "elem segment", "data segment", "local",
	"label", "field",
}

// String returns the word that messages use: "function", "local" …
func (s Space) String() string { return spaceNames[s] }

// Sym names an item of a module.
type Sym struct {
	Space Space
	Owner uint32 // function of a local or label, type of a field; else 0
	Index uint32 // wasm.BadIndex: a name that stands for nothing
}

// RefKind reports what a reference does to the item.
type RefKind uint8

// The kinds of references.
const (
	RefDef   RefKind = iota // the identifier in the declaration
	RefRead                 // any use that does not set it
	RefWrite                // local.set, local.tee, global.set, table.set, struct.set, stores and the like
)

// DeclSpace returns the index space of a module field or extern type by its keyword.
func DeclSpace(word string) Space {
	switch word {
	case "type":
		return SpaceType
	case "func":
		return SpaceFunc
	case "table":
		return SpaceTable
	case "memory":
		return SpaceMemory
	case "global":
		return SpaceGlobal
	case "tag":
		return SpaceTag
	case "elem":
		return SpaceElem
	case "data":
		return SpaceData
	}
	return SpaceNone
}

// shortName is the word the specification's suite has for a space in "duplicate func" and "unknown
// …".
func (s Space) shortName() string {
	switch s {
	case SpaceFunc:
		return "func"
	case SpaceElem:
		return "elem"
	case SpaceData:
		return "data"
	}
	return s.String()
}

// unknownCode is the code for a name of a space that stands for nothing.
func (s Space) unknownCode() diag.Code {
	return diag.Code("unknown-" + s.shortName())
}
