package ide

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
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
	p := query.At(s, off)
	if p.Module == nil {
		return SignatureInfo{}, false
	}
	fn, ok := p.Module.FuncAt(off)
	if !ok {
		return SignatureInfo{}, false
	}
	b := p.Module.Body(fn)
	t := query.NewTypes(p.Module)
	if b == nil || t.Declared == nil {
		return SignatureInfo{}, false
	}
	if sig, ok := clauseSignature(p, t); ok {
		return sig, true
	}
	var own SignatureInfo // of an instruction without operands
	found, outer := false, -1
	for n := p.Node; !n.IsZero(); n = n.Parent() {
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
		sig, ok := signatureOf(p, t, b, i)
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
		if sig, ok := signatureOf(p, t, b, j); ok && k < len(sig.Params) {
			sig.Active = k
			return sig, true
		}
	}
	return own, found
}

// consumer returns the instruction that consumes the first value that an instruction pushes, and
// which of its operands that is. Both stand in the same block.
func consumer(t query.Types, b *analysis.Body, i int) (j, operand int, ok bool) {
	if i < 0 || b.Instrs[i].Op.OpensBlock() {
		return 0, 0, false
	}
	params, results, ok := t.Operands(b, i)
	if !ok || len(params) > 0 || len(results) == 0 || b.Unreachable(i) {
		return 0, 0, false
	}
	h := b.HeightAfter(i) - len(results)
	for j = i + 1; j < len(b.Instrs) && !b.Unreachable(j); j++ {
		switch b.Instrs[j].Op {
		case wasm.OpEnd, wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpDelegate:
			return 0, 0, false // a result of the block
		}
		params, _, ok := t.Operands(b, j)
		if !ok { // what it consumes is unknown
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

// activeOperand returns which operand of a folded instruction the offset is in or before.
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

func signatureOf(p query.Place, t query.Types, b *analysis.Body, i int) (SignatureInfo, bool) {
	in := &b.Instrs[i]
	params, results, ok := t.Operands(b, i)
	info := in.Op.Info()
	if !ok {
		return SignatureInfo{}, false
	}
	sig := SignatureInfo{Active: -1}
	var l strings.Builder
	l.WriteString(headText(p.Snap.File(), b.Span(i)))
	names := map[int]string{}
	if in.Op == wasm.OpCall || in.Op == wasm.OpReturnCall {
		for k, y := range p.Module.Locals(in.A) {
			if k < len(params) && y.Name != "" {
				names[k] = query.Identifier(y.Name)
			}
		}
	}
	for k, v := range params {
		l.WriteByte(' ')
		start := l.Len()
		if nm := names[k]; nm != "" {
			l.WriteString("(param " + nm + " " + t.Val(v) + ")")
		} else {
			l.WriteString("(param " + t.Val(v) + ")")
		}
		sig.Params = append(sig.Params, source.Span{Start: start, End: l.Len()})
	}
	l.WriteString(t.Sig(nil, results))
	sig.Label = l.String()
	var c card
	if in.Op == wasm.OpCall || in.Op == wasm.OpReturnCall {
		if y, ok := p.Module.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: in.A}); ok {
			c.para(query.DocAbove(p.Snap.File(), y.DeclSpan.Start))
		}
	} else {
		c.para(info.Doc)
	}
	c.lines(ticked(t.Expand(query.Concat(params, results))))
	sig.Doc = c.String()
	return sig, true
}
