package valid

import "stackscope/wasm"

// rule types an instruction whose row in the instruction table does not have the whole type, or
// that has immediates to check. It takes the operands, once, and pushes the results.
type rule = func(t *Typer, in *wasm.Instr)

// row is what typing an instruction needs: its rule, or, where that is nil, its whole type.
type row struct {
	short           shortcut
	dialect         wasm.Dialect
	p0, p1, r0      wasm.ValType // the types of rows with a shortcut
	rule            rule
	params, results []wasm.ValType
}

// shortcut is how the most frequent instructions are typed where nothing is wrong: they are most
// of all code. Everything else goes the general way.
type shortcut uint8

const (
	general  shortcut = iota
	constant          // [] -> [r0]
	unary             // [p0] -> [r0]
	binary            // [p0 p1] -> [r0]
	getLocal
)

func (r *row) findShortcut(op wasm.Op) {
	switch {
	case op == wasm.OpLocalGet:
		r.short = getLocal
	case r.rule == nil && len(r.results) == 1 && len(r.params) <= 2:
		r.short = [...]shortcut{constant, unary, binary}[len(r.params)]
		r.r0 = r.results[0]
		for i, p := range r.params {
			*[...]*wasm.ValType{&r.p0, &r.p1}[i] = p
		}
	}
}

// rows is the instruction table with the rules. It never changes after init.
var rows [wasm.NumOps]row

// ruleSets has the rules by concept; each dialect of stack switching adds its own, in its file.
var ruleSets = []func() map[wasm.Op]rule{
	controlRules, branchRules, callRules, variableRules, refRules, castRules, structRules, arrayRules,
	tableRules, memoryRules, vectorRules, exceptionRules,
}

// addRules adds the rules of a dialect. It is called while the package's variables are initialised.
func addRules(rules func() map[wasm.Op]rule) bool {
	ruleSets = append(ruleSets, rules)
	return true
}

func init() {
	for op := range wasm.NumOps {
		info := op.Info()
		rows[op] = row{params: info.Params, results: info.Results, dialect: info.Dialect}
		if !info.Fixed {
			rows[op].rule = func(t *Typer, _ *wasm.Instr) { t.giveUp() } // OpInvalid
		}
	}
	for _, rules := range ruleSets {
		for op, f := range rules() {
			rows[op].rule = f
		}
	}
	for op := range rows {
		rows[op].findShortcut(wasm.Op(op))
	}
}

// admit checks what holds of any instruction in a constant expression, or of a dialect's.
func (s *scope) admit(in *wasm.Instr, of wasm.Dialect) bool {
	if d := s.e.m.Dialect; !d.Admits(of) {
		s.fail(CodeDialect, -1, "%s is an instruction of the dialect %q, but the module is in %q", in.Op, of, d)
		return false
	}
	if s.konst && !isConst(in.Op) {
		s.fail(CodeConstExpr, -1, "constant expression required: %s is not constant", in.Op)
		return false
	}
	return true
}

// isConst reports whether constant expressions may hold the instruction. For global.get more is
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
