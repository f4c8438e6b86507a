package lower

import (
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// Typing is what the typing engine shows about a body besides its violations. It is used again and
// again: run restarts.
type Typing struct {
	Returns bool   // control may reach the end of the function, or a return
	Drops   []Drop // of references
	Dead    DeadCode
	// Watch is called after each step, if it is set, with whether the instruction can never run.
	Watch func(i int, dead bool, typer *valid.Typer)
}

// Drop is an instruction that drops a reference, in code that is not dead.
type Drop struct {
	Instr int32
	Of    wasm.ValType
}

// Run goes over a body with the engine, which reports violations.
func (t *Typing) Run(typer *valid.Typer, b *Body) {
	params := min(b.NumParams(), len(b.Locals))
	typer.BeginLocals(b.Fn, b.Locals[params:])
	t.Dead.begin()
	t.Returns, t.Drops = false, t.Drops[:0]
	for i := range b.Instrs {
		dead := typer.Unreachable()
		op := b.Instrs[i].Op
		t.Dead.step(i, op, dead)
		if !dead {
			switch {
			case op == wasm.OpDrop:
				if ops := typer.Operands(); len(ops) > 0 && ops[len(ops)-1].IsRef() {
					t.Drops = append(t.Drops, Drop{int32(i), ops[len(ops)-1]})
				}
			case op == wasm.OpReturn || i == len(b.Instrs)-1:
				t.Returns = true
			}
		}
		typer.Step(&b.Instrs[i])
		if t.Watch != nil {
			t.Watch(i, dead, typer)
		}
	}
	typer.End()
}

// Dead is code that never runs: the instructions from one to another, and the one before
// them that control does not leave downwards, -1 if there is none.
type Dead struct{ From, End, Cause int }

// DeadCode collects the code of a body that can never run, while the typing engine goes over it:
// what stands after br, return, unreachable and the like, up to the end of the block.
type DeadCode struct {
	depth   int   // open blocks
	from    int32 // the first instruction of the region, -1 outside of one
	base    int   // depth of the region
	cause   int32 // the instruction that control does not leave downwards
	last    int32 // the instruction before
	Regions []Dead
}

func (d *DeadCode) begin() { *d = DeadCode{from: -1, last: -1, Regions: d.Regions[:0]} }

// step takes an instruction, with whether the operand stack before it is that of dead code.
func (d *DeadCode) step(i int, op wasm.Op, dead bool) {
	divides := false
	switch op {
	case wasm.OpEnd, wasm.OpDelegate, wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpEvent:
		divides = true
	}
	switch {
	case d.from < 0 && dead && !divides:
		d.from, d.base, d.cause = int32(i), d.depth, d.last
	case d.from >= 0 && divides && d.depth == d.base:
		d.Regions = append(d.Regions, Dead{int(d.from), i, int(d.cause)})
		d.from = -1
	}
	switch {
	case op.OpensBlock():
		d.depth++
	case op == wasm.OpEnd || op == wasm.OpDelegate:
		d.depth--
	}
	d.last = int32(i)
}
