package protocol

import (
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// Trace follows where the operands of a body come from, while the typing engine goes over it. It is
// used again and again: Begin restarts.
type Trace struct {
	b        *lower.Body
	stack    []int32           // by operand: the instruction that left it
	consumer []int32           // by instruction: who took what it left, if that is one value; -1
	above    []int32           // by instruction: how many operands lay above that one
	at       map[int32][]int32 // by instruction of interest: the operands before it, the last on top
	dead     map[int32]bool    // those of them that are never reached
}

// Begin makes the trace ready for a body.
func (t *Trace) Begin(b *lower.Body) {
	t.b, t.stack = b, t.stack[:0]
	t.consumer, t.above = t.consumer[:0], t.above[:0]
	t.at, t.dead = map[int32][]int32{}, map[int32]bool{}
}

// most is how many operands are kept of those before an instruction.
const most = 64

// Step continues after the engine has typed instruction i, which is never reached if it is dead.
func (t *Trace) Step(i int, dead bool, typer *valid.Typer) {
	in := &t.b.Instrs[i]
	keep := len(typer.Operands()) - len(typer.Pushed())
	if follows(in) {
		t.at[int32(i)] = append([]int32(nil), t.stack[max(0, len(t.stack)-most):]...)
		t.dead[int32(i)] = dead
	}
	t.consumer, t.above = append(t.consumer, -1), append(t.above, 0)
	for k := keep; k < len(t.stack); k++ {
		if by := t.stack[k]; by >= 0 {
			t.consumer[by], t.above[by] = int32(i), int32(len(t.stack)-1-k)
		}
	}
	for len(t.stack) < keep {
		t.stack = append(t.stack, -1)
	}
	t.stack = t.stack[:max(0, keep)]
	by := int32(i)
	if in.Op.Info().Effect == wasm.EffectBlock {
		by = -1
	}
	for range typer.Pushed() {
		t.stack = append(t.stack, by)
	}
}

// follows reports whether the operands of an instruction are of interest.
func follows(in *wasm.Instr) bool {
	if in.Op.Info().Dialect != wasm.DialectNone {
		return true
	}
	switch in.Op {
	case wasm.OpLocalSet, wasm.OpLocalTee, wasm.OpCall, wasm.OpReturnCall, wasm.OpTableSet, wasm.OpGlobalSet:
		return true
	}
	return false
}

// operand returns the instruction that left the operand of instruction i with so many others above
// it; -1 if that is not known.
func (t *Trace) operand(i int32, above int) int32 {
	ops := t.at[i]
	if k := len(ops) - 1 - above; above >= 0 && k >= 0 {
		return ops[k]
	}
	return -1
}

// mostBetween bounds the instructions between a read of a local and the use of what was read.
const mostBetween = 1000

// local returns the local that an operand of instruction i was read from, if nothing has set it
// since; -1 if that is not known.
func (t *Trace) local(i int32, above int) int32 {
	by := t.operand(i, above)
	if by < 0 {
		return -1
	}
	if t.b.Instrs[by].Op == wasm.OpRefAsNonNull && by > 0 {
		by--
	}
	if op := t.b.Instrs[by].Op; op != wasm.OpLocalGet && op != wasm.OpLocalTee {
		return -1
	}
	l := t.b.Instrs[by].A
	if i-by > mostBetween {
		return -1
	}
	for k := by + 1; k < i; k++ {
		if in := &t.b.Instrs[k]; (in.Op == wasm.OpLocalSet || in.Op == wasm.OpLocalTee) && in.A == l {
			return -1
		}
	}
	return int32(l)
}

// stackRef reports whether a type is of references that name stacks.
func stackRef(mod *wasm.Module, t wasm.ValType) bool {
	if !t.IsRef() {
		return false
	}
	switch h := t.Heap(); {
	case h == wasm.HeapFiber, h == wasm.HeapTask, h == wasm.HeapCont, h == wasm.HeapStack:
		return true
	case h >= 0 && int64(h) < int64(len(mod.Types)):
		return mod.Types[h].Kind.Dialect() != wasm.DialectNone
	}
	return false
}
