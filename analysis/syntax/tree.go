package syntax

import "stackscope/analysis/source"

// Tree is the tree of one text: units that cover every byte. It is immutable.
type Tree struct {
	Src   *source.File
	Units []Placed
}

// Placed is a unit at its place in a text.
type Placed struct {
	Off int
	*Unit
}

// N is a node at its place: what walks hand around. The zero N is no node.
type N struct {
	T *Tree
	U int32 // unit
	I int32 // node in the unit
}
