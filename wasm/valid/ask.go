package valid

import (
	"math"

	"stackscope/wasm"
)

// Asked is the type of an instruction at a place, as its rule has it.
type Asked struct {
	// Params are the types of the operands that it takes, the topmost last, and Results what it
	// gives; of a polymorphic instruction only what it names itself.
	Params, Results []wasm.ValType
	// OfPlace reports that the operands had a part in it, not the immediates alone.
	OfPlace bool
	// Fits reports that the immediates, and the operands that are there, suit each other.
	Fits bool
}

// Ask returns the type of an instruction of a dialect of stack switching whose operands are on top
// of ops; what is not there counts as unknown. It is false where the immediates settle nothing. The
// labels of clauses are not looked at. Blocks have no such type.
func (e *Env) Ask(in *wasm.Instr, ops []wasm.ValType) (Asked, bool) {
	info := in.Op.Info()
	if info.Dialect == wasm.DialectNone || info.Effect == wasm.EffectBlock || info.Effect == wasm.EffectBranch {
		return Asked{}, false
	}
	x := *in
	if in.Ext != nil && !namesFuncs(in) {
		ext := *in.Ext
		ext.HandlerClauses = nil
		x.Ext = &ext
	}
	var a asking
	t := e.NewTyper(nil)
	t.asking = &a
	t.ctl = append(t.ctl, Control{Op: wasm.OpInvalid, Start: -1, Unreachable: true, Opaque: true})
	t.ops = append(t.ops, ops...)
	t.low = len(t.ops)
	t.height = math.MaxInt // each take is a slow one, which is recorded
	rows[x.Op].rule(t, &x)
	if !a.took && t.failed {
		return Asked{}, false
	}
	return Asked{a.want, clone(t.ops[t.low:]), a.peeked, !t.failed}, true
}

// namesFuncs reports whether the clauses of an instruction name functions, which are part of its
// type.
func namesFuncs(in *wasm.Instr) bool {
	d := in.Op.Info().Dialect.Info()
	return d.NewClauses && in.Op.Does()&(wasm.DoesCreate|wasm.DoesEnter) == wasm.DoesCreate
}

// asking records what a rule asks of the operands.
type asking struct {
	want         []wasm.ValType
	took, peeked bool
}
