package binary

import "stackscope/wasm"

func (e *encoder) types() int {
	e.u32(uint32(len(e.m.Recs)))
	for _, g := range e.m.Recs {
		if uint64(g.Start)+uint64(g.Len) > uint64(len(e.m.Types)) {
			e.fail(0, "a recursion group is out of bounds")
			return 0
		}
		ts := e.m.Types[g.Start : g.Start+g.Len]
		if len(ts) != 1 {
			e.byte(codeRec)
			e.u32(g.Len)
		}
		for i := range ts {
			e.subType(&ts[i])
		}
	}
	return len(e.m.Recs)
}

func (e *encoder) subType(t *wasm.SubType) {
	if !t.Final || len(t.Supers) > 0 {
		if t.Final {
			e.byte(codeSubFinal)
		} else {
			e.byte(codeSub)
		}
		e.u32(uint32(len(t.Supers)))
		for _, x := range t.Supers {
			e.index(t.At, x)
		}
	}
	switch t.Kind {
	case wasm.CompFunc:
		e.byte(codeFunc)
		e.valTypes(t.At, t.Params)
		e.valTypes(t.At, t.Results)
	case wasm.CompStruct:
		e.byte(codeStruct)
		e.u32(uint32(len(t.Fields)))
		for _, f := range t.Fields {
			e.fieldType(t.At, f)
		}
	case wasm.CompArray:
		e.byte(codeArray)
		if len(t.Fields) != 1 {
			e.fail(t.At, "an array type has one element type")
			return
		}
		e.fieldType(t.At, t.Fields[0])
	case wasm.CompCont:
		e.byte(codeCont)
		if t.Func == wasm.BadIndex {
			e.fail(t.At, "an index is not resolved")
		}
		e.signed(int64(t.Func))
	default:
		e.fail(t.At, "%s types have no binary encoding: only WebAssembly 3.0 and the dialect cont do", t.Kind)
	}
}

func (e *encoder) fieldType(at wasm.Pos, f wasm.FieldType) {
	switch f.Type {
	case wasm.I8:
		e.byte(codeI8)
	case wasm.I16:
		e.byte(codeI16)
	default:
		e.valType(at, f.Type)
	}
	e.bool(f.Mut)
}

func (e *encoder) valTypes(at wasm.Pos, ts []wasm.ValType) {
	e.u32(uint32(len(ts)))
	for _, t := range ts {
		e.valType(at, t)
	}
}

func (e *encoder) valType(at wasm.Pos, t wasm.ValType) {
	switch t.Kind() {
	case wasm.KindI32:
		e.byte(codeI32)
	case wasm.KindI64:
		e.byte(codeI64)
	case wasm.KindF32:
		e.byte(codeF32)
	case wasm.KindF64:
		e.byte(codeF64)
	case wasm.KindV128:
		e.byte(codeV128)
	case wasm.KindRef:
		switch {
		case t.Nullable() && t.Heap() < 0:
		case t.Nullable():
			e.byte(codeRefNull)
		default:
			e.byte(codeRef)
		}
		e.heapType(at, t.Heap())
	default:
		e.fail(at, "type `%s` has no binary encoding here", t)
	}
}

func (e *encoder) heapType(at wasm.Pos, h wasm.HeapType) {
	if h >= 0 {
		e.signed(int64(h))
		return
	}
	c, ok := heapCode(h)
	if !ok {
		e.fail(at, "heap type `%s` has no binary encoding: only WebAssembly 3.0 and the dialect cont do", h.Format(nil))
	}
	e.byte(c)
}

func (e *encoder) limits(at wasm.Pos, l wasm.Limits) {
	flags := byte(0)
	if l.HasMax {
		flags |= limitsMax
	}
	if l.Is64 {
		flags |= limits64
	}
	if l.Shared || l.HasPage {
		e.fail(at, "shared memories and page sizes have no encoding in WebAssembly 3.0")
	}
	e.byte(flags)
	e.unsigned(l.Min)
	if l.HasMax {
		e.unsigned(l.Max)
	}
}

func (e *encoder) blockType(at wasm.Pos, b wasm.BlockType) {
	if x, ok := b.Index(); ok {
		if x == wasm.BadIndex {
			e.fail(at, "an index is not resolved")
		}
		e.signed(int64(x))
	} else if t, ok := b.Result(); ok {
		e.valType(at, t)
	} else {
		e.byte(codeEmpty)
	}
}
