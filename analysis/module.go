package analysis

import (
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Module is one text module of a snapshot.
type Module struct {
	snap *Snapshot
}

// Snapshot gives the snapshot the module belongs to.
func (m *Module) Snapshot() *Snapshot { return m.snap }

// Span gives the module's text, from its first byte to behind its last.
func (m *Module) Span() source.Span { return source.Span{} }

// Name gives the module's name without `$`, or "".
func (m *Module) Name() string { return "" }

// Dialect gives the dialect of stack switching the module is in.
func (m *Module) Dialect() wasm.Dialect { return wasm.DialectNone }

// IR gives the module's declarations: everything but the bodies of functions, statements, and the
// names of locals and labels. It must not be changed.
func (m *Module) IR() *wasm.Module { return nil }

// Lower gives the whole module, with bodies, statements and names, for the VM and for encoding.
// ok is false if the module has an error; what could not be understood is then missing from it.
// It must not be changed.
func (m *Module) Lower() (mod *wasm.Module, ok bool) { return nil, false }

// Body gives the body of a function, lowered and typed; nil for an import or an unknown index.
func (m *Module) Body(fn uint32) *Body { return nil }

// FuncAt gives the function whose field holds the offset.
func (m *Module) FuncAt(off int) (fn uint32, ok bool) { return 0, false }

// FieldNode gives the root node of the module field that declares a symbol: for a type in a
// recursion group the type's node, for a local the parameter's or local's group, for a label the
// block, for an import the import. The zero N if there is none.
func (m *Module) FieldNode(s Sym) syntax.N { return syntax.N{} }
