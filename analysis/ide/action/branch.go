package action

import (
	"slices"
	"strconv"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// branchToIf turns a br_if to a label without values into an if with a br in it.
func branchToIf(p query.Place, b *analysis.Body, i int) []Refactor {
	if p.Node.Op() != wasm.OpBrIf {
		return nil
	}
	t := query.NewTypes(p.Module)
	to := b.LabelTargets(i)
	if len(to) != 1 || to[0] == -2 || len(t.LabelTypes(b, to[0])) > 0 || len(query.FoldedOperands(p.Node)) > 1 {
		return nil
	}
	if to[0] >= 0 && b.Instrs[to[0]].Op == wasm.OpEvent {
		return nil // the values of the event are those of the label
	}
	label := ""
	for w := range p.Node.Own() {
		switch w.Kind() {
		case syntax.TokID:
			label = w.Text()
		case syntax.TokNat: // there is one block more around it
			d, err := strconv.ParseUint(w.Text(), 0, 32)
			if err != nil {
				return nil
			}
			label = strconv.FormatUint(d+1, 10)
		}
	}
	if label == "" {
		return nil
	}
	const title = "Convert to if and br"
	whole := p.Node.Span()
	if !p.Node.Folded() {
		ind := "\n" + indentOf(p.Snap.File(), whole.Start)
		return []Refactor{rewrite(title, whole, "if"+ind+"  br "+label+ind+"end")}
	}
	text := ""
	for _, o := range query.FoldedOperands(p.Node) {
		text += o.Text() + " "
	}
	return []Refactor{rewrite(title, whole, "(if "+text+"(then (br "+label+")))")}
}

// ifToBranch turns an if that holds nothing but a br into a br_if.
func ifToBranch(p query.Place) []Refactor {
	n := p.Up(syntax.KBlock)
	if n.IsZero() || n.Op() != wasm.OpIf || n.Keyword() != p.Tok || hasComment(n.Text()) {
		return nil
	}
	var cond, body []syntax.N
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.KInstr, syntax.KBlock:
			if n.Folded() {
				cond = append(cond, c)
			} else {
				body = append(body, c)
			}
		case syntax.KThen:
			body = query.FoldedOperands(c)
		default:
			return nil // a type, an else
		}
	}
	if len(body) != 1 || body[0].Op() != wasm.OpBr || len(query.FoldedOperands(body[0])) > 0 {
		return nil
	}
	label := ""
	for w := range body[0].Own() {
		switch w.Kind() {
		case syntax.TokID:
			if id, ok := n.ID(); ok && id.Text() == w.Text() {
				return nil // it goes to the if itself
			}
			label = w.Text()
		case syntax.TokNat:
			d, err := strconv.ParseUint(w.Text(), 0, 32)
			if err != nil || d == 0 {
				return nil
			}
			label = strconv.FormatUint(d-1, 10)
		}
	}
	if label == "" {
		return nil
	}
	const title = "Convert to br_if"
	if !n.Folded() {
		return []Refactor{rewrite(title, n.Span(), "br_if "+label)}
	}
	text := "(br_if " + label
	for _, c := range cond {
		text += " " + c.Text()
	}
	return []Refactor{rewrite(title, n.Span(), text+")")}
}

// tailCalls maps each call instruction to the one that calls and returns.
var tailCalls = map[wasm.Op]string{
	wasm.OpCall: "return_call", wasm.OpCallRef: "return_call_ref", wasm.OpCallIndirect: "return_call_indirect",
}

// tailCall merges a call whose results are at once returned with the return: the call inside of a
// folded return, the one before a flat return, or the last of the function.
func tailCall(p query.Place, b *analysis.Body, i int) []Refactor {
	op := p.Node.Op()
	call, ret := -1, -1
	switch ops := query.FoldedOperands(p.Node); {
	case op == wasm.OpReturn && p.Node.Folded() && len(ops) == 1:
		if k, ok := b.Index(ops[0]); ok {
			call, ret = k, i
		}
	case op == wasm.OpReturn && i > 0 && len(ops) == 0 && b.Node(i-1).Parent() == p.Node.Parent():
		call, ret = i-1, i
	case tailCalls[op] != "" && i == len(b.Instrs)-2: // the function's end follows
		call = i
	case tailCalls[op] != "" && i+1 < len(b.Instrs) && b.Instrs[i+1].Op == wasm.OpReturn &&
		b.Node(i+1).Parent() == p.Node.Parent() && len(query.FoldedOperands(b.Node(i+1))) == 0:
		call, ret = i, i+1
	}
	if call < 0 || tailCalls[b.Instrs[call].Op] == "" {
		return nil
	}
	t := query.NewTypes(p.Module)
	_, results := t.Effect(b, call)
	own := t.FuncType(b.Func)
	if own == nil || len(results) != len(own.Results) || !p.Module.Env().MatchAll(results, own.Results) {
		return nil
	}
	c := b.Node(call)
	word := tailCalls[b.Instrs[call].Op]
	edits := []source.Edit{{Span: c.Keyword().Span(), New: word}}
	if ret >= 0 {
		r := b.Node(ret)
		if query.Inside(c.Span(), r.Span()) {
			if hasComment(p.Snap.File().Text[r.Span().Start:c.Span().Start]) {
				return nil
			}
			edits = append(edits, source.Edit{Span: source.Span{Start: r.Span().Start, End: c.Span().Start}},
				source.Edit{Span: source.Span{Start: c.Span().End, End: r.Span().End}})
		} else {
			gap := source.Span{Start: c.Span().End, End: r.Span().End}
			if hasComment(p.Snap.File().Text[gap.Start:r.Span().Start]) {
				gap = lineOut(p.Snap.File(), r.Span())
			}
			edits = append(edits, source.Edit{Span: gap})
		}
	}
	slices.SortFunc(edits, func(a, b source.Edit) int { return a.Start - b.Start })
	return []Refactor{{Title: "Merge into " + word, Edits: edits}}
}
