package text

import (
	"fmt"
	"slices"

	"stackscope/wasm"
)

// Print returns the text of a module. It prints invalid modules too, as well as it can.
func Print(m *wasm.Module, o Options) (src string, mp *Map) {
	p := newPrinter(m, o)
	p.mp = &Map{Funcs: make([]Span, len(m.Funcs)), Instrs: make([][]Span, len(m.Funcs))}
	p.head()
	for _, f := range p.fields() {
		p.field(f)
	}
	p.put(")\n")
	return string(p.b), p.mp
}

func newPrinter(m *wasm.Module, o Options) *printer {
	if o.Indent == "" {
		o.Indent = "  "
	}
	names := m.Names
	if names == nil {
		names = wasm.NewNames()
	}
	return &printer{m: m, o: o, names: names, id: newSpaces(names)}
}

type printer struct {
	m     *wasm.Module
	o     Options
	names *wasm.Names
	id    spaces
	mp    *Map // nil: nobody wants to know
	b     []byte

	customs  []wasm.Custom // in the order of their printing; see fields
	sections []uint8       // those with contents; for the places of the custom sections
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

// head begins the module.
func (p *printer) head() {
	p.put("(module")
	if p.names.Module != "" {
		p.put(" ", Identifier(p.names.Module))
	}
	if d := p.m.Dialect; d.Switches() && !d.Info().Upstream {
		p.putf(" (@stack-switching %q)", d)
	}
}

// open begins a field on a new line: `(kind $id` or `(kind (;index;)`.
func (p *printer) open(kind string, t *ids, i uint32) {
	p.line(1)
	p.put("(", kind)
	p.ident(t, i)
}

func (p *printer) ident(t *ids, i uint32) {
	if s, ok := t.get(i); ok {
		p.put(" ", s)
	} else if !p.o.NoComments {
		p.putf(" (;%d;)", i)
	}
	p.put(t.note(i))
}

func (p *printer) space(k wasm.ExternKind) *ids {
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

// placement returns the place of a custom section beside the sections that have contents: others
// are not written.
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

// bytesWidth is how many bytes stand on a line at most.
const bytesWidth = 64

// bytes puts string literals, on lines of their own if there are many.
func (p *printer) bytes(b []byte) {
	if len(b) <= bytesWidth {
		p.put(" ", quoteBytes(b))
		return
	}
	for part := range slices.Chunk(b, bytesWidth) {
		p.line(2)
		p.put(quoteBytes(part))
	}
}

// bytesLines returns how many lines bytes begins.
func bytesLines(b []byte) int {
	if len(b) <= bytesWidth {
		return 0
	}
	return (len(b) + bytesWidth - 1) / bytesWidth
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
	case im.Kind == wasm.ExternTag && i < int64(len(m.Tags)):
		p.typeUse(m.Tags[i].Type, nil)
	default:
		p.externType(im)
	}
	p.put("))")
	if im.Kind == wasm.ExternFunc && i < int64(len(m.Funcs)) && p.mp != nil {
		p.mp.Funcs[i] = Span{from, p.pos()}
	}
}

// Import returns an import as the text format writes it, without names and without the index of
// its type: `(import "env" "add" (func (param i32 i32) (result i32)))`.
func Import(m *wasm.Module, im *wasm.Import) string {
	p := newPrinter(m, Options{})
	p.put("(import ", Quote(im.Module), " ", Quote(im.Name), " (", im.Kind.String())
	p.externType(im)
	p.put("))")
	return string(p.b)
}

// externType puts the type of an import; that of a function or tag as what its type stands for.
func (p *printer) externType(im *wasm.Import) {
	m, i := p.m, int64(im.Index)
	def := func(t uint32) {
		if ft := m.FuncType(t); ft != nil {
			p.signature(ft, nil)
		}
	}
	switch {
	case im.Kind == wasm.ExternFunc && i < int64(len(m.Funcs)):
		def(m.Funcs[i].Type)
	case im.Kind == wasm.ExternTable && i < int64(len(m.Tables)):
		p.tableType(&m.Tables[i])
	case im.Kind == wasm.ExternMemory && i < int64(len(m.Mems)):
		p.memType(m.Mems[i].Limits)
	case im.Kind == wasm.ExternGlobal && i < int64(len(m.Globals)):
		p.globalType(&m.Globals[i])
	case im.Kind == wasm.ExternTag && i < int64(len(m.Tags)):
		def(m.Tags[i].Type)
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

// simple reports whether a constant expression is one instruction.
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
