package analysis

import (
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// explain turns a violation in the sequence that was lowered last into a finding.
func (l *lowerer) explain(e *valid.Error) finding {
	f := finding{code: diag.Code(e.Code), msg: e.Msg}
	u := &l.u
	if e.Instr < 0 || e.Instr >= len(l.instrs) {
		f.at = u.at(u.keyword(0))
		if e.Part == valid.PartBody && e.Instr < 0 {
			f.at = l.localTypePlace(int(e.Sub))
		}
		return f
	}
	in := &l.instrs[e.Instr]
	n := l.nodes[e.Instr]
	switch in.Op {
	case wasm.OpEnd, wasm.OpElse:
		f.at = l.endPlace(e.Instr)
		l.explainEnd(e, &f)
		return f
	}
	f.at = l.ownPlace(n)
	switch {
	case e.Operand >= 0:
		if p, ok := l.operandPlace(n, e.Operand, len(e.Want)); ok {
			f.at = p
		}
	case e.Imm >= 0:
		if p, ok := l.immPlace(n, in, e.Imm); ok {
			f.at = p
		}
	}
	switch e.Code {
	case valid.CodeHandlerLabel:
		l.explainHandler(e, &f)
	case valid.CodeUndeclaredFunc:
		l.fixUndeclared(in.A, &f)
	case valid.CodeAlignment:
		l.fixAlignment(n, in, &f)
	case valid.CodePacking:
		l.fixPacking(e, n, in, &f)
	case valid.CodeUninitialized, valid.CodeUnknownLocal:
		if int64(in.A) < int64(len(l.localItems)) {
			if it := l.localItems[in.A]; it.node != 0 {
				f.related = append(f.related, relatedAt{u.nodePlace(it.node), "the local is declared here"})
				if it.id >= 0 {
					f.msg = strings.Replace(f.msg, "uninitialized local "+itoa(in.A), "uninitialized local "+u.str(uint32(it.id)), 1)
				}
			}
		}
	case valid.CodeImmutable:
		l.relateImmutable(in, &f)
	case valid.CodeTypeKind, valid.CodeSwitchTag:
		l.relateImm(e, in, &f)
	case valid.CodeTypeMismatch:
		l.relateMismatch(e, in, &f)
	}
	return f
}

// ownPlace returns keyword and immediates of an instruction, or a block's header.
func (l *lowerer) ownPlace(n uint32) place {
	u := &l.u
	if int(n) >= len(u.Nodes) {
		return u.at(0)
	}
	kw := u.keyword(n)
	p := parts{u, kw + 1, u.Nodes[n].TokEnd, n + 1, u.Nodes[n].Next}
	end := kw + 1
	for {
		i, node, ok := p.peek()
		if !ok {
			break
		}
		if node {
			switch u.Nodes[i].Kind {
			case syntax.KTypeUse,
				syntax.KParam,
				syntax.KResult,
				syntax.KOn,
				syntax.KClause,
				syntax.KCatch,
				syntax.KRefType,
				syntax.KNumType:
				end = u.Nodes[i].TokEnd
				p.skip()
				continue
			}
			break
		}
		if k := u.kind(i); k == syntax.TokRParen || k == syntax.TokLParen {
			break
		}
		if u.Nodes[n].Kind == syntax.KBlock && (i > kw+1 || u.kind(i) != syntax.TokID) { // only a label belongs to the head
			break
		}
		end = i + 1
		p.skip()
	}
	return u.place(kw, end)
}

// endPlace returns the place of an instruction that divides or ends a block.
func (l *lowerer) endPlace(i int) place {
	u := &l.u
	off := uint32(l.instrs[i].At) - uint32(u.off)
	lo, hi := 0, len(u.Tokens)
	for lo < hi {
		if h := (lo + hi) / 2; u.Tokens[h].Off < off {
			lo = h + 1
		} else {
			hi = h
		}
	}
	if lo < len(u.Tokens) {
		return u.at(uint32(lo))
	}
	return u.at(uint32(len(u.Tokens) - 1))
}

// explainEnd adds what the end of a block is the end of.
func (l *lowerer) explainEnd(e *valid.Error, f *finding) {
	u := &l.u
	n := l.nodes[e.Instr]
	if e.Code != valid.CodeTypeMismatch {
		return
	}
	if l.superfluous(e, f) {
		return
	}
	what := "the block begins here"
	if int(n) < len(u.Nodes) && (n == 0 || u.Nodes[n].Kind == syntax.KFunc) {
		what = "the function's type is declared here"
		if c := l.header(0); c != (place{}) {
			f.related = append(f.related, relatedAt{c, what})
		}
		return
	}
	if int(n) < len(u.Nodes) && u.Nodes[n].Kind == syntax.KBlock {
		f.related = append(f.related, relatedAt{l.ownPlace(n), what})
	}
}

// header returns the place of the type of a function or block: from its first part to the last.
func (l *lowerer) header(n uint32) place {
	u := &l.u
	first, last := uint32(0), uint32(0)
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		switch u.Nodes[c].Kind {
		case syntax.KTypeUse, syntax.KParam, syntax.KResult:
			if first == 0 {
				first = u.Nodes[c].Tok
			}
			last = u.Nodes[c].TokEnd
		case syntax.KInlineExport, syntax.KInlineImport, syntax.KAnnot:
		default:
			if first == 0 {
				return u.at(u.keyword(n))
			}
			return u.place(first, last)
		}
	}
	if first == 0 {
		return u.at(u.keyword(n))
	}
	return u.place(first, last)
}

// operandPlace returns the folded operand number k of want, if every operand is folded and gives
// one value.
func (l *lowerer) operandPlace(n uint32, k, want int) (place, bool) {
	u := &l.u
	if u.Nodes[n].Kind != syntax.KInstr && u.Nodes[n].Op != wasm.OpIf {
		return place{}, false
	}
	var kids []uint32
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		if isInstr(u.Nodes[c].Kind) {
			kids = append(kids, c)
		}
	}
	if len(kids) != want || k >= len(kids) {
		return place{}, false
	}
	return l.u.nodePlace(kids[k]), true
}

// immPlace returns the place of immediate number k of an instruction.
func (l *lowerer) immPlace(n uint32, in *wasm.Instr, k int) (place, bool) {
	u := &l.u
	kw := u.keyword(n)
	p := parts{u, kw + 1, u.Nodes[n].TokEnd, n + 1, u.Nodes[n].Next}
	info := in.Op.Info()
	memarg := len(info.Imms) > 0 && info.Imms[0] == wasm.ImmMemArg
	if memarg && k == 1 {
		k = 0
		for { // the lane is the last number
			i, node, ok := p.next()
			if !ok || node || u.kind(i) == syntax.TokRParen {
				return place{}, false
			}
			if q, node, ok := p.peek(); !ok || node || u.kind(q) == syntax.TokRParen {
				return u.at(i), true
			}
		}
	}
	if memarg {
		var first, align place
		for {
			i, node, ok := p.next()
			if !ok || node {
				break
			}
			s := u.str(i)
			if first == (place{}) && (u.kind(i) == syntax.TokID || u.kind(i) == syntax.TokNat) {
				first = u.at(i)
			}
			if strings.HasPrefix(s, "align=") || strings.HasPrefix(s, "offset=") {
				align = u.at(i)
			}
		}
		if align != (place{}) {
			return align, true
		}
		return first, first != (place{})
	}
	if len(info.Imms) > 0 && (info.Imms[0] == wasm.ImmTable || info.Imms[0] == wasm.ImmMemory) {
		need := len(info.Imms)
		if info.Imms[need-1] == wasm.ImmTypeUse {
			need--
		}
		if l.countIndices(&p) < need && k == 0 {
			return place{}, false // left out
		} else if l.countIndices(&p) < need {
			k--
		}
	}
	for {
		i, node, ok := p.next()
		if !ok {
			return place{}, false
		}
		if node && isInstr(u.Nodes[i].Kind) || !node && u.kind(i) == syntax.TokRParen {
			return place{}, false
		}
		if k--; k < 0 {
			if !node {
				return u.at(i), true
			}
			switch u.Nodes[i].Kind {
			case syntax.KOn, syntax.KCatch, syntax.KClause:
				return l.clauseTarget(i), true
			}
			return u.nodePlace(i), true
		}
	}
}

// clauseTarget returns the last word of a clause: its label; the whole clause if there is none.
func (l *lowerer) clauseTarget(c uint32) place {
	u := &l.u
	for t := u.Nodes[c].TokEnd - 1; t > u.Nodes[c].Tok; t-- {
		switch u.kind(t) {
		case syntax.TokID, syntax.TokNat:
			return u.at(t)
		}
	}
	return u.nodePlace(c)
}

// localTypePlace returns the place of the type of local k, without parameters.
func (l *lowerer) localTypePlace(k int) place {
	n := 0
	u := &l.u
	if ft := l.d.mod.FuncType(l.d.mod.Funcs[l.fn].Type); l.fn != wasm.BadIndex && ft != nil {
		n = len(ft.Params)
	}
	if i := n + k; i < len(l.localItems) && l.localItems[i].node != 0 {
		return u.nodePlace(l.localItems[i].node)
	}
	return u.at(u.keyword(0))
}

// relateItem points at the declaration of an item.
func (l *lowerer) relateItem(sp Space, i uint32, msg string, f *finding) {
	if int64(i) < int64(len(l.d.spaces[sp].items)) {
		it := l.d.spaces[sp].items[i]
		f.related = append(f.related, relatedAt{l.idPlace(it), msg})
	}
}

func (l *lowerer) relateImmutable(in *wasm.Instr, f *finding) {
	switch in.Op {
	case wasm.OpGlobalSet:
		l.relateItem(SpaceGlobal, in.A, "the global is declared here", f)
	default:
		l.relateItem(SpaceType, in.A, "the type is defined here", f)
	}
}

// relateImm points at the declaration of the item that an immediate names.
func (l *lowerer) relateImm(e *valid.Error, in *wasm.Instr, f *finding) {
	info := in.Op.Info()
	if e.Imm < 0 || e.Imm >= len(info.Imms) {
		return
	}
	i := in.A
	if e.Imm == 1 {
		i = in.B
	}
	switch info.Imms[e.Imm] {
	case wasm.ImmType:
		l.relateItem(SpaceType, i, "the type is defined here", f)
	case wasm.ImmTag:
		l.relateItem(SpaceTag, i, "the tag is declared here", f)
	}
}

// relateMismatch points at the declaration that asks for the operands.
func (l *lowerer) relateMismatch(e *valid.Error, in *wasm.Instr, f *finding) {
	switch in.Op {
	case wasm.OpCall, wasm.OpReturnCall:
		l.relateItem(SpaceFunc, in.A, "the function is declared here", f)
	case wasm.OpGlobalSet:
		l.relateItem(SpaceGlobal, in.A, "the global is declared here", f)
	case wasm.OpLocalSet, wasm.OpLocalTee:
		if int64(in.A) < int64(len(l.localItems)) && l.localItems[in.A].node != 0 {
			f.related = append(f.related, relatedAt{l.u.nodePlace(l.localItems[in.A].node), "the local is declared here"})
		}
	case wasm.OpSuspend, wasm.OpThrow:
		l.relateItem(SpaceTag, in.A, "the tag is declared here", f)
	case wasm.OpResume,
		wasm.OpContNew,
		wasm.OpCallRef,
		wasm.OpReturnCallRef,
		wasm.OpSwitch,
		wasm.OpContBind,
		wasm.OpResumeThrow,
		wasm.OpResumeThrowRef:
		l.relateItem(SpaceType, in.A, "the type is defined here", f)
		if in.Op == wasm.OpContBind && e.Imm == 1 {
			l.relateItem(SpaceType, in.B, "the type is defined here", f)
		}
	}
}

// fixUndeclared offers to declare a function whose reference is taken.
func (l *lowerer) fixUndeclared(fn uint32, f *finding) {
	if int64(fn) >= int64(len(l.d.spaces[SpaceFunc].items)) {
		return
	}
	it := l.d.spaces[SpaceFunc].items[fn]
	u := l.unitAt(it.unit)
	p := u.at(0)
	p.to = p.from
	name := itoa(fn)
	if it.id >= 0 {
		name = u.str(uint32(it.id))
	}
	f.related = append(f.related, relatedAt{l.idPlace(it), "the function is declared here"})
	f.fixes = append(
		f.fixes,
		fixAt{
			"Declare it: (elem declare func " + name + ")",
			[]editAt{{p, "(elem declare func " + name + ")" + newLine}}, true,
		},
	)
}

func (l *lowerer) fixAlignment(n uint32, in *wasm.Instr, f *finding) {
	nat := "align=" + itoa(1<<in.Op.Info().Align)
	if p, ok := l.immPlace(n, in, 0); ok {
		f.fixes = append(f.fixes, fixAt{"Change to " + nat, []editAt{{p, nat}}, true})
	}
}

// fixPacking offers the right one of get, get_s and get_u.
func (l *lowerer) fixPacking(e *valid.Error, n uint32, in *wasm.Instr, f *finding) {
	name := in.Op.Info().Name
	base := strings.TrimSuffix(strings.TrimSuffix(name, "_s"), "_u")
	at := l.u.at(l.u.keyword(n))
	if base != name {
		f.fixes = append(f.fixes, fixAt{"Change to " + base, []editAt{{at, base}}, true})
		return
	}
	for i, s := range []string{"_s", "_u"} {
		f.fixes = append(f.fixes, fixAt{"Change to " + base + s, []editAt{{at, base + s}}, i == 1})
	}
	_ = e
}
