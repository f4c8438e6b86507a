package valid

import (
	"fmt"

	"stackscope/wasm"
)

var _ = addRules(stacksRules)

// The rules of the dialect `stacks`: docs/design/dialects.md §3.
func stacksRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpStackNew:          typeStackNew,
		wasm.OpStackNewRef:       typeStackNewRef,
		wasm.OpStackBind:         typeStackBind,
		wasm.OpStacksSwitch:      typeStacksSwitch,
		wasm.OpSwitchRetire:      typeSwitchRetire,
		wasm.OpSwitchThrow:       typeStacksSwitch,
		wasm.OpReturnSwitch:      typeReturnSwitch,
		wasm.OpReturnSwitchThrow: typeReturnSwitch,
	}
}

// stackType is a type `stack t* rt`.
type stackType struct {
	index  uint32
	params []wasm.ValType
	rt     wasm.ValType // the reference to the stack that is switched from
}

// stackOf returns the stack type at an index; not ok, reported, if it is none.
func (sc *scope) stackOf(i uint32, imm int) (s stackType, ok bool) {
	st := sc.typeOf(i, wasm.CompStack, imm)
	if st == nil || len(st.Results) == 0 {
		return s, false // a stack type without rt is reported where it is defined
	}
	return stackType{i, st.Params, st.Results[0]}, true
}

// suits reports whether a function can be the code of a stack: [t* rt] -> [].
func (sc *scope) suits(ft *wasm.SubType, s stackType) bool {
	n := len(s.params)
	return len(ft.Results) == 0 && len(ft.Params) == n+1 && sc.e.MatchAll(s.params, ft.Params[:n]) &&
		sc.e.Match(s.rt, ft.Params[n])
}

func (sc *scope) misfit(imm int, s stackType, ft *wasm.SubType) {
	want := append(clone(s.params), s.rt)
	sc.labelMismatch(
		imm,
		want,
		ft.Params,
		fmt.Sprintf("type mismatch: the function of a %s needs type %s -> [], but has %s",
			sc.e.typeName(s.index), sc.e.FormatTypes(want), sc.e.FormatFunc(ft)),
	)
}

// typeStackNew : [] -> [(ref $c)], $c in A, the function in B.
func typeStackNew(t *Typer, in *wasm.Instr) {
	s, ok := t.stackOf(in.A, 0)
	ft := t.funcOf(in.B, 1)
	if !ok {
		t.push(wasm.Ref(false, wasm.HeapBad))
		return
	}
	if ft != nil && !t.suits(ft, s) {
		t.misfit(1, s, ft)
	}
	t.push(contRef(in.A).NonNull())
}

// typeStackNewRef : [(ref null $ft)] -> [(ref $c)], $ft the operand's own type.
func typeStackNewRef(t *Typer, in *wasm.Instr) {
	s, ok := t.stackOf(in.A, 0)
	r := t.peek(0)
	if h := r.Heap(); ok && r.IsRef() && h >= 0 {
		if ft := t.e.FuncType(uint32(h)); ft != nil {
			if !t.suits(ft, s) {
				t.misfit(-1, s, ft)
			}
			t.take(in, t.wants(r))
			t.push(contRef(in.A).NonNull())
			return
		}
	}
	want := wasm.Ref(true, wasm.HeapNoFunc)
	if !ok {
		want = anyRef
	}
	t.take(in, t.wants(want))
	if ok {
		t.push(contRef(in.A).NonNull())
	} else {
		t.push(wasm.Ref(false, wasm.HeapBad))
	}
}

// typeStacksSwitch : [t1* (ref null $x)] -> [t2* rt2], $x = stack t1* (ref null? $y), $y = stack
// t2* rt2; of switch_throw with te* in place of t1*, see sent.
func typeStacksSwitch(t *Typer, in *wasm.Instr) {
	sent, y, ok := t.sent(in)
	if !ok {
		t.giveUp()
		return
	}
	t.take(in, append(sent, contRef(in.A)))
	if y == nil {
		t.giveUp()
		return
	}
	t.pushAll(y.params)
	t.push(y.rt)
}

// sent returns what an instruction that switches with the type $x in A sends: t1* of $x = stack t1*
// (ref null? $y), or te* of the tag in B, te* (ref null? $y), if it throws. The type of the stack
// that it parks is $y, nil if that is unknown; not ok if what it sends is.
func (t *Typer) sent(in *wasm.Instr) (ts []wasm.ValType, y *stackType, ok bool) {
	x, ok := t.stackOf(in.A, 0)
	throws := in.Op.Info().Throws
	tag := (*wasm.SubType)(nil)
	if throws {
		tag = t.tagOf(in.B, 1)
	}
	if !ok || throws && tag == nil {
		return nil, nil, false
	}
	if h := x.rt.Heap(); h >= 0 {
		if s, ok := t.stackOf(uint32(h), -1); ok {
			y = &s
		}
	}
	if !throws {
		return t.wants(x.params...), y, true
	}
	n := len(tag.Params) - 1
	if y != nil && (n < 0 || !t.e.Match(contRef(y.index).NonNull(), tag.Params[n])) {
		t.labelMismatch(1, nil, tag.Params, fmt.Sprintf(
			"type mismatch: %s gives the exception a reference to the stack that it parks, of type %s, as its last value, but %s takes %s",
			in.Op, t.e.FormatType(contRef(y.index).NonNull()), t.e.m.Names.Tag(in.B), t.e.FormatTypes(tag.Params),
		))
		return nil, nil, false
	}
	return t.wants(tag.Params[:max(n, 0)]...), y, true
}

// typeReturnSwitch : [t* ta* t1* (ref null $x)] -> [t'*], $x = stack t1* (ref null? $y), $y = stack
// t2* rt2, the function [ta* t2* rt2] -> what this one returns; of return_switch_throw with te* in
// place of t1*, see sent.
func typeReturnSwitch(t *Typer, in *wasm.Instr) {
	sent, y, ok := t.sent(in)
	imm := 1
	if in.Op.Info().Throws {
		imm = 2
	}
	ft := t.funcOf(in.Index(imm), imm)
	if ok && ft == nil { // what it sends lies on top of the arguments
		t.take(in, append(sent, contRef(in.A)))
	}
	if !ok || y == nil || ft == nil {
		t.takeRest()
		t.setUnreachable()
		return
	}
	back := append(clone(y.params), y.rt)
	n := len(ft.Params) - len(back)
	if n < 0 || !t.e.MatchAll(back, ft.Params[n:]) {
		t.labelMismatch(imm, back, ft.Params, fmt.Sprintf(
			"type mismatch: %s calls %s with %s last, which is what a switch back to a %s brings, but it takes %s",
			in.Op, t.e.m.FuncTitle(in.Index(imm)), t.e.FormatTypes(back), t.e.typeName(y.index),
			t.e.FormatTypes(ft.Params),
		))
		t.takeRest()
		t.setUnreachable()
		return
	}
	t.take(in, append(append(clone(ft.Params[:n]), sent...), contRef(in.A)))
	t.leave(in, ft)
}

// typeSwitchRetire : [t* t1* (ref null $x)] -> [t'*], $x = stack t1* (ref null $y).
func typeSwitchRetire(t *Typer, in *wasm.Instr) {
	x, ok := t.stackOf(in.A, 0)
	if !ok {
		t.takeRest()
		t.setUnreachable()
		return
	}
	if x.rt.IsRef() && !x.rt.Nullable() {
		t.fail(
			CodeTypeMismatch, 0, "type mismatch: switch_retire passes null, but %s takes %s last",
			t.e.typeName(in.A), t.e.FormatType(x.rt),
		)
	}
	t.take(in, append(t.wants(x.params...), contRef(in.A)))
	t.setUnreachable()
}

// typeStackBind : [t1* (ref null $x)] -> [(ref $y)], $x = stack t1* t2* rt, $y = stack t2* rt.
func typeStackBind(t *Typer, in *wasm.Instr) {
	x, okX := t.stackOf(in.A, 0)
	y, okY := t.stackOf(in.B, 1)
	if !okX || !okY {
		t.giveUp()
		t.push(wasm.Ref(false, wasm.HeapBad))
		return
	}
	n := len(x.params) - len(y.params)
	if n < 0 || !t.e.MatchAll(y.params, x.params[n:]) || !t.e.Match(y.rt, x.rt) {
		t.labelMismatch(
			1,
			nil,
			nil,
			fmt.Sprintf(
				"type mismatch in stack types: a %s, taking %s, cannot be made a %s, taking %s, by binding its first parameters",
				t.e.typeName(
					in.A,
				),
				t.e.FormatTypes(append(clone(x.params), x.rt)),
				t.e.typeName(in.B),
				t.e.FormatTypes(append(clone(y.params), y.rt)),
			),
		)
		t.giveUp()
	} else {
		t.take(in, append(t.wants(x.params[:n]...), contRef(in.A)))
	}
	t.push(contRef(in.B).NonNull())
}
