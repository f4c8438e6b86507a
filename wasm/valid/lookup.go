package valid

import "stackscope/wasm"

// Look-ups of immediates. Each gives nil for what is not there, and reports it unless the index is
// BadIndex: then whoever lowered the module has.

// typeOf returns the type of a kind at a type index. A CompBad type, whatever it was meant to be,
// is silently not there.
func (t *Typer) typeOf(i uint32, kind wasm.CompKind, imm int) *wasm.SubType {
	if i == wasm.BadIndex {
		return nil
	}
	st := t.e.Type(i)
	if st == nil {
		t.fail(CodeUnknownType, imm, "unknown type %d: the module has %d", i, len(t.e.m.Types))
		return nil
	}
	if st.Kind != kind {
		if st.Kind != wasm.CompBad {
			t.fail(CodeTypeKind, imm, "%s", t.e.kindMessage(i, kind))
		}
		return nil
	}
	return st
}

// kindMessage reports that a type is not of the kind that is needed.
func (e *Env) kindMessage(i uint32, want wasm.CompKind) string {
	return "non-" + kindWord(
		want,
	) + " type " + itoa(
		i,
	) + ": " + e.typeName(
		i,
	) + " is a " + e.m.Types[i].Kind.String() + " type"
}

func kindWord(k wasm.CompKind) string {
	switch k {
	case wasm.CompFunc:
		return "function"
	case wasm.CompStruct:
		return "structure"
	case wasm.CompCont:
		return "continuation"
	}
	return k.String()
}

func (t *Typer) funcType(i uint32, imm int) *wasm.SubType {
	return t.usedType(t.typeOf(i, wasm.CompFunc, imm), imm)
}

// contType returns the function type behind the continuation type at an index.
func (t *Typer) contType(i uint32, imm int) *wasm.SubType {
	ct := t.typeOf(i, wasm.CompCont, imm)
	if ct == nil {
		return nil
	}
	return t.e.FuncType(ct.Func) // nil: reported at the declaration
}

// funcOf returns the type of a function.
func (t *Typer) funcOf(i uint32, imm int) *wasm.SubType {
	if i == wasm.BadIndex {
		return nil
	}
	if int64(i) >= int64(len(t.e.m.Funcs)) {
		t.fail(CodeUnknownFunc, imm, "unknown function %d: the module has %d", i, len(t.e.m.Funcs))
		return nil
	}
	return t.e.FuncTypeOf(i)
}

// tagOf returns the function type of a tag.
func (t *Typer) tagOf(i uint32, imm int) *wasm.SubType {
	if i == wasm.BadIndex {
		return nil
	}
	if int64(i) >= int64(len(t.e.m.Tags)) {
		t.fail(CodeUnknownTag, imm, "unknown tag %d: the module has %d", i, len(t.e.m.Tags))
		return nil
	}
	return t.e.TagType(i)
}

func (t *Typer) tableOf(i uint32, imm int) *wasm.Table {
	if i == wasm.BadIndex {
		return nil
	}
	if int64(i) >= int64(len(t.e.m.Tables)) {
		t.fail(CodeUnknownTable, imm, "unknown table %d: the module has %d", i, len(t.e.m.Tables))
		return nil
	}
	return &t.e.m.Tables[i]
}

func (t *Typer) memOf(i uint32, imm int) *wasm.Memory {
	if i == wasm.BadIndex {
		return nil
	}
	if int64(i) >= int64(len(t.e.m.Mems)) {
		t.fail(CodeUnknownMemory, imm, "unknown memory %d: the module has %d", i, len(t.e.m.Mems))
		return nil
	}
	return &t.e.m.Mems[i]
}

func (t *Typer) elemOf(i uint32, imm int) *wasm.Elem {
	if i == wasm.BadIndex {
		return nil
	}
	if int64(i) >= int64(len(t.e.m.Elems)) {
		t.fail(CodeUnknownElem, imm, "unknown elem segment %d: the module has %d", i, len(t.e.m.Elems))
		return nil
	}
	return &t.e.m.Elems[i]
}

func (t *Typer) dataOf(i uint32, imm int) *wasm.Data {
	if i == wasm.BadIndex {
		return nil
	}
	m := t.e.m
	if int64(i) >= int64(len(m.Datas)) {
		t.fail(CodeUnknownData, imm, "unknown data segment %d: the module has %d", i, len(m.Datas))
		return nil
	}
	if !m.DataCount {
		t.fail(CodeDataCount, imm, "data count section required")
	}
	return &m.Datas[i]
}

// checkType reports a reference to a type that is not there; false then.
func (t *Typer) checkType(ty wasm.ValType, imm int) bool {
	if h := ty.Heap(); ty.IsRef() && h >= 0 && int(h) >= len(t.e.m.Types) {
		t.fail(CodeUnknownType, imm, "unknown type %d: the module has %d", h, len(t.e.m.Types))
		return false
	}
	return true
}
