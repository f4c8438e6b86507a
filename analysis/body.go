package analysis

import (
	"sync"

	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
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

	m      *Module
	low    *lower.Body
	ends   []int32 // by instruction: of a block its end, else 0
	around []int32 // by instruction: the innermost block around it, -1 the function

	typing   sync.Once
	operands []operand
	before   []stackAt
}

// Body returns the body of a function, lowered and typed; nil for an import or an unknown index.
func (m *Module) Body(fn uint32) *Body {
	d := m.decls()
	if int64(fn) >= int64(len(d.Mod.Funcs)) || d.Mod.Funcs[fn].Import >= 0 {
		return nil
	}
	return recall(m, d.Spaces[decl.SpaceFunc].Items[fn].Unit, func(r *recent) (*Body, bool) {
		return r.body, r.body != nil && r.body.Func == fn
	}, func() *Body { return m.body(fn) }, func(r *recent, b *Body) { r.body = b })
}

// body makes the body of a function.
func (m *Module) body(fn uint32) *Body {
	l := m.lowerer(nil)
	l.Silent, l.WantStmts = true, true
	l.Unit = m.unit(m.decls().Spaces[decl.SpaceFunc].Items[fn].Unit)
	low := l.Function(fn)
	b := &Body{Func: fn, Locals: low.Locals, Instrs: low.Instrs, Stmts: low.Statements(), m: m, low: low}
	b.ends, b.around = make([]int32, len(b.Instrs)), make([]int32, len(b.Instrs))
	var open []int32
	for i := range b.Instrs {
		b.around[i] = -1
		if len(open) > 0 {
			b.around[i] = open[len(open)-1]
		}
		switch op := b.Instrs[i].Op; {
		case op == wasm.OpEvent: // ends the clause before it, if there is one
			if n := len(open); n > 0 && b.Instrs[open[n-1]].Op == wasm.OpEvent {
				b.ends[open[n-1]] = int32(i)
				open = open[:n-1]
				b.around[i] = -1
				if n > 1 {
					b.around[i] = open[n-2]
				}
			}
			open = append(open, int32(i))
		case op.OpensBlock():
			open = append(open, int32(i))
		case (op == wasm.OpEnd || op == wasm.OpDelegate) && len(open) > 0:
			if n := len(open); b.Instrs[open[n-1]].Op == wasm.OpEvent { // the handle's last clause
				b.ends[open[n-1]] = int32(i)
				open = open[:n-1]
			}
			if len(open) == 0 {
				break
			}
			b.ends[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		}
	}
	return b
}

// Module returns the module the body is of.
func (b *Body) Module() *Module { return b.m }

// Node returns the node of an instruction; of `end` and of the flat `else` the block's, of the
// function's own end the function's.
func (b *Body) Node(i int) syntax.N {
	if i < 0 || i >= len(b.low.Nodes) {
		return syntax.N{}
	}
	return b.m.node(b.low.Unit.Index, b.low.Nodes[i])
}

// Index returns the instruction of a KInstr or KBlock node (a block: its header), and whether there
// is one.
func (b *Body) Index(n syntax.N) (int, bool) {
	if n.IsZero() || int(n.U) != b.m.first+int(b.low.Unit.Index) {
		return 0, false
	}
	for i, x := range b.low.Nodes {
		if x == uint32(n.I) && !b.divides(i) {
			return i, true
		}
	}
	return 0, false
}

// divides reports whether an instruction ends or divides the block whose node it has.
func (b *Body) divides(i int) bool {
	switch b.Instrs[i].Op {
	case wasm.OpEnd, wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpDelegate:
		return true
	}
	return false
}

// Span returns the text of an instruction: keyword and immediates, without folded operands.
func (b *Body) Span(i int) source.Span {
	if i < 0 || i >= len(b.Instrs) {
		return source.Span{}
	}
	if b.divides(i) {
		return b.m.span(b.low.EndPlace(i))
	}
	return b.m.span(b.low.OwnPlace(b.low.Nodes[i]))
}

// At returns the instruction at an offset: the one whose keyword or immediates hold it, else the
// innermost folded one or block around it; -1 if there is none.
func (b *Body) At(off int) int {
	best, size := -1, 1<<62
	around, width := -1, 1<<62
	for i := range b.Instrs {
		at := int(b.Instrs[i].At)
		if b.divides(i) {
			if b.low.Nodes[i] != 0 && off >= at && off <= at+len(b.Instrs[i].Op.Info().Name) {
				if s := b.Span(i); s.Contains(off) && s.End-s.Start < size {
					best, size = i, s.End-s.Start
				}
			}
			continue
		}
		n := &b.low.Unit.Nodes[b.low.Nodes[i]]
		if n.TokEnd <= n.Tok {
			continue
		}
		whole := source.Span{Start: b.low.Unit.Off + int(b.low.Unit.Tokens[n.Tok].Off)}
		last := b.low.Unit.Tokens[n.TokEnd-1]
		whole.End = b.low.Unit.Off + int(last.Off+last.Len)
		if !whole.Contains(off) {
			continue
		}
		if w := whole.End - whole.Start; w < width {
			around, width = i, w
		}
		if s := b.Span(i); s.Contains(off) && s.End-s.Start < size {
			best, size = i, s.End-s.Start
		}
	}
	if best >= 0 {
		return best
	}
	return around
}

// Next returns the first instruction that starts at or after an offset in the order of execution:
// where something written at the offset would run just before. It is len(Instrs)-1, the
// function's end, after the last.
func (b *Body) Next(off int) int {
	// In the order of execution texts may go back and forth: the first statement or operand whose
	// text ends after the offset has not run yet.
	for i := range b.Instrs {
		n := &b.low.Unit.Nodes[b.low.Nodes[i]]
		if b.low.Nodes[i] == 0 || n.TokEnd <= n.Tok {
			continue
		}
		if b.divides(i) {
			if int(b.Instrs[i].At) >= off {
				return i
			}
			continue
		}
		last := b.low.Unit.Tokens[n.TokEnd-1]
		end := b.low.Unit.Off + int(last.Off+last.Len)
		if n.Kind == syntax.KBlock {
			end = int(b.Instrs[i].At) // after the keyword one is inside
			if off <= b.low.Unit.Off+int(b.low.Unit.Tokens[n.Tok].Off) {
				return i
			}
		}
		if end > off && (n.Kind != syntax.KBlock || end >= off) ||
			end == off && !b.low.Unit.Folded(b.low.Nodes[i]) && int(b.Instrs[i].At) >= off {
			return i
		}
	}
	return len(b.Instrs) - 1
}

// Unreachable reports whether an instruction can never run (what stands after br, unreachable …).
func (b *Body) Unreachable(i int) bool {
	b.types()
	return i >= 0 && i < len(b.Instrs) && b.before[i].unreachable
}

// Blocks returns the block instructions around an instruction, innermost first: Blocks(i)[d] is
// what label d names there, -1 the function.
func (b *Body) Blocks(i int) []int {
	var out []int
	for i >= 0 && i < len(b.around) {
		i = int(b.around[i])
		out = append(out, i)
	}
	return out
}

// Block returns the instruction that begins a block, an event clause among them, by the number of
// its label symbol; -1 if there is none.
func (b *Body) Block(n uint32) int {
	if int64(n) >= int64(len(b.low.Blocks)) {
		return -1
	}
	return int(b.low.Blocks[n].Instr)
}

// LabelTargets returns the block instructions that the labels of an instruction name, in text order
// with the labels of clauses: -1 the function, -2 a label that stands for nothing.
func (b *Body) LabelTargets(i int) []int {
	if i < 0 || i >= len(b.Instrs) {
		return nil
	}
	in := &b.Instrs[i]
	var labels []uint32
	for k, imm := range in.Op.Info().Imms {
		switch imm {
		case wasm.ImmLabel:
			if k == 0 {
				labels = append(labels, in.A)
			} else {
				labels = append(labels, in.B)
			}
		case wasm.ImmLabels:
			if in.Ext != nil {
				labels = append(labels, in.Ext.Labels...)
			}
		case wasm.ImmCatches:
			if in.Ext != nil {
				for _, c := range in.Ext.Catches {
					labels = append(labels, c.Label)
				}
			}
		case wasm.ImmHandlerClauses, wasm.ImmClauses:
			if in.Ext != nil && in.Op != wasm.OpMountFiberNew {
				for _, h := range in.Ext.HandlerClauses {
					if !h.Switch {
						labels = append(labels, h.Label)
					}
				}
			}
		}
	}
	if labels == nil {
		return nil
	}
	blocks := b.Blocks(i)
	if in.Op == wasm.OpDelegate && len(blocks) > 0 {
		blocks = blocks[1:]
	}
	out := make([]int, len(labels))
	for k, d := range labels {
		out[k] = -2
		if int64(d) < int64(len(blocks)) {
			out[k] = blocks[d]
		}
	}
	return out
}

// End returns the instruction that ends the block that begins at i: its OpEnd or OpDelegate.
func (b *Body) End(i int) int {
	if i < 0 {
		return len(b.Instrs) - 1
	}
	if i < len(b.ends) && b.ends[i] > 0 {
		return int(b.ends[i])
	}
	return i
}

// StmtAt returns the statement whose text holds the offset, the innermost, and whether there is
// one.
func (b *Body) StmtAt(off int) (wasm.Stmt, bool) {
	var best wasm.Stmt
	found := false
	for _, s := range b.Stmts {
		if int(s.From) <= off && off <= int(s.To) && (!found || s.To-s.From < best.To-best.From) {
			best, found = s, true
		}
	}
	return best, found
}
