package analysis

import (
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// typing is what the typing engine shows about a body besides its violations. It is used again and
// again: run begins anew.
type typing struct {
	returns bool   // control may reach the end of the function, or a return
	drops   []drop // of references
	dead    deadCode
}

// drop is an instruction that drops a reference, in code that is not dead.
type drop struct {
	instr int32
	of    wasm.ValType
}

// run goes over a body with the engine, which reports violations.
func (t *typing) run(typer *valid.Typer, b *loweredBody) {
	params := min(b.numParams(), len(b.locals))
	typer.BeginLocals(b.fn, b.locals[params:])
	t.dead.begin()
	t.returns, t.drops = false, t.drops[:0]
	for i := range b.instrs {
		dead := typer.Unreachable()
		op := b.instrs[i].Op
		t.dead.step(i, op, dead)
		if !dead {
			switch {
			case op == wasm.OpDrop:
				if ops := typer.Operands(); len(ops) > 0 && ops[len(ops)-1].IsRef() {
					t.drops = append(t.drops, drop{int32(i), ops[len(ops)-1]})
				}
			case op == wasm.OpReturn || i == len(b.instrs)-1:
				t.returns = true
			}
		}
		typer.Step(&b.instrs[i])
	}
	typer.End()
}

// numParams returns how many of the locals are parameters.
func (b *loweredBody) numParams() int {
	if b.fn == wasm.BadIndex {
		return 0
	}
	if ft := b.d.Mod.FuncType(b.d.Mod.Funcs[b.fn].Type); ft != nil {
		return len(ft.Params)
	}
	return 0
}
