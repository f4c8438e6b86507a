package valid

import "stackscope/wasm"

// rule types an instruction whose row in the instruction table does not have the whole type, or
// that has immediates to check. It takes the operands, once, and pushes the results.
type rule = func(t *Typer, in *wasm.Instr)

// rules has the rule of each instruction; instructions without are typed by their row alone. It is
// put together from one list per concept and never changes.
var rules = func() (r [wasm.NumOps]rule) {
	for _, list := range []map[wasm.Op]rule{
		controlRules(), branchRules(), callRules(), variableRules(), refRules(), castRules(), structRules(), arrayRules(),
		tableRules(), memoryRules(), vectorRules(), exceptionRules(), contRules(),
	} {
		for op, f := range list {
			r[op] = f
		}
	}
	return r
}()

// admit checks what holds of any instruction in a constant expression, or of a dialect's.
func (t *Typer) admit(in *wasm.Instr, info *wasm.OpInfo) bool {
	if d := t.e.m.Dialect; info.Dialect != wasm.DialectNone && d != wasm.DialectNone && info.Dialect != d {
		t.fail(CodeDialect, -1, "%s is an instruction of the dialect %q, but the module is in %q", in.Op, info.Dialect, d)
		return false
	}
	if t.konst && !isConst(in.Op) {
		t.fail(CodeConstExpr, -1, "constant expression required: %s is not constant", in.Op)
		return false
	}
	return true
}

// isConst tells whether constant expressions may hold the instruction. For global.get more is
// asked by its rule.
func isConst(op wasm.Op) bool {
	switch op {
	case wasm.OpI32Const, wasm.OpI64Const, wasm.OpF32Const, wasm.OpF64Const, wasm.OpV128Const,
		wasm.OpI32Add, wasm.OpI32Sub, wasm.OpI32Mul, wasm.OpI64Add, wasm.OpI64Sub, wasm.OpI64Mul,
		wasm.OpRefNull, wasm.OpRefFunc, wasm.OpRefI31, wasm.OpGlobalGet, wasm.OpEnd, wasm.OpInvalid,
		wasm.OpStructNew, wasm.OpStructNewDefault, wasm.OpArrayNew, wasm.OpArrayNewDefault, wasm.OpArrayNewFixed,
		wasm.OpAnyConvertExtern, wasm.OpExternConvertAny:
		return true
	}
	return false
}
