package valid

import (
	"fmt"

	"stackscope/wasm"
)

// decls checks declarations.
type decls struct {
	e      *Env
	m      *wasm.Module
	report func(Error)
	t      *Typer   // of constant expressions
	group  uint32   // the first type of the group that is being checked
	depth  []uint32 // how many supertypes a type has, by type
}

// Declarations reports the violations in everything but function bodies: types, imports, limits,
// tables, memories, globals, tags, segments, exports, the start function. Imported items are
// reported at their place in their index space.
func (e *Env) Declarations(report func(Error)) {
	d := &decls{e: e, m: e.m, report: report, t: e.NewTyper(report)}
	d.counts()
	d.typeGroups()
	for i := range d.m.Funcs {
		d.funcIndex(at(PartFunc, i), d.m.Funcs[i].Type)
	}
	for i := range d.m.Tags {
		d.tag(i)
	}
	for i := range d.m.Tables {
		d.table(i)
	}
	for i := range d.m.Mems {
		d.memory(i)
	}
	for i := range d.m.Globals {
		d.global(i)
	}
	for i := range d.m.Elems {
		d.elem(i)
	}
	for i := range d.m.Datas {
		d.data(i)
	}
	d.start()
	d.exports()
}

func at(p Part, i int) Place {
	return Place{Part: p, Index: uint32(i), Instr: -1, Imm: -1, Operand: -1}
}

// within is the place of a constant expression of item i.
func within(p, of Part, i int) Place {
	return Place{Part: p, Of: of, Index: uint32(i), Instr: -1, Imm: -1, Operand: -1}
}

func (d *decls) fail(p Place, code Code, format string, args ...any) {
	d.report(Error{Place: p, Code: code, Msg: fmt.Sprintf(format, args...)})
}

// funcIndex checks that a type index is one of a function type.
func (d *decls) funcIndex(p Place, i uint32) bool {
	switch st := d.e.Type(i); {
	case i == wasm.BadIndex || st != nil && st.Kind == wasm.CompBad:
	case st == nil:
		d.fail(p, CodeUnknownType, "unknown type %d: the module has %d", i, len(d.m.Types))
	case st.Kind != wasm.CompFunc:
		d.fail(p, CodeTypeKind, "%s", d.e.kindMessage(i, wasm.CompFunc))
	default:
		d.usedType(p, st)
		return true
	}
	return false
}

// valType checks that the type's definition is there, and of the module's dialect. Only types
// below limit are in scope.
func (d *decls) valType(p Place, t wasm.ValType, limit uint32) {
	if !t.IsRef() {
		return
	}
	h := t.Heap()
	if h >= 0 && uint32(h) >= limit && d.inline(p, uint32(h)) {
		return
	}
	if h >= 0 && uint32(h) >= limit {
		if int(h) < len(d.m.Types) {
			d.fail(
				p, CodeUnknownType,
				"unknown type %d: %s is defined later; types that refer to each other must stand in one (rec …)",
				h, d.e.shortName(uint32(h)),
			)
		} else {
			d.fail(p, CodeUnknownType, "unknown type %d: the module has %d", h, len(d.m.Types))
		}
	}
	if x := h.Dialect(); !d.m.Dialect.Admits(x) {
		d.fail(
			p, CodeDialect, "%s is a type of the dialect %q, but the module is in %q", d.e.FormatType(t), x,
			d.m.Dialect,
		)
	}
}

// inline reports whether a type that a definition refers to, though it stands after it, is the
// implicit type of an inline `(ref fiber r*)`. That sees what stands before the definition's group.
func (d *decls) inline(p Place, i uint32) bool {
	if int64(i) >= int64(len(d.m.Types)) || !d.m.Types[i].Implicit || d.m.Types[i].Kind != wasm.CompFiber {
		return false
	}
	for _, t := range d.m.Types[i].Results {
		d.valType(p, t, d.group)
	}
	return true
}

func (d *decls) allTypes() uint32 { return uint32(len(d.m.Types)) }

func (d *decls) tag(i int) {
	p := at(PartTag, i)
	if !d.funcIndex(p, d.m.Tags[i].Type) || d.m.Dialect.OrUpstream().Info().TagResults {
		return
	}
	if ft := d.e.TagType(uint32(i)); len(ft.Results) > 0 {
		d.fail(
			p,
			CodeTagResults,
			"non-empty tag result type: %s has results %s, which only tags of the dialect \"cont\" may have; the module is in %q",
			d.m.Names.Tag(uint32(i)),
			d.e.FormatTypes(ft.Results),
			d.m.Dialect,
		)
	}
}

func (d *decls) limits(p Place, l *wasm.Limits, most uint64, what, unit string) {
	switch {
	case l.Min > most:
		d.fail(
			p, CodeLimits, "%s size: the minimum %d is more than the %d %s that are possible", what, l.Min,
			most, unit,
		)
	case l.HasMax && l.Max > most:
		d.fail(
			p, CodeLimits, "%s size: the maximum %d is more than the %d %s that are possible", what, l.Max,
			most, unit,
		)
	case l.HasMax && l.Min > l.Max:
		d.fail(p, CodeLimits, "size minimum must not be greater than maximum: %d > %d", l.Min, l.Max)
	}
}

func (d *decls) table(i int) {
	tb := &d.m.Tables[i]
	p := at(PartTable, i)
	most := uint64(1<<32 - 1)
	if tb.Limits.Is64 {
		most = 1<<64 - 1
	}
	d.limits(p, &tb.Limits, most, "table", "elements")
	d.valType(p, tb.Type, d.allTypes())
	switch {
	case tb.Init != nil:
		d.t.Const(tb.Type, within(PartInit, PartTable, i), tb.Init)
	case tb.Import < 0 && !tb.Type.Defaultable():
		d.fail(
			p,
			CodeTableInit,
			"type mismatch: the elements of %s have type %s, which has no default value; give the table an initial value",
			d.m.Names.Table(uint32(i)),
			d.e.FormatType(tb.Type),
		)
	}
}

func (d *decls) memory(i int) {
	l := &d.m.Mems[i].Limits
	p := at(PartMemory, i)
	page := uint8(16)
	if l.HasPage {
		page = l.PageBits
		if page != 0 && page != 16 {
			d.fail(p, CodeLimits, "invalid custom page size: it must be 1 or 65536")
			return
		}
	}
	most := uint64(1) << (32 - page)
	if l.Is64 {
		most = 1<<64 - 1
		if page == 16 {
			most = 1 << 48
		}
	} else if page == 0 {
		most = 1<<32 - 1
	}
	d.limits(p, l, most, "memory", "pages")
	if l.Shared && !l.HasMax {
		d.fail(p, CodeLimits, "shared memory must have maximum")
	}
}

func (d *decls) global(i int) {
	g := &d.m.Globals[i]
	d.valType(at(PartGlobal, i), g.Type, d.allTypes())
	if g.Import < 0 {
		d.t.Const(g.Type, within(PartInit, PartGlobal, i), g.Init)
	}
}

func (d *decls) elem(i int) {
	s := &d.m.Elems[i]
	p := at(PartElem, i)
	d.valType(p, s.Type, d.allTypes())
	if s.Mode == wasm.SegmentActive && s.Table != wasm.BadIndex {
		addr := wasm.Unknown
		if int64(s.Table) >= int64(len(d.m.Tables)) {
			d.fail(p, CodeUnknownTable, "unknown table %d: the module has %d", s.Table, len(d.m.Tables))
		} else {
			tb := &d.m.Tables[s.Table]
			addr = addrType(&tb.Limits)
			if !d.e.Match(s.Type, tb.Type) {
				d.report(Error{Place: p, Code: CodeTypeMismatch, Want: []wasm.ValType{tb.Type},
					Got: []wasm.ValType{s.Type}, Msg: fmt.Sprintf(
						"type mismatch: table %s has elements of type %s, but the segment has %s", d.m.Names.Table(s.Table), d.e.FormatType(tb.Type), d.e.FormatType(s.Type))})
			}
		}
		d.t.Const(addr, within(PartOffset, PartElem, i), s.Offset)
	}
	for j, init := range s.Init {
		q := within(PartItem, PartElem, i)
		q.Sub = uint32(j)
		d.t.Const(s.Type, q, init)
	}
}

func (d *decls) data(i int) {
	s := &d.m.Datas[i]
	if s.Mode != wasm.SegmentActive {
		return
	}
	if s.Memory != wasm.BadIndex && int64(s.Memory) >= int64(len(d.m.Mems)) {
		d.fail(at(PartData, i), CodeUnknownMemory, "unknown memory %d: the module has %d", s.Memory, len(d.m.Mems))
	}
	d.t.Const(d.e.AddrType(s.Memory), within(PartOffset, PartData, i), s.Offset)
}

func (d *decls) start() {
	i := d.m.Start
	if i == wasm.BadIndex {
		return
	}
	p := at(PartStart, int(i))
	if int64(i) >= int64(len(d.m.Funcs)) {
		d.fail(p, CodeUnknownFunc, "unknown function %d: the module has %d", i, len(d.m.Funcs))
		return
	}
	if ft := d.e.FuncTypeOf(i); ft != nil && len(ft.Params)+len(ft.Results) > 0 {
		d.fail(
			p, CodeStart, "start function: %s has type %s, but must have [] -> []", d.m.FuncTitle(i),
			d.e.FormatFunc(ft),
		)
	}
}

func (d *decls) exports() {
	seen := make(map[string]bool, len(d.m.Exports))
	for i := range d.m.Exports {
		x := &d.m.Exports[i]
		p := at(PartExport, i)
		if seen[x.Name] {
			d.fail(p, CodeDuplicateExport, "duplicate export name: %q", x.Name)
		}
		seen[x.Name] = true
		if x.Index == wasm.BadIndex {
			continue
		}
		n, what, code := 0, "function", CodeUnknownFunc
		switch x.Kind {
		case wasm.ExternFunc:
			n = len(d.m.Funcs)
		case wasm.ExternTable:
			n, what, code = len(d.m.Tables), "table", CodeUnknownTable
		case wasm.ExternMemory:
			n, what, code = len(d.m.Mems), "memory", CodeUnknownMemory
		case wasm.ExternGlobal:
			n, what, code = len(d.m.Globals), "global", CodeUnknownGlobal
		case wasm.ExternTag:
			n, what, code = len(d.m.Tags), "tag", CodeUnknownTag
		}
		if int64(x.Index) >= int64(n) {
			d.fail(p, code, "unknown %s %d: the module has %d", what, x.Index, n)
		}
	}
}
