package ide

import (
	"fmt"
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// hoverInstr describes an instruction: its type here, its documentation, what it does to stacks,
// the operands before and after, its encoding.
func (p describer) hoverInstr() (HoverInfo, bool) {
	word := p.Tok
	if word.Kind() != syntax.TokKeyword {
		word = p.Node.Keyword()
	}
	if word.T == nil {
		return HoverInfo{}, false
	}
	op, ok := p.Op(word.Text())
	if !ok {
		return p.hoverWord()
	}
	b, i := p.Instr()
	var c card
	h := HoverInfo{Span: word.Span()}
	if b == nil || i < 0 || b.Instrs[i].Op.String() != op.String() {
		i = -1
	}
	t := query.NewTypes(p.Module)
	here := ""
	if i >= 0 {
		here = t.Here(b, i)
	}
	head := op.String()
	if i >= 0 && p.Node.Kind() == syntax.KInstr {
		head = headText(p.Snap.File(), b.Span(i))
		if sp := b.Span(i); sp.Contains(p.Off) {
			h.Span = sp
		}
	}
	sig := op.Signature()
	if here != "" {
		c.code(head + "\n" + here)
	} else {
		c.code(head + "\n" + sig)
	}
	if here != "" && here != sig && op.Info().Dialect != wasm.DialectNone {
		c.para("General form `" + sig + "`")
	}
	c.para(op.Info().Doc)
	c.para(StackText(op))
	if i >= 0 {
		p.instrDetails(&c, t, b, i)
		c.para(stackText(t, b, i))
	}
	if v := p.constText(); v != "" {
		c.para(v)
	}
	c.para(op.Elsewhere())
	c.para(strings.Join(notes(op), " · "))
	h.Markdown = c.String()
	return h, true
}

// headText returns an instruction's keyword and immediates on one line.
func headText(f *source.File, sp source.Span) string {
	s := strings.Join(strings.Fields(f.Text[sp.Start:sp.End]), " ")
	s = strings.TrimPrefix(s, "(")
	if len(s) > 100 {
		s = strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}

// stackText reports what is on the operand stack before and after an instruction.
func stackText(t query.Types, b *analysis.Body, i int) string {
	in := &b.Instrs[i]
	switch in.Op {
	case wasm.OpEvent, wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll: // a part that nothing falls into
		return "Operands inside `" + t.Top(b.TopAfter(i, query.ShownOperands)) + "`"
	case wasm.OpEnd, wasm.OpDelegate:
		if i+1 < len(b.Instrs) && b.Unreachable(i) { // a branch may come to it
			return "Operands after `" + t.Top(b.TopAfter(i, query.ShownOperands)) + "`"
		}
	}
	if b.Unreachable(i) {
		return "Unreachable."
	}
	before := t.Top(b.TopBefore(i, query.ShownOperands))
	switch {
	case in.Op.OpensBlock():
		return "Operands before `" + before + "`, inside `" + t.Top(b.TopAfter(i, query.ShownOperands)) + "`"
	case i+1 < len(b.Instrs) && b.Unreachable(i+1) && in.Op != wasm.OpEnd && in.Op != wasm.OpElse:
		return "Operands before `" + before + "`; the code after it is unreachable"
	}
	return "Operands before `" + before + "`, after `" + t.Top(b.TopAfter(i, query.ShownOperands)) + "`"
}

// notes returns the small print of an instruction: encoding, dialect, deprecation.
func notes(op wasm.Op) []string {
	in := op.Info()
	var out []string
	switch {
	case in.Enc == wasm.NoEncoding:
		out = append(out, "no binary encoding")
	case in.Enc > 0xffff:
		out = append(out, fmt.Sprintf("encoding `0x%02X 0x%02X`", in.Enc>>16, in.Enc&0xffff))
	default:
		out = append(out, fmt.Sprintf("encoding `0x%02X`", in.Enc))
	}
	if in.Dialect != wasm.DialectNone {
		out = append(out, "dialect `"+in.Dialect.String()+"`")
	}
	if in.Legacy {
		out = append(out, "deprecated")
	}
	return out
}

// instrDetails adds what is particular to an instruction at its place.
func (p describer) instrDetails(c *card, t query.Types, b *analysis.Body, i int) {
	in := &b.Instrs[i]
	switch in.Op {
	case wasm.OpResume, wasm.OpResumeThrow, wasm.OpResumeThrowRef:
		lines := []string{}
		if ft := t.Declared.ContFunc(in.A); ft != nil {
			lines = append(
				lines,
				"`"+t.Name(
					in.A,
				)+" = "+t.Short(
					in.A,
				)+"`: when it returns, it leaves `"+t.List(
					ft.Results,
				)+"` on the stack",
			)
		}
		if in.Ext != nil {
			for _, h := range in.Ext.HandlerClauses {
				lines = append(lines, p.clauseLine(t, b, i, h))
			}
			if len(in.Ext.HandlerClauses) == 0 {
				lines = append(lines, "no handler clauses: suspensions propagate to an outer `resume`")
			}
		} else {
			lines = append(lines, "no handler clauses: suspensions propagate to an outer `resume`")
		}
		c.lines(lines)
	case wasm.OpContNew, wasm.OpContBind:
		i := in.A
		if in.Op == wasm.OpContBind {
			i = in.B
		}
		c.lines(ticked(t.ExpandTypes([]uint32{i})))
	case wasm.OpSuspend:
		if ft := t.TagType(in.A); ft != nil {
			c.para(
				fmt.Sprintf(
					"Passes `%s` to the handler of `%s` and returns `%s` when resumed.",
					t.List(ft.Params),
					p.tagTitle(in.A),
					t.List(ft.Results),
				),
			)
		}
	case wasm.OpEvent:
		p.eventDetails(c, t, b, i)
	case wasm.OpEnd, wasm.OpElse:
		if bs := b.Blocks(i); len(bs) > 0 && bs[0] >= 0 {
			n := b.Node(bs[0])
			line, _ := p.Snap.File().LineCol(n.Span().Start)
			c.para(fmt.Sprintf("Closes the `%s` on line %d", headText(p.Snap.File(), b.Span(bs[0])), line))
		}
	}
	if in.Ext != nil && slices.Contains(in.Op.Info().Imms, wasm.ImmClauses) {
		for _, h := range in.Ext.HandlerClauses {
			p.eventClauseText(c, t, b, i, h)
		}
	}
	for _, imm := range in.Op.Info().Imms {
		if imm == wasm.ImmMemArg {
			al := uint64(1) << min(in.Align, 63)
			c.para(fmt.Sprintf("memory `%s` · offset %d · alignment %d", t.Declared.Names.Mem(in.A), in.Imm, al))
		}
	}
}

// clauseLine sums a clause up in one line.
func (p describer) clauseLine(t query.Types, b *analysis.Body, i int, h wasm.HandlerClause) string {
	tag := p.tagTitle(h.Tag)
	if h.Switch {
		return "`" + tag + "` → `switch`"
	}
	s := "`" + tag + "` → " + p.labelTitle(b, i, h.Label)
	if blk, ok := labelAt(b, i, h.Label); ok {
		s += " with `" + t.List(t.LabelTypes(b, blk)) + "`"
	}
	return s
}

// InstrDoc returns the documentation of a mnemonic as Markdown, apart from any place; of one that
// dialects share, each dialect's. It is "" if there is no such instruction.
func InstrDoc(name string) string {
	var c card
	for _, op := range wasm.Lookup(name) {
		c.code(op.String() + "\n" + op.Signature())
		c.para(op.Info().Doc)
		c.para(StackText(op))
		c.para(op.Elsewhere())
		c.para(strings.Join(notes(op), " · "))
	}
	return c.String()
}
