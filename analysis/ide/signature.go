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
	if sig, ok := clauseSignature(p, t, b); ok {
		return sig, true
	}
	if sig, ok := headSignature(p, t, b); ok {
		return sig, true
	}
	var own SignatureInfo // of an instruction without operands
	found, outer := false, -1
	for n := p.Node; !n.IsZero(); n = n.Parent() {
		if n.Kind() != syntax.KInstr {
			if found && (n.Kind() == syntax.KBlock || n.Kind() == syntax.KEvent) {
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
		given := -1
		if n.Folded() {
			given = givenOperands(b, i, n)
		}
		sig, ok := signatureOf(p, t, b, i, given)
		if !ok {
			sig, ok = generalSignature(p, b.Span(i), n.Op(), operandsBefore(n, off))
			if ok && len(sig.Params) > 0 {
				return sig, true
			}
		}
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
	if outer < 0 && !found {
		return flatSignature(p, t, b)
	}
	if j, k, ok := consumer(t, b, outer); ok {
		if sig, ok := signatureOf(p, t, b, j, -1); ok && k < len(sig.Params) {
			sig.Active = k
			return sig, true
		}
	}
	return own, found
}

// flatSignature returns the signature of the flat instruction of a dialect that stands before the
// cursor with nothing but spaces between: its immediates are being written.
func flatSignature(p query.Place, t query.Types, b *analysis.Body) (SignatureInfo, bool) {
	text := p.Snap.File().Text[:p.Off]
	end := len(strings.TrimRight(text, " \t"))
	if end == 0 || end == p.Off {
		return SignatureInfo{}, false
	}
	q := query.At(p.Snap, end)
	if !q.HasTok || q.Node.Folded() {
		return SignatureInfo{}, false
	}
	q.Off = p.Off
	switch q.Node.Kind() {
	case syntax.KInstr:
		i, ok := b.Index(q.Node)
		if !ok || q.Node.Op().Info().Dialect == wasm.DialectNone {
			break
		}
		if sig, ok := signatureOf(q, t, b, i, -1); ok {
			return sig, true
		}
		return generalSignature(q, b.Span(i), q.Node.Op(), 0)
	case syntax.KBlock, syntax.KEvent:
		return headSignature(q, t, b)
	}
	return SignatureInfo{}, false
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
		case wasm.OpEnd, wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpDelegate, wasm.OpEvent:
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
	for _, c := range operandNodes(n) {
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
	for _, c := range operandNodes(n) {
		if j, ok := b.Index(c); ok && j >= 0 && j < len(b.Instrs) {
			k += max(0, b.HeightAfter(j)-b.HeightBefore(j)+pops(b, c))
		}
	}
	return k
}

// operandNodes returns the folded operands of an instruction, those of an event in it among them.
func operandNodes(n syntax.N) (out []syntax.N) {
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.KInstr, syntax.KBlock:
			out = append(out, c)
		case syntax.KEventArg:
			out = append(out, operandNodes(c)...)
		}
	}
	return out
}

// givenOperands returns how many values the folded operands of instruction i give it.
func givenOperands(b *analysis.Body, i int, n syntax.N) int {
	for len(operandNodes(n)) > 0 {
		n = operandNodes(n)[0]
		if j, ok := b.Index(n); ok && (n.Kind() == syntax.KBlock || len(operandNodes(n)) == 0) {
			return max(0, b.HeightBefore(i)-b.HeightBefore(j))
		}
	}
	return 0
}

// operandsBefore returns how many folded operands end before an offset.
func operandsBefore(n syntax.N, off int) (k int) {
	if !n.Folded() {
		return 0
	}
	for _, c := range operandNodes(n) {
		if c.Span().End < off {
			k++
		}
	}
	return k
}

// operand is an operand of a signature as the general form of the instruction has it: a type, a
// name, or any number of them.
type operand struct {
	text string
	many bool
}

// generalOperands returns the operands and results of an instruction of a dialect as its row in the
// instruction table has them, without what a polymorphic one takes besides.
func generalOperands(op wasm.Op) (params, results []operand) {
	read := func(s string) (out []operand) {
		s = strings.Trim(s, "[]")
		for s != "" {
			end := strings.IndexByte(s, ' ')
			if s[0] == '(' {
				end = strings.IndexByte(s, ')') + 1
			}
			if end <= 0 || end > len(s) {
				end = len(s)
			}
			out = append(out, operand{s[:end], strings.HasSuffix(s[:end], "*")})
			s = strings.TrimSpace(s[end:])
		}
		return out
	}
	from, to, _ := strings.Cut(op.Signature(), " -> ")
	params, results = read(from), read(to)
	if op.Does()&wasm.DoesNotContinue != 0 {
		params, results = params[1:], nil
	}
	return params, results
}

// generalSignature returns the signature of an instruction of a dialect whose immediates are not
// written yet, or wrong: its general form. given operands stand before the cursor.
func generalSignature(p query.Place, at source.Span, op wasm.Op, given int) (SignatureInfo, bool) {
	if here, ok := op.In(p.Module.Dialect()); ok {
		op = here
	}
	if op.Info().Dialect == wasm.DialectNone {
		return SignatureInfo{}, false
	}
	params, results := generalOperands(op)
	l := newLabel(headText(p.Snap.File(), at))
	for _, x := range params {
		l.param("(param " + x.text + ")")
	}
	for k, x := range results {
		if k == 0 {
			l.text.WriteString(" (result")
		}
		l.text.WriteString(" " + x.text)
		if k == len(results)-1 {
			l.text.WriteByte(')')
		}
	}
	sig := l.info()
	switch {
	case len(params) == 0:
	case params[0].many:
		sig.Active = 0 // how many there are is not known
	default:
		sig.Active = min(given, len(params)-1)
	}
	sig.Doc = op.Info().Doc
	return sig, true
}

// operandNames returns the names that the general form gives to operands, such as `from` and `to`,
// by their place among n operands.
func operandNames(op wasm.Op, n int) map[int]string {
	if op.Info().Dialect == wasm.DialectNone {
		return nil
	}
	params, _ := generalOperands(op)
	names := map[int]string{}
	for k, x := range params {
		at := k
		for _, y := range params[:k] {
			if y.many { // count from the end
				at = n - (len(params) - k)
			}
		}
		if at >= 0 && (x.text == "from" || x.text == "to") {
			names[at] = "$" + x.text
		}
	}
	return names
}

// label writes the label of a signature.
type label struct {
	text   strings.Builder
	params []source.Span
}

func newLabel(head string) *label {
	l := &label{}
	l.text.WriteString(head)
	return l
}

// param writes a part that the cursor can be in.
func (l *label) param(s string) {
	if l.text.Len() > 0 {
		l.text.WriteByte(' ')
	}
	start := l.text.Len()
	l.text.WriteString(s)
	l.params = append(l.params, source.Span{Start: start, End: l.text.Len()})
}

func (l *label) info() SignatureInfo {
	return SignatureInfo{Label: l.text.String(), Params: l.params, Active: -1}
}

func signatureOf(p query.Place, t query.Types, b *analysis.Body, i, given int) (SignatureInfo, bool) {
	in := &b.Instrs[i]
	params, results, ok := t.OperandsOf(b, i, given)
	info := in.Op.Info()
	if !ok {
		return SignatureInfo{}, false
	}
	head := headText(p.Snap.File(), b.Span(i))
	if info.Dialect != wasm.DialectNone && len(info.Imms) > 0 && info.Imms[0] == wasm.ImmTag &&
		in.A != wasm.BadIndex && head == in.Op.String() { // the tag stands after an operand
		head += " " + describer{p}.tagTitle(in.A)
	}
	l := newLabel(head)
	names := operandNames(in.Op, len(params))
	if in.Op == wasm.OpCall || in.Op == wasm.OpReturnCall {
		names = map[int]string{}
		for k, y := range p.Module.Locals(in.A) {
			if k < len(params) && y.Name != "" {
				names[k] = query.Identifier(y.Name)
			}
		}
	}
	for k, v := range params {
		if nm := names[k]; nm != "" {
			l.param("(param " + nm + " " + t.Val(v) + ")")
		} else {
			l.param("(param " + t.Val(v) + ")")
		}
	}
	l.text.WriteString(t.Sig(nil, results))
	sig := l.info()
	var c card
	if in.Op == wasm.OpCall || in.Op == wasm.OpReturnCall {
		if y, ok := p.Module.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: in.A}); ok {
			c.para(query.DocAbove(p.Snap.File(), y.DeclSpan.Start))
		}
	} else {
		c.para(info.Doc)
		if info.Dialect != wasm.DialectNone {
			c.para("General form `" + in.Op.Signature() + "`")
		}
	}
	c.lines(ticked(t.Expand(query.Concat(params, results))))
	sig.Doc = c.String()
	return sig, true
}
