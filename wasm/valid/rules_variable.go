package valid

import "stackscope/wasm"

func variableRules() map[wasm.Op]rule {
	return map[wasm.Op]rule{
		wasm.OpLocalGet:  typeLocalGet,
		wasm.OpLocalSet:  typeLocalSet,
		wasm.OpLocalTee:  typeLocalSet,
		wasm.OpGlobalGet: typeGlobalGet,
		wasm.OpGlobalSet: typeGlobalSet,
	}
}

// local returns a local's type; not ok if there is none, which is reported.
func (t *Typer) local(i uint32) (wasm.ValType, bool) {
	if int64(i) < int64(len(t.locals)) {
		return t.locals[i], true
	}
	if i != wasm.BadIndex && !t.ctl[0].Opaque {
		t.fail(CodeUnknownLocal, 0, "unknown local %d: the function has %d parameters and locals", i, len(t.locals))
	}
	t.failed = true
	return wasm.Unknown, false
}

func typeLocalGet(t *Typer, in *wasm.Instr) {
	ty, ok := t.local(in.A)
	if ok && !t.init[in.A] {
		t.fail(
			CodeUninitialized, 0,
			"uninitialized local %d: %s has type %s, which has no default value, and is not set on every path to here",
			in.A, t.e.m.Names.Local(t.place.Index, in.A), t.e.FormatType(ty),
		)
	}
	t.ops = append(t.ops, ty)
}

func typeLocalSet(t *Typer, in *wasm.Instr) {
	ty, ok := t.local(in.A)
	t.take(in, t.wants(ty))
	if ok && !t.init[in.A] {
		t.init[in.A] = true
		t.inits = append(t.inits, in.A)
	}
	if in.Op == wasm.OpLocalTee {
		t.ops = append(t.ops, ty)
	}
}

func (s *scope) global(i uint32) *wasm.Global {
	if i == wasm.BadIndex {
		return nil
	}
	m := s.e.m
	if int64(i) >= int64(len(m.Globals)) {
		s.fail(CodeUnknownGlobal, 0, "unknown global %d: the module has %d", i, len(m.Globals))
		return nil
	}
	if s.konst && i >= s.globals {
		s.fail(
			CodeUnknownGlobal,
			0,
			"unknown global %d: %s is not in scope: constant expressions see imported globals, and those of globals the earlier ones",
			i,
			m.Names.Global(i),
		)
		return nil
	}
	return &m.Globals[i]
}

func typeGlobalGet(t *Typer, in *wasm.Instr) {
	g := t.global(in.A)
	if g == nil {
		t.push(wasm.Unknown)
		return
	}
	if t.konst && g.Mut && !t.failed {
		t.fail(CodeConstExpr, 0, "constant expression required: global %s is mutable", t.e.m.Names.Global(in.A))
	}
	t.push(g.Type)
}

func typeGlobalSet(t *Typer, in *wasm.Instr) {
	g := t.global(in.A)
	if g == nil {
		t.take(in, t.wants(wasm.Unknown))
		return
	}
	if !g.Mut {
		t.fail(
			CodeImmutable, 0, "immutable global: %s is not declared (mut %s)", t.e.m.Names.Global(in.A),
			t.e.FormatType(g.Type),
		)
	}
	t.take(in, t.wants(g.Type))
}
