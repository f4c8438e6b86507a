package analysis

import (
	"maps"
	"unicode/utf8"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// name reads `(@name "…")`: after the keyword, or the identifier, of what it names. It takes
// precedence over the identifier.
func (r *annotReader) name(n uint32, parents []uint32, x *annotText) {
	s, ok := x.str()
	switch {
	case !ok:
		r.bad(n, "@name annotation: string expected")
		return
	case !utf8.Valid(s):
		r.report(diag.Annotation, x.t-1, x.t, "@name annotation: malformed UTF-8 encoding")
		return
	case !r.rest(x, nameAnnot):
		return
	}
	what := ""
	key := namedAt{r.u.Index, n}
	if len(parents) == 0 {
		if r.head && r.m.rng.open >= 0 {
			what, key = "module", namedAt{unit: -1}
			r.a.module = string(s)
		}
	} else if p := parents[len(parents)-1]; r.binds(p, n) {
		key.node = p
		what = r.bind(p, parents, string(s))
		if what == "module" {
			key = namedAt{unit: -1}
		}
	}
	switch {
	case what == "":
		r.bad(n, "misplaced @name annotation: it stands after the keyword, or the identifier, of what it names")
	case what == several:
		r.bad(n, "misplaced @name annotation: it names one thing, but the declaration is of several or none")
	case r.a.named[key]:
		r.bad(n, "@name annotation: multiple "+what+" names")
	default:
		r.a.named[key] = true
	}
}

// several stands for a declaration of more than one thing, or none.
const several = "several"

// binds reports whether annotation n stands where node p may be named: after its keyword or its
// identifier.
func (r *annotReader) binds(p, n uint32) bool {
	t := r.u.Keyword(p) + 1
	id := false
	for c := p + 1; t < r.u.Nodes[p].TokEnd; {
		for c < r.u.Nodes[p].Next && r.u.Nodes[c].Tok < t {
			c = r.u.Nodes[c].Next
		}
		switch {
		case c == n && r.u.Nodes[c].Tok == t:
			return true
		case c < r.u.Nodes[p].Next && r.u.Nodes[c].Tok == t && r.u.Nodes[c].Kind == syntax.KAnnot:
			t = r.u.Nodes[c].TokEnd
		case r.u.TokKind(t) == syntax.TokID && !id:
			id = true
			t++
		case r.u.Nodes[p].Kind == syntax.KModule && r.u.TokKind(t) == syntax.TokKeyword: // definition
			t++
		default:
			return false
		}
	}
	return false
}

// bind names what node p declares, and returns a word for it: "" if it is nothing that has a name.
func (r *annotReader) bind(p uint32, parents []uint32, s string) string {
	nd := &r.u.Nodes[p]
	switch nd.Kind {
	case syntax.KModule:
		r.a.module = s
		return "module"
	case syntax.KType, syntax.KFunc, syntax.KTable, syntax.KMemory, syntax.KGlobal, syntax.KTag,
		syntax.KElem, syntax.KData, syntax.KExternType, syntax.KImportItem:
		sym, ok := r.symbols()[namedAt{r.u.Index, p}]
		if !ok {
			return ""
		}
		r.a.items[sym] = s
		if sym.Space == decl.SpaceFunc {
			return "function"
		}
		return sym.Space.String()
	case syntax.KBlock, syntax.KEvent:
		r.function().labels[p] = s
		return "label"
	case syntax.KParam, syntax.KLocal, syntax.KField:
		if r.typesIn(p) != 1 {
			return several
		}
	default:
		return ""
	}
	var parent uint32
	if len(parents) > 1 {
		parent = parents[len(parents)-2]
	}
	at := r.position(p, parent)
	switch k := r.u.Nodes[parent].Kind; {
	case nd.Kind == syntax.KField:
		for i := len(parents) - 2; i >= 0; i-- { // the type's own node: there may be a `sub` between
			if sym, ok := r.symbols()[namedAt{r.u.Index, parents[i]}]; ok && sym.Space == decl.SpaceType {
				r.a.items[decl.Sym{Space: decl.SpaceField, Owner: sym.Index, Index: at}] = s
				break
			}
		}
		return "field"
	case nd.Kind == syntax.KLocal:
		r.function().locals[at] = s
	case k == syntax.KFunc, k == syntax.KExternType:
		r.function().params[at] = s
	} // elsewhere a parameter's name is said and means nothing, like its identifier
	return "local"
}

// typesIn counts the types in a group of parameters, locals or fields.
func (r *annotReader) typesIn(p uint32) uint32 {
	n := uint32(0)
	for c := p + 1; c < r.u.Nodes[p].Next; c = r.u.Nodes[c].Next {
		if k := r.u.Nodes[c].Kind; cursor.IsType(k) || k == syntax.KMut {
			n++
		}
	}
	return n
}

// position counts what the groups of the same kind before group p declare.
func (r *annotReader) position(p, parent uint32) uint32 {
	n := uint32(0)
	for c := parent + 1; c < p; c = r.u.Nodes[c].Next {
		if r.u.Nodes[c].Kind == r.u.Nodes[p].Kind {
			n += r.typesIn(c)
		}
	}
	return n
}

// symbols returns what nodes declare.
func (r *annotReader) symbols() map[namedAt]decl.Sym {
	if r.syms == nil {
		r.syms = map[namedAt]decl.Sym{}
		d := r.m.decls()
		for sp := range d.Spaces {
			for i, it := range d.Spaces[sp].Items {
				if it.Part == 0 {
					r.syms[namedAt{it.Unit, it.Node}] = decl.Sym{Space: decl.Space(sp), Index: uint32(i)}
				}
			}
		}
	}
	return r.syms
}

// rename puts the names that annotations give into names, whose maps are shared so far.
func (a *annotations) rename(names *wasm.Names) {
	if a.named[namedAt{unit: -1}] {
		names.Module = a.module
	}
	if len(a.items) == 0 {
		return
	}
	maps2 := maps.Clone(names.Fields)
	for t, f := range maps2 {
		maps2[t] = maps.Clone(f)
	}
	names.Fields = maps2
	for _, m := range []*map[uint32]string{&names.Types, &names.Funcs, &names.Tables, &names.Mems,
		&names.Globals, &names.Tags, &names.Elems, &names.Datas} {
		*m = maps.Clone(*m)
	}
	for sym, s := range a.items {
		if sym.Space == decl.SpaceField {
			wasm.Set2(names.Fields, sym.Owner, sym.Index, s)
		} else if m := decl.NamesOf(names, sym.Space); m != nil {
			m[sym.Index] = s
		}
	}
}

// renameLocals puts the names of a function's locals and labels into names. params is how many
// parameters it has, labels are the blocks that were lowered.
func (b *bodyAnnots) renameLocals(names *wasm.Names, fn, params uint32, labels []lower.Block) {
	for i, s := range b.params {
		wasm.Set2(names.Locals, fn, i, s)
	}
	for i, s := range b.locals {
		wasm.Set2(names.Locals, fn, params+i, s)
	}
	for i := range labels {
		if s, ok := b.labels[labels[i].Node]; ok {
			wasm.Set2(names.Labels, fn, uint32(i), s)
		}
	}
}
