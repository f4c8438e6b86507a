package analysis

import (
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
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

var spaceNames = [...]string{"name", "type", "function", "table", "memory", "global", "tag", "elem segment", "data segment", "local", "label", "field"}

// String gives the word that messages use: "function", "local" …
func (s Space) String() string { return spaceNames[s] }

// Sym names an item of a module.
type Sym struct {
	Space Space
	Owner uint32 // function of a local or label, type of a field; else 0
	Index uint32 // wasm.BadIndex: a name that stands for nothing
}

// Symbol is an item of a module with the places of its declaration.
type Symbol struct {
	Sym
	Name     string      // without `$`, decoded; "" if it has none
	NameSpan source.Span // of the identifier with its `$`; empty if it has none
	DeclSpan source.Span // of the whole declaration
	N        syntax.N    // the declaring node
}

// RefKind tells what a reference does to the item.
type RefKind uint8

// The kinds of references.
const (
	RefDef   RefKind = iota // the identifier in the declaration
	RefRead                 // any use that does not set it
	RefWrite                // local.set, local.tee, global.set, table.set, struct.set, stores and the like
)

// Ref is a place that names an item, by identifier or by number.
type Ref struct {
	Sym
	Span source.Span
	Kind RefKind
}

// Symbols gives the items of a module-level space in index order, nil for the other spaces.
func (m *Module) Symbols(sp Space) []Symbol { return nil }

// Locals gives the parameters and locals of a function.
func (m *Module) Locals(fn uint32) []Symbol { return nil }

// Labels gives the labels of a function, one for each block instruction of its body, in order.
func (m *Module) Labels(fn uint32) []Symbol { return nil }

// Fields gives the fields of a structure type.
func (m *Module) Fields(ty uint32) []Symbol { return nil }

// Symbol gives the symbol of an item, and whether there is one.
func (m *Module) Symbol(s Sym) (Symbol, bool) { return Symbol{}, false }

// RefAt gives what the identifier or number at an offset refers to or declares.
func (m *Module) RefAt(off int) (Ref, bool) { return Ref{}, false }

// RefsIn gives the references in the field that holds the offset, in order of their places.
func (m *Module) RefsIn(off int) []Ref { return nil }

// References gives every place that names the item, in order; the declaring identifier as well if
// decl is set.
func (m *Module) References(s Sym, decl bool) []Ref { return nil }

// Lookup gives the item with a name (without `$`, decoded) in a module-level space.
func (m *Module) Lookup(sp Space, name string) (Sym, bool) { return Sym{}, false }
