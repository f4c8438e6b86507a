package valid

import (
	"slices"

	"stackscope/wasm"
)

// Env is what instruction sequences of a module are typed in: its declarations, with the types in
// canonical form. It is immutable but for Sync, and may be used by many goroutines.
type Env struct {
	m     *wasm.Module
	canon []wasm.Canon // by type index
	types wasm.CanonTypes
	store *wasm.TypeStore
	// declared has the functions that occur outside of bodies, which ref.func may therefore name.
	declared map[uint32]bool
	// importedGlobals are how many leading globals are imports: all that constant expressions of
	// tables and of earlier globals see.
	importedGlobals uint32
}

// New returns the environment of a module. The module need not be valid.
func New(m *wasm.Module) *Env {
	e := &Env{m: m, store: wasm.NewTypeStore(), declared: declaredFuncs(m)}
	e.importedGlobals = uint32(m.NumImported(wasm.ExternGlobal))
	e.Sync()
	return e
}

// Sync takes in types that were added to the module since New: the implicit types of type uses in
// bodies that were lowered later. No Typer may be at work meanwhile.
func (e *Env) Sync() {
	if len(e.canon) == len(e.m.Types) && e.types != nil {
		return
	}
	e.canon = e.store.Add(e.m)
	e.types = e.store.Types()
}

// Wasm returns the module.
func (e *Env) Wasm() *wasm.Module { return e.m }

// Canon returns the canonical form of a type of the module: type indices become ids that are equal
// iff the types are. The ids are the environment's own; they mean nothing to another TypeStore.
func (e *Env) Canon(t wasm.ValType) wasm.ValType { return wasm.CanonVal(t, e.canon) }

// CanonHeap is Canon of a heap type.
func (e *Env) CanonHeap(h wasm.HeapType) wasm.HeapType {
	if h < 0 {
		return h
	}
	if int(h) >= len(e.canon) || e.canon[h] == wasm.BadCanon {
		return wasm.HeapBad
	}
	return wasm.HeapType(e.canon[h])
}

// Match reports whether type a of the module is a subtype of type b. Unknown matches every type, an
// unresolved reference type every reference.
func (e *Env) Match(a, b wasm.ValType) bool {
	if a == b {
		return true
	}
	if !a.IsRef() || !b.IsRef() {
		return a == wasm.Unknown || b == wasm.Unknown
	}
	return e.types.MatchVal(e.Canon(a), e.Canon(b))
}

// MatchAll reports whether the types a are, one by one, subtypes of b.
func (e *Env) MatchAll(a, b []wasm.ValType) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !e.Match(a[i], b[i]) {
			return false
		}
	}
	return true
}

// MatchHeap reports whether heap type a of the module is a subtype of heap type b.
func (e *Env) MatchHeap(a, b wasm.HeapType) bool {
	return a == b || e.types.MatchHeap(e.CanonHeap(a), e.CanonHeap(b))
}

// MatchFunc reports whether function type a is a subtype of b by structure: [b's params] <: [a's]
// and [a's results] <: [b's].
func (e *Env) MatchFunc(a, b *wasm.SubType) bool {
	return e.MatchAll(b.Params, a.Params) && e.MatchAll(a.Results, b.Results)
}

// Same reports whether two types of the module are equal.
func (e *Env) Same(a, b wasm.ValType) bool {
	return a == b || a == wasm.Unknown || b == wasm.Unknown || e.Match(a, b) && e.Match(b, a)
}

// Top returns the top of the hierarchy that a heap type of the module is in; HeapBad if unknown.
func (e *Env) Top(h wasm.HeapType) wasm.HeapType { return e.types.Top(e.CanonHeap(h)) }

// Type returns the definition at a type index, or nil if there is none.
func (e *Env) Type(i uint32) *wasm.SubType {
	if int64(i) >= int64(len(e.m.Types)) {
		return nil
	}
	return &e.m.Types[i]
}

// FuncType returns the function type at a type index, or nil.
func (e *Env) FuncType(typeIdx uint32) *wasm.SubType { return e.m.FuncType(typeIdx) }

// FuncTypeOf returns the type of a function, or nil.
func (e *Env) FuncTypeOf(fn uint32) *wasm.SubType {
	if int64(fn) >= int64(len(e.m.Funcs)) {
		return nil
	}
	return e.m.FuncType(e.m.Funcs[fn].Type)
}

// TagType returns the function type of a tag, or nil.
func (e *Env) TagType(tag uint32) *wasm.SubType {
	if int64(tag) >= int64(len(e.m.Tags)) {
		return nil
	}
	return e.m.FuncType(e.m.Tags[tag].Type)
}

// ContFunc returns the function type of a continuation type, or nil.
func (e *Env) ContFunc(typeIdx uint32) *wasm.SubType { return e.m.ContFunc(typeIdx) }

// BlockType returns the parameters and results that a block instruction is written with; nil, nil
// if they are unknown.
func (e *Env) BlockType(in *wasm.Instr) (params, results []wasm.ValType) {
	bt := in.Block()
	if i, ok := bt.Index(); ok {
		if ft := e.FuncType(i); ft != nil {
			return ft.Params, ft.Results
		}
		return nil, nil
	}
	if r, ok := bt.Result(); ok {
		if s := single(r); s != nil {
			return nil, s
		}
		return nil, []wasm.ValType{r}
	}
	return nil, nil
}

// DeclaredFunc reports whether ref.func may name the function: it occurs outside of bodies.
func (e *Env) DeclaredFunc(fn uint32) bool { return e.declared[fn] }

// AddrType returns the address type of a memory: i32 or i64; Unknown if there is no such memory.
func (e *Env) AddrType(mem uint32) wasm.ValType {
	if int64(mem) >= int64(len(e.m.Mems)) {
		return wasm.Unknown
	}
	return addrType(&e.m.Mems[mem].Limits)
}

// TableAddr returns the address type of a table: i32 or i64; Unknown if there is no such table.
func (e *Env) TableAddr(table uint32) wasm.ValType {
	if int64(table) >= int64(len(e.m.Tables)) {
		return wasm.Unknown
	}
	return addrType(&e.m.Tables[table].Limits)
}

func addrType(l *wasm.Limits) wasm.ValType {
	if l.Is64 {
		return wasm.I64
	}
	return wasm.I32
}

// FormatType returns a type in the text format, with the module's names.
func (e *Env) FormatType(t wasm.ValType) string { return t.Format(e.typeName) }

// FormatTypes returns a list of types, `[i32 (ref $t)]`, with the module's names. In a long list
// the types without a name are numbers.
func (e *Env) FormatTypes(ts []wasm.ValType) string {
	if len(ts) > 2*maxMembers {
		return wasm.FormatTypes(ts, e.shortName)
	}
	return wasm.FormatTypes(ts, e.typeName)
}

// FormatFunc returns a function type, `[i32] -> [i64]`, with the module's names.
func (e *Env) FormatFunc(ft *wasm.SubType) string {
	return e.FormatTypes(ft.Params) + " -> " + e.FormatTypes(ft.Results)
}

func (e *Env) typeName(i uint32) string {
	if i == wasm.BadIndex {
		return "unknown"
	}
	if s, ok := e.m.Inline(i, e.m.Names.Type); ok {
		return s
	}
	return e.shown(i, nil)
}

// shortName returns the name of a type, or its number.
func (e *Env) shortName(i uint32) string {
	if s, ok := e.m.Inline(i, e.m.Names.Type); ok {
		return s
	}
	return e.m.Names.Type(i)
}

// The bounds of a type without a name that is shown in the place of its number.
const (
	maxMembers = 8   // parameters and results, or fields
	maxLength  = 120 // bytes
	maxNested  = 2   // types without a name in each other
)

// shown returns the name of a type, or for a type without a name what it is, `(func (param i32))`.
// It returns the number of a type that is too long, and within itself. open are the types around
// it.
func (e *Env) shown(i uint32, open []uint32) string {
	name := e.m.Names.Type(i)
	if int64(i) >= int64(len(e.m.Types)) || name == "" || name[0] == '$' || len(open) >= maxNested ||
		slices.Contains(open, i) {
		return name
	}
	t := &e.m.Types[i]
	if t.Kind == wasm.CompBad || t.Kind == wasm.CompStack || t.Kind == wasm.CompFiber ||
		len(t.Params)+len(t.Results) > maxMembers ||
		len(t.Fields) > maxMembers {
		return name
	}
	word := t.Kind.String()
	open = append(open, i)
	inner := func(k uint32) string {
		if s, ok := e.m.Inline(k, e.m.Names.Type); ok {
			return s
		}
		return e.shown(k, open)
	}
	s := "(" + word
	list := func(word string, ts []wasm.ValType) {
		if len(ts) == 0 {
			return
		}
		s += " (" + word
		for _, t := range ts {
			s += " " + t.Format(inner)
		}
		s += ")"
	}
	list("param", t.Params)
	list("result", t.Results)
	for _, f := range t.Fields {
		x := f.Type.Format(inner)
		if f.Mut {
			x = "(mut " + x + ")"
		}
		if t.Kind == wasm.CompStruct {
			x = "(field " + x + ")"
		}
		s += " " + x
	}
	if t.Kind == wasm.CompCont {
		s += " " + inner(t.Func)
	}
	if s += ")"; len(s) > maxLength {
		return name
	}
	return s
}

// singles are the lists of one type that is not a reference, so that block types need no memory.
var singles = [...][]wasm.ValType{
	wasm.KindI32: {
		wasm.I32,
	}, wasm.KindI64: {wasm.I64}, wasm.KindF32: {wasm.F32}, wasm.KindF64: {wasm.F64}, wasm.KindV128: {wasm.V128},
}

func single(t wasm.ValType) []wasm.ValType {
	if k := t.Kind(); int(k) < len(singles) {
		return singles[k]
	}
	return nil
}

// declaredFuncs collects the functions that occur in exports, segments and initialisers.
func declaredFuncs(m *wasm.Module) map[uint32]bool {
	d := map[uint32]bool{}
	scan := func(body []wasm.Instr) {
		for i := range body {
			if body[i].Op == wasm.OpRefFunc {
				d[body[i].A] = true
			}
		}
	}
	for i := range m.Exports {
		if m.Exports[i].Kind == wasm.ExternFunc {
			d[m.Exports[i].Index] = true
		}
	}
	for i := range m.Elems {
		scan(m.Elems[i].Offset)
		for _, init := range m.Elems[i].Init {
			scan(init)
		}
	}
	for i := range m.Datas {
		scan(m.Datas[i].Offset)
	}
	for i := range m.Globals {
		scan(m.Globals[i].Init)
	}
	for i := range m.Tables {
		scan(m.Tables[i].Init)
	}
	return d
}
