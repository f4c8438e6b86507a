package ide

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// SignatureInfo is the signature of the instruction around an offset.
type SignatureInfo struct {
	Label  string        // `call $f (param $x i32) (param i64) (result i32)`
	Params []source.Span // of each operand in Label
	Active int           // the operand under the cursor, -1 if none
	Doc    string        // Markdown
}

// Signature returns the signature of the instruction that the offset is in an operand of: of the
// innermost folded one, or of the flat one that consumes what the instruction at the offset pushes.
// An instruction that is nobody's operand is described itself.
func Signature(s *analysis.Snapshot, off int) (SignatureInfo, bool) {
	p := at(s, off)
	if p.m == nil {
		return SignatureInfo{}, false
	}
	fn, ok := p.m.FuncAt(off)
	if !ok {
		return SignatureInfo{}, false
	}
	b := p.m.Body(fn)
	t := newTyper(p.m)
	if b == nil || t.ir == nil {
		return SignatureInfo{}, false
	}
	if sig, ok := p.clauseSignature(t); ok {
		return sig, true
	}
	var own SignatureInfo // of an instruction without operands
	found, outer := false, -1
	for n := p.n; !n.IsZero(); n = n.Parent() {
		if n.Kind() != syntax.KInstr {
			if found && n.Kind() == syntax.KBlock {
				break // what is in a block is no operand of what is around it
			}
			continue
		}
		i, ok := b.Index(n)
		if !ok || i < 0 || i >= len(b.Instrs) {
			continue
		}
		k := n.Keyword()
		if k.T == nil {
			continue
		}
		inner := outer >= 0
		outer = i
		if off <= k.Span().End || !n.Folded() && !b.Span(i).Contains(off) && off != b.Span(i).End {
			continue // still on the word
		}
		sig, ok := p.signatureOf(t, b, i)
		switch {
		case !ok && inner:
			return own, found // an operand of something that is not known
		case !ok:
		case len(sig.Params) > 0:
			sig.Active = activeOperand(b, i, n, off, len(sig.Params))
			return sig, true
		case !found:
			own, found = sig, true
		}
	}
	if j, k, ok := consumer(t, b, outer); ok {
		if sig, ok := p.signatureOf(t, b, j); ok && k < len(sig.Params) {
			sig.Active = k
			return sig, true
		}
	}
	return own, found
}

// consumer returns the instruction that consumes the first value that an instruction pushes, and
// which of its operands that is. Both stand in the same block.
func consumer(t typer, b *analysis.Body, i int) (j, operand int, ok bool) {
	if i < 0 || b.Instrs[i].Op.OpensBlock() {
		return 0, 0, false
	}
	params, results, ok := t.operands(b, i)
	if !ok || len(params) > 0 || len(results) == 0 || b.Unreachable(i) {
		return 0, 0, false
	}
	h := b.HeightAfter(i) - len(results)
	for j = i + 1; j < len(b.Instrs) && !b.Unreachable(j); j++ {
		switch b.Instrs[j].Op {
		case wasm.OpEnd, wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpDelegate:
			return 0, 0, false // a result of the block
		}
		params, _, ok := t.operands(b, j)
		if !ok { // nobody knows what it consumes
			return 0, 0, false
		}
		if n := b.HeightBefore(j); h >= n-len(params) {
			operand = h - (n - len(params))
			return j, operand, operand >= 0 && operand < len(params)
		}
		if b.Instrs[j].Op.OpensBlock() {
			j = b.End(j)
		}
	}
	return 0, 0, false
}

// operands returns the types that an instruction consumes and pushes: those of instance, and of
// branches.
func (t typer) operands(b *analysis.Body, i int) (params, results []wasm.ValType, ok bool) {
	in := &b.Instrs[i]
	if params, results, ok = t.instance(b, in); ok {
		return params, results, true
	}
	top := wasm.ValType(wasm.Unknown)
	if before, _ := b.TopBefore(i, 1); len(before) == 1 {
		top = before[0]
	}
	one := []wasm.ValType{top}
	switch in.Op {
	case wasm.OpReturn:
		return t.labelTypes(b, -1), nil, true
	case wasm.OpDrop:
		return one, nil, true
	case wasm.OpRefIsNull:
		return one, []wasm.ValType{wasm.I32}, true
	case wasm.OpRefAsNonNull:
		if top.IsRef() {
			return one, []wasm.ValType{top.NonNull()}, true
		}
		return one, one, true
	case wasm.OpTableGet, wasm.OpTableSet, wasm.OpTableGrow, wasm.OpTableSize, wasm.OpTableFill:
		if int64(in.A) >= int64(len(t.ir.Tables)) {
			return nil, nil, false
		}
		at, v := t.m.Env().TableAddr(in.A), t.ir.Tables[in.A].Type
		switch in.Op {
		case wasm.OpTableGet:
			return []wasm.ValType{at}, []wasm.ValType{v}, true
		case wasm.OpTableSet:
			return []wasm.ValType{at, v}, nil, true
		case wasm.OpTableGrow:
			return []wasm.ValType{v, at}, []wasm.ValType{at}, true
		case wasm.OpTableSize:
			return nil, []wasm.ValType{at}, true
		}
		return []wasm.ValType{at, v, at}, nil, true
	case wasm.OpSelect:
		v := wasm.ValType(wasm.Unknown)
		if before, _ := b.TopBefore(i, 3); len(before) == 3 {
			v = before[0]
		}
		return []wasm.ValType{v, v, wasm.I32}, []wasm.ValType{v}, true
	}
	to := b.LabelTargets(i)
	if len(to) == 0 || to[len(to)-1] == -2 {
		return nil, nil, false
	}
	label := t.labelTypes(b, to[len(to)-1]) // of br_table the default: all take as many
	last := len(label) - 1
	switch in.Op {
	case wasm.OpBr:
		return label, nil, true
	case wasm.OpBrIf:
		return both(label, []wasm.ValType{wasm.I32}), label, true
	case wasm.OpBrTable:
		return both(label, []wasm.ValType{wasm.I32}), nil, true
	case wasm.OpBrOnNull:
		if !top.IsRef() {
			return both(label, []wasm.ValType{wasm.Unknown}), both(label, []wasm.ValType{wasm.Unknown}), true
		}
		return both(label, []wasm.ValType{top}), both(label, []wasm.ValType{top.NonNull()}), true
	case wasm.OpBrOnNonNull:
		if last >= 0 && label[last].IsRef() {
			return both(label[:last], []wasm.ValType{label[last].OrNull()}), label[:last], true
		}
	case wasm.OpBrOnCast, wasm.OpBrOnCastFail:
		if last < 0 || in.Ext == nil || len(in.Ext.Types) == 0 {
			break
		}
		from, cast := in.Ref(), in.Ext.Types[0]
		stays := cast
		if in.Op == wasm.OpBrOnCast {
			if stays = from; cast.Nullable() {
				stays = from.NonNull()
			}
		}
		return both(label[:last], []wasm.ValType{from}), both(label[:last], []wasm.ValType{stays}), true
	}
	return nil, nil, false
}

// activeOperand returns which operand of a folded instruction the offset is in or in front of.
// Operands that stand before the instruction, on the stack, come first.
func activeOperand(b *analysis.Body, i int, n syntax.N, off, params int) int {
	if !n.Folded() || params == 0 {
		return -1
	}
	k, all, seen, passed := 0, 0, false, false
	for c := range n.Children() {
		if c.Kind() != syntax.KInstr && c.Kind() != syntax.KBlock {
			continue
		}
		seen = true
		passed = passed || off <= c.Span().End
		w := 1
		if j, ok := b.Index(c); ok && j >= 0 && j < len(b.Instrs) {
			w = max(0, b.HeightAfter(j)-b.HeightBefore(j)+pops(b, c))
		}
		if all += w; !passed {
			k += w
		}
	}
	k += max(0, min(params-all, b.HeightBefore(i)-all))
	if !seen && k == params {
		return -1 // all of them are on the stack
	}
	return min(k, params-1)
}

// pops returns how many operands the folded operands of a node leave for it.
func pops(b *analysis.Body, n syntax.N) int {
	k := 0
	for c := range n.Children() {
		if c.Kind() != syntax.KInstr && c.Kind() != syntax.KBlock {
			continue
		}
		if j, ok := b.Index(c); ok && j >= 0 && j < len(b.Instrs) {
			k += max(0, b.HeightAfter(j)-b.HeightBefore(j)) + pops(b, c)
		}
	}
	return k
}

func (p place) signatureOf(t typer, b *analysis.Body, i int) (SignatureInfo, bool) {
	in := &b.Instrs[i]
	params, results, ok := t.operands(b, i)
	info := in.Op.Info()
	if !ok {
		return SignatureInfo{}, false
	}
	sig := SignatureInfo{Active: -1}
	var l strings.Builder
	l.WriteString(headText(p.s.File(), b.Span(i)))
	names := map[int]string{}
	if in.Op == wasm.OpCall || in.Op == wasm.OpReturnCall {
		for k, y := range p.m.Locals(in.A) {
			if k < len(params) && y.Name != "" {
				names[k] = idText(y.Name)
			}
		}
	}
	for k, v := range params {
		l.WriteByte(' ')
		start := l.Len()
		if nm := names[k]; nm != "" {
			l.WriteString("(param " + nm + " " + t.val(v) + ")")
		} else {
			l.WriteString("(param " + t.val(v) + ")")
		}
		sig.Params = append(sig.Params, source.Span{Start: start, End: l.Len()})
	}
	l.WriteString(t.sig(nil, results))
	sig.Label = l.String()
	var c card
	if in.Op == wasm.OpCall || in.Op == wasm.OpReturnCall {
		if y, ok := p.m.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: in.A}); ok {
			c.para(docAbove(p.s.File(), y.DeclSpan.Start))
		}
	} else {
		c.para(info.Doc)
	}
	c.lines(ticked(t.expand(both(params, results))))
	sig.Doc = c.String()
	return sig, true
}
