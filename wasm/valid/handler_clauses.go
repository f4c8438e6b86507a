package valid

import (
	"fmt"

	"stackscope/wasm"
)

// handlerClauses checks the handler clauses of an instruction that resumes a continuation of
// function type ft (nil: unknown). The first clause is immediate imm.
func (t *Typer) handlerClauses(in *wasm.Instr, ft *wasm.SubType, imm int) {
	if in.Ext == nil {
		return
	}
	for i := range in.Ext.HandlerClauses {
		h := &in.Ext.HandlerClauses[i]
		tag := t.tagOf(h.Tag, imm+i)
		if h.Switch {
			if tag != nil && ft != nil {
				t.onSwitch(h, tag, ft, imm+i)
			}
			continue
		}
		l := t.label(h.Label, imm+i)
		if l != nil && !l.Opaque && tag != nil && ft != nil {
			t.onLabel(h, tag, ft, l, imm+i)
		}
	}
}

// onSwitch : (on $e switch), $e = [] -> [t*], t* the results of the resumed continuation.
func (s *scope) onSwitch(h *wasm.HandlerClause, tag, ft *wasm.SubType, imm int) {
	name := s.e.m.Names.Tag(h.Tag)
	if len(tag.Params) > 0 {
		s.fail(
			CodeSwitchTag, imm,
			"type mismatch in switch tag: %s has type %s, but the tag of (on %s switch) must have no parameters",
			name, s.e.FormatFunc(tag), name,
		)
		return
	}
	same := len(tag.Results) == len(ft.Results)
	for i := 0; same && i < len(ft.Results); i++ {
		same = s.e.Same(tag.Results[i], ft.Results[i])
	}
	if !same {
		s.fail(
			CodeSwitchTag, imm,
			"type mismatch in switch tag: %s has results %s, but the continuation that is resumed gives %s",
			name, s.e.FormatTypes(tag.Results), s.e.FormatTypes(ft.Results),
		)
	}
}

// onLabel : (on $e $l), $e = [t1*] -> [t2*], label [t1'* (ref null? $ct)] with t1* <: t1'*,
// $ct = cont [t2'*] -> [t'*], and [t2*] -> [t*] <: [t2'*] -> [t'*], t* what the resumed
// continuation returns.
func (s *scope) onLabel(h *wasm.HandlerClause, tag, ft *wasm.SubType, l *Control, imm int) {
	has := l.Label()
	n := len(has) - 1
	if n >= 0 && has[n] == wasm.Unknown {
		return
	}
	if n < 0 || !has[n].IsRef() || has[n].Heap() < 0 && has[n].Heap() != wasm.HeapBad {
		// the suite's wording
		msg := "type mismatch: instruction requires concrete continuation reference type but label has " + s.e.FormatTypes(has)
		if n < 0 || !has[n].IsRef() {
			msg = fmt.Sprintf(
				"type mismatch: the label of (on %s …) has type %s, but it also receives the suspended continuation",
				s.e.m.Names.Tag(h.Tag), s.e.FormatTypes(has),
			)
		}
		s.clauseMismatch(h, tag, ft, l, imm, CodeHandlerLabel, msg)
		return
	}
	var cont *wasm.SubType // what the label takes the continuation for; nil: unknown
	if x := has[n].Heap(); x >= 0 {
		st := s.e.Type(uint32(x))
		switch {
		case st == nil || st.Kind == wasm.CompBad:
		case st.Kind != wasm.CompCont:
			s.clauseMismatch(
				h,
				tag,
				ft,
				l,
				imm,
				CodeHandlerLabel,
				s.e.kindMessage(uint32(x), wasm.CompCont)+", but the label of (on "+
					s.e.m.Names.Tag(h.Tag)+" …) takes it last",
			)
			return
		default:
			cont = s.e.FuncType(st.Func)
		}
	}
	switch {
	case !s.e.MatchAll(tag.Params, has[:n]):
		s.clauseMismatch(
			h,
			tag,
			ft,
			l,
			imm,
			CodeHandlerLabel,
			fmt.Sprintf("type mismatch: tag %s brings %s before the continuation, but the label takes %s",
				s.e.m.Names.Tag(h.Tag), s.e.FormatTypes(tag.Params), s.e.FormatTypes(has[:n])),
		)
	case cont != nil && !(s.e.MatchAll(cont.Params, tag.Results) && s.e.MatchAll(ft.Results, cont.Results)):
		s.clauseMismatch(
			h,
			tag,
			ft,
			l,
			imm,
			CodeHandlerLabel,
			fmt.Sprintf(
				"type mismatch: the continuation suspended with tag %s takes %s and gives %s, but the label's %s is one of %s",
				s.e.m.Names.Tag(
					h.Tag,
				),
				s.e.FormatTypes(tag.Results),
				s.e.FormatTypes(ft.Results),
				s.e.FormatType(has[n]),
				s.e.FormatFunc(cont),
			),
		)
	}
}

// clauseMismatch reports a label that does not fit, with the types that would.
func (s *scope) clauseMismatch(h *wasm.HandlerClause, tag, ft *wasm.SubType, l *Control, imm int,
	code Code, msg string) {
	s.failed = true
	l.doubted(len(tag.Params) + 1)
	if s.report == nil {
		return
	}
	has := clone(l.Label())
	m := &ClauseMismatch{Tag: h.Tag, Resume: s.place.Instr, Block: l.Start, Has: has,
		ContParams: clone(tag.Results), ContResults: clone(ft.Results)}
	null := len(has) > 0 && has[len(has)-1].IsRef() && has[len(has)-1].Nullable()
	last := wasm.Ref(null, wasm.HeapBad)
	if i, ok := s.e.FindCont(tag.Results, ft.Results); ok {
		last = wasm.Ref(null, wasm.HeapType(i))
	}
	m.Needs = append(clone(tag.Params), last)
	if last.Heap() != wasm.HeapBad {
		msg += ": it needs " + wasm.FormatTypes(m.Needs, s.e.shortName)
	} else {
		msg += "; it needs a continuation type of " + s.e.FormatTypes(tag.Results) + " -> " + s.e.FormatTypes(ft.Results) + ", which the module does not define"
	}
	p := s.place
	p.Imm, p.Operand = imm, -1
	s.report(Error{Place: p, Code: code, Msg: msg, Want: m.Needs, Got: has, Clause: m})
}

// FindCont returns a continuation type of the module that a continuation with these parameters and
// results may be taken for: one of the equal function type if there is one, else one that fits.
func (e *Env) FindCont(params, results []wasm.ValType) (uint32, bool) {
	best, found := uint32(0), false
	for i := range e.m.Types {
		ft := e.ContFunc(uint32(i))
		if ft == nil || !e.MatchAll(ft.Params, params) || !e.MatchAll(results, ft.Results) {
			continue
		}
		if e.MatchAll(params, ft.Params) && e.MatchAll(ft.Results, results) {
			return uint32(i), true
		}
		if !found {
			best, found = uint32(i), true
		}
	}
	return best, found
}
