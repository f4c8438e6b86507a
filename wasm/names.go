package wasm

import "fmt"

// Names are the names of a module's items, as in the extended name section: without the `$`. Locals
// are by function index, then local index; labels by function index, then the ordinal of the block
// instruction in the body, event clauses counted as such; fields by type index, then field index.
type Names struct {
	Module                                                  string
	Funcs, Types, Tables, Mems, Globals, Elems, Datas, Tags map[uint32]string
	Locals, Labels, Fields                                  map[uint32]map[uint32]string
}

// NewNames returns names without any name.
func NewNames() *Names {
	m := func() map[uint32]string { return map[uint32]string{} }
	mm := func() map[uint32]map[uint32]string { return map[uint32]map[uint32]string{} }
	return &Names{
		Funcs: m(), Types: m(), Tables: m(), Mems: m(), Globals: m(), Elems: m(), Datas: m(),
		Tags: m(), Locals: mm(), Labels: mm(), Fields: mm(),
	}
}

// Set2 sets a name in one of the two-level maps.
func Set2(m map[uint32]map[uint32]string, i, j uint32, name string) {
	if m[i] == nil {
		m[i] = map[uint32]string{}
	}
	m[i][j] = name
}

func dollar(m map[uint32]string, i uint32) string {
	if n := m[i]; n != "" {
		return "$" + n
	}
	return fmt.Sprint(i)
}

// Func returns `$name`, or the index in digits. The others do the same for their index space.
func (n *Names) Func(i uint32) string { return dollar(n.Funcs, i) }

// Type returns `$name` or the index of a type.
func (n *Names) Type(i uint32) string { return dollar(n.Types, i) }

// Tag returns `$name` or the index of a tag.
func (n *Names) Tag(i uint32) string { return dollar(n.Tags, i) }

// Global returns `$name` or the index of a global.
func (n *Names) Global(i uint32) string { return dollar(n.Globals, i) }

// Table returns `$name` or the index of a table.
func (n *Names) Table(i uint32) string { return dollar(n.Tables, i) }

// Mem returns `$name` or the index of a memory.
func (n *Names) Mem(i uint32) string { return dollar(n.Mems, i) }

// Elem returns `$name` or the index of an element segment.
func (n *Names) Elem(i uint32) string { return dollar(n.Elems, i) }

// Data returns `$name` or the index of a data segment.
func (n *Names) Data(i uint32) string { return dollar(n.Datas, i) }

// Local returns `$name` or the index of a local of a function.
func (n *Names) Local(fn, i uint32) string { return dollar(n.Locals[fn], i) }

// Field returns `$name` or the index of a field of a structure type.
func (n *Names) Field(ty, i uint32) string { return dollar(n.Fields[ty], i) }

// FuncTitle returns what a person calls a function: `$name`, else its export, else its import, else
// `func[i]`.
func (m *Module) FuncTitle(i uint32) string {
	if n := m.Names.Funcs[i]; n != "" {
		return "$" + n
	}
	for _, e := range m.Exports {
		if e.Kind == ExternFunc && e.Index == i {
			return fmt.Sprintf("%q", e.Name)
		}
	}
	for _, im := range m.Imports {
		if im.Kind == ExternFunc && im.Index == i {
			return fmt.Sprintf("%q.%q", im.Module, im.Name)
		}
	}
	return fmt.Sprintf("func[%d]", i)
}
