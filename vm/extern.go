package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/wasm"
)

// Extern is what can be imported and exported: *Func, *Table, *Memory, *Global or *Tag.
type Extern interface{ ExternKind() wasm.ExternKind }

// Imports finds imports.
type Imports interface {
	// Import returns what is to be imported, nil if there is none of the name. A name may stand for
	// several things of different kinds: kind is the one that is asked for. What is returned may be
	// of another kind if that is all there is; it cannot be imported then, and the error says so.
	Import(module, name string, kind wasm.ExternKind) Extern
}

// ImportMap is imports by module, then name: one for each name, whatever the kind asked for.
type ImportMap map[string]map[string]Extern

// Import returns the import, or nil.
func (m ImportMap) Import(module, name string, _ wasm.ExternKind) Extern { return m[module][name] }

// ImportFunc is imports by a function.
type ImportFunc func(module, name string, kind wasm.ExternKind) Extern

// Import returns the import, or nil.
func (f ImportFunc) Import(module, name string, kind wasm.ExternKind) Extern {
	return f(module, name, kind)
}

// Linked returns the imports that instances export, by the names of their modules, and then those
// of others, which may be nil. An export of another kind than the one asked for counts if the
// others have nothing. replace, if it is not nil, may replace an export.
func Linked(
	instances map[string]*Instance, replace func(module, name string, x Extern) Extern, others Imports,
) Imports {
	return ImportFunc(func(module, name string, kind wasm.ExternKind) Extern {
		var own Extern
		if in := instances[module]; in != nil {
			own = in.Export(name)
		}
		if others != nil && (own == nil || own.ExternKind() != kind) {
			if x := others.Import(module, name, kind); x != nil {
				return x
			}
		}
		if own != nil && replace != nil {
			return replace(module, name, own)
		}
		return own
	})
}

// Generic is an import whose type is the one that the importing module declares. It is what
// Imports.Import may return, and never an export.
type Generic struct {
	Kind wasm.ExternKind
	// Make returns what is imported for a declaration. Its type must be the declared one. An error
	// is the reason why the declared type does not fit.
	Make func(t Declared) (Extern, error)
}

// ExternKind returns the kind of what is imported.
func (g *Generic) ExternKind() wasm.ExternKind { return g.Kind }

// Declared is how a module declares what it imports. Type indices in its types are canonical ids.
type Declared struct {
	Module, Name    string
	Type            wasm.Canon     // of a function or tag
	Params, Results []wasm.ValType // of a function or tag
	Value           wasm.ValType   // of a global, or of the elements of a table
	Mut             bool           // of a global
	Limits          wasm.Limits    // of a memory or table
}

// Func is a function instance: of a module, or of the host.
type Func struct {
	object
	canon  wasm.Canon
	inst   *Instance  // nil for a host function
	code   *code.Func // nil for a host function
	index  uint32     // in its module
	number uint32     // its number, see Machine.known
	host   *hostFunc
	thunk  *Func // of a thunk: the host function that it calls
	name   string
}

type hostFunc struct {
	fn                                 func(*Call) error
	params, results                    []wasm.ValType
	parNums, parRefs, resNums, resRefs int
}

// ExternKind reports that it is a function.
func (f *Func) ExternKind() wasm.ExternKind { return wasm.ExternFunc }

// Instance returns the instance it belongs to; nil for a host function.
func (f *Func) Instance() *Instance { return f.inst }

// Index returns its index in its module; 0 for a host function.
func (f *Func) Index() uint32 { return f.index }

// IsHost reports whether it is a function of the host.
func (f *Func) IsHost() bool { return f.host != nil }

// Type returns the canonical id of its type in the machine's type store.
func (f *Func) Type() wasm.Canon { return f.canon }

// Tag is a tag instance. Tags are compared by identity.
type Tag struct {
	canon                              wasm.Canon
	params, results                    []wasm.ValType // canonical
	parNums, parRefs, resNums, resRefs int
	exnBytes                           uint64    // of an exception with it
	inst                               *Instance // that defined it; nil: the host
	index                              uint32
	number                             uint32 // in the machine, from 1 on: its position in Machine.tags, plus 1
	name                               string
}

// ExternKind reports that it is a tag.
func (t *Tag) ExternKind() wasm.ExternKind { return wasm.ExternTag }

// Instance returns the instance that defined it; nil for a tag of the host.
func (t *Tag) Instance() *Instance { return t.inst }

// Index returns its index in the module that defined it.
func (t *Tag) Index() uint32 { return t.index }

// String returns its name, as `$name` or the index.
func (t *Tag) String() string {
	if t.inst != nil {
		return t.inst.mod.Names.Tag(t.index)
	}
	return t.name
}

// Params returns the parameter types; type indices are canonical ids.
func (t *Tag) Params() []wasm.ValType { return t.params }

// Results returns the result types; type indices are canonical ids.
func (t *Tag) Results() []wasm.ValType { return t.results }

// Global is a global instance.
type Global struct {
	typ    wasm.ValType // canonical
	mut    bool
	lo, hi uint64
	ref    Ref
}

// ExternKind reports that it is a global.
func (g *Global) ExternKind() wasm.ExternKind { return wasm.ExternGlobal }

// Type returns its type (type indices are canonical ids) and whether it is mutable.
func (g *Global) Type() (wasm.ValType, bool) { return g.typ, g.mut }

// Get returns its value.
func (g *Global) Get() Value { return Value{Type: abstractType(g.typ), Lo: g.lo, Hi: g.hi, Ref: g.ref} }

// Set changes its value, also if it is immutable to programs. The value must be of its type.
func (g *Global) Set(v Value) { g.lo, g.hi, g.ref = v.Lo, v.Hi, v.Ref }

// Table is a table instance.
type Table struct {
	typ    wasm.ValType // canonical
	limits wasm.Limits
	elems  []Ref
	mach   *Machine // for the limit on all memory together
}

// ExternKind reports that it is a table.
func (t *Table) ExternKind() wasm.ExternKind { return wasm.ExternTable }

// Type returns its element type (type indices are canonical ids) and its declared limits.
func (t *Table) Type() (wasm.ValType, wasm.Limits) { return t.typ, t.limits }

// Len returns the number of elements.
func (t *Table) Len() uint64 { return uint64(len(t.elems)) }

// Get returns an element; null out of bounds.
func (t *Table) Get(i uint64) Ref {
	if i < uint64(len(t.elems)) {
		return t.elems[i]
	}
	return Ref{}
}

// Set changes an element and reports whether it is in bounds. The reference must be of its type.
func (t *Table) Set(i uint64, r Ref) bool {
	if i >= uint64(len(t.elems)) {
		return false
	}
	t.elems[i] = r
	return true
}

// Memory is a memory instance.
type Memory struct {
	bytes  []byte
	limits wasm.Limits
	mach   *Machine // for the limit on all memory together
}

// ExternKind reports that it is a memory.
func (m *Memory) ExternKind() wasm.ExternKind { return wasm.ExternMemory }

// Type returns its declared limits.
func (m *Memory) Type() wasm.Limits { return m.limits }

// Bytes returns the contents; valid until the memory grows.
func (m *Memory) Bytes() []byte { return m.bytes }

// pageBits is the log2 of the page size.
func (m *Memory) pageBits() uint { return uint(m.limits.PageSizeBits()) }

// Pages returns the size in pages.
func (m *Memory) Pages() uint64 { return uint64(len(m.bytes)) >> m.pageBits() }

// Exn is an exception object.
type Exn struct {
	object
	seen uint16 // as in Struct
	tag  *Tag
	nums []uint64
	refs []Ref
}

// Tag returns the exception's tag.
func (e *Exn) Tag() *Tag { return e.tag }

// Values returns the payload.
func (e *Exn) Values() []Value { return getValues(e.tag.params, e.nums, e.refs) }

// Instance is a module instance.
type Instance struct {
	id      uint32
	name    string
	mach    *Machine
	mod     *wasm.Module
	prog    *program
	types   []wasm.Canon // by type index
	funcs   []*Func
	tables  []*Table
	mems    []*Memory
	mem0    *Memory // mems[0], or nil
	globals []*Global
	tags    []*Tag
	elems   [][]Ref       // nil when dropped
	datas   [][]byte      // nil when dropped
	clauses []clauseTable // of the resumes, by resumePoint.set
}

// Name returns the name it was instantiated under; may be empty.
func (in *Instance) Name() string { return in.name }

// ID distinguishes instances of one machine; they count from 1.
func (in *Instance) ID() uint32 { return in.id }

// Module returns the module. It must not be changed.
func (in *Instance) Module() *wasm.Module { return in.mod }

// Machine returns the machine.
func (in *Instance) Machine() *Machine { return in.mach }

// Canon returns the canonical id of a type index of the module.
func (in *Instance) Canon(i uint32) wasm.Canon {
	if int64(i) < int64(len(in.types)) {
		return in.types[i]
	}
	return wasm.BadCanon
}

// Export returns the export of a name, nil if there is none.
func (in *Instance) Export(name string) Extern {
	e, ok := in.mod.Export(name)
	if !ok {
		return nil
	}
	switch e.Kind {
	case wasm.ExternFunc:
		return in.funcs[e.Index]
	case wasm.ExternTable:
		return in.tables[e.Index]
	case wasm.ExternMemory:
		return in.mems[e.Index]
	case wasm.ExternGlobal:
		return in.globals[e.Index]
	case wasm.ExternTag:
		return in.tags[e.Index]
	}
	return nil
}

// Import returns the export of a name, so that an instance can serve as the module of imports.
func (in *Instance) Import(_, name string, _ wasm.ExternKind) Extern { return in.Export(name) }

// Func returns a function by index, nil if there is none.
func (in *Instance) Func(i uint32) *Func { return at(in.funcs, i) }

// Table returns a table by index, nil if there is none.
func (in *Instance) Table(i uint32) *Table { return at(in.tables, i) }

// Memory returns a memory by index, nil if there is none.
func (in *Instance) Memory(i uint32) *Memory { return at(in.mems, i) }

// Global returns a global by index, nil if there is none.
func (in *Instance) Global(i uint32) *Global { return at(in.globals, i) }

// Tag returns a tag by index, nil if there is none.
func (in *Instance) Tag(i uint32) *Tag { return at(in.tags, i) }

func at[T any](s []*T, i uint32) *T {
	if int64(i) < int64(len(s)) {
		return s[i]
	}
	return nil
}
