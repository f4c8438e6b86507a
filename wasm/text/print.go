package text

import (
	"fmt"
	"slices"

	"stackscope/wasm"
)

// Print gives the text of a module. It prints invalid modules too, as well as it can.
func Print(m *wasm.Module, o Options) (src string, mp *Map) {
	if o.Indent == "" {
		o.Indent = "  "
	}
	names := m.Names
	if names == nil {
		names = wasm.NewNames()
	}
	p := &printer{m: m, o: o, names: names, id: newSpaces(names),
		mp: &Map{Funcs: make([]Span, len(m.Funcs)), Instrs: make([][]Span, len(m.Funcs))}}
	p.module()
	return string(p.b), p.mp
}

type printer struct {
	m     *wasm.Module
	o     Options
	names *wasm.Names
	id    spaces
	mp    *Map
	b     []byte
}

func (p *printer) pos() wasm.Pos { return wasm.Pos(len(p.b)) }

func (p *printer) put(ss ...string) {
	for _, s := range ss {
		p.b = append(p.b, s...)
	}
}

func (p *printer) putf(f string, a ...any) { p.b = fmt.Appendf(p.b, f, a...) }

// maxIndent is how many levels are indented at most: compilers nest blocks by the hundred, and the
// text would be mostly white space.
const maxIndent = 24

// line begins a line at a depth.
func (p *printer) line(depth int) {
	p.b = append(p.b, '\n')
	for range min(depth, maxIndent) {
		p.put(p.o.Indent)
	}
}

func (p *printer) module() {
	m := p.m
	p.put("(module")
	if p.names.Module != "" {
		p.put(" ", Identifier(p.names.Module))
	}
	if m.Dialect != wasm.DialectNone && m.Dialect != wasm.DialectCont {
		p.putf(" (@stack-switching %q)", m.Dialect)
	}
	p.customs()
	for _, g := range m.Recs {
		p.rec(g)
	}
	for i := range m.Imports {
		p.importDecl(&m.Imports[i])
	}
	for i := range m.Tables {
		if t := &m.Tables[i]; t.Import < 0 {
			p.open("table", p.id.tables, uint32(i))
			p.tableType(t)
			if t.Init != nil {
				p.put(" ")
				p.constInline(t.Init)
			}
			p.put(")")
		}
	}
	for i := range m.Mems {
		if t := &m.Mems[i]; t.Import < 0 {
			p.open("memory", p.id.mems, uint32(i))
			p.memType(t.Limits)
			p.put(")")
		}
	}
	for i := range m.Tags {
		if t := &m.Tags[i]; t.Import < 0 {
			p.open("tag", p.id.tags, uint32(i))
			p.typeUse(t.Type, ids{})
			p.put(")")
		}
	}
	for i := range m.Globals {
		if g := &m.Globals[i]; g.Import < 0 {
			p.open("global", p.id.globals, uint32(i))
			p.globalType(g)
			p.put(" ")
			p.constInline(g.Init)
			p.put(")")
		}
	}
	for _, e := range m.Exports {
		p.line(1)
		p.put("(export ", Quote(e.Name), " (", e.Kind.String(), " ", p.space(e.Kind).use(e.Index), "))")
	}
	if m.Start != wasm.BadIndex {
		p.line(1)
		p.put("(start ", p.id.funcs.use(m.Start), ")")
	}
	for i := range m.Elems {
		p.elem(uint32(i), &m.Elems[i])
	}
	for i := range m.Funcs {
		if m.Funcs[i].Import < 0 {
			p.fn(uint32(i), &m.Funcs[i])
		}
	}
	for i := range m.Datas {
		p.data(uint32(i), &m.Datas[i])
	}
	p.put(")\n")
}

// open begins a field on a new line: `(kind $id` or `(kind (;index;)`.
func (p *printer) open(kind string, t ids, i uint32) {
	p.line(1)
	p.put("(", kind)
	p.ident(t, i)
}

func (p *printer) ident(t ids, i uint32) {
	if s, ok := t.id[i]; ok {
		p.put(" ", s)
	} else if !p.o.NoComments {
		p.putf(" (;%d;)", i)
	}
	p.put(t.note(i))
}

func (p *printer) space(k wasm.ExternKind) ids {
	switch k {
	case wasm.ExternFunc:
		return p.id.funcs
	case wasm.ExternTable:
		return p.id.tables
	case wasm.ExternMemory:
		return p.id.mems
	case wasm.ExternGlobal:
		return p.id.globals
	}
	return p.id.tags
}

// customs puts the custom sections, in their order in a binary.
func (p *printer) customs() {
	cs := slices.Clone(p.m.Customs)
	var has []uint8 // the sections with contents
	for _, id := range wasm.Sections() {
		if len(cs) > 0 && p.m.HasSection(id) {
			has = append(has, id)
		}
	}
	slices.SortStableFunc(cs, func(a, b wasm.Custom) int { return a.Position() - b.Position() })
	for i := range cs {
		c := &cs[i]
		p.line(1)
		p.put("(@custom ", Quote(c.Name), " (", placement(c, has), ")")
		p.bytes(c.Bytes)
		p.put(")")
	}
}

// placement gives the place of a custom section beside the sections that have contents: others are not written.
func placement(c *wasm.Custom, has []uint8) string {
	if c.Before && slices.Contains(has, c.Place) {
		return "before " + wasm.SectionName(c.Place)
	}
	if c.Place == wasm.LastSection && !c.Before {
		return "after last"
	}
	place := "before first"
	for _, id := range has {
		if side := (wasm.Custom{Place: id}); side.Position() <= c.Position() {
			place = "after " + wasm.SectionName(id)
		}
	}
	return place
}

// bytes puts string literals, on lines of their own if there are many.
func (p *printer) bytes(b []byte) {
	const width = 64
	if len(b) <= width {
		p.put(" ", quoteBytes(b))
		return
	}
	for part := range slices.Chunk(b, width) {
		p.line(2)
		p.put(quoteBytes(part))
	}
}

func (p *printer) importDecl(im *wasm.Import) {
	p.line(1)
	from := p.pos()
	p.put("(import ", Quote(im.Module), " ", Quote(im.Name), " (", im.Kind.String())
	p.ident(p.space(im.Kind), im.Index)
	m, i := p.m, int64(im.Index)
	switch {
	case im.Kind == wasm.ExternFunc && i < int64(len(m.Funcs)):
		p.typeUse(m.Funcs[i].Type, p.locals(im.Index))
	case im.Kind == wasm.ExternTable && i < int64(len(m.Tables)):
		p.tableType(&m.Tables[i])
	case im.Kind == wasm.ExternMemory && i < int64(len(m.Mems)):
		p.memType(m.Mems[i].Limits)
	case im.Kind == wasm.ExternGlobal && i < int64(len(m.Globals)):
		p.globalType(&m.Globals[i])
	case im.Kind == wasm.ExternTag && i < int64(len(m.Tags)):
		p.typeUse(m.Tags[i].Type, ids{})
	}
	p.put("))")
	if im.Kind == wasm.ExternFunc && i < int64(len(m.Funcs)) {
		p.mp.Funcs[i] = Span{from, p.pos()}
	}
}

func (p *printer) elem(i uint32, s *wasm.Elem) {
	p.open("elem", p.id.elems, i)
	switch s.Mode {
	case wasm.SegmentDeclarative:
		p.put(" declare")
	case wasm.SegmentActive:
		if s.Table != 0 {
			p.put(" (table ", p.id.tables.use(s.Table), ")")
		}
		p.offset(s.Offset)
	}
	short := s.Type == wasm.Ref(false, wasm.HeapFunc)
	for _, x := range s.Init {
		short = short && len(x) == 2 && x[0].Op == wasm.OpRefFunc
	}
	if short {
		p.put(" func")
		for _, x := range s.Init {
			p.put(" ", p.id.funcs.use(x[0].A))
		}
	} else {
		p.put(" ", p.valType(s.Type))
		for _, x := range s.Init {
			p.put(" ")
			if simple(x) {
				p.constInline(x)
			} else {
				p.put("(item ")
				p.constInline(x)
				p.put(")")
			}
		}
	}
	p.put(")")
}

func (p *printer) data(i uint32, s *wasm.Data) {
	p.open("data", p.id.datas, i)
	if s.Mode == wasm.SegmentActive {
		if s.Memory != 0 {
			p.put(" (memory ", p.id.mems.use(s.Memory), ")")
		}
		p.offset(s.Offset)
	}
	p.bytes(s.Bytes)
	p.put(")")
}

// simple tells whether a constant expression is one instruction.
func simple(x []wasm.Instr) bool { return len(x) == 2 && !x[0].Op.OpensBlock() }

func (p *printer) offset(x []wasm.Instr) {
	p.put(" ")
	if simple(x) {
		p.constInline(x)
		return
	}
	p.put("(offset ")
	p.constInline(x)
	p.put(")")
}

// constInline puts a constant expression on the line: one instruction folded, more of them flat.
func (p *printer) constInline(x []wasm.Instr) {
	b := &body{printer: p, fn: wasm.BadIndex}
	if n := len(x); n > 0 && x[n-1].Op == wasm.OpEnd {
		x = x[:n-1]
	}
	if len(x) == 1 && !x[0].Op.OpensBlock() {
		p.put("(")
		b.instr(&x[0])
		p.put(")")
		return
	}
	for i := range x {
		if i > 0 {
			p.put(" ")
		}
		b.instr(&x[i])
	}
}
