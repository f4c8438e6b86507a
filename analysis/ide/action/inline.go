package action

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// inlining puts the body of a function where it is called.
type inlining struct {
	p           query.Place
	t           query.Types
	b, callee   *analysis.Body
	at          int // the call
	first, last syntax.N
	names       map[int]string // of the callee's locals in the caller
}

// inlineCall offers to replace the call under the cursor with the body of the function.
func inlineCall(p query.Place, b *analysis.Body, i int) []Refactor {
	if b.Instrs[i].Op != wasm.OpCall || b.Unreachable(i) || b.Instrs[i].A == b.Func {
		return nil
	}
	in := inlining{p: p, t: query.NewTypes(p.Module), b: b, at: i}
	if !in.body(b.Instrs[i].A) {
		return nil
	}
	edits, ok := in.edits()
	if !ok || !clean(p.Snap, edits) {
		return nil
	}
	return []Refactor{{Title: "Inline the call", Kind: Inline, Edits: edits}}
}

// maxInlined bounds the size of a body that is offered to be inlined, in instructions.
const maxInlined = 2000

// body finds the body of the called function, and reports whether it can stand elsewhere.
func (in *inlining) body(fn uint32) bool {
	in.callee = in.p.Module.Body(fn)
	if in.t.Declared == nil || in.callee == nil || len(in.callee.Instrs) > maxInlined || in.t.FuncType(fn) == nil {
		return false
	}
	for i := range in.callee.Instrs {
		op := in.callee.Instrs[i].Op
		if boundToFrame(op) {
			return false
		}
		switch op {
		case wasm.OpReturnCall, wasm.OpReturnCallIndirect, wasm.OpReturnCallRef:
			return false
		}
	}
	root := in.callee.Node(len(in.callee.Instrs) - 1)
	if root.Kind() != syntax.KFunc || in.p.Field().Kind() != syntax.KFunc {
		return false
	}
	for _, u := range []syntax.Placed{root.Unit(), in.p.Field().Unit()} {
		if len(u.Errors) > 0 || u.Annotated {
			return false
		}
	}
	for c := range root.Children() {
		if k := c.Kind(); k == syntax.KInstr || k == syntax.KBlock {
			if in.first.IsZero() {
				in.first = c
			}
			in.last = c
		}
	}
	return !in.first.IsZero() && in.t.Named(in.callee.Locals) && in.t.Named(in.t.FuncType(fn).Results)
}

// edits makes the body, and the locals that it needs.
func (in *inlining) edits() ([]source.Edit, bool) {
	n := in.p.Node
	ft := in.t.FuncType(in.callee.Func)
	in.nameLocals()
	labels := map[string]bool{}
	for _, f := range []uint32{in.callee.Func, in.b.Func} {
		for _, y := range in.p.Module.Labels(f) {
			labels[query.Identifier(y.Name)] = true
		}
	}
	label := fresh("$inlined", labels)
	file := in.p.Snap.File()
	margin := indentOf(file, n.Span().Start)

	var out []string
	args := query.FoldedOperands(n)
	if in.oneEach(args, len(ft.Params)) {
		for k, a := range args {
			out = append(out, "(local.set "+in.names[k]+" "+a.Text()+")")
		}
	} else {
		for _, a := range args {
			out = append(out, a.Text())
		}
		for k := len(ft.Params) - 1; k >= 0; k-- {
			out = append(out, "(local.set "+in.names[k]+")")
		}
	}
	if in.inLoop() {
		for k, v := range in.callee.Locals[len(ft.Params):] {
			if zero, ok := zeroOf(v, in.t); ok {
				out = append(out, "(local.set "+in.names[len(ft.Params)+k]+" "+zero+")")
			}
		}
	}
	span := source.Span{Start: in.first.Span().Start, End: in.last.Span().End}
	text := in.renamed(span, label)
	out = append(
		out,
		"(block "+label+in.t.Sig(
			nil, ft.Results,
		)+"\n"+margin+"  "+reindent(
			text, indentOf(file, span.Start), margin+"  ",
		)+")",
	)
	if hasComment(strings.Join(out[:len(out)-1], "")) {
		return nil, false // a comment among the arguments
	}
	edits := []source.Edit{{Span: n.Span(), New: strings.Join(out, "\n"+margin)}}
	decl := ""
	for k, v := range in.callee.Locals {
		decl += " (local " + in.names[k] + " " + in.t.Val(v) + ")"
	}
	if decl != "" {
		at := localsEnd(in.p.Field())
		edits = append([]source.Edit{{Span: source.Span{Start: at, End: at}, New: decl}}, edits...)
	}
	return edits, true
}

// oneEach reports whether the folded operands are all n arguments, each one value.
func (in *inlining) oneEach(args []syntax.N, n int) bool {
	if len(args) != n {
		return false
	}
	for _, a := range args {
		sp := a.Span()
		if in.b.HeightBefore(in.b.Next(sp.End))-in.b.HeightBefore(in.b.Next(sp.Start)) != 1 {
			return false
		}
	}
	return true
}

// inLoop reports whether the call can run more than once in an activation of the caller.
func (in *inlining) inLoop() bool {
	return slices.ContainsFunc(in.b.Blocks(in.at), func(i int) bool {
		return i >= 0 && in.b.Instrs[i].Op == wasm.OpLoop
	})
}

// nameLocals names each of the callee's locals as nothing in the caller is named.
func (in *inlining) nameLocals() {
	taken := map[string]bool{}
	for _, y := range in.p.Module.Locals(in.b.Func) {
		taken[query.Display(y)] = true
	}
	in.names = map[int]string{}
	for i := range in.callee.Locals {
		name := "$local" + query.Index(uint32(i))
		if y, ok := in.p.Module.Symbol(analysis.Sym{Space: analysis.SpaceLocal, Owner: in.callee.Func,
			Index: uint32(i)}); ok &&
			y.Name != "" &&
			query.PlainID(y.Name) {
			name = query.Identifier(y.Name)
		}
		in.names[i] = fresh(name, taken)
	}
}

// renamed returns the callee's text with the new names of its locals, and branches in place of
// returns.
func (in *inlining) renamed(span source.Span, label string) string {
	var edits []source.Edit
	add := func(sp source.Span, text string) {
		if query.Inside(sp, span) {
			edits = append(
				edits,
				source.Edit{Span: source.Span{Start: sp.Start - span.Start, End: sp.End - span.Start}, New: text},
			)
		}
	}
	for i := range in.callee.Locals {
		for _, r := range in.p.Module.References(analysis.Sym{Space: analysis.SpaceLocal, Owner: in.callee.Func,
			Index: uint32(i)}, false) {
			add(r.Span, in.names[i])
		}
	}
	for i := range in.callee.Instrs {
		if in.callee.Instrs[i].Op == wasm.OpReturn {
			add(in.callee.Node(i).Keyword().Span(), "br "+label)
		}
	}
	slices.SortFunc(edits, func(a, b source.Edit) int { return a.Start - b.Start })
	text, _ := source.ApplyAll(in.p.Snap.File().Text[span.Start:span.End], edits)
	return text
}

// localsEnd returns where a function can declare further locals.
func localsEnd(root syntax.N) int {
	end := root.Keyword().Span().End
	if id, ok := root.ID(); ok {
		end = id.Span().End
	}
	for c := range root.Children() {
		switch c.Kind() {
		case syntax.KParam, syntax.KResult, syntax.KLocal, syntax.KTypeUse, syntax.KInlineExport:
			end = max(end, c.Span().End)
		}
	}
	return end
}
