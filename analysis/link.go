package analysis

import (
	"math"
	"strconv"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// ExportSpan returns the place of an export's name, quotes included.
func (m *Module) ExportSpan(i int) source.Span {
	d := m.decls()
	if i < 0 || i >= len(d.Exports) {
		return source.Span{}
	}
	it := d.Exports[i]
	u := m.unit(it.Unit)
	if it.ID < 0 {
		return m.span(u.TokPlace(u.Keyword(it.Node)))
	}
	return m.span(u.TokPlace(uint32(it.ID)))
}

// Sound reports whether the module's declarations are well-formed and valid, so that what another
// module finds in them is so.
func (m *Module) Sound() bool {
	for i := m.rng.first - btoi(m.rng.open >= 0); i < m.first+m.units; i++ {
		if len(m.snap.tree.Units[i].Errors) > 0 {
			return false
		}
	}
	return !anyError(m.decls().Findings) && !anyError(m.checkDecls())
}

// ExternSym returns the item that an import or export stands for.
func ExternSym(k wasm.ExternKind, index uint32) decl.Sym {
	return decl.Sym{Space: decl.DeclSpace(k.String()), Index: index}
}

// LinkErrors reports what is wrong with the module's imports, given the modules by their names:
// names that are not exported, and types that do not match. find returns nil for a name it does not
// know; of such imports nothing is said, nor of modules whose declarations are in error. With
// grown, memories and tables may have grown since the other module was instantiated.
func (m *Module) LinkErrors(find func(name string) *Module, grown bool) []diag.Diagnostic {
	d := m.decls()
	if len(d.Mod.Imports) == 0 || !m.Sound() {
		return nil
	}
	type other struct {
		m     *Module
		ids   []wasm.Canon
		names map[string]int
	}
	store := wasm.NewTypeStore()
	var own []wasm.Canon
	others := map[string]*other{}
	var out []diag.Diagnostic
	for i, im := range d.Mod.Imports {
		o, known := others[im.Module]
		if !known {
			if x := find(im.Module); x != nil && x.Sound() {
				o = &other{m: x, names: map[string]int{}}
				for k, e := range x.decls().Mod.Exports {
					o.names[e.Name] = k
				}
			}
			others[im.Module] = o
		}
		if o == nil {
			continue
		}
		_, at := m.ImportSpans(i)
		k, ok := o.names[im.Name]
		if !ok {
			out = append(out, m.unknownImport(im, at, o.m, o.names))
			continue
		}
		if own == nil {
			own = store.Add(d.Mod)
		}
		if o.ids == nil {
			o.ids = store.Add(o.m.decls().Mod)
		}
		e := o.m.decls().Mod.Exports[k]
		want, ok1 := store.ExternType(d.Mod, own, im.Kind, im.Index)
		have, ok2 := store.ExternType(o.m.decls().Mod, o.ids, e.Kind, e.Index)
		if l := &have.Limits; grown {
			if l.Min = l.Max; !l.HasMax {
				l.Min = math.MaxUint64
			}
		}
		if !ok1 || !ok2 || store.MatchExtern(have, want) {
			continue
		}
		x := diag.Diagnostic{Code: diag.ImportType, Severity: m.snap.severity(diag.ImportType), Span: at,
			Message: "incompatible import type: " + strconv.Quote(
				im.Name,
			) + " is exported as " + o.m.ExternText(
				e.Kind, e.Index,
			) + " and imported as " + m.ExternText(
				im.Kind, im.Index,
			)}
		x.Related = []diag.Related{
			{
				File: o.m.snap.File().Name, Span: o.m.ExportSpan(k),
				Message: "exported here: " + o.m.ExternText(e.Kind, e.Index),
			},
		}
		if y, ok := o.m.Symbol(ExternSym(e.Kind, e.Index)); ok {
			x.Related = append(
				x.Related,
				diag.Related{File: o.m.snap.File().Name, Span: y.N.Keyword().Span(), Message: "what is exported"},
			)
		}
		if x.Severity != diag.Off {
			out = append(out, x)
		}
	}
	return out
}

// unknownImport reports that a module exports no such name.
func (m *Module) unknownImport(im wasm.Import, at source.Span, o *Module, names map[string]int) diag.Diagnostic {
	x := diag.Diagnostic{Code: diag.UnknownImport, Severity: m.snap.severity(diag.UnknownImport), Span: at,
		Message: "unknown import: " + strconv.Quote(im.Module) + " exports no " + strconv.Quote(im.Name)}
	all := make(map[string]uint32, len(names))
	for n, k := range names {
		all[n] = uint32(k)
	}
	for i, near := range decl.NearNames(im.Name, all) {
		x.Fixes = append(
			x.Fixes,
			diag.Fix{
				Title: "Change to " + strconv.Quote(near), Preferred: i == 0,
				Edits: []source.Edit{{Span: at, New: cursor.Quote(near)}},
			},
		)
		if i == 0 {
			x.Message += "; did you mean " + strconv.Quote(near) + "?"
		}
	}
	where := o.NameSpan()
	if where.End == where.Start {
		where = source.Span{Start: o.Span().Start, End: min(o.Span().Start+len("(module"), o.Span().End)}
	}
	x.Related = []diag.Related{{File: o.snap.File().Name, Span: where, Message: "the module that is imported from"}}
	return x
}

// ExternText returns the type of an import or export as a text has it: `func (param i32)`, `global
// (mut i64)`, `memory 1 2`.
func (m *Module) ExternText(k wasm.ExternKind, index uint32) string {
	return ExternText(m.decls().Mod, k, index)
}

// ExternText returns the type of an import or export of a module as a text has it.
func ExternText(mod *wasm.Module, k wasm.ExternKind, index uint32) string {
	name := mod.Names.Type
	i := int64(index)
	def := func(t uint32) string {
		ft := mod.FuncType(t)
		if ft == nil {
			return ""
		}
		return group("param", ft.Params, name) + group("result", ft.Results, name)
	}
	s := k.String()
	switch {
	case k == wasm.ExternFunc && i < int64(len(mod.Funcs)):
		s += def(mod.Funcs[i].Type)
	case k == wasm.ExternTag && i < int64(len(mod.Tags)):
		s += def(mod.Tags[i].Type)
	case k == wasm.ExternGlobal && i < int64(len(mod.Globals)):
		if g := mod.Globals[i]; g.Mut {
			s += " (mut " + g.Type.Format(name) + ")"
		} else {
			s += " " + g.Type.Format(name)
		}
	case k == wasm.ExternTable && i < int64(len(mod.Tables)):
		s += limitsText(mod.Tables[i].Limits) + " " + mod.Tables[i].Type.Format(name)
	case k == wasm.ExternMemory && i < int64(len(mod.Mems)):
		s += limitsText(mod.Mems[i].Limits)
	}
	return s
}

func limitsText(l wasm.Limits) string {
	s := ""
	if l.Is64 {
		s += " i64"
	}
	s += " " + strconv.FormatUint(l.Min, 10)
	if l.HasMax {
		s += " " + strconv.FormatUint(l.Max, 10)
	}
	if l.Shared {
		s += " shared"
	}
	if l.HasPage {
		s += " (pagesize " + strconv.FormatUint(1<<min(l.PageBits, 63), 10) + ")"
	}
	return s
}

// LinkKey sums up what other modules may find in this one: equal keys, equal exports.
func (m *Module) LinkKey() string {
	d := m.decls()
	if len(d.Mod.Exports) == 0 {
		return ""
	}
	s := strconv.FormatUint(d.Hash, 36)
	if m.Sound() {
		s += "!"
	}
	for _, e := range d.Mod.Exports {
		s += " " + strconv.Quote(e.Name) + m.ExternText(e.Kind, e.Index)
	}
	return s
}

// QuoteName writes a name as a string of the text format.
func QuoteName(s string) string { return cursor.Quote(s) }
