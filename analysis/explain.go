package analysis

import (
	"strconv"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// explain turns a violation in the sequence that was lowered last into a finding.
func (b *loweredBody) explain(e *valid.Error) cursor.Finding {
	f := cursor.Finding{Code: diag.Code(e.Code), Msg: e.Msg}
	u := &b.u
	if e.Instr < 0 || e.Instr >= len(b.instrs) {
		f.At = u.TokPlace(u.Keyword(0))
		if e.Part == valid.PartBody && e.Instr < 0 {
			f.At = b.localTypePlace(int(e.Sub))
		}
		return f
	}
	in := &b.instrs[e.Instr]
	n := b.nodes[e.Instr]
	switch in.Op {
	case wasm.OpEnd, wasm.OpElse:
		f.At = b.endPlace(e.Instr)
		b.explainEnd(e, &f)
		return f
	}
	f.At = b.ownPlace(n)
	switch {
	case e.Operand >= 0:
		if p, ok := b.operandPlace(n, e.Operand, len(e.Want)); ok {
			f.At = p
		}
	case e.Imm >= 0:
		if p, ok := b.immPlace(n, in, e.Imm); ok {
			f.At = p
		}
	}
	switch e.Code {
	case valid.CodeHandlerLabel:
		b.explainHandler(e, &f)
	case valid.CodeUndeclaredFunc:
		b.fixUndeclared(in.A, &f)
	case valid.CodeAlignment:
		b.fixAlignment(n, in, &f)
	case valid.CodePacking:
		b.fixPacking(e, n, in, &f)
	case valid.CodeUninitialized, valid.CodeUnknownLocal:
		if int64(in.A) < int64(len(b.localItems)) {
			if it := b.localItems[in.A]; it.Node != 0 {
				f.Related = append(f.Related, cursor.Related{At: u.NodePlace(it.Node), Msg: "the local is declared here"})
				if it.Id >= 0 {
					f.Msg = strings.Replace(f.Msg, "uninitialized local "+strconv.Itoa(int(in.A)), "uninitialized local "+u.TokText(uint32(it.Id)), 1)
				}
			}
		}
	case valid.CodeImmutable:
		b.relateImmutable(in, &f)
	case valid.CodeTypeKind, valid.CodeSwitchTag:
		b.relateImm(e, in, &f)
	case valid.CodeTypeMismatch:
		b.relateMismatch(e, in, &f)
	}
	return f
}

// ownPlace returns keyword and immediates of an instruction, or a block's header.
func (b *loweredBody) ownPlace(n uint32) cursor.Place {
	u := &b.u
	if int(n) >= len(u.Nodes) {
		return u.TokPlace(0)
	}
	kw := u.Keyword(n)
	p := cursor.Parts{U: u, Tok: kw + 1, End: u.Nodes[n].TokEnd, Child: n + 1, LastChild: u.Nodes[n].Next}
	end := kw + 1
	for {
		i, node, ok := p.Peek()
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
				p.Skip()
				continue
			}
			break
		}
		if k := u.TokKind(i); k == syntax.TokRParen || k == syntax.TokLParen {
			break
		}
		if u.Nodes[n].Kind == syntax.KBlock && (i > kw+1 || u.TokKind(i) != syntax.TokID) { // only a label belongs to the head
			break
		}
		end = i + 1
		p.Skip()
	}
	return u.Place(kw, end)
}

// endPlace returns the place of an instruction that divides or ends a block.
func (b *loweredBody) endPlace(i int) cursor.Place {
	u := &b.u
	off := uint32(b.instrs[i].At) - uint32(u.Off)
	lo, hi := 0, len(u.Tokens)
	for lo < hi {
		if h := (lo + hi) / 2; u.Tokens[h].Off < off {
			lo = h + 1
		} else {
			hi = h
		}
	}
	if lo < len(u.Tokens) {
		return u.TokPlace(uint32(lo))
	}
	return u.TokPlace(uint32(len(u.Tokens) - 1))
}

// explainEnd adds what the end of a block is the end of.
func (b *loweredBody) explainEnd(e *valid.Error, f *cursor.Finding) {
	u := &b.u
	n := b.nodes[e.Instr]
	if e.Code != valid.CodeTypeMismatch {
		return
	}
	if b.superfluous(e, f) {
		return
	}
	what := "the block begins here"
	if int(n) < len(u.Nodes) && (n == 0 || u.Nodes[n].Kind == syntax.KFunc) {
		what = "the function's type is declared here"
		if c := b.header(0); c != (cursor.Place{}) {
			f.Related = append(f.Related, cursor.Related{At: c, Msg: what})
		}
		return
	}
	if int(n) < len(u.Nodes) && u.Nodes[n].Kind == syntax.KBlock {
		f.Related = append(f.Related, cursor.Related{At: b.ownPlace(n), Msg: what})
	}
}

// header returns the place of the type of a function or block: from its first part to the last.
func (b *loweredBody) header(n uint32) cursor.Place {
	u := &b.u
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
				return u.TokPlace(u.Keyword(n))
			}
			return u.Place(first, last)
		}
	}
	if first == 0 {
		return u.TokPlace(u.Keyword(n))
	}
	return u.Place(first, last)
}

// operandPlace returns the folded operand number k of want, if every operand is folded and gives
// one value.
func (b *loweredBody) operandPlace(n uint32, k, want int) (cursor.Place, bool) {
	u := &b.u
	if u.Nodes[n].Kind != syntax.KInstr && u.Nodes[n].Op != wasm.OpIf {
		return cursor.Place{}, false
	}
	var kids []uint32
	for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
		if cursor.IsInstr(u.Nodes[c].Kind) {
			kids = append(kids, c)
		}
	}
	if len(kids) != want || k >= len(kids) {
		return cursor.Place{}, false
	}
	return b.u.NodePlace(kids[k]), true
}

// immPlace returns the place of immediate number k of an instruction.
func (b *loweredBody) immPlace(n uint32, in *wasm.Instr, k int) (cursor.Place, bool) {
	u := &b.u
	kw := u.Keyword(n)
	p := cursor.Parts{U: u, Tok: kw + 1, End: u.Nodes[n].TokEnd, Child: n + 1, LastChild: u.Nodes[n].Next}
	info := in.Op.Info()
	memarg := len(info.Imms) > 0 && info.Imms[0] == wasm.ImmMemArg
	if memarg && k == 1 {
		k = 0
		for { // the lane is the last number
			i, node, ok := p.Next()
			if !ok || node || u.TokKind(i) == syntax.TokRParen {
				return cursor.Place{}, false
			}
			if q, node, ok := p.Peek(); !ok || node || u.TokKind(q) == syntax.TokRParen {
				return u.TokPlace(i), true
			}
		}
	}
	if memarg {
		var first, align cursor.Place
		for {
			i, node, ok := p.Next()
			if !ok || node {
				break
			}
			s := u.TokText(i)
			if first == (cursor.Place{}) && (u.TokKind(i) == syntax.TokID || u.TokKind(i) == syntax.TokNat) {
				first = u.TokPlace(i)
			}
			if strings.HasPrefix(s, "align=") || strings.HasPrefix(s, "offset=") {
				align = u.TokPlace(i)
			}
		}
		if align != (cursor.Place{}) {
			return align, true
		}
		return first, first != (cursor.Place{})
	}
	if len(info.Imms) > 0 && (info.Imms[0] == wasm.ImmTable || info.Imms[0] == wasm.ImmMemory) {
		need := len(info.Imms)
		if info.Imms[need-1] == wasm.ImmTypeUse {
			need--
		}
		if countIndices(&p) < need && k == 0 {
			return cursor.Place{}, false // left out
		} else if countIndices(&p) < need {
			k--
		}
	}
	for {
		i, node, ok := p.Next()
		if !ok {
			return cursor.Place{}, false
		}
		if node && cursor.IsInstr(u.Nodes[i].Kind) || !node && u.TokKind(i) == syntax.TokRParen {
			return cursor.Place{}, false
		}
		if k--; k < 0 {
			if !node {
				return u.TokPlace(i), true
			}
			switch u.Nodes[i].Kind {
			case syntax.KOn, syntax.KCatch, syntax.KClause:
				return b.clauseTarget(i), true
			}
			return u.NodePlace(i), true
		}
	}
}

// clauseTarget returns the last word of a clause: its label; the whole clause if there is none.
func (b *loweredBody) clauseTarget(c uint32) cursor.Place {
	u := &b.u
	for t := u.Nodes[c].TokEnd - 1; t > u.Nodes[c].Tok; t-- {
		switch u.TokKind(t) {
		case syntax.TokID, syntax.TokNat:
			return u.TokPlace(t)
		}
	}
	return u.NodePlace(c)
}

// localTypePlace returns the place of the type of local k, without parameters.
func (b *loweredBody) localTypePlace(k int) cursor.Place {
	n := 0
	u := &b.u
	if ft := b.d.Mod.FuncType(b.d.Mod.Funcs[b.fn].Type); b.fn != wasm.BadIndex && ft != nil {
		n = len(ft.Params)
	}
	if i := n + k; i < len(b.localItems) && b.localItems[i].Node != 0 {
		return u.NodePlace(b.localItems[i].Node)
	}
	return u.TokPlace(u.Keyword(0))
}

// relateItem points at the declaration of an item.
func (b *loweredBody) relateItem(sp decl.Space, i uint32, msg string, f *cursor.Finding) {
	b.d.Relate(b.src, sp, i, msg, f)
}

func (b *loweredBody) relateImmutable(in *wasm.Instr, f *cursor.Finding) {
	switch in.Op {
	case wasm.OpGlobalSet:
		b.relateItem(decl.SpaceGlobal, in.A, "the global is declared here", f)
	default:
		b.relateItem(decl.SpaceType, in.A, "the type is defined here", f)
	}
}

// relateImm points at the declaration of the item that an immediate names.
func (b *loweredBody) relateImm(e *valid.Error, in *wasm.Instr, f *cursor.Finding) {
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
		b.relateItem(decl.SpaceType, i, "the type is defined here", f)
	case wasm.ImmTag:
		b.relateItem(decl.SpaceTag, i, "the tag is declared here", f)
	}
}

// relateMismatch points at the declaration that asks for the operands.
func (b *loweredBody) relateMismatch(e *valid.Error, in *wasm.Instr, f *cursor.Finding) {
	switch in.Op {
	case wasm.OpCall, wasm.OpReturnCall:
		b.relateItem(decl.SpaceFunc, in.A, "the function is declared here", f)
	case wasm.OpGlobalSet:
		b.relateItem(decl.SpaceGlobal, in.A, "the global is declared here", f)
	case wasm.OpLocalSet, wasm.OpLocalTee:
		if int64(in.A) < int64(len(b.localItems)) && b.localItems[in.A].Node != 0 {
			f.Related = append(f.Related, cursor.Related{At: b.u.NodePlace(b.localItems[in.A].Node), Msg: "the local is declared here"})
		}
	case wasm.OpSuspend, wasm.OpThrow:
		b.relateItem(decl.SpaceTag, in.A, "the tag is declared here", f)
	case wasm.OpResume,
		wasm.OpContNew,
		wasm.OpCallRef,
		wasm.OpReturnCallRef,
		wasm.OpSwitch,
		wasm.OpContBind,
		wasm.OpResumeThrow,
		wasm.OpResumeThrowRef:
		b.relateItem(decl.SpaceType, in.A, "the type is defined here", f)
		if in.Op == wasm.OpContBind && e.Imm == 1 {
			b.relateItem(decl.SpaceType, in.B, "the type is defined here", f)
		}
	}
}

// fixUndeclared offers to declare a function whose reference is taken.
func (b *loweredBody) fixUndeclared(fn uint32, f *cursor.Finding) {
	if int64(fn) >= int64(len(b.d.Spaces[decl.SpaceFunc].Items)) {
		return
	}
	it := b.d.Spaces[decl.SpaceFunc].Items[fn]
	u := b.src.Unit(it.Unit)
	p := u.TokPlace(0)
	p.To = p.From
	name := strconv.Itoa(int(fn))
	if it.Id >= 0 {
		name = u.TokText(uint32(it.Id))
	}
	f.Related = append(f.Related, cursor.Related{At: it.Place(b.src), Msg: "the function is declared here"})
	f.Fixes = append(
		f.Fixes,
		cursor.Fix{
			Title: "Declare it: (elem declare func " + name + ")",
			Edits: []cursor.Edit{{At: p, New: "(elem declare func " + name + ")" + cursor.LineBreak}}, Preferred: true,
		},
	)
}

func (b *loweredBody) fixAlignment(n uint32, in *wasm.Instr, f *cursor.Finding) {
	nat := "align=" + strconv.Itoa(1<<in.Op.Info().Align)
	if p, ok := b.immPlace(n, in, 0); ok {
		f.Fixes = append(f.Fixes, cursor.Fix{Title: "Change to " + nat, Edits: []cursor.Edit{{At: p, New: nat}}, Preferred: true})
	}
}

// fixPacking offers the right one of get, get_s and get_u.
func (b *loweredBody) fixPacking(e *valid.Error, n uint32, in *wasm.Instr, f *cursor.Finding) {
	name := in.Op.Info().Name
	base := strings.TrimSuffix(strings.TrimSuffix(name, "_s"), "_u")
	at := b.u.TokPlace(b.u.Keyword(n))
	if base != name {
		f.Fixes = append(f.Fixes, cursor.Fix{Title: "Change to " + base, Edits: []cursor.Edit{{At: at, New: base}}, Preferred: true})
		return
	}
	for i, s := range []string{"_s", "_u"} {
		f.Fixes = append(f.Fixes, cursor.Fix{Title: "Change to " + base + s, Edits: []cursor.Edit{{At: at, New: base + s}}, Preferred: i == 1})
	}
	_ = e
}
