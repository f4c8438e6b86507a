package decl

import (
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// Decls are a module's declarations: all that the bodies of its functions depend on. They are
// immutable once made, and outlive the snapshot that made them: an edit inside a body keeps them.
// Places are relative to units; positions in mod are those of the snapshot that made it.
type Decls struct {
	Bases  []int // by unit: the offset of its first token in the snapshot that made them
	Mod    *wasm.Module
	Spaces [SpaceData + 1]space
	Fields map[uint32]*fieldNames
	// Exports, imports and start are places of what has no index space.
	Exports, Imports []Item
	Start            Item
	Types            typeTable
	Aliases          map[uint32]wasm.ValType // fibers-handle: types defined as references, `(type $g (ref fiber))`
	Units            []UnitFacts
	Explicit         uint32 // number of types that are written as definitions
	Dialect          wasm.Dialect
	DialectBy        cursor.Place // what fixed the dialect
	DialectWord      string
	DialectPlaced    bool // dialectBy is a place
	DialectFixed     bool // by an annotation or a setting: constructs do not matter
	Findings         []cursor.Finding
	Uses             []ItemUse      // by all that is no body
	Deprecated       map[Sym]string // items that an annotation calls so, with its words
	nearLists        [SpaceData + 1]atomic.Pointer[[]NearName]
	Hash             uint64
	env              *valid.Env
	envOnce          sync.Once
	DeclOnce         sync.Once
	DeclErrors       []cursor.Finding // what the validator says of the declarations
}

// space is an index space: where its items are declared, and their names.
type space struct {
	Names map[string]uint32
	Items []Item
}

// Item is where something is declared.
type Item struct {
	Unit int32
	Node uint32
	ID   int32 // token of its identifier, -1 if it has none
	Part int32 // of a declaration that stands for several things: 1 for the segment inside a table or memory
}

type fieldNames struct {
	Names map[string]uint32
	Nodes []Item
}

// UnitFacts are what is known of a unit besides its declarations.
type UnitFacts struct {
	Fn      uint32 // the function it declares, BadIndex if it is none with a body
	Dialect wasm.Dialect
	Word    string // the construct that only that dialect has
	Tok     uint32 // its token
	Weak    bool   // both fiber dialects have all that the unit has
	Header  string // the implicit types its declaration brought into being, as records of keys
	Uses    string // the implicit types its body brought into being, as records of keys
	// ready: in tasks, the body begins with an event.switch; in fibers-handle, it has event clauses
	// of its own.
	Ready bool
}

// Place returns the place of an item's identifier, else of the keyword of its declaration.
func (it Item) Place(text cursor.Text) cursor.Place {
	u := text.Unit(it.Unit)
	if it.ID < 0 {
		return u.TokPlace(u.Keyword(it.Node))
	}
	return u.TokPlace(uint32(it.ID))
}

// nameMap returns the names of a space in the module, by index.
func (d *Decls) nameMap(sp Space) map[uint32]string { return NamesOf(d.Mod.Names, sp) }

// NamesOf returns the map of the names of a space; nil if it has none of one level.
func NamesOf(n *wasm.Names, sp Space) map[uint32]string {
	switch sp {
	case SpaceType:
		return n.Types
	case SpaceFunc:
		return n.Funcs
	case SpaceTable:
		return n.Tables
	case SpaceMemory:
		return n.Mems
	case SpaceGlobal:
		return n.Globals
	case SpaceTag:
		return n.Tags
	case SpaceElem:
		return n.Elems
	case SpaceData:
		return n.Datas
	}
	return nil
}

// Relate points a finding at the declaration of an item.
func (d *Decls) Relate(text cursor.Text, sp Space, i uint32, msg string, f *cursor.Finding) {
	if int64(i) < int64(len(d.Spaces[sp].Items)) {
		f.Related = append(f.Related, cursor.Related{At: d.Spaces[sp].Items[i].Place(text), Msg: msg})
	}
}

// Has reports whether a name stands for something in a space.
func (d *Decls) Has(sp Space, name string) bool {
	_, ok := d.Spaces[sp].Names[name]
	return ok
}

// Ready reports the same of a function by its index; true of imports, which nobody can look into.
func (d *Decls) Ready(fn uint32) bool {
	if int64(fn) >= int64(len(d.Mod.Funcs)) || d.Mod.Funcs[fn].Import >= 0 {
		return true
	}
	return d.Units[d.Spaces[SpaceFunc].Items[fn].Unit].Ready
}

// hasIndex reports whether an index token stands for something in a space.
func (d *Decls) hasIndex(sp Space, u *cursor.Unit, t uint32) bool {
	if u.TokKind(t) == syntax.TokID {
		_, ok := d.Spaces[sp].Names[u.Name(t)]
		return ok
	}
	n, err := syntax.ParseNat(u.TokText(t), 32)
	return err == nil && n < uint64(len(d.Spaces[sp].Items))
}

// LaterUse reports whether a type, by the record of its key, came into being with a unit after the
// given one.
func (d *Decls) LaterUse(rec string, unit int32) bool {
	for i := int(unit) + 1; i < len(d.Units); i++ {
		if strings.Contains(d.Units[i].Uses, rec) || strings.Contains(d.Units[i].Header, rec) {
			return true
		}
	}
	return false
}

// FirstOf returns the index of the first item of a space that a unit, or one after it, declares.
func (d *Decls) FirstOf(sp Space, unit int32) int {
	items := d.Spaces[sp].Items
	return sort.Search(len(items), func(k int) bool { return items[k].Unit >= unit })
}

// FreshName returns a name that the space does not have.
func (d *Decls) FreshName(sp Space, name string) string {
	for i := uint32(0); ; i++ {
		s := name
		if i > 0 {
			s += strconv.Itoa(int(i))
		}
		if _, ok := d.Spaces[sp].Names[s]; !ok {
			return s
		}
	}
}

// SetNames fills in the names of a space in the module.
func (d *Decls) SetNames(sp Space) {
	m := d.nameMap(sp)
	for s, i := range d.Spaces[sp].Names {
		m[i] = s
	}
}

// FillNames fills in the names of the module's items.
func (d *Decls) FillNames() {
	for sp := SpaceFunc; sp <= SpaceData; sp++ {
		d.SetNames(sp)
	}
}

// Count returns how many items of a space have been defined so far.
func (d *Decls) Count(sp Space) int {
	switch sp {
	case SpaceFunc:
		return len(d.Mod.Funcs)
	case SpaceTable:
		return len(d.Mod.Tables)
	case SpaceMemory:
		return len(d.Mod.Mems)
	case SpaceGlobal:
		return len(d.Mod.Globals)
	case SpaceTag:
		return len(d.Mod.Tags)
	}
	return 0
}

// Environment makes the typing environment, once.
func (d *Decls) Environment() *valid.Env {
	d.envOnce.Do(func() { d.env = valid.New(d.Mod) })
	return d.env
}

func (d *Decls) equalTypes(a, b []wasm.ValType) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && a[i] != wasm.Unknown && b[i] != wasm.Unknown && !d.sameFiber(a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameFiber reports whether two types are references to fiber types with the same results, one of
// them an implicit type.
func (d *Decls) sameFiber(a, b wasm.ValType) bool {
	if !a.IsRef() || !b.IsRef() || a.Nullable() != b.Nullable() || a.Heap() < 0 || b.Heap() < 0 {
		return false
	}
	n := len(d.Mod.Types)
	if int(a.Heap()) >= n || int(b.Heap()) >= n {
		return false
	}
	x, y := &d.Mod.Types[a.Heap()], &d.Mod.Types[b.Heap()]
	return x.Kind == wasm.CompFiber && y.Kind == wasm.CompFiber && (x.Implicit || y.Implicit) &&
		d.equalTypes(x.Results, y.Results)
}

// IndexTypes enters the explicit types that type uses may stand for.
func (d *Decls) IndexTypes() {
	var buf []byte
	for _, g := range d.Mod.Recs {
		if g.Len != 1 {
			continue
		}
		t := &d.Mod.Types[g.Start]
		if t.Kind != wasm.CompFunc || !t.Final || len(t.Supers) > 0 || t.Implicit {
			continue
		}
		buf = TypeKey(buf[:0], t.Params, t.Results)
		if _, ok := d.Types.ByKey[string(buf)]; !ok {
			d.Types.ByKey[string(buf)] = g.Start
		}
	}
}

// IsPiece reports whether the module has neither exports nor a start function.
func (d *Decls) IsPiece() bool { return len(d.Mod.Exports) == 0 && d.Mod.Start == wasm.BadIndex }
