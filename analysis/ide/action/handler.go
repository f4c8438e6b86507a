package action

import (
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// addHandlerClause completes a resume: a clause for a tag that the continuation may suspend with,
// to a label that fits, or with the block for it.
func addHandlerClause(p query.Place, b *analysis.Body, i int) []Refactor {
	in := &b.Instrs[i]
	if in.Op != wasm.OpResume && in.Op != wasm.OpResumeThrow {
		return nil
	}
	t := query.NewTypes(p.Module)
	ct := t.Declared.ContFunc(in.A)
	if ct == nil {
		return nil
	}
	handled := map[uint32]bool{}
	if in.Ext != nil {
		for _, h := range in.Ext.HandlerClauses {
			handled[h.Tag] = handled[h.Tag] || !h.Switch
		}
	}
	var out []Refactor
	for _, tag := range p.Module.StackEffects().OfResume(in.A).Suspends {
		ft := t.TagType(tag)
		if handled[tag] || ft == nil {
			continue
		}
		k, ok := p.Module.Env().FindCont(ft.Results, ct.Results)
		if !ok {
			continue
		}
		kt := "(ref " + t.Name(k) + ")"
		y, _ := p.Module.Symbol(analysis.Sym{Space: analysis.SpaceTag, Index: tag})
		name := query.Display(y)
		after := b.Span(i).End
		want := query.Concat(ft.Params, []wasm.ValType{wasm.Ref(false, wasm.HeapType(k))})
		for d, blk := range b.Blocks(i) {
			if has := t.LabelTypes(b, blk); len(has) == len(want) && p.Module.Env().MatchAll(want, has) {
				label := labelName(p, b, blk, d)
				out = append(out, insert("Add the handler clause (on "+name+" "+label+")", after, " (on "+name+" "+label+")"))
				break
			}
		}
		if !p.Node.Folded() || !ownOperands(p, len(ct.Params)+1) || in.Op != wasm.OpResume {
			continue
		}
		label := freshLabel(p, "$on_"+strings.TrimPrefix(name, "$"))
		done := freshLabel(p, "$done")
		ind := "\n" + indentOf(p.Snap.File(), p.Node.Span().Start)
		whole := p.Node.Span()
		text := p.Snap.File().Text
		resume := text[whole.Start:after] + " (on " + name + " " + label + ")" + strings.ReplaceAll(
			text[after:whole.End], "\n", "\n    ",
		)
		results := t.Sig(nil, ct.Results)
		handler := t.Sig(nil, ft.Params)
		if handler == "" {
			handler = " (result " + kt + ")"
		} else {
			handler = strings.TrimSuffix(handler, ")") + " " + kt + ")"
		}
		out = append(out, rewrite("Handle "+name+" in a new block", whole,
			"(block "+done+results+ind+"  (block "+label+handler+ind+"    "+resume+ind+"    (br "+done+"))"+
				ind+"  ;; "+name+": payload and continuation are on the stack"+ind+"  (unreachable))"))
	}
	return out
}

// labelName returns what to write for a block's label: its name, or the depth.
func labelName(p query.Place, b *analysis.Body, blk, depth int) string {
	if blk >= 0 {
		for t := range b.Node(blk).Own() {
			if t.Kind() == syntax.TokID {
				return t.Text()
			}
			if t.Kind() != syntax.TokLParen && t.Kind() != syntax.TokKeyword {
				break
			}
		}
	}
	return strconv.Itoa(depth)
}

// freshLabel returns a label that the function does not use.
func freshLabel(p query.Place, name string) string {
	fn, _ := p.Module.FuncAt(p.Off)
	used := map[string]bool{}
	for _, y := range p.Module.Labels(fn) {
		used["$"+y.Name] = true
	}
	out := name
	for k := 1; used[out]; k++ {
		out = name + strconv.Itoa(k)
	}
	return out
}

// ownOperands reports whether all n operands stand inside of the folded instruction.
func ownOperands(p query.Place, n int) bool {
	k := 0
	for c := range p.Node.Children() {
		if c.Kind() == syntax.KInstr || c.Kind() == syntax.KBlock {
			k++
		}
	}
	return k == n
}
