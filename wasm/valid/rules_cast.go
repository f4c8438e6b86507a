package valid

import "stackscope/wasm"

func castRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpRefTest: func(t *Typer, in *wasm.Instr) {
			t.cast(in)
			t.ops = append(t.ops, wasm.I32)
		},
		wasm.OpRefCast: func(t *Typer, in *wasm.Instr) {
			t.cast(in)
			t.ops = append(t.ops, in.Ref())
		},
		wasm.OpAnyConvertExtern: func(t *Typer, in *wasm.Instr) { t.convert(in, wasm.HeapExtern, wasm.HeapAny) },
		wasm.OpExternConvertAny: func(t *Typer, in *wasm.Instr) { t.convert(in, wasm.HeapAny, wasm.HeapExtern) },
	}
}

// cast takes the operand of ref.test and ref.cast: any reference of the target's hierarchy.
func (t *Typer) cast(in *wasm.Instr) {
	r := in.Ref()
	if !r.IsRef() || !t.checkType(r, 0) || !t.castable(r, 0) {
		t.take(in, t.wants(anyRef))
		return
	}
	t.take(in, t.wants(wasm.Ref(true, t.e.Top(r.Heap()))))
}

// castable reports a cast to the types of stacks, which is invalid: false then.
func (t *Typer) castable(r wasm.ValType, imm int) bool {
	switch t.e.Top(r.Heap()) {
	case wasm.HeapCont, wasm.HeapStack, wasm.HeapFiber, wasm.HeapTask:
		t.fail(
			CodeInvalidCast, imm,
			"invalid cast: there are no casts to %s, because the references to stacks carry no type at run time",
			t.e.FormatType(r),
		)
		return false
	}
	return true
}

// convert keeps whether the reference may be null; one that is not known may not.
func (t *Typer) convert(in *wasm.Instr, from, to wasm.HeapType) {
	r := t.peek(0)
	t.take(in, t.wants(wasm.Ref(true, from)))
	t.push(wasm.Ref(r.IsRef() && r.Nullable(), to))
}
