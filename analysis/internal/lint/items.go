package lint

import (
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// usage is what the module's text does with each of its items.
type usage struct {
	used   [decl.SpaceData + 1][]bool
	fields map[decl.ItemUse]bool // fields that are read or set, and arrays and fields that are set
	set    []bool                // globals
}

// moduleLint is what the lints of a whole module read.
type moduleLint struct {
	d    *decl.Decls
	text cursor.Text
	// uses are the items that each function names.
	uses func(yield func(fn uint32, uses []decl.ItemUse) bool)
}

// usageOf gathers the uses of all bodies and declarations. What a function says of itself does not
// count: only it could have called it.
func (m *moduleLint) usageOf() *usage {
	d := m.d
	u := &usage{fields: map[decl.ItemUse]bool{}, set: make([]bool, len(d.Spaces[decl.SpaceGlobal].Items))}
	for sp := decl.SpaceType; sp <= decl.SpaceData; sp++ {
		u.used[sp] = make([]bool, len(d.Spaces[sp].Items))
	}
	take := func(list []decl.ItemUse, self uint32) {
		for _, x := range list {
			sp, i := x.Space(), x.Index()
			switch {
			case sp == decl.SpaceField:
				u.fields[x] = true
			case sp > decl.SpaceData || int(i) >= len(u.used[sp]) || sp == decl.SpaceFunc && i == self:
			default:
				u.used[sp][i] = true
				if x.Write() && sp == decl.SpaceGlobal {
					u.set[i] = true
				}
				if x.Write() && sp == decl.SpaceType {
					u.fields[x] = true
				}
			}
		}
	}
	take(d.Uses, wasm.BadIndex)
	for fn, uses := range m.uses {
		take(uses, fn)
	}
	for _, e := range d.Mod.Exports {
		if sp := decl.DeclSpace(e.Kind.String()); int64(e.Index) < int64(len(u.used[sp])) {
			u.used[sp][e.Index] = true
		}
	}
	if d.Mod.Start < uint32(len(u.used[decl.SpaceFunc])) {
		u.used[decl.SpaceFunc][d.Mod.Start] = true
	}
	for i, e := range d.Mod.Elems {
		u.used[decl.SpaceElem][i] = u.used[decl.SpaceElem][i] || e.Mode != wasm.SegmentPassive
	}
	for i, x := range d.Mod.Datas {
		u.used[decl.SpaceData][i] = u.used[decl.SpaceData][i] || x.Mode == wasm.SegmentActive
	}
	return u
}

// Module reports what only a module as a whole shows; uses goes over the items that each
// function names.
func Module(
	d *decl.Decls, text cursor.Text, uses func(yield func(fn uint32, uses []decl.ItemUse) bool),
) []cursor.Finding {
	return (&moduleLint{d, text, uses}).check()
}

// check reports what only the module as a whole shows: items that nothing uses, and `mut`
// where nothing is ever set. In a module without exports and start function that includes the
// functions that it was written for: they can be exported.
func (m *moduleLint) check() []cursor.Finding {
	d := m.d
	piece := m.d.IsPiece()
	u := m.usageOf()
	var out []cursor.Finding
	var names repeats
	for sp := decl.SpaceType; sp <= decl.SpaceData; sp++ {
		for i, it := range d.Spaces[sp].Items {
			if it.ID < 0 || u.used[sp][i] {
				continue
			}
			x := m.text.Unit(it.Unit)
			if f, ok := unusedFinding(&x, uint32(it.ID), sp.String(), "is never used", diag.Unused); ok {
				if names.has(&x, uint32(it.ID)) {
					f.Fixes = nil // it names itself: a new name at one place would not do
				}
				if piece && sp == decl.SpaceFunc && d.Mod.Funcs[i].Import < 0 {
					f.Msg += ": the module has neither exports nor a start function"
					f.Fixes = append(exportFix(&x, uint32(it.ID)), f.Fixes...)
				}
				out = append(out, f)
			}
		}
	}
	out = m.globals(u, out)
	return m.structFields(u, out)
}

// exportFix returns the fix that exports an item under its name, which stands at token id.
func exportFix(u *cursor.Unit, id uint32) []cursor.Fix {
	name := u.Name(id)
	for i := range len(name) {
		if !cursor.IsIDChar(name[i]) {
			return nil
		}
	}
	at := u.TokPlace(id)
	at.From = at.To
	text := cursor.Quote(name)
	return []cursor.Fix{{
		Title: "Export as " + text, Preferred: true,
		Edits: []cursor.Edit{{At: at, New: " (export " + text + ")"}},
	}}
}

// repeats finds identifiers that occur several times in a unit. It remembers those of the last
// large unit: a group of types declares many items.
type repeats struct {
	unit  *syntax.Unit
	count map[string]int
}

// has reports whether another identifier of the unit has the text of token id.
func (r *repeats) has(u *cursor.Unit, id uint32) bool {
	s := u.TokText(id)
	if len(u.Tokens) < 256 {
		for t := range u.Tokens {
			if uint32(t) != id && u.TokKind(uint32(t)) == syntax.TokID && u.TokText(uint32(t)) == s {
				return true
			}
		}
		return false
	}
	if r.unit != u.Unit {
		r.unit, r.count = u.Unit, map[string]int{}
		for t := range u.Tokens {
			if u.TokKind(uint32(t)) == syntax.TokID {
				r.count[u.TokText(uint32(t))]++
			}
		}
	}
	return r.count[s] > 1
}

// unusedFinding reports a named item that nothing uses. A name that begins with `$_` says that this
// is meant: none is reported then.
func unusedFinding(u *cursor.Unit, id uint32, what, how string, code diag.Code) (cursor.Finding, bool) {
	name := u.Name(id)
	if strings.HasPrefix(name, "_") {
		return cursor.Finding{}, false
	}
	f := cursor.Finding{Code: code, At: u.TokPlace(id), Msg: "the " + what + " " + u.TokText(id) + " " + how}
	if s := u.TokText(id); !strings.HasPrefix(s, `$"`) {
		f.Fixes = []cursor.Fix{
			{
				Title: "Rename to $_" + name + ", to mark it as intended",
				Edits: []cursor.Edit{{At: f.At, New: "$_" + name}}, Preferred: false,
			},
		}
	}
	return f, true
}

// globals reports mutable globals that nothing sets. What is imported or exported may be set
// elsewhere.
func (m *moduleLint) globals(u *usage, out []cursor.Finding) []cursor.Finding {
	d := m.d
	away := make([]bool, len(d.Mod.Globals))
	for _, e := range d.Mod.Exports {
		if e.Kind == wasm.ExternGlobal && int64(e.Index) < int64(len(away)) {
			away[e.Index] = true
		}
	}
	for i, g := range d.Mod.Globals {
		if !g.Mut || g.Import >= 0 || away[i] || u.set[i] {
			continue
		}
		it := d.Spaces[decl.SpaceGlobal].Items[i]
		x := m.text.Unit(it.Unit)
		if f, ok := needlessMut(&x, it.Node, "the global is never set"); ok {
			out = append(out, f)
		}
	}
	return out
}

// needlessMut reports the `(mut t)` in a node.
func needlessMut(u *cursor.Unit, n uint32, why string) (cursor.Finding, bool) {
	for c := n + 1; c < u.Nodes[n].Next; c++ {
		if u.Nodes[c].Kind != syntax.KMut || c+1 >= u.Nodes[c].Next {
			continue
		}
		f := cursor.Finding{Code: diag.NeedlessMut, At: u.NodePlace(c), Msg: "mut is needless: " + why}
		f.Fixes = []cursor.Fix{
			{Title: "Remove mut", Edits: []cursor.Edit{{At: f.At, New: u.Words(c + 1)}}, Preferred: true},
		}
		return f, true
	}
	return cursor.Finding{}, false
}

// structFields reports fields that nothing reads or sets, and `mut` of fields and arrays that
// nothing sets. It speaks only of types that stand alone, in a module that no reference enters or
// leaves: others may reach the same objects under another type.
func (m *moduleLint) structFields(u *usage, out []cursor.Finding) []cursor.Finding {
	d := m.d
	if referencesLeave(m.d) {
		return out
	}
	alone := typesAlone(m.d.Mod)
	for i := range d.Mod.Types[:min(int(d.Explicit), len(d.Mod.Types))] {
		t := &d.Mod.Types[i]
		ti := uint32(i)
		switch {
		case !alone[i]:
		case t.Kind == wasm.CompArray && len(t.Fields) == 1 && t.Fields[0].Mut && u.used[decl.SpaceType][i]:
			if !u.fields[decl.MakeItemUse(decl.SpaceType, 0, ti, decl.RefWrite)] {
				it := d.Spaces[decl.SpaceType].Items[i]
				x := m.text.Unit(it.Unit)
				if f, ok := needlessMut(&x, it.Node, "nothing sets elements of this array type"); ok {
					out = append(out, f)
				}
			}
		case t.Kind == wasm.CompStruct && d.Fields[ti] != nil && u.used[decl.SpaceType][i]:
			for k, it := range d.Fields[ti].Nodes {
				if k >= len(t.Fields) || it.ID < 0 {
					continue
				}
				x := m.text.Unit(it.Unit)
				read := u.fields[decl.MakeItemUse(decl.SpaceField, ti, uint32(k), decl.RefRead)]
				set := u.fields[decl.MakeItemUse(decl.SpaceField, ti, uint32(k), decl.RefWrite)]
				f, ok := cursor.Finding{}, false
				if !read && !set {
					f, ok = unusedFinding(&x, uint32(it.ID), "field", "is never used", diag.Unused)
				} else if t.Fields[k].Mut && !set {
					f, ok = needlessMut(&x, it.Node, "the field is never set")
				}
				if ok {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// referencesLeave reports whether references come into the module or leave it.
func referencesLeave(d *decl.Decls) bool {
	refs := func(ts ...wasm.ValType) bool {
		for _, t := range ts {
			if t.IsRef() {
				return true
			}
		}
		return false
	}
	leaves := func(k wasm.ExternKind, i uint32) bool {
		var ft *wasm.SubType
		switch {
		case k == wasm.ExternTable:
			return true
		case k == wasm.ExternGlobal && int64(i) < int64(len(d.Mod.Globals)):
			return refs(d.Mod.Globals[i].Type)
		case k == wasm.ExternFunc && int64(i) < int64(len(d.Mod.Funcs)):
			ft = d.Mod.FuncType(d.Mod.Funcs[i].Type)
		case k == wasm.ExternTag && int64(i) < int64(len(d.Mod.Tags)):
			ft = d.Mod.FuncType(d.Mod.Tags[i].Type)
		}
		return ft != nil && (refs(ft.Params...) || refs(ft.Results...))
	}
	for _, e := range d.Mod.Exports {
		if leaves(e.Kind, e.Index) {
			return true
		}
	}
	for _, im := range d.Mod.Imports {
		if leaves(im.Kind, im.Index) {
			return true
		}
	}
	return false
}

// typesAlone reports each type whether no other type is equal to it or related to it.
func typesAlone(mod *wasm.Module) []bool {
	ids := wasm.NewTypeStore().Add(mod)
	count := map[wasm.Canon]int{}
	out := make([]bool, len(mod.Types))
	for i, id := range ids {
		count[id]++
		out[i] = len(mod.Types[i].Supers) == 0
	}
	for i := range mod.Types {
		if count[ids[i]] > 1 || ids[i] == wasm.BadCanon {
			out[i] = false
		}
		for _, s := range mod.Types[i].Supers {
			if int64(s) < int64(len(out)) {
				out[s] = false
			}
		}
	}
	for _, g := range mod.Recs {
		if g.Len > 1 {
			for i := g.Start; i < g.Start+g.Len && int64(i) < int64(len(out)); i++ {
				out[i] = false
			}
		}
	}
	return out
}
