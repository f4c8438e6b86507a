package binary

import (
	"bytes"
	"fmt"

	"stackscope/wasm"
)

const (
	magic   = "\x00asm"
	version = "\x01\x00\x00\x00"
)

// maxLocals bounds the locals of one function, as other engines do: a few bytes can declare 2³²-1.
const maxLocals = 50000

// IsBinary reports whether bytes begin as a binary module does.
func IsBinary(b []byte) bool { return bytes.HasPrefix(b, []byte(magic)) }

// Decode reads a module. The error, if any, is an *Error. The module is well-formed, not
// necessarily valid. It holds no reference to b.
func Decode(b []byte) (*wasm.Module, error) {
	d := &decoder{reader: reader{b: b}, m: &wasm.Module{Start: wasm.BadIndex, Names: wasm.NewNames()}}
	d.module()
	if d.err != nil {
		return nil, d.err
	}
	return d.m, nil
}

type decoder struct {
	reader
	m        *wasm.Module
	last     byte          // the last section that was not a custom one
	bodies   int           // in the code section
	usesData bool          // a body has a data segment index
	dialect  wasm.Dialect  // that of what was seen
	instrs   []wasm.Instr  // where expr puts the next ones
	control  []wasm.Op     // for expr: the open blocks
	funcs    []uint32      // the function section
	dataN    uint32        // the data count section
	names    []wasm.Custom // name sections
	behind   *bodies       // that are being read; nil: they have been
}

func (d *decoder) module() {
	if m := d.bytes(4); d.err == nil {
		d.require(string(m) == magic, 0, "magic header not detected")
	}
	if v := d.bytes(4); d.err == nil {
		switch {
		case string(v) == version:
		case v[2] == 1 && v[3] == 0: // the layer
			d.require(false, 4, "unknown binary version: this is a component; only core modules are supported")
		default:
			d.require(false, 4, "unknown binary version")
		}
	}
	for _, id := range wasm.Sections() {
		d.customs()
		if d.err == nil && !d.eof() && d.b[d.pos] == id {
			d.pos++
			d.last = id
			d.sized(func(int) { d.section(id) })
		}
	}
	d.customs()
	named := d.readNames()
	d.behind.wait()
	if d.err != nil {
		return
	}
	end := len(d.b)
	d.require(d.eof(), d.pos, "unexpected content after last section")
	d.require(len(d.funcs) == d.bodies, end, "function and code section have inconsistent lengths")
	d.require(
		!d.m.DataCount || int(d.dataN) == len(d.m.Datas), end,
		"data count and data section have inconsistent lengths",
	)
	d.require(d.m.DataCount || !d.usesData, end, "data count section required")
	if d.err != nil {
		return
	}
	d.m.Dialect = d.dialect
	d.takeHints()
	for i, c := range d.names {
		if !named[i] {
			d.m.Customs = append(d.m.Customs, c) // not well-formed: a section like others
			continue
		}
		for i := range d.m.Customs { // what stands after the names stays there, also where there is no data section
			if x := &d.m.Customs[i]; c.Place == d.last && x.At > c.At {
				x.Place = wasm.LastSection
			}
		}
	}
}

// readNames reads the name sections, the last of which counts. It reports which of them are
// well-formed.
func (d *decoder) readNames() (named []bool) {
	for _, c := range d.names {
		named = append(named, decodeNames(d.m, c.Bytes))
	}
	return named
}

// customs reads custom sections, and checks the id of the section that follows.
func (d *decoder) customs() {
	for d.err == nil && !d.eof() {
		id := d.b[d.pos]
		d.require(id <= wasm.SectionTag, d.pos, "malformed section id")
		if id != wasm.SectionCustom {
			return
		}
		at := d.pos
		d.pos++
		d.sized(func(size int) {
			start := d.pos
			c := wasm.Custom{Name: d.name(), Place: d.last, At: wasm.Pos(at)}
			c.Bytes = bytes.Clone(d.bytes(size - (d.pos - start)))
			switch {
			case d.err != nil:
			case c.Name == "name":
				d.names = append(d.names, c)
			default:
				d.m.Customs = append(d.m.Customs, c)
			}
		})
	}
}

func (d *decoder) section(id byte) {
	m := d.m
	switch id {
	case wasm.SectionType:
		for n := d.count(); n > 0 && d.err == nil; n-- {
			d.recType()
		}
	case wasm.SectionImport:
		for n := d.count(); n > 0 && d.err == nil; n-- {
			d.imports()
		}
	case wasm.SectionFunc:
		d.funcs = list(&d.reader, d.u32)
		for _, t := range d.funcs {
			m.Funcs = append(m.Funcs, wasm.Func{Type: t, Import: -1})
		}
	case wasm.SectionTable:
		for n := d.count(); n > 0 && d.err == nil; n-- {
			m.Tables = append(m.Tables, d.table())
		}
	case wasm.SectionMemory:
		for n := d.count(); n > 0 && d.err == nil; n-- {
			at := d.at()
			m.Mems = append(m.Mems, wasm.Memory{Limits: d.limits(), Import: -1, At: at})
		}
	case wasm.SectionTag:
		for n := d.count(); n > 0 && d.err == nil; n-- {
			at := d.at()
			m.Tags = append(m.Tags, wasm.Tag{Type: d.tagType(), Import: -1, At: at})
		}
	case wasm.SectionGlobal:
		for n := d.count(); n > 0 && d.err == nil; n-- {
			g := d.globalType()
			g.Import = -1
			g.Init = d.constExpr()
			m.Globals = append(m.Globals, g)
		}
	case wasm.SectionExport:
		m.Exports = list(&d.reader, d.export)
	case wasm.SectionStart:
		m.StartAt = d.at()
		m.Start = d.u32()
	case wasm.SectionElem:
		m.Elems = list(&d.reader, d.elem)
	case wasm.SectionDataCount:
		d.dataN, m.DataCount = d.u32(), true
	case wasm.SectionCode:
		d.bodies = d.count()
		d.readBodies(d.bodies, m.Funcs[len(m.Funcs)-len(d.funcs):])
	case wasm.SectionData:
		m.Datas = list(&d.reader, d.data)
	}
}

func (d *decoder) at() wasm.Pos { return wasm.Pos(d.pos) }

func (d *decoder) export() wasm.Export {
	e := wasm.Export{At: d.at(), Name: d.name()}
	at := d.pos
	e.Kind = wasm.ExternKind(d.byte())
	d.require(e.Kind <= wasm.ExternTag, at, "malformed export kind")
	e.Index = d.u32()
	return e
}

func (d *decoder) table() wasm.Table {
	t := wasm.Table{Import: -1, At: d.at()}
	init := !d.eof() && d.b[d.pos] == 0x40
	if init {
		d.pos++
		at := d.pos
		d.require(d.byte() == 0, at, "zero byte expected")
	}
	t.Type, t.Limits = d.refType(), d.limits()
	if init {
		t.Init = d.constExpr()
	}
	return t
}

func (d *decoder) globalType() wasm.Global {
	g := wasm.Global{At: d.at(), Type: d.valType()}
	g.Mut = d.mutability()
	return g
}

func (d *decoder) tagType() uint32 {
	at := d.pos
	d.require(d.byte() == 0, at, "malformed tag attribute")
	return d.u32()
}

func (d *decoder) code(f *wasm.Func) {
	d.sized(func(size int) {
		f.At, f.End = d.at(), wasm.Pos(d.pos+size)
		at := d.pos
		var total uint64
		type run struct {
			n uint32
			t wasm.ValType
		}
		runs := list(&d.reader, func() run {
			r := run{n: d.u32()}
			r.t = d.valType()
			total += uint64(r.n)
			return r
		})
		if d.err != nil {
			return
		}
		if total > maxLocals {
			d.fail(at, fmt.Sprintf("too many locals: %d, at most %d", total, maxLocals))
			return
		}
		if total > 0 {
			f.Locals = make([]wasm.ValType, 0, total)
			for _, r := range runs {
				for ; r.n > 0; r.n-- {
					f.Locals = append(f.Locals, r.t)
				}
			}
		}
		f.Body = d.expr()
	})
}

func (d *decoder) data() wasm.Data {
	s := wasm.Data{At: d.at()}
	kindAt := d.pos
	switch d.u32() {
	case 0:
		s.Mode, s.Offset = wasm.SegmentActive, d.constExpr()
	case 1:
	case 2:
		s.Mode, s.Memory = wasm.SegmentActive, d.u32()
		s.Offset = d.constExpr()
	default:
		d.fail(kindAt, "malformed data segment kind")
	}
	s.Bytes = bytes.Clone(d.bytes(d.count()))
	return s
}

func (d *decoder) elem() wasm.Elem {
	s := wasm.Elem{At: d.at(), Type: wasm.Ref(false, wasm.HeapFunc)}
	kind := d.u32()
	d.require(kind <= 7, int(s.At), "malformed elements segment kind")
	switch {
	case kind&1 == 0:
		s.Mode = wasm.SegmentActive
		if kind&2 != 0 {
			s.Table = d.u32()
		}
		s.Offset = d.constExpr()
	case kind&2 != 0:
		s.Mode = wasm.SegmentDeclarative
	}
	if kind&4 == 0 {
		if kind&3 != 0 {
			at := d.pos
			d.require(d.byte() == 0, at, "malformed element kind")
		}
		s.Init = list(&d.reader, func() []wasm.Instr {
			at := d.at()
			return []wasm.Instr{{Op: wasm.OpRefFunc, A: d.u32(), At: at}, {Op: wasm.OpEnd, At: at}}
		})
		return s
	}
	s.Type = wasm.FuncRef
	if kind&3 != 0 {
		s.Type = d.refType()
	}
	s.Init = list(&d.reader, d.constExpr)
	return s
}

// constExpr reads a constant expression. It does not count as a use of data segments.
func (d *decoder) constExpr() []wasm.Instr {
	used := d.usesData
	e := d.expr()
	d.usesData = used
	return e
}

// expr reads instructions up to the `end` that closes them. Those of many functions stand in one
// piece of memory, one after the other.
func (d *decoder) expr() []wasm.Instr {
	d.control = d.control[:0]
	start := len(d.instrs)
	for d.err == nil {
		n := len(d.instrs)
		if n == cap(d.instrs) {
			start = d.more(start)
			n = len(d.instrs)
		}
		d.instrs = d.instrs[:n+1]
		in := &d.instrs[n]
		d.instr(in)
		if d.err == nil && d.nest(in) {
			return d.instrs[start : n+1 : n+1]
		}
	}
	return nil
}

// more makes room for instructions: a new piece of memory, to which those from start on move. It
// gives where they are there.
func (d *decoder) more(start int) int {
	const least, most = 16, 1 << 14
	left := (len(d.b) - d.pos) / 2 // an instruction takes two or three bytes
	begun := d.instrs[start:]
	d.instrs = append(make([]wasm.Instr, 0, 2*len(begun)+max(least, min(left, most))), begun...)
	return 0
}

// nest follows the block structure; it returns true at the `end` of the whole sequence.
func (d *decoder) nest(in *wasm.Instr) (done bool) {
	top := wasm.OpInvalid
	if n := len(d.control); n > 0 {
		top = d.control[n-1]
	}
	bad := false
	switch op := in.Op; {
	case op.OpensBlock():
		d.control = append(d.control, op)
	case op == wasm.OpElse:
		if bad = top != wasm.OpIf; !bad {
			d.control[len(d.control)-1] = op
		}
	case op == wasm.OpCatch, op == wasm.OpCatchAll:
		if bad = top != wasm.OpTry && top != wasm.OpCatch; !bad {
			d.control[len(d.control)-1] = op
		}
	case op == wasm.OpDelegate:
		if bad = top != wasm.OpTry; !bad {
			d.control = d.control[:len(d.control)-1]
		}
	case op == wasm.OpEnd:
		if len(d.control) == 0 {
			return true
		}
		d.control = d.control[:len(d.control)-1]
	}
	if bad {
		d.fail(int(in.At), "END opcode expected")
	}
	return false
}
