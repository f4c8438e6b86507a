package valid

import (
	"strconv"

	"stackscope/wasm"
)

// typeGroups checks the type definitions, one recursion group after the other: a type sees those
// of its own group and of the ones before.
func (d *decls) typeGroups() {
	for _, g := range d.m.Recs {
		hi := g.Start + g.Len
		if hi < g.Start || int64(hi) > int64(len(d.m.Types)) {
			continue
		}
		d.group = g.Start
		for i := g.Start; i < hi; i++ {
			d.typeDef(i, hi)
		}
	}
}

func (d *decls) typeDef(i, limit uint32) {
	st := &d.m.Types[i]
	p := at(PartType, int(i))
	if x := st.Kind.Dialect(); !d.m.Dialect.Admits(x) {
		d.fail(p, CodeDialect, "%s types are of the dialect %q, but the module is in %q", st.Kind, x, d.m.Dialect)
		return
	}
	d.typeSize(p, i, st)
	for _, t := range st.Params {
		d.valType(p, t, limit)
	}
	for _, t := range st.Results {
		d.valType(p, t, limit)
	}
	for _, f := range st.Fields {
		d.valType(p, f.Type, limit)
	}
	if st.Kind == wasm.CompCont && st.Func != wasm.BadIndex {
		if st.Func >= limit {
			d.fail(
				p, CodeUnknownType,
				"unknown type %d: it must be defined before the continuation type, or in the same (rec …)",
				st.Func,
			)
		} else if f := &d.m.Types[st.Func]; f.Kind != wasm.CompFunc && f.Kind != wasm.CompBad {
			d.fail(p, CodeTypeKind, "%s", d.e.kindMessage(st.Func, wasm.CompFunc))
		}
	}
	if st.Kind == wasm.CompStack {
		d.stackType(p, i, st)
	}
	d.supers(p, i, st)
}

// stackType checks that a stack type ends in a reference to a stack type.
func (d *decls) stackType(p Place, i uint32, st *wasm.SubType) {
	if len(st.Results) == 0 {
		d.fail(
			p, CodeTypeKind,
			"stack type %d must end in a reference to a stack type, (ref null $c), for the stack that is switched from",
			i,
		)
		return
	}
	rt := st.Results[0]
	h := rt.Heap()
	if k := d.e.Type(uint32(h)); h >= 0 && (k == nil || k.Kind == wasm.CompStack || k.Kind == wasm.CompBad) ||
		rt.IsRef() && h == wasm.HeapBad {
		return // an unknown type has been reported
	}
	d.fail(p, CodeTypeKind, "stack type %d must end in a reference to a stack type, but ends in %s", i, d.e.FormatType(rt))
}

func (d *decls) supers(p Place, i uint32, st *wasm.SubType) {
	if len(st.Supers) > 1 {
		d.fail(p, CodeSubtyping, "sub type %d has %d super types, but may have one at most", i, len(st.Supers))
		return
	}
	for _, s := range st.Supers {
		if s == wasm.BadIndex {
			continue
		}
		if s >= i {
			d.fail(p, CodeUnknownType, "unknown type %d: a super type must be defined before its sub type", s)
			continue
		}
		sup := &d.m.Types[s]
		if why := d.e.notSubtype(st, sup); why != "" {
			d.fail(p, CodeSubtyping, "sub type %d does not match super type %d: %s", i, s, why)
		}
	}
}

// notSubtype reports why a definition may not name another as its super type; "" if it may.
func (e *Env) notSubtype(st, sup *wasm.SubType) string {
	switch {
	case st.Kind == wasm.CompBad || sup.Kind == wasm.CompBad:
		return ""
	case sup.Final:
		return "the super type is final; declare it with `sub` to leave it open"
	case st.Kind != sup.Kind:
		return "a " + st.Kind.String() + " type is not a " + sup.Kind.String() + " type"
	}
	switch st.Kind {
	case wasm.CompFunc:
		if !e.MatchFunc(st, sup) {
			return "the function type " + e.FormatFunc(
				st,
			) + " does not match " + e.FormatFunc(
				sup,
			) + " (parameters must be super types, results sub types)"
		}
	case wasm.CompStruct, wasm.CompArray:
		return e.fieldsNotSubtype(st, sup)
	case wasm.CompCont:
		if st.Func != wasm.BadIndex && sup.Func != wasm.BadIndex &&
			!e.MatchHeap(wasm.HeapType(st.Func), wasm.HeapType(sup.Func)) {
			return e.typeName(st.Func) + " is not declared a sub type of " + e.typeName(sup.Func)
		}
	case wasm.CompStack:
		if !e.MatchAll(sup.Params, st.Params) || !e.MatchAll(sup.Results, st.Results) {
			return "its parameters " + e.FormatTypes(
				append(clone(st.Params), st.Results...),
			) + " must be super types of " + e.FormatTypes(
				append(clone(sup.Params), sup.Results...),
			)
		}
	case wasm.CompFiber:
		if !e.MatchAll(st.Results, sup.Results) {
			return "its results " + e.FormatTypes(st.Results) + " must be sub types of " + e.FormatTypes(sup.Results)
		}
	}
	return ""
}

func (e *Env) fieldsNotSubtype(st, sup *wasm.SubType) string {
	if len(st.Fields) < len(sup.Fields) {
		return "fields of the super type are missing"
	}
	for i, want := range sup.Fields {
		f := st.Fields[i]
		switch {
		case f.Mut != want.Mut:
			return "field " + strconv.Itoa(i) + " differs in being mutable"
		case f.Mut && !e.Same(f.Type, want.Type):
			return "the mutable field " + strconv.Itoa(i) + " has type " + e.FormatType(f.Type) +
				", which is not the same as " + e.FormatType(want.Type)
		case !e.Match(f.Type, want.Type):
			return "field " + strconv.Itoa(i) + " has type " + e.FormatType(f.Type) +
				", which is not a sub type of " + e.FormatType(want.Type)
		}
	}
	return ""
}
