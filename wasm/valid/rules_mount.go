package valid

import (
	"fmt"

	"stackscope/wasm"
)

var _ = addRules(mountRules)

// The rules of the dialect `fibers-mount`: docs/design/dialects.md §4.
func mountRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpMountFiberNew:        typeMountNew,
		wasm.OpFiberMount:           func(t *Typer, in *wasm.Instr) { typeSendTo(t, in, wasm.FiberRef) },
		wasm.OpMountFiberSwitch:     func(t *Typer, in *wasm.Instr) { typeSendTo(t, in, wasm.FiberRef, wasm.FiberRef) },
		wasm.OpFiberDismount:        func(t *Typer, in *wasm.Instr) { typeSendTo(t, in, wasm.FiberRef) },
		wasm.OpFiberDismountRelease: func(t *Typer, in *wasm.Instr) { typeSendTo(t, in, wasm.FiberRef) },
		wasm.OpFiberSwitchRelease:   func(t *Typer, in *wasm.Instr) { typeSendTo(t, in, wasm.FiberRef, wasm.FiberRef) },
		wasm.OpMountFiberRelease:    func(t *Typer, in *wasm.Instr) { t.take(in, t.wants(wasm.FiberRef)) },
		wasm.OpFiberMountNew:        func(t *Typer, in *wasm.Instr) { typeMountEnter(t, in) },
		wasm.OpFiberSwitchNew:       func(t *Typer, in *wasm.Instr) { typeMountEnter(t, in, wasm.FiberRef) },
	}
}

var fiberNN = wasm.Ref(false, wasm.HeapFiber)

// typeSendTo types what sends the event in A to fibers: [tr* fibers] -> [].
func typeSendTo(t *Typer, in *wasm.Instr, fibers ...wasm.ValType) {
	ev := t.tagOf(in.A, 0)
	t.eventLabels(in, 1, nil)
	if ev == nil {
		t.giveUp()
		return
	}
	t.take(in, append(t.wants(ev.Params...), fibers...))
}

// eventLabels checks `($on $l)` clauses, the first being immediate imm: $on = [te*], $l : [first
// te*].
func (t *Typer) eventLabels(in *wasm.Instr, imm int, first []wasm.ValType) {
	if in.Ext == nil {
		return
	}
	for i, h := range in.Ext.HandlerClauses {
		on := t.tagOf(h.Tag, imm+i)
		l := t.label(h.Label, imm+i)
		if on == nil || l == nil || l.Opaque {
			continue
		}
		want := append(t.wants(first...), on.Params...)
		t.want = want
		if !t.e.MatchAll(want, l.Label()) {
			l.doubted(len(want))
			t.labelMismatch(imm+i, l.Label(), want, fmt.Sprintf("type mismatch: the event %s brings %s, but its label takes %s",
				t.e.m.Names.Tag(h.Tag), t.e.FormatTypes(want), t.e.FormatTypes(l.Label())))
		}
	}
}

// typeMountNew : [ti*] -> [(ref fiber)]; $ret : [to*], each $f : [ti* (ref fiber) te*] -> [to*].
func typeMountNew(t *Typer, in *wasm.Instr) {
	ret := t.tagOf(in.A, 0)
	var ti []wasm.ValType
	known, ok := false, true
	if in.Ext != nil {
		for i, h := range in.Ext.HandlerClauses {
			on := t.tagOf(h.Tag, 1+i)
			ft := t.funcOf(h.Label, 1+i)
			if on == nil || ft == nil {
				ok = ok && (known || i > 0)
				continue
			}
			n := len(ft.Params) - 1 - len(on.Params)
			fits := n >= 0 && t.e.Match(fiberNN, ft.Params[n]) && t.e.MatchAll(on.Params, ft.Params[n+1:])
			if fits && !known {
				ti, known = ft.Params[:n], true
			}
			if !fits || !t.e.MatchAll(ti, ft.Params[:n]) || ret != nil && !t.e.MatchAll(ft.Results, ret.Params) {
				t.entryMisfit(i+1, h, ft, on, ti, ret)
				ok = ok && known
			}
		}
	}
	if !ok {
		t.giveUp()
	} else {
		t.take(in, ti)
	}
	t.push(fiberNN)
}

func (s *scope) entryMisfit(imm int, h wasm.HandlerClause, ft, on *wasm.SubType, ti []wasm.ValType, ret *wasm.SubType) {
	results := "the results that the first tag takes"
	if ret != nil {
		results = s.e.FormatTypes(ret.Params)
	}
	want := append(append(clone(ti), fiberNN), on.Params...)
	s.labelMismatch(
		imm,
		want,
		ft.Params,
		fmt.Sprintf("type mismatch: the entry for %s needs a function %s -> %s, but %s has type %s",
			s.e.m.Names.Tag(h.Tag), s.e.FormatTypes(want), results, s.e.m.FuncTitle(h.Label), s.e.FormatFunc(ft)),
	)
}

// typeMountEnter : [ti* from] -> [(ref fiber) to*]; $ret : [to*], $f : [ti* (ref fiber)] -> [to*];
// labels [(ref fiber) te*].
func typeMountEnter(t *Typer, in *wasm.Instr, from ...wasm.ValType) {
	ret := t.tagOf(in.A, 0)
	ft := t.funcOf(in.B, 1)
	t.eventLabels(in, 2, []wasm.ValType{fiberNN})
	if ft == nil {
		t.giveUp()
		t.push(fiberNN)
		return
	}
	n := len(ft.Params) - 1
	if n < 0 || !t.e.Match(fiberNN, ft.Params[n]) || ret != nil && !t.e.MatchAll(ft.Results, ret.Params) {
		want := "the results that the tag takes"
		if ret != nil {
			want = t.e.FormatTypes(ret.Params)
		}
		t.labelMismatch(
			1,
			nil,
			ft.Params,
			fmt.Sprintf("type mismatch: %s needs a function that takes (ref fiber) last and gives %s, but %s has type %s",
				in.Op, want, t.e.m.FuncTitle(in.B), t.e.FormatFunc(ft)),
		)
	}
	t.take(in, append(t.wants(ft.Params[:max(n, 0)]...), from...))
	t.push(fiberNN)
	if ret != nil {
		t.pushAll(ret.Params)
	} else {
		t.giveUp()
	}
}
