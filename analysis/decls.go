package analysis

import (
	"strings"
	"sync"
	"sync/atomic"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// decls are a module's declarations: all that the bodies of its functions depend on. They are
// immutable once made, and outlive the snapshot that made them: an edit inside a body keeps them.
// Places are relative to units; positions in mod are those of the snapshot that made it.
type decls struct {
	bases  []int // by unit: the offset of its first token in the snapshot that made them
	mod    *wasm.Module
	spaces [SpaceData + 1]space
	fields map[uint32]*fieldNames
	// exports, imports and start are places of what has no index space.
	exports, imports []item
	start            item
	types            typeTable
	aliases          map[uint32]wasm.ValType // fibers-handle: types defined as references, `(type $g (ref fiber))`
	units            []unitFacts
	explicit         uint32 // number of types that are written as definitions
	dialect          wasm.Dialect
	dialectBy        cursor.Place // what fixed the dialect
	dialectWord      string
	dialectKnown     bool // dialectBy is a place
	dialectTold      bool // by an annotation or a setting: constructs do not matter
	findings         []cursor.Finding
	uses             []named        // by all that is no body
	deprecated       map[Sym]string // items that an annotation calls so, with its words
	near             [SpaceData + 1]atomic.Pointer[[]nearName]
	hash             uint64
	env              *valid.Env
	envOnce          sync.Once
	declOnce         sync.Once
	invalid          []cursor.Finding // what the validator says of the declarations
}

// space is an index space: where its items are declared, and their names.
type space struct {
	names map[string]uint32
	items []item
}

// item is where something is declared.
type item struct {
	unit int32
	node uint32
	id   int32 // token of its identifier, -1 if it has none
	part int32 // of a declaration that stands for several things: 1 for the segment inside a table or memory
}

type fieldNames struct {
	names map[string]uint32
	nodes []item
}

// unitFacts are what is known of a unit besides its declarations.
type unitFacts struct {
	fn      uint32 // the function it declares, BadIndex if it is none with a body
	dialect wasm.Dialect
	word    string // the construct that only that dialect has
	tok     uint32 // its token
	weak    bool   // both fiber dialects have all that the unit has
	header  string // the implicit types its declaration brought into being, as records of keys
	uses    string // the implicit types its body brought into being, as records of keys
	// ready: in tasks, the body begins with an event.switch; in fibers-handle, it has event clauses
	// of its own.
	ready bool
}

// declSpace returns the index space of a module field or extern type by its keyword.
func declSpace(word string) Space {
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

// binder walks units with the declarations at hand. With rec set it tells of every reference.
type binder struct {
	tree    *syntax.Tree
	first   int // the module's first unit in the tree
	d       *decls
	u       cursor.Unit
	out     *[]cursor.Finding
	rec     func(sym Sym, tok uint32, kind RefKind)
	uses    *useSet         // what is named; nil: not asked for
	fragile bool            // a type was named by a number that only implicit types have
	hush    bool            // report nothing: a walk for another purpose
	add     bool            // implicit types may be added to the module: it is being bound
	added   []byte          // the implicit types added since bodyFacts looked, as records of keys
	bare    map[string]bool // names that lack their `$`; nil: not asked for yet
	limit   uint32          // inline fiber types may stand for explicit types below it
}

func (b *binder) report(f cursor.Finding) {
	if !b.hush && b.out != nil {
		*b.out = append(*b.out, f)
	}
}

func (b *binder) errAt(code diag.Code, p cursor.Place, msg string) {
	b.report(cursor.Finding{Code: code, At: p, Msg: msg})
}

// declare enters a name into a space; what it reports is a duplicate.
func (b *binder) declare(sp Space, it item) uint32 {
	s := &b.d.spaces[sp]
	i := uint32(len(s.items))
	s.items = append(s.items, it)
	if it.id < 0 {
		return i
	}
	t := uint32(it.id)
	name := strings.Clone(b.u.Name(t))
	if s.names == nil {
		s.names = map[string]uint32{}
	}
	if j, ok := s.names[name]; ok {
		o := s.items[j]
		f := cursor.Finding{Code: diag.DuplicateName, At: b.u.TokPlace(t), Msg: "duplicate " + sp.shortName() + " " + b.u.TokText(t)}
		f.Related = append(f.Related, cursor.Related{At: b.idPlace(o), Msg: "first declared here"})
		b.report(f)
		return i
	}
	s.names[name] = i
	return i
}

// unitAt returns a unit of the module by its number.
func (b *binder) unitAt(i int32) cursor.Unit {
	p := &b.tree.Units[b.first+int(i)]
	return cursor.Unit{Unit: p.Unit, Text: b.tree.Src.Text[p.Off : p.Off+int(p.Len)], Off: p.Off, Index: i}
}

// idPlace returns the place of an item's identifier, else of the keyword of its declaration.
func (b *binder) idPlace(it item) cursor.Place {
	u := b.unitAt(it.unit)
	if it.id < 0 {
		return u.TokPlace(u.Keyword(it.node))
	}
	return u.TokPlace(uint32(it.id))
}

// nameMap returns the names of a space in the module, by index.
func (d *decls) nameMap(sp Space) map[uint32]string { return namesOf(d.mod.Names, sp) }

// namesOf returns the map of the names of a space; nil if it has none of one level.
func namesOf(n *wasm.Names, sp Space) map[uint32]string {
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

// index resolves an index token in a module-level space. What it gives may be out of range: a
// number is for the validator to judge.
func (b *binder) index(sp Space, t uint32, kind RefKind) uint32 {
	i := b.resolve(sp, 0, b.d.spaces[sp].names, t)
	if sp == SpaceType && i >= b.d.explicit && i != wasm.BadIndex {
		b.fragile = true
	}
	if b.rec != nil {
		b.rec(Sym{sp, 0, i}, t, kind)
	}
	b.uses.add(sp, 0, i, kind)
	if b.d.deprecated != nil {
		b.useDeprecated(sp, i, t)
	}
	return i
}

func (b *binder) resolve(sp Space, owner uint32, names map[string]uint32, t uint32) uint32 {
	switch b.u.TokKind(t) {
	case syntax.TokID:
		if i, ok := names[b.u.Name(t)]; ok {
			return i
		}
		b.unknownName(sp, t, names)
		return wasm.BadIndex
	case syntax.TokNat:
		return b.number(sp, t)
	}
	return wasm.BadIndex
}

// number reads a numeric index.
func (b *binder) number(sp Space, t uint32) uint32 {
	s := b.u.TokText(t)
	if len(s) <= 9 {
		n := uint32(0)
		for i := 0; i < len(s); i++ {
			c := s[i] - '0'
			if c > 9 {
				n = wasm.BadIndex
				break
			}
			n = n*10 + uint32(c)
		}
		if n != wasm.BadIndex {
			return n
		}
	}
	n, err := syntax.ParseNat(s, 32)
	if err != nil {
		b.errAt(diag.Number, b.u.TokPlace(t), "i32 constant out of range: "+s)
		return wasm.BadIndex
	}
	if uint32(n) == wasm.BadIndex {
		b.errAt(sp.unknownCode(), b.u.TokPlace(t), "unknown "+sp.String()+" "+s)
	}
	return uint32(n)
}

// near is nearNames; what there is to compare with is made once for the spaces of a module.
func (b *binder) near(sp Space, name string, names map[string]uint32) []string {
	if sp > SpaceData || len(names) < 32 || len(names) > manyNames {
		return nearNames(name, names)
	}
	p := &b.d.near[sp]
	list := p.Load()
	if list == nil || len(*list) != len(names) {
		l := nearList(names)
		list = &l
		p.Store(list)
	}
	return nearest(name, *list)
}

// unknownName reports an identifier that stands for nothing, with the names that are near.
func (b *binder) unknownName(sp Space, t uint32, names map[string]uint32) {
	if b.hush || b.out == nil {
		return
	}
	if b.bareName(b.u.TokText(t)) {
		b.fragile = true // it depends on other units
		return           // its declaration lacks the `$`, which is reported there
	}
	f := cursor.Finding{Code: sp.unknownCode(), At: b.u.TokPlace(t), Msg: "unknown " + sp.String() + " " + b.u.TokText(t)}
	for i, near := range b.near(sp, b.u.Name(t), names) {
		f.Fixes = append(f.Fixes, cursor.Fix{Title: "Change to " + cursor.WriteID(near), Preferred: i == 0,
			Edits: []cursor.Edit{{At: b.u.TokPlace(t), New: cursor.WriteID(near)}}})
	}
	if len(f.Fixes) > 0 {
		f.Msg += "; did you mean " + strings.TrimPrefix(f.Fixes[0].Title, "Change to ") + "?"
	}
	b.report(f)
}

// bareName reports whether a name stands somewhere in the module without its `$`, which is reported
// there.
func (b *binder) bareName(name string) bool {
	if b.bare == nil {
		b.bare = map[string]bool{}
		for i := b.first; i < min(b.first+len(b.d.units), len(b.tree.Units)); i++ {
			u := &b.tree.Units[i]
			for k := range u.Errors {
				if e := &u.Errors[k]; e.Insert == "$" && !e.Replace {
					from := u.Off + int(e.Off)
					b.bare["$"+b.tree.Src.Text[from:min(from+int(e.Len), len(b.tree.Src.Text))]] = true
				}
			}
		}
	}
	return b.bare[name]
}
