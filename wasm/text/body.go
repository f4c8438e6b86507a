package text

import (
	"fmt"
	"slices"

	"stackscope/wasm"
)

// locals gives the identifiers of a function's parameters and locals.
func (p *printer) locals(fn uint32) ids { return unique(p.names.Locals[fn]) }

// body prints the instructions of a function; fn is BadIndex for a constant expression.
type body struct {
	*printer
	fn     uint32
	locals ids
	labels []label // open blocks, innermost last
	closed label   // the last one that was closed
	blocks uint32  // block instructions so far
}

type label struct {
	op   wasm.Op
	name string // of the block, as in the names; "" if it has none
	num  uint32 // ordinal of the block instruction
}

func (p *printer) fn(i uint32, f *wasm.Func) {
	b := &body{printer: p, fn: i, locals: p.locals(i)}
	p.line(1)
	from := p.pos()
	p.put("(func")
	p.ident(p.id.funcs, i)
	p.typeUse(f.Type, b.locals)
	if len(f.Locals) > 0 {
		first := uint32(0)
		if ft := p.m.FuncType(f.Type); ft != nil {
			first = uint32(len(ft.Params))
		}
		p.line(2)
		n := len(p.b)
		p.list("local", f.Locals, b.locals, first)
		p.b = slices.Delete(p.b, n, n+1) // the space in front
	}
	spans := make([]Span, len(f.Body))
	clause := false // an event clause of the function itself is open: those are folded
	hints := f.Hints
	for j := range f.Body {
		in := &f.Body[j]
		b.close(in)
		if clause && len(b.labels) == 0 && (in.Op == wasm.OpEvent || j == len(f.Body)-1) {
			p.put(")")
			clause = false
		}
		if j == len(f.Body)-1 && in.Op == wasm.OpEnd {
			spans[j] = Span{p.pos(), p.pos() + 1} // the function's own `)`
			break
		}
		if len(hints) > 0 && int(hints[0].PC) == j {
			p.line(2 + len(b.labels))
			p.put("(@metadata.code.branch_hint ", quoteBytes([]byte{byte(btoi(hints[0].Likely))}), ")")
			hints = hints[1:]
		}
		p.line(2 + len(b.labels))
		if in.Op == wasm.OpEvent && len(b.labels) == 0 {
			p.put("(")
			clause = true
		}
		start := p.pos()
		b.instr(in)
		spans[j] = Span{start, p.pos()}
		b.open(in)
	}
	p.put(")")
	p.mp.Funcs[i] = Span{from, p.pos()}
	p.mp.Instrs[i] = spans
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

// label gives a label's identifier if it leads to the block that is meant, else the depth.
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
