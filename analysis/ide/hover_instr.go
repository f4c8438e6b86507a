package ide

import (
	"fmt"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// effectText reports what an instruction does to stacks and control.
var effectText = map[wasm.Effect]string{
	wasm.EffectTrap:     "Always traps.",
	wasm.EffectThrow:    "Throws: control goes to the innermost handler that matches, across stacks if need be.",
	wasm.EffectTailCall: "Leaves this function: nothing of its frame stays.",
	wasm.EffectNew:      "**Creates a stack.** Nothing runs until it is resumed.",
	wasm.EffectBind:     "**Consumes** the continuation: the old reference cannot be used again.",
	wasm.EffectResume:   "**Switches stacks:** control goes to the resumed stack; this one waits as its parent.",
	wasm.EffectSuspend:  "**Switches stacks:** control goes to an ancestor; this stack is suspended until somebody resumes it.",
	wasm.EffectSwitch:   "**Switches stacks:** control goes to a peer; this stack is suspended.",
	wasm.EffectRetire:   "**Switches stacks:** this one ends.",
	wasm.EffectRelease:  "**Ends a stack** without running it.",
}

// hoverInstr tells about an instruction: its type here, its documentation, what it does to stacks,
// the operands before and after, its encoding.
func (p place) hoverInstr() (HoverInfo, bool) {
	word := p.tok
	if word.Kind() != syntax.TokKeyword {
		word = p.n.Keyword()
	}
	if word.T == nil {
		return HoverInfo{}, false
	}
	op, ok := p.opOf(word.Text())
	if !ok {
		return p.hoverWord()
	}
	b, i := p.instr()
	var c card
	h := HoverInfo{Span: word.Span()}
	if b == nil || i < 0 || b.Instrs[i].Op.String() != op.String() {
		i = -1
	}
	t := newTyper(p.m)
	here := ""
	if i >= 0 {
		here = t.here(b, i)
	}
	head := op.String()
	if i >= 0 && p.n.Kind() == syntax.KInstr {
		head = headText(p.s.File(), b.Span(i))
		if sp := b.Span(i); sp.Contains(p.off) {
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
		c.para("In general `" + sig + "`")
	}
	c.para(op.Info().Doc)
	c.para(effectText[op.Info().Effect])
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

// opOf returns the instruction of a mnemonic in the module's dialect.
func (p place) opOf(name string) (wasm.Op, bool) {
	ops := wasm.Lookup(name)
	if len(ops) == 0 {
		return 0, false
	}
	if p.m != nil {
		if op, ok := ops[0].In(p.m.Dialect()); ok {
			return op, true
		}
	}
	return ops[0], true
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
func stackText(t typer, b *analysis.Body, i int) string {
	if b.Unreachable(i) {
		return "Cannot be reached."
	}
	in := &b.Instrs[i]
	before := t.top(b.TopBefore(i, shownOperands))
	switch {
	case in.Op.OpensBlock():
		return "Operands before `" + before + "`, inside `" + t.top(b.TopAfter(i, shownOperands)) + "`"
	case i+1 < len(b.Instrs) && b.Unreachable(i+1) && in.Op != wasm.OpEnd && in.Op != wasm.OpElse:
		return "Operands before `" + before + "`; what follows is never reached"
	}
	return "Operands before `" + before + "`, after `" + t.top(b.TopAfter(i, shownOperands)) + "`"
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

// here returns the type that an instruction has at its place, where its immediates settle it; ""
// where they do not.
func (t typer) here(b *analysis.Body, i int) string {
	in := &b.Instrs[i]
	params, results, ok := t.instance(b, in)
	if !ok {
		return ""
	}
	return t.arrow(params, results)
}

// instance returns parameters and results of an instruction whose immediates settle them.
func (t typer) instance(b *analysis.Body, in *wasm.Instr) (params, results []wasm.ValType, ok bool) {
	ref := func(null bool, i uint32) wasm.ValType { return wasm.Ref(null, wasm.HeapType(i)) }
	one := func(v wasm.ValType) []wasm.ValType { return []wasm.ValType{v} }
	known := func(i uint32) bool { return t.sub(i) != nil }
	if info := in.Op.Info(); info.Fixed {
		params = info.Params
		if info.Addr && len(params) > 0 && int64(in.A) < int64(len(t.ir.Mems)) && t.ir.Mems[in.A].Limits.Is64 {
			params = append([]wasm.ValType{wasm.I64}, params[1:]...)
		}
		return params, info.Results, true
	}
	switch in.Op {
	case wasm.OpCall, wasm.OpReturnCall:
		if ft := t.funcType(in.A); ft != nil {
			return ft.Params, ft.Results, true
		}
	case wasm.OpCallRef, wasm.OpReturnCallRef:
		if ft := t.ir.FuncType(in.A); ft != nil {
			return append(both(ft.Params, nil), ref(true, in.A)), ft.Results, true
		}
	case wasm.OpLocalGet, wasm.OpLocalSet, wasm.OpLocalTee:
		if int64(in.A) < int64(len(b.Locals)) {
			v := one(b.Locals[in.A])
			switch in.Op {
			case wasm.OpLocalGet:
				return nil, v, true
			case wasm.OpLocalSet:
				return v, nil, true
			}
			return v, v, true
		}
	case wasm.OpGlobalGet, wasm.OpGlobalSet:
		if int64(in.A) < int64(len(t.ir.Globals)) {
			v := one(t.ir.Globals[in.A].Type)
			if in.Op == wasm.OpGlobalGet {
				return nil, v, true
			}
			return v, nil, true
		}
	case wasm.OpRefFunc:
		if int64(in.A) < int64(len(t.ir.Funcs)) {
			return nil, one(ref(false, t.ir.Funcs[in.A].Type)), true
		}
	case wasm.OpRefNull:
		return nil, one(in.Ref()), true
	case wasm.OpThrow:
		if ft := t.tagType(in.A); ft != nil {
			return ft.Params, nil, true
		}
	case wasm.OpSuspend:
		if ft := t.tagType(in.A); ft != nil {
			return ft.Params, ft.Results, true
		}
	case wasm.OpContNew:
		if ty := t.sub(in.A); ty != nil && ty.Kind == wasm.CompCont && known(ty.Func) {
			return one(ref(true, ty.Func)), one(ref(false, in.A)), true
		}
	case wasm.OpContBind:
		from, to := t.ir.ContFunc(in.A), t.ir.ContFunc(in.B)
		if from != nil && to != nil && len(to.Params) <= len(from.Params) {
			bound := from.Params[:len(from.Params)-len(to.Params)]
			return append(both(bound, nil), ref(true, in.A)), one(ref(false, in.B)), true
		}
	case wasm.OpResume:
		if ft := t.ir.ContFunc(in.A); ft != nil {
			return append(both(ft.Params, nil), ref(true, in.A)), ft.Results, true
		}
	case wasm.OpResumeThrow:
		ft, tag := t.ir.ContFunc(in.A), t.tagType(in.B)
		if ft != nil && tag != nil {
			return append(both(tag.Params, nil), ref(true, in.A)), ft.Results, true
		}
	case wasm.OpResumeThrowRef:
		if ft := t.ir.ContFunc(in.A); ft != nil {
			return []wasm.ValType{wasm.ExnRef, ref(true, in.A)}, ft.Results, true
		}
	case wasm.OpSwitch:
		if ft := t.ir.ContFunc(in.A); ft != nil && len(ft.Params) > 0 {
			n := len(ft.Params) - 1
			if last := ft.Params[n]; last.IsRef() && last.Heap() >= 0 {
				if back := t.ir.ContFunc(uint32(last.Heap())); back != nil {
					return append(both(ft.Params[:n], nil), ref(true, in.A)), back.Params, true
				}
			}
		}
	case wasm.OpCallIndirect, wasm.OpReturnCallIndirect:
		if ft := t.ir.FuncType(in.B); ft != nil && int64(in.A) < int64(len(t.ir.Tables)) {
			return append(both(ft.Params, nil), t.m.Env().TableAddr(in.A)), ft.Results, true
		}
	case wasm.OpStructNew:
		if ty := t.sub(in.A); ty != nil && ty.Kind == wasm.CompStruct {
			for _, f := range ty.Fields {
				params = append(params, f.Type.Unpacked())
			}
			return params, one(ref(false, in.A)), true
		}
	case wasm.OpStructGet, wasm.OpStructGetS, wasm.OpStructGetU, wasm.OpStructSet:
		if ty := t.sub(in.A); ty != nil && ty.Kind == wasm.CompStruct && int64(in.B) < int64(len(ty.Fields)) {
			v := ty.Fields[in.B].Type.Unpacked()
			if in.Op == wasm.OpStructSet {
				return []wasm.ValType{ref(true, in.A), v}, nil, true
			}
			return one(ref(true, in.A)), one(v), true
		}
	case wasm.OpArrayNew, wasm.OpArrayGet, wasm.OpArrayGetS, wasm.OpArrayGetU, wasm.OpArraySet:
		if ty := t.sub(in.A); ty != nil && ty.Kind == wasm.CompArray && len(ty.Fields) == 1 {
			v := ty.Fields[0].Type.Unpacked()
			switch in.Op {
			case wasm.OpArrayNew:
				return []wasm.ValType{v, wasm.I32}, one(ref(false, in.A)), true
			case wasm.OpArraySet:
				return []wasm.ValType{ref(true, in.A), wasm.I32, v}, nil, true
			}
			return []wasm.ValType{ref(true, in.A), wasm.I32}, one(v), true
		}
	case wasm.OpBlock, wasm.OpLoop, wasm.OpTryTable, wasm.OpTry, wasm.OpBarrier:
		params, results = t.blockType(in.Block())
		return params, results, true
	case wasm.OpIf:
		params, results = t.blockType(in.Block())
		return append(both(params, nil), wasm.I32), results, true
	}
	return nil, nil, false
}

// instrDetails adds what is particular to an instruction at its place.
func (p place) instrDetails(c *card, t typer, b *analysis.Body, i int) {
	in := &b.Instrs[i]
	switch in.Op {
	case wasm.OpResume, wasm.OpResumeThrow, wasm.OpResumeThrowRef:
		lines := []string{}
		if ft := t.ir.ContFunc(in.A); ft != nil {
			lines = append(
				lines,
				"`"+t.name(in.A)+" = "+t.short(in.A)+"`: when it returns, `"+t.list(ft.Results)+"` is on the stack",
			)
		}
		if in.Ext != nil {
			for _, h := range in.Ext.Handlers {
				lines = append(lines, p.handlerLine(t, b, i, h))
			}
			if len(in.Ext.Handlers) == 0 {
				lines = append(lines, "no clauses: suspensions pass to an outer `resume`")
			}
		} else {
			lines = append(lines, "no clauses: suspensions pass to an outer `resume`")
		}
		c.lines(lines)
	case wasm.OpContNew, wasm.OpContBind:
		i := in.A
		if in.Op == wasm.OpContBind {
			i = in.B
		}
		c.lines(ticked(t.expandTypes([]uint32{i})))
	case wasm.OpSuspend:
		if ft := t.tagType(in.A); ft != nil {
			c.para(
				fmt.Sprintf(
					"Sends `%s` to the handler of `%s`, gives back `%s`.", t.list(ft.Params), p.tagTitle(in.A),
					t.list(ft.Results),
				),
			)
		}
	case wasm.OpEnd, wasm.OpElse:
		if bs := b.Blocks(i); len(bs) > 0 && bs[0] >= 0 {
			n := b.Node(bs[0])
			line, _ := p.s.File().LineCol(n.Span().Start)
			c.para(fmt.Sprintf("Closes the `%s` of line %d", headText(p.s.File(), b.Span(bs[0])), line))
		}
	}
	for _, imm := range in.Op.Info().Imms {
		if imm == wasm.ImmMemArg {
			al := uint64(1) << min(in.Align, 63)
			c.para(fmt.Sprintf("memory `%s` · offset %d · alignment %d", t.ir.Names.Mem(in.A), in.Imm, al))
		}
	}
}

// handlerLine sums a clause up in one line.
func (p place) handlerLine(t typer, b *analysis.Body, i int, h wasm.Handler) string {
	tag := p.tagTitle(h.Tag)
	if h.Switch {
		return "`" + tag + "` → `switch`"
	}
	s := "`" + tag + "` → " + p.labelTitle(b, i, h.Label)
	if blk, ok := labelAt(b, i, h.Label); ok {
		s += " with `" + t.list(t.labelTypes(b, blk)) + "`"
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
		c.para(effectText[op.Info().Effect])
		c.para(op.Elsewhere())
		c.para(strings.Join(notes(op), " · "))
	}
	return c.String()
}
