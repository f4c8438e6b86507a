package text

import (
	"slices"

	"stackscope/wasm"
)

// A field is what stands at the first level of a module: it begins a line, and its text does not
// depend on what stands before it.
type field struct {
	kind fieldKind
	i    uint32 // in its list of the module; of a custom section in the order of its printing
}

type fieldKind uint8

const (
	fieldCustom fieldKind = iota
	fieldRec
	fieldImport
	fieldTable
	fieldMemory
	fieldTag
	fieldGlobal
	fieldExport
	fieldStart
	fieldElem
	fieldFunc
	fieldData
)

// fields lists the fields of the module in the order of the text.
func (p *printer) fields() []field {
	m := p.m
	out := make(
		[]field,
		0,
		len(
			m.Customs,
		)+len(
			m.Recs,
		)+len(
			m.Imports,
		)+len(
			m.Tables,
		)+len(
			m.Mems,
		)+len(
			m.Tags,
		)+len(
			m.Globals,
		)+len(
			m.Exports,
		)+1+len(
			m.Elems,
		)+len(
			m.Funcs,
		)+len(
			m.Datas,
		),
	)
	add := func(k fieldKind, n int, is func(i int) bool) {
		for i := range n {
			if is == nil || is(i) {
				out = append(out, field{k, uint32(i)})
			}
		}
	}
	p.sortCustoms()
	add(fieldCustom, len(p.customs), nil)
	add(fieldRec, len(m.Recs), func(i int) bool {
		g := m.Recs[i]
		return uint64(g.Start)+uint64(g.Len) <= uint64(len(m.Types))
	})
	add(fieldImport, len(m.Imports), nil)
	add(fieldTable, len(m.Tables), func(i int) bool { return m.Tables[i].Import < 0 })
	add(fieldMemory, len(m.Mems), func(i int) bool { return m.Mems[i].Import < 0 })
	add(fieldTag, len(m.Tags), func(i int) bool { return m.Tags[i].Import < 0 })
	add(fieldGlobal, len(m.Globals), func(i int) bool { return m.Globals[i].Import < 0 })
	add(fieldExport, len(m.Exports), nil)
	add(fieldStart, 1, func(int) bool { return m.Start != wasm.BadIndex })
	add(fieldElem, len(m.Elems), nil)
	add(fieldFunc, len(m.Funcs), func(i int) bool { return m.Funcs[i].Import < 0 })
	add(fieldData, len(m.Datas), nil)
	return out
}

// field puts a field, with the line that it begins.
func (p *printer) field(f field) {
	m, i := p.m, f.i
	switch f.kind {
	case fieldCustom:
		p.custom(&p.customs[i])
	case fieldRec:
		p.rec(m.Recs[i])
	case fieldImport:
		p.importDecl(&m.Imports[i])
	case fieldTable:
		t := &m.Tables[i]
		p.open("table", p.id.tables, i)
		p.tableType(t)
		if t.Init != nil {
			p.put(" ")
			p.constInline(t.Init)
		}
		p.put(")")
	case fieldMemory:
		p.open("memory", p.id.mems, i)
		p.memType(m.Mems[i].Limits)
		p.put(")")
	case fieldTag:
		p.open("tag", p.id.tags, i)
		p.typeUse(m.Tags[i].Type, nil)
		p.put(")")
	case fieldGlobal:
		p.open("global", p.id.globals, i)
		p.globalType(&m.Globals[i])
		p.put(" ")
		p.constInline(m.Globals[i].Init)
		p.put(")")
	case fieldExport:
		e := &m.Exports[i]
		p.line(1)
		p.put("(export ", Quote(e.Name), " (", e.Kind.String(), " ", p.space(e.Kind).use(e.Index), "))")
	case fieldStart:
		p.line(1)
		p.put("(start ", p.id.funcs.use(m.Start), ")")
	case fieldElem:
		p.elem(i, &m.Elems[i])
	case fieldFunc:
		p.fn(i, &m.Funcs[i])
	case fieldData:
		p.data(i, &m.Datas[i])
	}
}

// lines returns how many lines a field has, without printing it.
func (p *printer) lines(f field) int {
	m, i := p.m, f.i
	switch f.kind {
	case fieldCustom:
		return 1 + bytesLines(p.customs[i].Bytes)
	case fieldRec:
		if n := m.Recs[i].Len; n != 1 {
			return 1 + int(n)
		}
	case fieldFunc:
		b := &m.Funcs[i]
		return headerLines(b) + rowLine(b, rows(b))
	case fieldData:
		return 1 + bytesLines(m.Datas[i].Bytes)
	}
	return 1
}

// sortCustoms brings the custom sections in their order in a binary.
func (p *printer) sortCustoms() {
	p.customs = slices.Clone(p.m.Customs)
	if len(p.customs) == 0 {
		return
	}
	for _, id := range wasm.Sections() {
		if p.m.HasSection(id) {
			p.sections = append(p.sections, id)
		}
	}
	slices.SortStableFunc(p.customs, func(a, b wasm.Custom) int { return a.Position() - b.Position() })
}

func (p *printer) custom(c *wasm.Custom) {
	p.line(1)
	p.put("(@custom ", Quote(c.Name), " (", placement(c, p.sections), ")")
	p.bytes(c.Bytes)
	p.put(")")
}
