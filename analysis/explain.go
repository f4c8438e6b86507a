package analysis

import (
	"strconv"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// explain turns a violation in the sequence that was lowered last into a finding.
func explain(b *lower.Body, e *valid.Error) cursor.Finding {
	f := explainPlace(b, e)
	noteSameShape(b.Decls.Mod, e, &f)
	return f
}

// explainPlace is explain without what the types alone show.
func explainPlace(b *lower.Body, e *valid.Error) cursor.Finding {
	f := cursor.Finding{Code: diag.Code(e.Code), Msg: e.Msg}
	u := &b.Unit
	if e.Instr < 0 || e.Instr >= len(b.Instrs) {
		f.At = u.TokPlace(u.Keyword(0))
		if e.Part == valid.PartBody && e.Instr < 0 {
			f.At = localTypePlace(b, int(e.Sub))
		}
		return f
	}
	in := &b.Instrs[e.Instr]
	n := b.Nodes[e.Instr]
	switch in.Op {
	case wasm.OpEnd, wasm.OpElse:
		f.At = b.EndPlace(e.Instr)
		explainEnd(b, e, &f)
		return f
	}
	f.At = b.OwnPlace(n)
	switch {
	case e.Operand >= 0:
		if p, ok := operandPlace(b, n, e.Operand, len(e.Want)); ok {
			f.At = p
		}
	case e.Imm > 0 && in.Op == wasm.OpTryTable && in.Ext != nil && e.Imm <= len(in.Ext.Catches):
		f.At = b.CatchPlace(in.Ext.Catches[e.Imm-1].At)
	case e.Imm >= 0:
		if p, ok := immPlace(b, n, in, e.Imm); ok {
			f.At = p
		}
	}
	switch e.Code {
	case valid.CodeHandlerLabel:
		explainClause(b, e, &f)
	case valid.CodeUndeclaredFunc:
		fixUndeclared(b, in.A, &f)
	case valid.CodeAlignment:
		fixAlignment(b, n, in, &f)
	case valid.CodePacking:
		fixPacking(b, e, n, in, &f)
	case valid.CodeUninitialized, valid.CodeUnknownLocal:
		if int64(in.A) < int64(len(b.LocalItems)) {
			if it := b.LocalItems[in.A]; it.Node != 0 {
				f.Related = append(
					f.Related, cursor.Related{At: u.NodePlace(it.Node), Msg: "the local is declared here"},
				)
				if it.ID >= 0 {
					f.Msg = strings.Replace(
						f.Msg, "uninitialized local "+strconv.Itoa(int(in.A)),
						"uninitialized local "+u.TokText(uint32(it.ID)), 1,
					)
				}
			}
		}
	case valid.CodeImmutable:
		relateImmutable(b, in, &f)
	case valid.CodeTypeKind, valid.CodeSwitchTag:
		relateImm(b, e, in, &f)
	case valid.CodeTypeMismatch:
		relateMismatch(b, e, in, &f)
	}
	return f
}

// explainEnd adds what the end of a block is the end of.
func explainEnd(b *lower.Body, e *valid.Error, f *cursor.Finding) {
	u := &b.Unit
	n := b.Nodes[e.Instr]
	if e.Code != valid.CodeTypeMismatch {
		return
	}
	if superfluous(b, e, f) {
		return
	}
	what := "the block begins here"
	if int(n) < len(u.Nodes) && (n == 0 || u.Nodes[n].Kind == syntax.KFunc) {
		what = "the function's type is declared here"
		if c := b.Header(0); c != (cursor.Place{}) {
			f.Related = append(f.Related, cursor.Related{At: c, Msg: what})
		}
		return
	}
	if int(n) < len(u.Nodes) && u.Nodes[n].Kind == syntax.KBlock {
		f.Related = append(f.Related, cursor.Related{At: b.OwnPlace(n), Msg: what})
	}
}

// operandPlace returns the folded operand number k of want, if every operand is folded and gives
// one value.
func operandPlace(b *lower.Body, n uint32, k, want int) (cursor.Place, bool) {
	u := &b.Unit
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
	return b.Unit.NodePlace(kids[k]), true
}

// immPlace returns the place of immediate number k of an instruction.
func immPlace(b *lower.Body, n uint32, in *wasm.Instr, k int) (cursor.Place, bool) {
	u := &b.Unit
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
		if lower.CountIndices(&p) < need && k == 0 {
			return cursor.Place{}, false // left out
		} else if lower.CountIndices(&p) < need {
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
				return clauseTarget(b, i), true
			}
			return u.NodePlace(i), true
		}
	}
}

// clauseTarget returns the last word of a clause: its label; the whole clause if there is none.
func clauseTarget(b *lower.Body, c uint32) cursor.Place {
	u := &b.Unit
	for t := u.Nodes[c].TokEnd - 1; t > u.Nodes[c].Tok; t-- {
		switch u.TokKind(t) {
		case syntax.TokID, syntax.TokNat:
			return u.TokPlace(t)
		}
	}
	return u.NodePlace(c)
}

// localTypePlace returns the place of the type of local k, without parameters.
func localTypePlace(b *lower.Body, k int) cursor.Place {
	n := 0
	u := &b.Unit
	if ft := b.Decls.Mod.FuncType(b.Decls.Mod.Funcs[b.Fn].Type); b.Fn != wasm.BadIndex && ft != nil {
		n = len(ft.Params)
	}
	if i := n + k; i < len(b.LocalItems) && b.LocalItems[i].Node != 0 {
		return u.NodePlace(b.LocalItems[i].Node)
	}
	return u.TokPlace(u.Keyword(0))
}

func relateImmutable(b *lower.Body, in *wasm.Instr, f *cursor.Finding) {
	switch in.Op {
	case wasm.OpGlobalSet:
		b.RelateItem(decl.SpaceGlobal, in.A, "the global is declared here", f)
	default:
		b.RelateItem(decl.SpaceType, in.A, "the type is defined here", f)
	}
}

// relateImm points at the declaration of the item that an immediate names.
func relateImm(b *lower.Body, e *valid.Error, in *wasm.Instr, f *cursor.Finding) {
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
		b.RelateItem(decl.SpaceType, i, "the type is defined here", f)
	case wasm.ImmTag:
		b.RelateItem(decl.SpaceTag, i, "the tag is declared here", f)
	}
}

// relateMismatch points at the declaration that asks for the operands.
func relateMismatch(b *lower.Body, e *valid.Error, in *wasm.Instr, f *cursor.Finding) {
	switch in.Op {
	case wasm.OpCall, wasm.OpReturnCall:
		b.RelateItem(decl.SpaceFunc, in.A, "the function is declared here", f)
	case wasm.OpGlobalSet:
		b.RelateItem(decl.SpaceGlobal, in.A, "the global is declared here", f)
	case wasm.OpLocalSet, wasm.OpLocalTee:
		if int64(in.A) < int64(len(b.LocalItems)) && b.LocalItems[in.A].Node != 0 {
			f.Related = append(
				f.Related,
				cursor.Related{At: b.Unit.NodePlace(b.LocalItems[in.A].Node), Msg: "the local is declared here"},
			)
		}
	case wasm.OpThrow:
		b.RelateItem(decl.SpaceTag, in.A, "the tag is declared here", f)
	case wasm.OpResume, wasm.OpContNew, wasm.OpCallRef, wasm.OpReturnCallRef, wasm.OpSwitch,
		wasm.OpContBind, wasm.OpResumeThrow, wasm.OpResumeThrowRef:
		b.RelateItem(decl.SpaceType, in.A, "the type is defined here", f)
		if in.Op == wasm.OpContBind && e.Imm == 1 {
			b.RelateItem(decl.SpaceType, in.B, "the type is defined here", f)
		}
	default:
		if imms := in.Op.Info().Imms; e.Operand >= 0 && in.Op.Info().Dialect != wasm.DialectNone && len(imms) > 0 {
			switch imms[0] {
			case wasm.ImmTag:
				b.RelateItem(decl.SpaceTag, in.A, "the tag is declared here", f)
			case wasm.ImmType:
				b.RelateItem(decl.SpaceType, in.A, "the type is defined here", f)
			}
		}
	}
}

// fixUndeclared offers to declare a function whose reference is taken.
func fixUndeclared(b *lower.Body, fn uint32, f *cursor.Finding) {
	if int64(fn) >= int64(len(b.Decls.Spaces[decl.SpaceFunc].Items)) {
		return
	}
	it := b.Decls.Spaces[decl.SpaceFunc].Items[fn]
	u := b.Text.Unit(it.Unit)
	p := u.TokPlace(0)
	p.To = p.From
	name := strconv.Itoa(int(fn))
	if it.ID >= 0 {
		name = u.TokText(uint32(it.ID))
	}
	f.Related = append(f.Related, cursor.Related{At: it.Place(b.Text), Msg: "the function is declared here"})
	f.Fixes = append(
		f.Fixes,
		cursor.Fix{
			Title: "Declare it: (elem declare func " + name + ")",
			Edits: []cursor.Edit{{At: p, New: "(elem declare func " + name + ")\n", Indent: true}}, Preferred: true,
		},
	)
}

func fixAlignment(b *lower.Body, n uint32, in *wasm.Instr, f *cursor.Finding) {
	nat := "align=" + strconv.Itoa(1<<in.Op.Info().Align)
	if p, ok := immPlace(b, n, in, 0); ok {
		f.Fixes = append(
			f.Fixes,
			cursor.Fix{Title: "Change to " + nat, Edits: []cursor.Edit{{At: p, New: nat}}, Preferred: true},
		)
	}
}

// fixPacking offers the right one of get, get_s and get_u.
func fixPacking(b *lower.Body, e *valid.Error, n uint32, in *wasm.Instr, f *cursor.Finding) {
	name := in.Op.Info().Name
	base := strings.TrimSuffix(strings.TrimSuffix(name, "_s"), "_u")
	at := b.Unit.TokPlace(b.Unit.Keyword(n))
	if base != name {
		f.Fixes = append(
			f.Fixes,
			cursor.Fix{Title: "Change to " + base, Edits: []cursor.Edit{{At: at, New: base}}, Preferred: true},
		)
		return
	}
	for i, s := range []string{"_s", "_u"} {
		f.Fixes = append(
			f.Fixes,
			cursor.Fix{
				Title: "Change to " + base + s, Edits: []cursor.Edit{{At: at, New: base + s}},
				Preferred: i == 1,
			},
		)
	}
	_ = e
}

// superfluous moves the report of values that are left at the end of a block to the operand that
// left them, if a single folded instruction of the block has just as many operands too many.
func superfluous(b *lower.Body, e *valid.Error, f *cursor.Finding) bool {
	over := len(e.Got) - len(e.Want)
	if over != 1 {
		return false
	}
	u := &b.Unit
	found, excess := uint32(0), 0
	var last uint32
	block := b.Nodes[e.Instr]
	for i := e.Instr - 1; i >= 0; i-- {
		n := b.Nodes[i]
		if n == block && n > 0 {
			break
		}
		if u.Nodes[n].Kind != syntax.KInstr || !u.Folded(n) {
			continue
		}
		takes, ok := operandCount(b, &b.Instrs[i])
		if !ok {
			continue
		}
		kids, end := 0, uint32(0)
		plain := true
		for c := n + 1; c < u.Nodes[n].Next; c = u.Nodes[c].Next {
			if cursor.IsInstr(u.Nodes[c].Kind) {
				kids++
				end = c
				plain = plain && u.Nodes[c].Kind == syntax.KInstr && lower.PushesOne(u.Nodes[c].Op)
			}
		}
		if plain && kids > takes {
			found, last = n, end
			excess += kids - takes
		}
	}
	if excess != over || found == 0 {
		return false
	}
	info := u.Nodes[found].Op.Info()
	takes := "no operands"
	if i, _ := operandCount(b, instrOf(b, found)); i == 1 {
		takes = "1 operand"
	} else if i > 1 {
		takes = strconv.Itoa(int(i)) + " operands"
	}
	f.At = u.NodePlace(last)
	f.Msg += ": " + info.Name + " takes " + takes + ", and this one is left over"
	cut := f.At
	cut.From = u.TokPlace(u.Nodes[last].Tok - 1).To
	f.Fixes = append(
		f.Fixes,
		cursor.Fix{Title: "Remove the operand", Edits: []cursor.Edit{{At: cut, New: ""}}, Preferred: true},
	)
	return true
}

// instrOf returns the instruction of a node.
func instrOf(b *lower.Body, n uint32) *wasm.Instr {
	for i := range b.Instrs {
		if b.Nodes[i] == n {
			return &b.Instrs[i]
		}
	}
	return &wasm.Instr{}
}

// operandCount returns how many operands an instruction takes, if its immediates settle that.
func operandCount(b *lower.Body, in *wasm.Instr) (int, bool) {
	if in.Op == wasm.OpInvalid {
		return 0, false
	}
	if ts := b.OperandTypes(in); ts != nil || in.Op.Info().Fixed {
		return len(ts), true
	}
	switch in.Op {
	case wasm.OpCall, wasm.OpSuspend, wasm.OpLocalGet, wasm.OpGlobalGet:
		return 0, true
	case wasm.OpDrop:
		return 1, true
	case wasm.OpResume:
		if ft := b.Decls.Mod.ContFunc(in.A); ft != nil {
			return len(ft.Params) + 1, true
		}
	case wasm.OpContNew:
		return 1, true
	}
	return 0, false
}

// sameShapeNote is what a type mismatch says besides where two types differ in nothing but their
// recursion groups.
const sameShapeNote = "; same shape, another recursion group"

// noteSameShape adds to a mismatch that the type that is there looks like the one that is asked for.
func noteSameShape(m *wasm.Module, e *valid.Error, f *cursor.Finding) {
	n := min(len(e.Want), len(e.Got))
	for k := 1; k <= n; k++ {
		want, got := e.Want[len(e.Want)-k], e.Got[len(e.Got)-k]
		if !want.IsRef() || !got.IsRef() || want.Heap() < 0 || got.Heap() < 0 || want.Heap() == got.Heap() {
			continue
		}
		if decl.OtherGroup(m, uint32(want.Heap()), uint32(got.Heap())) {
			f.Msg += sameShapeNote
			return
		}
	}
}
