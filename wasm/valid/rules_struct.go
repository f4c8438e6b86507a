package valid

import "stackscope/wasm"

func structRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpStructNew:        typeStructNew,
		wasm.OpStructNewDefault: typeStructNew,
		wasm.OpStructGet:        typeStructGet,
		wasm.OpStructGetS:       typeStructGet,
		wasm.OpStructGetU:       typeStructGet,
		wasm.OpStructSet:        typeStructSet,
	}
}

func typeStructNew(t *Typer, in *wasm.Instr) {
	st := t.typeOf(in.A, wasm.CompStruct, 0)
	if st == nil {
		t.giveUp()
		t.push(wasm.Ref(false, wasm.HeapBad))
		return
	}
	want := t.wants()
	for i := range st.Fields {
		f := st.Fields[i].Type
		if in.Op == wasm.OpStructNew {
			want = append(want, f.Unpacked())
		} else if !f.Defaultable() && !t.failed {
			t.fail(CodeNoDefault, 0, "field type is not defaultable: field %s of %s has type %s, which has no default value",
				t.e.m.Names.Field(in.A, uint32(i)), t.e.typeName(in.A), t.e.FormatType(f))
		}
	}
	t.want = want
	t.take(in, want)
	t.push(wasm.Ref(false, wasm.HeapType(in.A)))
}

// field returns a field of the structure type in A; nil, reported, if there is none. The reference
// operand's type is right in either case.
func (s *scope) field(in *wasm.Instr) (f *wasm.FieldType, ref wasm.ValType) {
	st := s.typeOf(in.A, wasm.CompStruct, 0)
	if st == nil {
		return nil, anyRef
	}
	ref = wasm.Ref(true, wasm.HeapType(in.A))
	if in.B == wasm.BadIndex {
		return nil, ref
	}
	if int64(in.B) >= int64(len(st.Fields)) {
		s.fail(CodeUnknownField, 1, "unknown field %d: %s has %d fields", in.B, s.e.typeName(in.A), len(st.Fields))
		return nil, ref
	}
	return &st.Fields[in.B], ref
}

func typeStructGet(t *Typer, in *wasm.Instr) {
	f, ref := t.field(in)
	t.take(in, t.wants(ref))
	if f == nil {
		t.push(wasm.Unknown)
		return
	}
	t.checkPacking(f, in.Op == wasm.OpStructGet, "field "+t.lazyField(f, in), "struct.get")
	t.push(f.Type.Unpacked())
}

// lazyField names a field if it will be in a message.
func (s *scope) lazyField(f *wasm.FieldType, in *wasm.Instr) string {
	if f.Type.Packed() == (in.Op != wasm.OpStructGet) || s.report == nil {
		return ""
	}
	return s.e.m.Names.Field(in.A, in.B)
}

// checkPacking reports a plain get of a packed type, and a _s or _u get of an unpacked one.
func (s *scope) checkPacking(f *wasm.FieldType, plain bool, what, get string) {
	switch {
	case f.Type.Packed() && plain:
		s.fail(CodePacking, -1, "field is packed: %s has type %s; use %s_s or %s_u", what, f.Type, get, get)
	case !f.Type.Packed() && f.Type != wasm.Unknown && !plain:
		s.fail(CodePacking, -1, "field is unpacked: %s has type %s; use %s", what, s.e.FormatType(f.Type), get)
	}
}

func typeStructSet(t *Typer, in *wasm.Instr) {
	f, ref := t.field(in)
	if f == nil {
		t.take(in, t.wants(ref, wasm.Unknown))
		return
	}
	if !f.Mut {
		t.fail(
			CodeImmutable, 1, "immutable field: %s of %s is not declared (mut %s)",
			t.e.m.Names.Field(in.A, in.B), t.e.typeName(in.A), t.e.FormatType(f.Type),
		)
	}
	t.take(in, t.wants(ref, f.Type.Unpacked()))
}
