package text

import (
	"stackscope/wasm"
)

func (p *printer) valType(t wasm.ValType) string {
	return t.Format(func(i uint32) string {
		if s, ok := p.m.Inline(i, p.id.types.use); ok {
			return s
		}
		return p.id.types.use(i)
	})
}

func (p *printer) rec(g wasm.RecGroup) {
	if g.Len == 1 {
		p.line(1)
		p.typeDef(g.Start)
		return
	}
	p.line(1)
	p.put("(rec")
	for i := range g.Len {
		p.line(2)
		p.typeDef(g.Start + i)
	}
	p.put(")")
}

func (p *printer) typeDef(i uint32) {
	t := &p.m.Types[i]
	p.put("(type")
	p.ident(p.id.types, i)
	p.put(" ")
	sub := !t.Final || len(t.Supers) > 0
	if sub {
		p.put("(sub ")
		if t.Final {
			p.put("final ")
		}
		for _, s := range t.Supers {
			p.put(p.id.types.use(s), " ")
		}
	}
	p.put("(", t.Kind.String())
	switch t.Kind {
	case wasm.CompFunc:
		p.signature(t, nil)
	case wasm.CompStruct:
		for j, f := range t.Fields {
			p.put(" (field")
			p.name(p.id.fields[i], uint32(j))
			p.put(" ", p.fieldType(f), ")")
		}
	case wasm.CompArray:
		for _, f := range t.Fields {
			p.put(" ", p.fieldType(f))
		}
	case wasm.CompCont:
		p.put(" ", p.id.types.use(t.Func))
	case wasm.CompStack:
		p.list("param", t.Params, nil, 0)
		for _, r := range t.Results {
			p.put(" ", p.valType(r))
		}
	case wasm.CompFiber:
		p.list("result", t.Results, nil, 0)
	}
	p.put(")")
	if sub {
		p.put(")")
	}
	p.put(")")
}

func (p *printer) fieldType(f wasm.FieldType) string {
	if f.Mut {
		return "(mut " + p.valType(f.Type) + ")"
	}
	return p.valType(f.Type)
}

// signature puts the parameters and results; names are those of the parameters.
func (p *printer) signature(t *wasm.SubType, names *ids) {
	p.list("param", t.Params, names, 0)
	p.list("result", t.Results, nil, 0)
}

// list puts types as `(kind t*)`, each that has a name by itself; first is the index of the first
// for its name.
func (p *printer) list(kind string, ts []wasm.ValType, names *ids, first uint32) {
	for i := 0; i < len(ts); {
		if names.named(first + uint32(i)) {
			p.put(" (", kind)
			p.name(names, first+uint32(i))
			p.put(" ", p.valType(ts[i]), ")")
			i++
			continue
		}
		p.put(" (", kind)
		for i < len(ts) {
			if names.named(first + uint32(i)) {
				break
			}
			p.put(" ", p.valType(ts[i]))
			i++
		}
		p.put(")")
	}
}

// name puts the identifier and the annotation of what is named.
func (p *printer) name(t *ids, i uint32) {
	if s, ok := t.get(i); ok {
		p.put(" ", s)
	}
	p.put(t.note(i))
}

// typeUse puts `(type $t)` and what it stands for.
func (p *printer) typeUse(t uint32, names *ids) {
	p.put(" (type ", p.id.types.use(t), ")")
	if ft := p.m.FuncType(t); ft != nil {
		p.signature(ft, names)
	}
}

func (p *printer) limits(l wasm.Limits) {
	if l.Is64 {
		p.put(" i64")
	}
	p.putf(" %d", l.Min)
	if l.HasMax {
		p.putf(" %d", l.Max)
	}
	if l.Shared {
		p.put(" shared")
	}
}

func (p *printer) tableType(t *wasm.Table) {
	p.limits(t.Limits)
	p.put(" ", p.valType(t.Type))
}

func (p *printer) memType(l wasm.Limits) {
	p.limits(l)
	if l.HasPage {
		p.putf(" (pagesize %d)", uint64(1)<<l.PageBits)
	}
}

func (p *printer) globalType(g *wasm.Global) {
	if g.Mut {
		p.put(" (mut ", p.valType(g.Type), ")")
	} else {
		p.put(" ", p.valType(g.Type))
	}
}
