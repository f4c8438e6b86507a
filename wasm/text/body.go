package text

import (
	"fmt"
	"slices"

	"stackscope/wasm"
)

// locals returns the identifiers of a function's parameters and locals.
func (p *printer) locals(fn uint32) *ids { return unique(p.names.Locals[fn]) }

// body prints the instructions of a function, a row for each; fn is BadIndex for a constant
// expression.
type body struct {
	*printer
	fn      uint32
	f       *wasm.Func
	locals  *ids
	pc      int         // the next row
	labels  []label     // open blocks, innermost last
	closed  label       // the last one that was closed
	blocks  uint32      // block instructions so far
	inEvent bool        // an event clause of the function itself is open: those are folded
	hints   []wasm.Hint // those of rows to come
	end     Span        // of the function's own `)`, if its body ends with `end`
}

type label struct {
	op   wasm.Op
	name string // of the block, as in the names; "" if it has none
	num  uint32 // ordinal of the block instruction
}

// rows returns how many instructions of a function have a row: all but the `end` of the function
// itself, which is its `)`.
func rows(f *wasm.Func) int {
	n := len(f.Body)
	if n > 0 && f.Body[n-1].Op == wasm.OpEnd {
		n--
	}
	return n
}

// headerLines returns how many lines stand before the rows of a function.
func headerLines(f *wasm.Func) int { return 1 + btoi(len(f.Locals) > 0) }

// rowLine returns the line of a row, counted from the first row's: branch hints have lines of their
// own, before their instructions.
func rowLine(f *wasm.Func, pc int) int {
	n, hinted := rows(f), 0
	for k, h := range f.Hints {
		if int64(h.PC) > int64(pc) || int64(h.PC) >= int64(n) || k > 0 && h.PC <= f.Hints[k-1].PC {
			break
		}
		hinted++
	}
	return pc + hinted
}

func (p *printer) body(i uint32, f *wasm.Func) *body {
	return &body{printer: p, fn: i, f: f, locals: p.locals(i), hints: f.Hints}
}

func (p *printer) fn(i uint32, f *wasm.Func) {
	b := p.body(i, f)
	from := p.pos() + wasm.Pos(1+len(p.o.Indent))
	b.header()
	spans := make([]Span, 0, len(f.Body))
	for b.pc < rows(f) {
		spans = append(spans, b.row())
	}
	if p.mp == nil {
		return
	}
	if len(spans) < len(f.Body) {
		spans = append(spans, b.end)
	}
	p.mp.Funcs[i] = Span{from, p.pos()}
	p.mp.Instrs[i] = spans
}

// header puts what stands before the rows.
func (b *body) header() {
	b.line(1)
	b.put("(func")
	b.ident(b.id.funcs, b.fn)
	b.typeUse(b.f.Type, b.locals)
	if len(b.f.Locals) > 0 {
		first := uint32(0)
		if ft := b.m.FuncType(b.f.Type); ft != nil {
			first = uint32(len(ft.Params))
		}
		b.line(2)
		n := len(b.b)
		b.list("local", b.f.Locals, b.locals, first)
		b.b = slices.Delete(b.b, n, n+1) // the space in front
	}
	b.flush()
}

// depth returns how deep the next row is indented.
func (b *body) depth() int { return 2 + len(b.labels) }

// opensClause reports whether the next row begins an event clause of the function itself.
func (b *body) opensClause() bool {
	return b.f.Body[b.pc].Op == wasm.OpEvent && len(b.labels) == 0
}

// row puts the next row, and what the text closes after it. It returns the place of the
// instruction.
func (b *body) row() Span {
	if len(b.hints) > 0 && int(b.hints[0].PC) == b.pc {
		b.line(b.depth())
		b.put("(@metadata.code.branch_hint ", quoteBytes([]byte{byte(btoi(b.hints[0].Likely))}), ")")
	}
	b.line(b.depth())
	if b.opensClause() {
		b.put("(")
	}
	s := Span{From: b.pos()}
	b.instr(&b.f.Body[b.pc])
	s.To = b.pos()
	b.skip()
	return s
}

// skip goes on to the next row. It puts no more than what the text closes.
func (b *body) skip() {
	if len(b.hints) > 0 && int(b.hints[0].PC) == b.pc {
		b.hints = b.hints[1:]
	}
	if b.opensClause() {
		b.inEvent = true
	}
	b.open(&b.f.Body[b.pc])
	b.pc++
	b.flush()
}

// flush closes what ends before the next row: arms and blocks and, in the text, an event clause of
// the function itself, and the function.
func (b *body) flush() {
	last := b.pc == len(b.f.Body)-1
	if b.pc < len(b.f.Body) {
		in := &b.f.Body[b.pc]
		b.close(in)
		if b.inEvent && len(b.labels) == 0 && (in.Op == wasm.OpEvent || last) {
			b.put(")")
			b.inEvent = false
		}
	}
	if b.pc == rows(b.f) {
		b.end = Span{b.pos(), b.pos() + 1}
		b.put(")")
	}
}

func (b *body) top() wasm.Op {
	if n := len(b.labels); n > 0 {
		return b.labels[n-1].op
	}
	return wasm.OpInvalid
}

func (b *body) pop() {
	if n := len(b.labels); n > 0 {
		b.closed = b.labels[n-1]
		b.labels = b.labels[:n-1]
	}
}

// close ends, before an instruction is printed, the arms and blocks that it ends.
func (b *body) close(in *wasm.Instr) {
	switch in.Op {
	case wasm.OpEnd:
		if b.top() == wasm.OpEvent {
			b.pop()
		}
		b.pop()
	case wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpDelegate:
		b.pop()
	case wasm.OpEvent:
		if b.top() == wasm.OpEvent {
			b.pop()
		}
	}
}

// open begins the block or arm that an instruction begins.
func (b *body) open(in *wasm.Instr) {
	switch op := in.Op; {
	case op.OpensBlock():
		b.labels = append(b.labels, label{op, b.names.Labels[b.fn][b.blocks], b.blocks})
		b.blocks++
	case op == wasm.OpElse, op == wasm.OpCatch, op == wasm.OpCatchAll: // with the label of their block
		b.labels = append(b.labels, label{op, b.closed.name, b.closed.num})
	case op == wasm.OpEvent:
		b.labels = append(b.labels, label{op, b.names.Labels[b.fn][b.blocks], b.blocks})
		b.blocks++
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// label returns a label's identifier if it leads to the block that is meant, else the depth.
func (b *body) label(depth uint32) string {
	n := int64(len(b.labels)) - 1 - int64(depth)
	if n < 0 {
		return fmt.Sprint(depth)
	}
	l := b.labels[n]
	if l.name != "" {
		for _, inner := range b.labels[n+1:] {
			if inner.name == l.name {
				return fmt.Sprint(depth)
			}
		}
		return Identifier(l.name)
	}
	if b.o.NoComments {
		return fmt.Sprint(depth)
	}
	return fmt.Sprintf("%d (;@%d;)", depth, l.num)
}
