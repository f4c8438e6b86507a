package valid

import (
	"fmt"

	"stackscope/wasm"
)

var _ = addRules(contRules)

// The rules of the dialect `cont`: docs/design/dialects.md §2, and the proposal's explainer.
func contRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpContNew:        typeContNew,
		wasm.OpContBind:       typeContBind,
		wasm.OpSuspend:        typeSuspend,
		wasm.OpResume:         typeResume,
		wasm.OpResumeThrow:    typeResumeThrow,
		wasm.OpResumeThrowRef: typeResumeThrowRef,
		wasm.OpSwitch:         typeSwitchTo,
	}
}

func contRef(i uint32) wasm.ValType { return wasm.Ref(true, wasm.HeapType(i)) }

// typeContNew : [(ref null $ft)] -> [(ref $ct)], $ct = cont $ft.
func typeContNew(t *Typer, in *wasm.Instr) {
	if t.contType(in.A, 0) == nil {
		t.take(in, t.wants(anyRef))
		t.push(wasm.Ref(false, wasm.HeapBad))
		return
	}
	t.take(in, t.wants(contRef(t.e.m.Types[in.A].Func)))
	t.push(contRef(in.A).NonNull())
}

// typeContBind : [t3* (ref null $ct1)] -> [(ref $ct2)], $ct1 = cont [t3* t1*] -> [t2*], and
// [t1*] -> [t2*] a subtype of $ct2's function type.
func typeContBind(t *Typer, in *wasm.Instr) {
	from := t.contType(in.A, 0)
	to := from
	if in.B != in.A {
		to = t.contType(in.B, 1)
	}
	if from == nil || to == nil {
		t.giveUp()
		t.push(wasm.Ref(false, wasm.HeapBad))
		return
	}
	n := len(from.Params) - len(to.Params)
	if n < 0 || !t.e.MatchAll(to.Params, from.Params[n:]) || !t.e.MatchAll(from.Results, to.Results) {
		t.labelMismatch(
			1,
			nil,
			nil,
			fmt.Sprintf(
				"type mismatch in continuation types: %s is a continuation of %s and cannot be made one of %s, %s, by binding its first parameters",
				t.e.typeName(in.A),
				t.e.FormatFunc(from),
				t.e.typeName(in.B),
				t.e.FormatFunc(to),
			),
		)
		t.giveUp()
		t.push(contRef(in.B).NonNull())
		return
	}
	t.take(in, append(t.wants(from.Params[:n]...), contRef(in.A)))
	t.push(contRef(in.B).NonNull())
}

// typeSuspend : [t1*] -> [t2*], the tag's type.
func typeSuspend(t *Typer, in *wasm.Instr) {
	ft := t.tagOf(in.A, 0)
	if ft == nil {
		t.giveUp()
		return
	}
	t.take(in, ft.Params)
	t.pushAll(ft.Results)
}

// typeResume : [t1* (ref null $ct)] -> [t2*], $ct = cont [t1*] -> [t2*].
func typeResume(t *Typer, in *wasm.Instr) {
	ft := t.contType(in.A, 0)
	t.handlerClauses(in, ft, 1)
	if ft == nil {
		t.giveUp()
		return
	}
	t.take(in, append(t.wants(ft.Params...), contRef(in.A)))
	t.pushAll(ft.Results)
}

// typeResumeThrow : [te* (ref null $ct)] -> [t2*], the tag's type [te*] -> [tr*].
func typeResumeThrow(t *Typer, in *wasm.Instr) {
	ft := t.contType(in.A, 0)
	tag := t.tagOf(in.B, 1)
	t.handlerClauses(in, ft, 2)
	if ft == nil || tag == nil {
		t.giveUp()
	} else {
		t.take(in, append(t.wants(tag.Params...), contRef(in.A)))
	}
	if ft != nil {
		t.pushAll(ft.Results)
	}
}

// typeResumeThrowRef : [(ref null exn) (ref null $ct)] -> [t2*].
func typeResumeThrowRef(t *Typer, in *wasm.Instr) {
	ft := t.contType(in.A, 0)
	t.handlerClauses(in, ft, 1)
	if ft == nil {
		t.giveUp()
		return
	}
	t.take(in, t.wants(wasm.ExnRef, contRef(in.A)))
	t.pushAll(ft.Results)
}

// typeSwitchTo : [t1* (ref null $ct1)] -> [t2*], $ct1 = cont [t1* (ref null? $ct2)] -> [te1*],
// $ct2 = cont [t2*] -> [te2*], the tag [] -> [t*], te1* <: t* <: te2*.
func typeSwitchTo(t *Typer, in *wasm.Instr) {
	ft := t.contType(in.A, 0)
	tag := t.tagOf(in.B, 1)
	if ft == nil {
		t.giveUp()
		return
	}
	n := len(ft.Params) - 1
	if n < 0 || !ft.Params[n].IsRef() || ft.Params[n].Heap() < 0 && ft.Params[n].Heap() != wasm.HeapBad {
		t.labelMismatch(
			0,
			nil,
			ft.Params,
			fmt.Sprintf(
				"type mismatch: switch needs a continuation whose last parameter is a reference to a continuation type, but %s takes %s",
				t.e.typeName(in.A),
				t.e.FormatTypes(ft.Params),
			),
		)
		t.giveUp()
		return
	}
	var back *wasm.SubType
	if h := ft.Params[n].Heap(); h >= 0 {
		back = t.contType(uint32(h), 0)
	}
	if tag != nil {
		t.checkSwitchTag(in, tag, ft, back)
	}
	t.take(in, append(t.wants(ft.Params[:n]...), contRef(in.A)))
	if back == nil {
		t.giveUp()
		return
	}
	t.pushAll(back.Params)
}

func (s *scope) checkSwitchTag(in *wasm.Instr, tag, ft, back *wasm.SubType) {
	name := s.e.m.Names.Tag(in.B)
	switch {
	case len(tag.Params) > 0:
		s.fail(
			CodeSwitchTag, 1,
			"type mismatch in switch tag: %s has type %s, but the tag of a switch must have no parameters",
			name, s.e.FormatFunc(tag),
		)
	case !s.e.MatchAll(ft.Results, tag.Results):
		s.fail(CodeSwitchTag, 1, "type mismatch in switch tag: %s has results %s, but the continuation %s gives %s",
			name, s.e.FormatTypes(tag.Results), s.e.typeName(in.A), s.e.FormatTypes(ft.Results))
	case back != nil && !s.e.MatchAll(tag.Results, back.Results):
		s.fail(
			CodeSwitchTag, 1,
			"type mismatch in switch tag: %s has results %s, but the continuation that is switched from, %s, gives %s",
			name, s.e.FormatTypes(tag.Results), s.e.FormatType(ft.Params[len(ft.Params)-1]),
			s.e.FormatTypes(back.Results),
		)
	}
}
