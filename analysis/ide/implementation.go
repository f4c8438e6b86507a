package ide

import (
	"slices"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// ImplementationIn finds what implements the item at an offset, across the texts of a world: of an
// imported item its definition in the exporting module; of a tag the clauses that handle it; of a
// function or continuation type the functions of that type; of any other type its direct subtypes.
func ImplementationIn(w *World, s *analysis.Snapshot, off int) []Site {
	p := query.At(s, off)
	if n, ok := externAt(p); ok && n.module {
		return DefinitionIn(w, s, off)
	}
	if y, _, ok := p.Symbol(); ok && y.Space == analysis.SpaceType {
		return typeImplementations(p, y.Index)
	}
	x, ok := itemAt(p)
	if !ok {
		return nil
	}
	if x.sym.Space == analysis.SpaceTag {
		if out := w.handlerClauses(x); len(out) > 0 {
			return out
		}
	}
	if t, ok := w.origin(x).site(); ok {
		return []Site{t}
	}
	return nil
}

// handlerClauses returns the clauses that handle a tag, in all modules that know it.
func (w *World) handlerClauses(tag extern) []Site {
	var out []Site
	for _, y := range w.family(tag) {
		s := y.m.Snapshot()
		for _, r := range y.m.References(y.sym, false) {
			n, _ := s.Tree().At(r.Span.Start)
			switch n.Kind() {
			case syntax.KOn, syntax.KCatch, syntax.KClause, syntax.KEvent, syntax.KCatchBlock:
				sp := n.Span()
				if n.Kind() == syntax.KEvent ||
					n.Kind() == syntax.KCatchBlock { // the whole clause is a block: its head is enough
					sp = source.Span{Start: sp.Start, End: r.Span.End}
				}
				out = append(out, Site{s, Target{Span: sp, Name: r.Span}})
			}
		}
	}
	return out
}

// typeImplementations returns the functions of a function or continuation type, and the direct
// subtypes of other types.
func typeImplementations(p query.Place, ty uint32) []Site {
	t := query.NewTypes(p.Module)
	if t.Sub(ty) == nil {
		return nil
	}
	ft := ty
	if t.Declared.Types[ty].Kind == wasm.CompCont {
		ft = t.Declared.Types[ty].Func
	}
	var out []Site
	add := func(sp analysis.Space, i int) {
		if x, ok := (extern{p.Module, analysis.Sym{Space: sp, Index: uint32(i)}}).site(); ok {
			out = append(out, x)
		}
	}
	if k := t.Declared.Types[ty].Kind; k == wasm.CompFunc || k == wasm.CompCont {
		for i, f := range t.Declared.Funcs {
			if f.Type == ft {
				add(analysis.SpaceFunc, i)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	for i := range t.Declared.Types {
		if slices.Contains(t.Declared.Types[i].Supers, ty) {
			add(analysis.SpaceType, i)
		}
	}
	return out
}
