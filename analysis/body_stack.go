package analysis

import (
	"slices"

	"stackscope/wasm"
)

// operand is an operand on the stack of some instructions of a body. Stacks share what is below
// their tops, so that those of all instructions together take as much room as the body has
// operands.
type operand struct {
	ty     wasm.ValType
	below  int32 // the operand below it, -1 if there is none
	height int32 // how many operands there are up to it
}

// stackAt is what is on the operand stack before and after an instruction.
type stackAt struct {
	top, after      int32 // operands; -1 if there is none
	base, afterBase int32 // how many operands are below the innermost block
	unreachable     bool
}

// types runs the typing engine over the body.
func (b *Body) types() {
	b.typing.Do(func() {
		b.before = make([]stackAt, len(b.Instrs)+1)
		t := b.m.Env().NewTyper(nil)
		params := 0
		if ft := b.m.d.Mod.FuncType(b.m.d.Mod.Funcs[b.Func].Type); ft != nil {
			params = min(len(ft.Params), len(b.Locals))
		}
		t.BeginLocals(b.Func, b.Locals[params:])
		base := func() int32 {
			cs := t.Controls()
			if len(cs) == 0 {
				return 0
			}
			return int32(cs[len(cs)-1].Height)
		}
		top := b.grow(-1, 0, t.Operands())
		for i := range b.Instrs {
			at := &b.before[i]
			at.top, at.base, at.unreachable = top, base(), t.Unreachable()
			t.Step(&b.Instrs[i])
			ops := t.Operands()
			top = b.grow(top, len(ops)-len(t.Pushed()), ops)
			at.after, at.afterBase = top, base()
		}
		b.before[len(b.Instrs)].top = top
		t.End()
	})
}

// grow makes the stack of ops of one that has the lowest operands of it, and returns its top.
func (b *Body) grow(top int32, keep int, ops []wasm.ValType) int32 {
	for top >= 0 && int(b.operands[top].height) > keep {
		top = b.operands[top].below
	}
	for _, ty := range ops[b.height(top):] {
		b.operands = append(b.operands, operand{ty, top, b.height(top) + 1})
		top = int32(len(b.operands) - 1)
	}
	return top
}

func (b *Body) height(top int32) int32 {
	if top < 0 {
		return 0
	}
	return b.operands[top].height
}

// list returns the uppermost n operands of a stack above base, bottom first.
func (b *Body) list(top, base int32, n int) []wasm.ValType {
	n = min(n, int(max(0, b.height(top)-base)))
	if n == 0 {
		return nil
	}
	out := make([]wasm.ValType, 0, n)
	for ; len(out) < n; top = b.operands[top].below {
		out = append(out, b.operands[top].ty)
	}
	slices.Reverse(out)
	return out
}

const allOperands = int(^uint(0) >> 1)

// StackBefore returns the operand types before an instruction, bottom first, of the innermost
// block; wasm.Unknown for what unreachable code left open.
func (b *Body) StackBefore(i int) []wasm.ValType {
	ts, _ := b.TopBefore(i, allOperands)
	return ts
}

// StackAtEnd returns the operand types before the last instruction, which ends the body, bottom
// first.
func (b *Body) StackAtEnd() []wasm.ValType { return b.StackBefore(len(b.Instrs) - 1) }

// StackAfter returns the operand types after an instruction, of the block that follows it.
func (b *Body) StackAfter(i int) []wasm.ValType {
	ts, _ := b.TopAfter(i, allOperands)
	return ts
}

// TopBefore returns the uppermost n operand types of StackBefore, and how many there are below
// them.
func (b *Body) TopBefore(i, n int) (ts []wasm.ValType, more int) {
	b.types()
	if i < 0 || i >= len(b.Instrs) {
		return nil, 0
	}
	at := &b.before[i]
	ts = b.list(at.top, at.base, n)
	return ts, int(max(0, b.height(at.top)-at.base)) - len(ts)
}

// TopAfter returns the uppermost n operand types of StackAfter, and how many there are below them.
func (b *Body) TopAfter(i, n int) (ts []wasm.ValType, more int) {
	b.types()
	if i < 0 || i >= len(b.Instrs) {
		return nil, 0
	}
	at := &b.before[i]
	ts = b.list(at.after, at.afterBase, n)
	return ts, int(max(0, b.height(at.after)-at.afterBase)) - len(ts)
}

// HeightBefore returns how many operands StackBefore has.
func (b *Body) HeightBefore(i int) int {
	_, n := b.TopBefore(i, 0)
	return n
}

// HeightAfter returns how many operands StackAfter has.
func (b *Body) HeightAfter(i int) int {
	_, n := b.TopAfter(i, 0)
	return n
}

// Change returns what differs between StackBefore and StackAfter of an instruction.
func (b *Body) Change(i int) (before, after []wasm.ValType) {
	b.types()
	if i < 0 || i >= len(b.Instrs) {
		return nil, nil
	}
	at := &b.before[i]
	keep := at.base
	if at.base == at.afterBase {
		// What both have of the same operands is the same.
		x, y := at.top, at.after
		for x != y {
			switch hx, hy := b.height(x), b.height(y); {
			case hx >= hy:
				x = b.operands[x].below
			default:
				y = b.operands[y].below
			}
		}
		keep = max(keep, b.height(x))
	}
	before, after = b.list(at.top, keep, allOperands), b.list(at.after, at.afterBase+keep-at.base, allOperands)
	k := 0
	for k < min(len(before), len(after)) && before[k] == after[k] {
		k++
	}
	return before[k:], after[k:]
}
