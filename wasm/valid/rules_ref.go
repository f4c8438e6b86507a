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
