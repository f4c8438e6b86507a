package valid

import (
	"fmt"

	"stackscope/wasm"
)

func arrayRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpArrayNew:        typeArrayNew,
		wasm.OpArrayNewDefault: typeArrayNew,
		wasm.OpArrayNewFixed:   typeArrayNewFixed,
		wasm.OpArrayNewData:    typeArrayNewSegment,
		wasm.OpArrayNewElem:    typeArrayNewSegment,
		wasm.OpArrayInitData:   typeArrayInit,
		wasm.OpArrayInitElem:   typeArrayInit,
		wasm.OpArrayGet:        typeArrayGet,
		wasm.OpArrayGetS:       typeArrayGet,
		wasm.OpArrayGetU:       typeArrayGet,
		wasm.OpArraySet:        typeArraySet,
		wasm.OpArrayFill:       typeArrayFill,
		wasm.OpArrayCopy:       typeArrayCopy,
	}
}

// array returns the element type of the array type at an index, with the reference to it; a zero
// FieldType, of type Unknown, and references of any type if there is none, which is reported.
func (s *scope) array(i uint32, imm int) (el wasm.FieldType, ref wasm.ValType) {
	at := s.typeOf(i, wasm.CompArray, imm)
	if at == nil || len(at.Fields) == 0 {
		return wasm.FieldType{}, wasm.Ref(false, wasm.HeapBad)
	}
	return at.Fields[0], wasm.Ref(false, wasm.HeapType(i))
}

// mutable reports the writing of an array that is not mutable.
func (s *scope) mutable(el wasm.FieldType, i uint32) {
	if !el.Mut && el.Type != wasm.Unknown {
		s.fail(
			CodeImmutable, 0, "immutable array: the elements of %s are not declared (mut %s)", s.e.typeName(i),
			s.e.FormatType(el.Type),
		)
	}
}

func typeArrayNew(t *Typer, in *wasm.Instr) {
	el, ref := t.array(in.A, 0)
	if in.Op == wasm.OpArrayNewDefault {
		if !el.Type.Defaultable() {
			t.fail(
				CodeNoDefault, 0,
				"array type is not defaultable: the elements of %s have type %s, which has no default value",
				t.e.typeName(in.A), t.e.FormatType(el.Type),
			)
		}
		t.take(in, t.wants(wasm.I32))
	} else {
		t.take(in, t.wants(el.Type.Unpacked(), wasm.I32))
	}
	t.push(ref)
}

func typeArrayNewFixed(t *Typer, in *wasm.Instr) {
	el, ref := t.array(in.A, 0)
	n := int(in.B)
	if n > maxFixed {
		t.fail(CodeTooMany, 1, "the array has %s", tooMany(n, maxFixed, "operands"))
		t.giveUp()
		t.push(ref)
		return
	}
	if c := t.top(); n > len(t.ops)-c.Height {
		n = len(t.ops) - c.Height
		if !c.Unreachable {
			n++ // one too few is an error whatever the count
		}
	}
	want := t.wants()
	for range n {
		want = append(want, el.Type.Unpacked())
	}
	t.want = want
	t.take(in, want)
	t.push(ref)
}

// segment checks the segment in B against the element type.
func (s *scope) segment(in *wasm.Instr, el wasm.FieldType) {
	switch in.Op {
	case wasm.OpArrayNewData, wasm.OpArrayInitData:
		s.dataOf(in.B, 1)
		if el.Type.IsRef() {
			s.fail(
				CodeTypeMismatch, 0, "array type is not numeric or vector: the elements of %s have type %s",
				s.e.typeName(in.A), s.e.FormatType(el.Type),
			)
		}
	default:
		if seg := s.elemOf(in.B, 1); seg != nil && !s.e.Match(seg.Type, el.Type) {
			s.labelMismatch(
				1,
				[]wasm.ValType{el.Type},
				[]wasm.ValType{seg.Type},
				fmt.Sprintf("type mismatch: the elements of %s have type %s, but the segment has %s",
					s.e.typeName(in.A), s.e.FormatType(el.Type), s.e.FormatType(seg.Type)),
			)
		}
	}
}

func typeArrayNewSegment(t *Typer, in *wasm.Instr) {
	el, ref := t.array(in.A, 0)
	t.segment(in, el)
	t.take(in, t.wants(wasm.I32, wasm.I32))
	t.push(ref)
}

func typeArrayInit(t *Typer, in *wasm.Instr) {
	el, ref := t.array(in.A, 0)
	t.mutable(el, in.A)
	t.segment(in, el)
	t.take(in, t.wants(ref.OrNull(), wasm.I32, wasm.I32, wasm.I32))
}

func typeArrayGet(t *Typer, in *wasm.Instr) {
	el, ref := t.array(in.A, 0)
	t.checkPacking(&el, in.Op == wasm.OpArrayGet, "the array's elements", "array.get")
	t.take(in, t.wants(ref.OrNull(), wasm.I32))
	t.push(el.Type.Unpacked())
}

func typeArraySet(t *Typer, in *wasm.Instr) {
	el, ref := t.array(in.A, 0)
	t.mutable(el, in.A)
	t.take(in, t.wants(ref.OrNull(), wasm.I32, el.Type.Unpacked()))
}

func typeArrayFill(t *Typer, in *wasm.Instr) {
	el, ref := t.array(in.A, 0)
	t.mutable(el, in.A)
	t.take(in, t.wants(ref.OrNull(), wasm.I32, el.Type.Unpacked(), wasm.I32))
}

func typeArrayCopy(t *Typer, in *wasm.Instr) {
	dst, ref := t.array(in.A, 0)
	src, from := t.array(in.B, 1)
	t.mutable(dst, in.A)
	if !t.e.Match(src.Type, dst.Type) {
		t.fail(CodeTypeMismatch, 1, "array types do not match: the elements of %s have type %s, those of %s have %s",
			t.e.typeName(in.A), t.e.FormatType(dst.Type), t.e.typeName(in.B), t.e.FormatType(src.Type))
	}
	t.take(in, t.wants(ref.OrNull(), wasm.I32, from.OrNull(), wasm.I32, wasm.I32))
}
