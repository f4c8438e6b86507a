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

// Signature gives the signature of the innermost folded instruction around an offset that takes
// operands, or of the plain one at it.
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
	for n := p.n; !n.IsZero(); n = n.Parent() {
		if n.Kind() != syntax.KInstr {
			continue
		}
		i, ok := b.Index(n)
		if !ok || i < 0 || i >= len(b.Instrs) {
			continue
		}
		k := n.Keyword()
		if k.T == nil || off <= k.Span().End {
			continue // still on the word
		}
		if !n.Folded() && !b.Span(i).Contains(off) {
			continue
		}
		sig, ok := p.signatureOf(t, b, i, n)
		if !ok {
			continue
		}
		sig.Active = activeOperand(b, i, n, off, len(sig.Params))
		return sig, true
	}
	return SignatureInfo{}, false
}

// activeOperand tells which operand of a folded instruction the offset is in or in front of.
func activeOperand(b *analysis.Body, i int, n syntax.N, off, params int) int {
	if !n.Folded() || params == 0 {
		return -1
	}
	k, seen := 0, false
	for c := range n.Children() {
		if c.Kind() != syntax.KInstr && c.Kind() != syntax.KBlock {
			continue
		}
		seen = true
		if off <= c.Span().End {
			break
		}
		w := 1
		if j, ok := b.Index(c); ok && j >= 0 && j < len(b.Instrs) {
			w = max(0, len(b.StackAfter(j))-len(b.StackBefore(j))+pops(b, c))
		}
		k += w
	}
	if !seen && off <= b.Span(i).End && off < n.Span().End-1 {
		return 0
	}
	if k >= params {
		return params - 1
	}
	return k
}

// pops gives how many operands the folded operands of a node leave for it.
func pops(b *analysis.Body, n syntax.N) int {
	k := 0
	for c := range n.Children() {
		if c.Kind() != syntax.KInstr && c.Kind() != syntax.KBlock {
			continue
		}
		if j, ok := b.Index(c); ok && j >= 0 && j < len(b.Instrs) {
			k += max(0, len(b.StackAfter(j))-len(b.StackBefore(j))) + pops(b, c)
		}
	}
	return k
}

func (p place) signatureOf(t typer, b *analysis.Body, i int, n syntax.N) (SignatureInfo, bool) {
	in := &b.Instrs[i]
	params, results, ok := t.instance(b, in)
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
