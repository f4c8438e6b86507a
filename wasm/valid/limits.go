package valid

import (
	"strconv"

	"stackscope/wasm"
)

// The limits of the JavaScript API, which browsers and other engines share: what is beyond them
// runs nowhere, and would cost memory and time without end here.
const (
	maxTypes   = 1_000_000
	maxFuncs   = 1_000_000
	maxImports = 1_000_000
	maxExports = 1_000_000
	maxGlobals = 1_000_000
	maxTags    = 1_000_000
	maxDatas   = 100_000
	maxTables  = 100_000
	maxMems    = 100
	maxParams  = 1_000
	maxResults = 1_000
	maxFields  = 10_000
	maxLocals  = 50_000 // with the parameters
	maxFixed   = 10_000 // operands of array.new_fixed
	maxItems   = 10_000_000
)

// counts checks how much of each kind a module declares.
func (d *decls) counts() {
	m := d.m
	explicit := 0
	for i := range m.Types {
		if !m.Types[i].Implicit {
			explicit++
		}
	}
	for _, c := range []struct {
		part    Part
		n, most int
		what    string
	}{
		{PartType, explicit, maxTypes, "types"},
		{PartImport, len(m.Imports), maxImports, "imports"},
		{PartFunc, len(m.Funcs), maxFuncs, "functions"},
		{PartTable, len(m.Tables), maxTables, "tables"},
		{PartMemory, len(m.Mems), maxMems, "memories"},
		{PartGlobal, len(m.Globals), maxGlobals, "globals"},
		{PartTag, len(m.Tags), maxTags, "tags"},
		{PartExport, len(m.Exports), maxExports, "exports"},
		{PartData, len(m.Datas), maxDatas, "data segments"},
		{PartElem, len(m.Elems), maxItems, "element segments"},
	} {
		if c.n > c.most {
			d.fail(at(c.part, c.most), CodeTooMany, "the module has %s", tooMany(c.n, c.most, c.what))
		}
	}
	for i := range m.Elems {
		if n := len(m.Elems[i].Init); n > maxItems {
			d.fail(at(PartElem, i), CodeTooMany, "the segment has %s", tooMany(n, maxItems, "elements"))
		}
	}
}

// tooMany describes a number that is beyond a limit.
func tooMany(n, most int, what string) string {
	return grouped(n) + " " + what + ", but engines accept at most " + grouped(most)
}

// grouped writes a number with commas.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// oversize describes what a type has too much of; "" if nothing.
func oversize(st *wasm.SubType) string {
	switch {
	case len(st.Params) > maxParams:
		return tooMany(len(st.Params), maxParams, "parameters")
	case len(st.Results) > maxResults:
		return tooMany(len(st.Results), maxResults, "results")
	case len(st.Fields) > maxFields:
		return tooMany(len(st.Fields), maxFields, "fields")
	}
	return ""
}

// typeSize checks the size of a definition, and how deep it is below its supertypes. A chain that
// is too long is reported once, where it becomes so.
func (d *decls) typeSize(p Place, i uint32, st *wasm.SubType) {
	if !st.Implicit { // an implicit type is reported where it is used
		if why := oversize(st); why != "" {
			d.fail(p, CodeTooMany, "%s has %s", d.e.typeName(i), why)
		}
	}
	if d.depth == nil {
		d.depth = make([]uint32, len(d.m.Types))
	}
	if len(st.Supers) == 1 && st.Supers[0] < i {
		if d.depth[i] = d.depth[st.Supers[0]] + 1; d.depth[i] == wasm.MaxSubtypeDepth+1 {
			d.fail(
				p, CodeTooMany,
				"%s is more than %d levels below its root in the hierarchy of subtypes, which engines do not accept",
				d.e.shortName(i), wasm.MaxSubtypeDepth,
			)
		}
	}
}

// usedType checks the implicit type of a type use.
func (d *decls) usedType(p Place, st *wasm.SubType) {
	if st.Implicit {
		if why := oversize(st); why != "" {
			d.fail(p, CodeTooMany, "the type has %s", why)
		}
	}
}

// usedType checks the implicit type of a type use.
func (s *scope) usedType(st *wasm.SubType, imm int) *wasm.SubType {
	if st != nil && st.Implicit {
		if why := oversize(st); why != "" {
			s.fail(CodeTooMany, imm, "the type has %s", why)
			return nil
		}
	}
	return st
}
