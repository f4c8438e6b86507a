package ide

import (
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Refactor is a change that keeps or completes what a program means, offered at a place.
type Refactor struct {
	Title string
	Edits []source.Edit
}

// Refactors gives the changes that are possible at an offset.
func Refactors(s *analysis.Snapshot, off int) []Refactor {
	p := at(s, off)
	if p.m == nil || !p.has {
		return nil
	}
	var out []Refactor
	out = append(out, p.convertIndex()...)
	out = append(out, p.exportAs()...)
	if p.tok.Kind() != syntax.TokKeyword {
		return out
	}
	if b, i := p.instr(); i >= 0 && p.n.Kind() == syntax.KInstr && b.Node(i) == p.n {
		out = append(out, p.handlerActions(b, i)...)
		out = append(out, p.branchActions(b, i)...)
		out = append(out, p.unfold(b)...)
	}
	return out
}

// convertIndex turns a number into the name that it stands for, or a name into its number.
func (p place) convertIndex() []Refactor {
	y, r, ok := p.sym()
	if !ok || r.Kind == analysis.RefDef || y.Name == "" || y.Space == analysis.SpaceLabel {
		return nil
	}
	if p.tok.Kind() == syntax.TokNat {
		name := idText(y.Name)
		return []Refactor{{"Use the name " + name, []source.Edit{{Span: r.Span, New: name}}}}
	}
	n := itoa(y.Index)
	return []Refactor{{"Use the index " + n, []source.Edit{{Span: r.Span, New: n}}}}
}

// exportAs exports the function, memory, table, global or tag whose declared name is at the cursor.
func (p place) exportAs() []Refactor {
	y, r, ok := p.sym()
	if !ok || r.Kind != analysis.RefDef || y.Name == "" || y.N.Parent().Kind() == syntax.KImport {
		return nil
	}
	kind, ok := externOf(y.Space)
	ir := p.m.Declared()
	if !ok || ir == nil {
		return nil
	}
	for _, e := range ir.Exports {
		if e.Kind == kind && e.Index == y.Index || e.Name == y.Name {
			return nil
		}
	}
	at := source.Span{Start: y.NameSpan.End, End: y.NameSpan.End}
	q := strconv.QuoteToASCII(y.Name)
	if strings.Contains(q, `\`) {
		return nil
	}
	return []Refactor{{"Export as " + q, []source.Edit{{Span: at, New: " (export " + q + ")"}}}}
}

// handlerActions completes a resume: a clause for a tag that the continuation may suspend with, to a
// label that fits, or with the block for it.
func (p place) handlerActions(b *analysis.Body, i int) []Refactor {
	in := &b.Instrs[i]
	if in.Op != wasm.OpResume && in.Op != wasm.OpResumeThrow {
		return nil
	}
	t := newTyper(p.m)
	ct := t.ir.ContFunc(in.A)
	if ct == nil {
		return nil
	}
	handled := map[uint32]bool{}
	if in.Ext != nil {
		for _, h := range in.Ext.Handlers {
			handled[h.Tag] = handled[h.Tag] || !h.Switch
		}
	}
	var out []Refactor
	for _, tag := range p.m.ResumeEffects(in.A).Suspends {
		ft := t.tagType(tag)
		if handled[tag] || ft == nil {
			continue
		}
		k, ok := p.m.Env().FindCont(ft.Results, ct.Results)
		if !ok {
			continue
		}
		kt := "(ref " + t.name(k) + ")"
		y, _ := p.m.Symbol(analysis.Sym{Space: analysis.SpaceTag, Index: tag})
		name := display(y)
		behind := b.Span(i).End
		want := both(ft.Params, []wasm.ValType{wasm.Ref(false, wasm.HeapType(k))})
		for d, blk := range b.Blocks(i) {
			if has := t.labelTypes(b, blk); len(has) == len(want) && p.m.Env().MatchAll(want, has) {
				label := p.labelName(b, blk, d)
				out = append(out, Refactor{"Add the clause (on " + name + " " + label + ")",
					[]source.Edit{{Span: source.Span{Start: behind, End: behind}, New: " (on " + name + " " + label + ")"}}})
				break
			}
		}
		if !p.n.Folded() || !p.ownOperands(len(ct.Params)+1) || in.Op != wasm.OpResume {
			continue
		}
		label := p.freshLabel("$on_" + strings.TrimPrefix(name, "$"))
		done := p.freshLabel("$done")
		ind := "\n" + indentOf(p.s.File(), p.n.Span().Start)
		whole := p.n.Span()
		text := p.s.File().Text
		resume := text[whole.Start:behind] + " (on " + name + " " + label + ")" + strings.ReplaceAll(text[behind:whole.End], "\n", "\n    ")
		results := t.sig(nil, ct.Results)
		handler := t.sig(nil, ft.Params)
		if handler == "" {
			handler = " (result " + kt + ")"
		} else {
			handler = strings.TrimSuffix(handler, ")") + " " + kt + ")"
		}
		out = append(out, Refactor{"Handle " + name + " in a block around", []source.Edit{{Span: whole,
			New: "(block " + done + results + ind + "  (block " + label + handler + ind + "    " + resume + ind + "    (br " + done + "))" +
				ind + "  ;; " + name + ": what it sends, then the continuation" + ind + "  (unreachable))"}}})
	}
	return out
}

// labelName gives what to write for a block's label: its name, or the depth.
func (p place) labelName(b *analysis.Body, blk, depth int) string {
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

// freshLabel gives a label that the function does not use.
func (p place) freshLabel(name string) string {
	fn, _ := p.m.FuncAt(p.off)
	used := map[string]bool{}
	for _, y := range p.m.Labels(fn) {
		used["$"+y.Name] = true
	}
	out := name
	for k := 1; used[out]; k++ {
		out = name + strconv.Itoa(k)
	}
	return out
}

// ownOperands tells whether all n operands stand inside of the folded instruction.
func (p place) ownOperands(n int) bool {
	k := 0
	for c := range p.n.Children() {
		if c.Kind() == syntax.KInstr || c.Kind() == syntax.KBlock {
			k++
		}
	}
	return k == n
}

// operands gives the folded operands of an instruction.
func operands(n syntax.N) []syntax.N {
	var out []syntax.N
	for c := range n.Children() {
		if c.Kind() == syntax.KInstr || c.Kind() == syntax.KBlock {
			out = append(out, c)
		}
	}
	return out
}

// branchActions turns br_if with a named label into if and br, and a returned call into a tail call.
func (p place) branchActions(b *analysis.Body, i int) []Refactor {
	t := newTyper(p.m)
	ops := operands(p.n)
	if !p.n.Folded() || len(ops) != 1 {
		return nil
	}
	whole := p.n.Span()
	switch p.n.Op() {
	case wasm.OpBrIf:
		if to := b.LabelTargets(i); len(to) != 1 || to[0] == -2 || len(t.labelTypes(b, to[0])) > 0 {
			return nil
		}
		for w := range p.n.Own() {
			if w.Kind() == syntax.TokID {
				return []Refactor{{"Write as if and br", []source.Edit{{Span: whole, New: "(if " + ops[0].Text() + " (then (br " + w.Text() + ")))"}}}}
			}
		}
	case wasm.OpReturn:
		c := ops[0]
		k, ok := b.Index(c)
		if !ok || c.Op() != wasm.OpCall || !c.Folded() {
			return nil
		}
		callee, own := t.funcType(b.Instrs[k].A), t.funcType(b.Func)
		if callee == nil || own == nil || len(callee.Results) != len(own.Results) || !p.m.Env().MatchAll(callee.Results, own.Results) {
			return nil
		}
		text := c.Text()
		at := c.Keyword().Span().Start - c.Span().Start
		return []Refactor{{"Merge into return_call", []source.Edit{{Span: whole, New: text[:at] + "return_" + text[at:]}}}}
	}
	return nil
}

// unfold writes a folded instruction flat, its operands in front of it. Blocks stay as they are.
func (p place) unfold(b *analysis.Body) []Refactor {
	if !p.n.Folded() || len(operands(p.n)) == 0 || p.n.Parent().Folded() && p.n.Parent().Kind() == syntax.KInstr {
		return nil
	}
	text := p.s.File().Text
	if whole := p.n.Text(); strings.Contains(whole, ";;") || strings.Contains(whole, "(;") {
		return nil // a comment would be lost
	}
	var lines []string
	var walk func(n syntax.N) bool
	walk = func(n syntax.N) bool {
		if n.Kind() == syntax.KBlock || !n.Folded() {
			lines = append(lines, n.Text())
			return true
		}
		i, ok := b.Index(n)
		if !ok {
			return false
		}
		for _, o := range operands(n) {
			if !walk(o) {
				return false
			}
		}
		sp := b.Span(i)
		lines = append(lines, text[sp.Start:sp.End])
		return true
	}
	if !walk(p.n) {
		return nil
	}
	ind := "\n" + indentOf(p.s.File(), p.n.Span().Start)
	return []Refactor{{"Write flat", []source.Edit{{Span: p.n.Span(), New: strings.Join(lines, ind)}}}}
}

// indentOf gives the white space that the line of an offset begins with.
func indentOf(f *source.File, off int) string {
	from := f.LineStart(f.LineOf(off))
	to := from
	for to < off && (f.Text[to] == ' ' || f.Text[to] == '\t') {
		to++
	}
	return f.Text[from:to]
}
