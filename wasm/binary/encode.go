package binary

import (
	"fmt"

	"stackscope/wasm"
)

// Encode writes a module. The error, if any, is an *EncodeError: the module has something without
// an encoding (a dialect other than cont, `barrier`), or is not well-formed. A module that is
// well-formed but invalid is written as it is.
func Encode(m *wasm.Module) ([]byte, error) {
	e := &encoder{m: m}
	e.header()
	for _, id := range wasm.Sections() {
		if e.wrapped(id); e.err != nil {
			return nil, e.err
		}
		if id == wasm.LastSection {
			if names := encodeNames(m.Names); names != nil {
				e.custom("name", names)
			}
		}
		e.customs(id, false)
	}
	for _, c := range m.Customs {
		if c.Place > wasm.SectionTag {
			e.custom(c.Name, c.Bytes)
		}
	}
	return e.b, nil
}

type encoder struct {
	writer
	m     *wasm.Module
	err   error
	hints []funcHints // of the code section
	funcs []codeRange // of the code section; see Code

	starts  []uint32 // of the instructions of a body
	places  bool     // starts are wanted
	scratch *encoder // for bodies

	hinted []wasm.Hint // of the function at hand
	offs   []uint32    // of those, as far as they are encoded
}

// header writes what stands before the sections.
func (e *encoder) header() {
	e.b = append(append(e.b, magic...), version...)
	e.customs(0, false)
	e.customs(0, true)
}

// wrapped writes a section with what goes before it.
func (e *encoder) wrapped(id byte) {
	e.customs(id, true)
	body := &encoder{m: e.m, err: e.err}
	n := body.section(id)
	if e.err = body.err; e.err != nil {
		return
	}
	if len(body.hints) > 0 {
		e.custom(hintSection, encodeHints(body.hints))
	}
	if n > 0 {
		e.byte(id)
		e.sized(body.b)
	}
	for _, r := range body.funcs {
		by := uint32(len(e.b) - len(body.b))
		e.funcs = append(e.funcs, codeRange{r.at + by, r.end + by})
	}
}

func (e *encoder) fail(at wasm.Pos, format string, args ...any) {
	if e.err == nil {
		e.err = &EncodeError{at, fmt.Sprintf(format, args...)}
	}
}

func (e *encoder) custom(name string, b []byte) {
	w := &writer{}
	w.name(name)
	w.b = append(w.b, b...)
	e.byte(wasm.SectionCustom)
	e.sized(w.b)
}

func (e *encoder) customs(place byte, before bool) {
	for _, c := range e.m.Customs {
		if c.Place == place && c.Before == before {
			e.custom(c.Name, c.Bytes)
		}
	}
}

// index writes an index.
func (e *encoder) index(at wasm.Pos, x uint32) {
	if x == wasm.BadIndex {
		e.fail(at, "an index is not resolved")
	}
	e.u32(x)
}

// section writes the contents of a section; it returns how many items there are, 0 if the section
// is to be left out.
func (e *encoder) section(id byte) int {
	m := e.m
	switch id {
	case wasm.SectionType:
		return e.types()
	case wasm.SectionImport:
		return items(e, m.Imports, func(wasm.Import) bool { return true }, e.importDecl)
	case wasm.SectionFunc:
		return items(
			e, m.Funcs, func(f wasm.Func) bool { return f.Import < 0 },
			func(f wasm.Func) { e.index(f.At, f.Type) },
		)
	case wasm.SectionTable:
		return items(e, m.Tables, func(t wasm.Table) bool { return t.Import < 0 }, e.table)
	case wasm.SectionMemory:
		return items(
			e, m.Mems, func(t wasm.Memory) bool { return t.Import < 0 },
			func(t wasm.Memory) { e.limits(t.At, t.Limits) },
		)
	case wasm.SectionTag:
		return items(e, m.Tags, func(t wasm.Tag) bool { return t.Import < 0 }, e.tag)
	case wasm.SectionGlobal:
		return items(e, m.Globals, func(g wasm.Global) bool { return g.Import < 0 }, func(g wasm.Global) {
			e.globalType(g)
			e.expr(g.At, g.Init)
		})
	case wasm.SectionExport:
		return items(e, m.Exports, func(wasm.Export) bool { return true }, func(x wasm.Export) {
			e.name(x.Name)
			e.byte(byte(x.Kind))
			e.index(x.At, x.Index)
		})
	case wasm.SectionStart:
		if m.Start == wasm.BadIndex {
			return 0
		}
		e.u32(m.Start)
		return 1
	case wasm.SectionElem:
		return items(e, m.Elems, func(wasm.Elem) bool { return true }, e.elem)
	case wasm.SectionDataCount:
		if !m.HasSection(wasm.SectionDataCount) {
			return 0
		}
		e.u32(uint32(len(m.Datas)))
		return 1
	case wasm.SectionCode:
		return e.codes()
	case wasm.SectionData:
		return items(e, m.Datas, func(wasm.Data) bool { return true }, e.data)
	}
	return 0
}

// items writes the list of the items that are meant, and returns their number.
func items[T any](e *encoder, all []T, meant func(T) bool, write func(T)) int {
	n := 0
	for _, x := range all {
		if meant(x) {
			n++
		}
	}
	e.u32(uint32(n))
	for _, x := range all {
		if meant(x) {
			write(x)
		}
	}
	return n
}

func (e *encoder) importDecl(im wasm.Import) {
	e.name(im.Module)
	e.name(im.Name)
	e.byte(byte(im.Kind))
	m, i := e.m, int64(im.Index)
	bad := func(n int, imported func(i int64) int32) bool {
		if i < int64(n) && imported(i) >= 0 {
			for j := int64(0); j < i; j++ {
				if imported(j) < 0 {
					e.fail(im.At, "import after a definition of the same kind")
				}
			}
			return false
		}
		e.fail(im.At, "import without a declaration")
		return true
	}
	switch im.Kind {
	case wasm.ExternFunc:
		if !bad(len(m.Funcs), func(i int64) int32 { return m.Funcs[i].Import }) {
			e.index(im.At, m.Funcs[i].Type)
		}
	case wasm.ExternTable:
		if !bad(len(m.Tables), func(i int64) int32 { return m.Tables[i].Import }) {
			e.valType(im.At, m.Tables[i].Type)
			e.limits(im.At, m.Tables[i].Limits)
		}
	case wasm.ExternMemory:
		if !bad(len(m.Mems), func(i int64) int32 { return m.Mems[i].Import }) {
			e.limits(im.At, m.Mems[i].Limits)
		}
	case wasm.ExternGlobal:
		if !bad(len(m.Globals), func(i int64) int32 { return m.Globals[i].Import }) {
			e.globalType(m.Globals[i])
		}
	case wasm.ExternTag:
		if !bad(len(m.Tags), func(i int64) int32 { return m.Tags[i].Import }) {
			e.tag(m.Tags[i])
		}
	}
}

func (e *encoder) tag(t wasm.Tag) {
	e.byte(0)
	e.index(t.At, t.Type)
}

func (e *encoder) table(t wasm.Table) {
	if t.Init != nil {
		e.byte(0x40, 0)
	}
	e.valType(t.At, t.Type)
	e.limits(t.At, t.Limits)
	if t.Init != nil {
		e.expr(t.At, t.Init)
	}
}

func (e *encoder) globalType(g wasm.Global) {
	e.valType(g.At, g.Type)
	e.bool(g.Mut)
}

func (e *encoder) bool(b bool) {
	if b {
		e.byte(1)
	} else {
		e.byte(0)
	}
}

// body writes the locals and instructions of a function.
func (w *encoder) body(f *wasm.Func) {
	runs := 0
	for i, t := range f.Locals {
		if i == 0 || t != f.Locals[i-1] {
			runs++
		}
	}
	w.u32(uint32(runs))
	for i := 0; i < len(f.Locals); {
		j := i + 1
		for j < len(f.Locals) && f.Locals[j] == f.Locals[i] {
			j++
		}
		w.u32(uint32(j - i))
		w.valType(f.At, f.Locals[i])
		i = j
	}
	w.expr(f.At, f.Body)
}

func (e *encoder) data(s wasm.Data) {
	switch {
	case s.Mode != wasm.SegmentActive:
		e.byte(1)
	case s.Memory == 0:
		e.byte(0)
		e.expr(s.At, s.Offset)
	default:
		e.byte(2)
		e.index(s.At, s.Memory)
		e.expr(s.At, s.Offset)
	}
	e.sized(s.Bytes)
}

func (e *encoder) elem(s wasm.Elem) {
	short := s.Type == wasm.Ref(false, wasm.HeapFunc)
	for _, x := range s.Init {
		short = short && len(x) == 2 && x[0].Op == wasm.OpRefFunc && x[1].Op == wasm.OpEnd
	}
	kind, general := byte(0), false
	if !short {
		kind = 4
	}
	switch s.Mode {
	case wasm.SegmentPassive:
		kind |= 1
	case wasm.SegmentDeclarative:
		kind |= 3
	default:
		general = s.Table != 0 || !short && s.Type != wasm.FuncRef
		if general {
			kind |= 2
		}
	}
	e.byte(kind)
	if s.Mode == wasm.SegmentActive {
		if general {
			e.index(s.At, s.Table)
		}
		e.expr(s.At, s.Offset)
	}
	if kind&3 != 0 {
		if short {
			e.byte(0)
		} else {
			e.valType(s.At, s.Type)
		}
	}
	e.u32(uint32(len(s.Init)))
	for _, x := range s.Init {
		if short {
			e.index(s.At, x[0].A)
		} else {
			e.expr(s.At, x)
		}
	}
}
