package valid

import "stackscope/wasm"

func castRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpRefTest: func(t *Typer, in *wasm.Instr) {
			typeCast(t, in)
			t.ops = append(t.ops, wasm.I32)
		},
		wasm.OpRefCast: func(t *Typer, in *wasm.Instr) {
			typeCast(t, in)
			t.ops = append(t.ops, in.Ref())
		},
		wasm.OpAnyConvertExtern: func(t *Typer, in *wasm.Instr) { typeConvert(t, in, wasm.HeapExtern, wasm.HeapAny) },
		wasm.OpExternConvertAny: func(t *Typer, in *wasm.Instr) { typeConvert(t, in, wasm.HeapAny, wasm.HeapExtern) },
	}
}

// typeCast takes the operand of ref.test and ref.cast: any reference of the target's hierarchy.
func typeCast(t *Typer, in *wasm.Instr) {
	r := in.Ref()
	if !r.IsRef() || !t.checkType(r, 0) || !t.castable(r, 0) {
		t.take(in, t.wants(anyRef))
		return
	}
	t.take(in, t.wants(wasm.Ref(true, t.e.Top(r.Heap()))))
}

// castable reports a cast to the types of stacks, which is invalid: false then.
func (s *scope) castable(r wasm.ValType, imm int) bool {
	switch s.e.Top(r.Heap()) {
	case wasm.HeapCont, wasm.HeapStack, wasm.HeapFiber, wasm.HeapTask:
		s.fail(
			CodeInvalidCast, imm,
			"invalid cast: there are no casts to %s, because the references to stacks carry no type at run time",
			s.e.FormatType(r),
		)
		return false
	}
	return true
}

// typeConvert keeps whether the reference may be null; one that is not known may not.
func typeConvert(t *Typer, in *wasm.Instr, from, to wasm.HeapType) {
	r := t.peek(0)
	t.take(in, t.wants(wasm.Ref(true, from)))
	t.push(wasm.Ref(r.IsRef() && r.Nullable(), to))
}
