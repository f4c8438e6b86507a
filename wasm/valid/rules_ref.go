package valid

import "stackscope/wasm"

func refRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpRefNull: typeRefNull,
		wasm.OpRefIsNull: func(t *Typer, in *wasm.Instr) {
			t.take(in, t.wants(t.peekRef(0)))
			t.ops = append(t.ops, wasm.I32)
		},
		wasm.OpRefAsNonNull: func(t *Typer, in *wasm.Instr) {
			r := t.peekRef(0)
			t.take(in, t.wants(r))
			t.ops = append(t.ops, r.NonNull())
		},
		wasm.OpRefFunc: typeRefFunc,
	}
}

func typeRefNull(t *Typer, in *wasm.Instr) {
	r := in.Ref()
	t.checkType(r, 0)
	t.checkHeapDialect(r, 0)
	t.ops = append(t.ops, r)
}

func typeRefFunc(t *Typer, in *wasm.Instr) {
	i := in.A
	if i == wasm.BadIndex {
		t.push(wasm.Ref(false, wasm.HeapBad))
		return
	}
	m := t.e.m
	if int64(i) >= int64(len(m.Funcs)) {
		t.fail(CodeUnknownFunc, 0, "unknown function %d: the module has %d", i, len(m.Funcs))
		t.push(wasm.Ref(false, wasm.HeapBad))
		return
	}
	if !t.konst && !t.e.declared[i] {
		t.fail(
			CodeUndeclaredFunc, 0,
			"undeclared function reference: %s occurs in no export, segment or global; declare it with (elem declare func %s)",
			m.FuncTitle(i), m.Names.Func(i),
		)
	}
	if t.e.FuncTypeOf(i) == nil {
		t.push(wasm.Ref(false, wasm.HeapBad))
		return
	}
	t.push(wasm.Ref(false, wasm.HeapType(m.Funcs[i].Type)))
}

// checkHeapDialect reports a heap type of another dialect than the module's.
func (s *scope) checkHeapDialect(ty wasm.ValType, imm int) {
	if d := ty.Heap().Dialect(); !s.e.m.Dialect.Admits(d) {
		s.fail(
			CodeDialect, imm, "%s is a type of the dialect %q, but the module is in %q", s.e.FormatType(ty), d,
			s.e.m.Dialect,
		)
	}
}

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
