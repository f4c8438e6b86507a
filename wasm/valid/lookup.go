package valid

import (
	"fmt"

	"stackscope/wasm"
)

// scope is the part of a Typer that looks immediates up in the environment, and reports what is
// wrong with an instruction.
type scope struct {
	e      *Env
	report func(Error)
	place  Place // Instr is the index of the instruction at work
	failed bool  // the step was in error
	konst  bool  // in a constant expression
	// globals is how many globals a constant expression may name.
	globals uint32
}

// Look-ups of immediates. Each returns nil for what is not there, and reports it unless the index
// is BadIndex: then whoever lowered the module has.

// typeOf returns the type of a kind at a type index. A CompBad type, whatever it was meant to be,
// is silently not there.
func (s *scope) typeOf(i uint32, kind wasm.CompKind, imm int) *wasm.SubType {
	if i == wasm.BadIndex {
		return nil
	}
	st := s.e.Type(i)
	if st == nil {
		s.fail(CodeUnknownType, imm, "unknown type %d: the module has %d", i, len(s.e.m.Types))
		return nil
	}
	if st.Kind != kind {
		if st.Kind != wasm.CompBad {
			s.fail(CodeTypeKind, imm, "%s", s.e.kindMessage(i, kind))
		}
		return nil
	}
	return st
}

// kindMessage reports that a type is not of the kind that is needed.
func (e *Env) kindMessage(i uint32, want wasm.CompKind) string {
	return fmt.Sprintf("non-%s type %d: %s is a %s type", kindWord(want), i, e.typeName(i), e.m.Types[i].Kind)
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

func (s *scope) funcType(i uint32, imm int) *wasm.SubType {
	return s.usedType(s.typeOf(i, wasm.CompFunc, imm), imm)
}

// contType returns the function type of the continuation type at an index.
func (s *scope) contType(i uint32, imm int) *wasm.SubType {
	ct := s.typeOf(i, wasm.CompCont, imm)
	if ct == nil {
		return nil
	}
	return s.e.FuncType(ct.Func) // nil: reported at the declaration
}

// funcOf returns the type of a function.
func (s *scope) funcOf(i uint32, imm int) *wasm.SubType {
	if i == wasm.BadIndex {
		return nil
	}
	if int64(i) >= int64(len(s.e.m.Funcs)) {
		s.fail(CodeUnknownFunc, imm, "unknown function %d: the module has %d", i, len(s.e.m.Funcs))
		return nil
	}
	return s.e.FuncTypeOf(i)
}

// tagOf returns the function type of a tag.
func (s *scope) tagOf(i uint32, imm int) *wasm.SubType {
	if i == wasm.BadIndex {
		return nil
	}
	if int64(i) >= int64(len(s.e.m.Tags)) {
		s.fail(CodeUnknownTag, imm, "unknown tag %d: the module has %d", i, len(s.e.m.Tags))
		return nil
	}
	return s.e.TagType(i)
}

func (s *scope) tableOf(i uint32, imm int) *wasm.Table {
	if i == wasm.BadIndex {
		return nil
	}
	if int64(i) >= int64(len(s.e.m.Tables)) {
		s.fail(CodeUnknownTable, imm, "unknown table %d: the module has %d", i, len(s.e.m.Tables))
		return nil
	}
	return &s.e.m.Tables[i]
}

func (s *scope) memOf(i uint32, imm int) *wasm.Memory {
	if i == wasm.BadIndex {
		return nil
	}
	if int64(i) >= int64(len(s.e.m.Mems)) {
		s.fail(CodeUnknownMemory, imm, "unknown memory %d: the module has %d", i, len(s.e.m.Mems))
		return nil
	}
	return &s.e.m.Mems[i]
}

func (s *scope) elemOf(i uint32, imm int) *wasm.Elem {
	if i == wasm.BadIndex {
		return nil
	}
	if int64(i) >= int64(len(s.e.m.Elems)) {
		s.fail(CodeUnknownElem, imm, "unknown elem segment %d: the module has %d", i, len(s.e.m.Elems))
		return nil
	}
	return &s.e.m.Elems[i]
}

func (s *scope) dataOf(i uint32, imm int) *wasm.Data {
	if i == wasm.BadIndex {
		return nil
	}
	m := s.e.m
	if int64(i) >= int64(len(m.Datas)) {
		s.fail(CodeUnknownData, imm, "unknown data segment %d: the module has %d", i, len(m.Datas))
		return nil
	}
	if !m.DataCount {
		s.fail(CodeDataCount, imm, "data count section required")
	}
	return &m.Datas[i]
}

// checkType reports a reference to a type that is not there; false then.
func (s *scope) checkType(ty wasm.ValType, imm int) bool {
	if h := ty.Heap(); ty.IsRef() && h >= 0 && int(h) >= len(s.e.m.Types) {
		s.fail(CodeUnknownType, imm, "unknown type %d: the module has %d", h, len(s.e.m.Types))
		return false
	}
	return true
}
