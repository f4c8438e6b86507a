package analysis

import (
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Body is the body of a function, lowered to a flat sequence, with the way back to the text.
// Instruction indices are those of Instrs, which is what the VM runs too.
type Body struct {
	Func   uint32
	Locals []wasm.ValType // parameters first
	Instrs []wasm.Instr   // ends with OpEnd
	Stmts  []wasm.Stmt
}

// Node gives the node of an instruction; of `end` and of the flat `else` the block's, of the
// function's own end the function's.
func (b *Body) Node(i int) syntax.N { return syntax.N{} }

// Index gives the instruction of a KInstr or KBlock node (a block: its header), and whether there is one.
func (b *Body) Index(n syntax.N) (int, bool) { return 0, false }

// Span gives the text of an instruction: keyword and immediates, without folded operands.
func (b *Body) Span(i int) source.Span { return source.Span{} }

// At gives the instruction at an offset: the one whose keyword or immediates hold it, else the
// innermost folded one or block around it; -1 if there is none.
func (b *Body) At(off int) int { return -1 }

// Next gives the first instruction that starts at or behind an offset in the order of execution:
// where something written at the offset would run just before. It is len(Instrs)-1, the
// function's end, behind the last.
func (b *Body) Next(off int) int { return 0 }

// StackBefore gives the operand types before an instruction, bottom first, of the innermost block;
// wasm.Unknown for what unreachable code left open. It must not be changed.
func (b *Body) StackBefore(i int) []wasm.ValType { return nil }

// StackAfter gives the operand types after an instruction, of the block that follows it.
func (b *Body) StackAfter(i int) []wasm.ValType { return nil }

// Unreachable tells whether an instruction can never run (what stands behind br, unreachable …).
func (b *Body) Unreachable(i int) bool { return false }

// Blocks gives the block instructions around an instruction, innermost first: Blocks(i)[d] is what
// label d names there, -1 the function.
func (b *Body) Blocks(i int) []int { return nil }

// LabelTargets gives the block instructions that the labels of an instruction name, in text order
// with the labels of clauses: -1 the function, -2 a label that stands for nothing.
func (b *Body) LabelTargets(i int) []int { return nil }

// End gives the instruction that ends the block that begins at i: its OpEnd or OpDelegate.
func (b *Body) End(i int) int { return i }
