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

// Selected returns the changes that are possible for a selection: those at its beginning, and, if
// it holds whole instructions, their extraction into a function.
func Selected(s *analysis.Snapshot, span source.Span) []Refactor {
	out := Refactors(s, span.Start)
	if span.End == span.Start {
		return out
	}
	for k := range refactors {
		if r := &refactors[k]; r.selected != nil {
			out = append(out, r.selected(s, span)...)
		}
	}
	return out
}

// extraction is a run of instructions that can become a function.
type extraction struct {
	p        query.Place
	t        query.Types
	b        *analysis.Body
	span     source.Span
	from, to int // instructions [from, to)
	folded   bool

	operands []wasm.ValType // values taken from the stack
	results  []wasm.ValType // values left on the stack
	params   []int          // locals that are passed
	back     []int          // locals that are returned
	own      []int          // locals that only the run uses
	names    map[int]string // of the locals in the new function
}

// extractFunction offers to move the selected instructions to a function of their own.
func extractFunction(s *analysis.Snapshot, span source.Span) []Refactor {
	e := extraction{p: query.At(s, span.Start)}
	if !e.selected(s, span) || !e.stack() || !e.locals() {
		return nil
	}
	edits, ok := e.edits()
	if !ok || !clean(s, edits) {
		return nil
	}
	return []Refactor{{Title: "Extract into a function", Kind: Extract, Edits: edits}}
}

// selected finds the instructions of the selection: whole, and next to each other.
func (e *extraction) selected(s *analysis.Snapshot, span source.Span) bool {
	text := s.File().Text
	for span.Start < span.End && strings.IndexByte(" \t\r\n", text[span.Start]) >= 0 {
		span.Start++
	}
	for span.End > span.Start && strings.IndexByte(" \t\r\n", text[span.End-1]) >= 0 {
		span.End--
	}
	e.p = query.At(s, span.Start)
	if e.p.Module == nil || span.End == span.Start {
		return false
	}
	fn, ok := e.p.Module.FuncAt(span.Start)
	if !ok {
		return false
	}
	e.t, e.b = query.NewTypes(e.p.Module), e.p.Module.Body(fn)
	if e.b == nil || e.t.Declared == nil || len(e.b.Instrs) == 0 {
		return false
	}
	u := e.b.Node(len(e.b.Instrs) - 1).Unit()
	if len(u.Errors) > 0 || u.Annotated {
		return false
	}
	first, last, count := -1, -1, 0
	end := 0
	for i := range e.b.Instrs[:len(e.b.Instrs)-1] {
		sp := e.b.Node(i).Span()
		if !query.Inside(sp, span) {
			continue
		}
		if first < 0 {
			first = i
		}
		last, count = i, count+1
		end = max(end, sp.End)
	}
	if first < 0 || last-first+1 != count || end != span.End {
		return false
	}
	e.span, e.from, e.to = span, first, last+1
	e.folded = text[span.Start] == '('
	if !e.starts() {
		return false
	}
	return e.closed()
}

// starts reports whether an instruction begins where the selection does.
func (e *extraction) starts() bool {
	for i := e.from; i < e.to; i++ {
		if e.b.Node(i).Span().Start == e.span.Start {
			return true
		}
	}
	return false
}

// level returns the block around an instruction, -1 for the function.
func (e *extraction) level(i int) int { return e.b.Blocks(i)[0] }

// closed reports whether nothing in the run leaves it other than at its end.
func (e *extraction) closed() bool {
	if e.b.Unreachable(e.from) || e.b.Unreachable(e.to) || e.level(e.from) != e.level(e.to) {
		return false
	}
	for i := e.from; i < e.to; i++ {
		switch e.b.Instrs[i].Op {
		case wasm.OpReturn, wasm.OpReturnCall, wasm.OpReturnCallIndirect, wasm.OpReturnCallRef,
			wasm.OpRethrow, wasm.OpDelegate:
			return false
		}
		if boundToFrame(e.b.Instrs[i].Op) {
			return false
		}
		for _, blk := range e.b.LabelTargets(i) {
			if blk < e.from || blk >= e.to {
				return false
			}
		}
	}
	return true
}

// boundToFrame reports whether an instruction means something else in another function: events of
// fibers-handle go to the handle blocks of the frame.
func boundToFrame(op wasm.Op) bool { return op.Info().Dialect.Info().FrameEvents }

// stack finds the values that the run takes from the operand stack and leaves on it.
func (e *extraction) stack() bool {
	before, after := e.b.StackBefore(e.from), e.b.StackBefore(e.to)
	low := min(len(before), len(after))
	outer := e.level(e.from)
	for i := e.from; i < e.to; i++ {
		if e.level(i) != outer {
			continue
		}
		if e.b.Unreachable(i) {
			return false
		}
		params, _ := e.t.Effect(e.b, i)
		low = min(low, e.b.HeightBefore(i)-len(params))
	}
	if low < 0 {
		return false
	}
	e.operands, e.results = before[low:], after[low:]
	return e.t.Named(e.operands) && e.t.Named(e.results)
}

// localUse is how the instructions use a local.
type localUse struct {
	in, read, written bool // in the run
	setFirst          bool // the run sets it before it reads it
	outside           bool // read elsewhere
}

// locals divides the locals of the run into parameters, results and its own.
func (e *extraction) locals() bool {
	uses := make([]localUse, len(e.b.Locals))
	outer := e.level(e.from)
	for i, in := range e.b.Instrs {
		read := in.Op == wasm.OpLocalGet
		if !read && in.Op != wasm.OpLocalSet && in.Op != wasm.OpLocalTee || int(in.A) >= len(uses) {
			continue
		}
		u := &uses[in.A]
		if i < e.from || i >= e.to {
			u.outside = u.outside || read
			continue
		}
		if !u.in {
			u.setFirst = !read && e.level(i) == outer
		}
		u.in = true
		u.read, u.written = u.read || read, u.written || !read
	}
	loop := slices.ContainsFunc(
		e.b.Blocks(e.from),
		func(i int) bool { return i >= 0 && e.b.Instrs[i].Op == wasm.OpLoop },
	)
	for i, u := range uses {
		if !u.in {
			continue
		}
		back := u.written && (u.outside || loop && !u.setFirst)
		switch {
		case !u.setFirst && (u.read || back):
			e.params = append(e.params, i)
		default:
			e.own = append(e.own, i)
		}
		if back {
			e.back = append(e.back, i)
		}
		if !e.t.Named(e.b.Locals[i : i+1]) {
			return false
		}
	}
	e.nameLocals()
	return true
}

// nameLocals names each local of the run in the new function.
func (e *extraction) nameLocals() {
	e.names = map[int]string{}
	taken := map[string]bool{}
	for _, y := range e.p.Module.Locals(e.b.Func) {
		if y.Name != "" {
			e.names[int(y.Index)] = query.Identifier(y.Name)
			taken[query.Identifier(y.Name)] = true
		}
	}
	for i := range e.b.Locals {
		if e.names[i] == "" {
			e.names[i] = fresh("$local"+query.Index(uint32(i)), taken)
		}
	}
	for k := range e.operands {
		e.names[-1-k] = fresh("$operand"+query.Index(uint32(k+1)), taken)
	}
}

// fresh returns a name that is not taken, and takes it.
func fresh(name string, taken map[string]bool) string {
	for k, base := uint32(2), name; taken[name]; k++ {
		name = base + "_" + query.Index(k)
	}
	taken[name] = true
	return name
}

// edits makes the new function and the call of it.
func (e *extraction) edits() ([]source.Edit, bool) {
	taken := map[string]bool{}
	for _, y := range e.p.Module.Symbols(analysis.SpaceFunc) {
		taken[query.Display(y)] = true
	}
	name := fresh("$extracted", taken)
	root := e.b.Node(len(e.b.Instrs) - 1)
	if root.Kind() != syntax.KFunc {
		return nil, false
	}
	file := e.p.Snap.File()
	margin := indentOf(file, root.Span().Start)

	var f strings.Builder
	line := func(s string) { f.WriteString("\n" + margin + "  " + s) }
	f.WriteString("\n\n" + margin + "(func " + name)
	for k, v := range e.operands {
		f.WriteString(" (param " + e.names[-1-k] + " " + e.t.Val(v) + ")")
	}
	for _, i := range e.params {
		f.WriteString(" (param " + e.names[i] + " " + e.t.Val(e.b.Locals[i]) + ")")
	}
	results := slices.Clone(e.results)
	for _, i := range e.back {
		results = append(results, e.b.Locals[i])
	}
	f.WriteString(e.t.Sig(nil, results))
	for _, i := range e.own {
		line("(local " + e.names[i] + " " + e.t.Val(e.b.Locals[i]) + ")")
	}
	for k := range e.operands {
		line("(local.get " + e.names[-1-k] + ")")
	}
	line(reindent(e.renamed(), indentOf(file, e.span.Start), margin+"  "))
	for _, i := range e.back {
		line("(local.get " + e.names[i] + ")")
	}
	f.WriteString(")")
	end := moduleEnd(e.p.Module)
	return []source.Edit{
		{Span: e.span, New: e.call(name)}, {Span: source.Span{Start: end, End: end}, New: f.String()},
	}, true
}

// moduleEnd returns where a field can be added so that no index of another item changes.
func moduleEnd(m *analysis.Module) int {
	text := m.Snapshot().File().Text
	sp := m.Span()
	if !strings.HasPrefix(text[sp.Start:sp.End], "(module") || !strings.HasSuffix(text[:sp.End], ")") {
		return sp.End
	}
	if end := len(strings.TrimRight(text[:sp.End-1], " \t\r\n")); text[end-1] == ')' {
		return end
	}
	return sp.End - 1
}

// local writes a local as the calling function names it.
func (e *extraction) local(i int) string {
	if y, ok := e.p.Module.Symbol(analysis.Sym{Space: analysis.SpaceLocal, Owner: e.b.Func, Index: uint32(i)}); ok {
		return query.Display(y)
	}
	return query.Index(uint32(i))
}

// call writes the call that stands for the run.
func (e *extraction) call(name string) string {
	var before, after []string
	for _, i := range e.params {
		before = append(before, "local.get "+e.local(i))
	}
	for _, i := range e.back {
		after = append(after, "local.set "+e.local(i))
	}
	slices.Reverse(after)
	if !e.folded {
		return strings.Join(
			append(append(before, "call "+name), after...),
			"\n"+indentOf(e.p.Snap.File(), e.span.Start),
		)
	}
	s := "(call " + name
	for _, x := range before {
		s += " (" + x + ")"
	}
	s += ")"
	if len(after) == 1 && len(e.results) == 0 {
		return "(" + after[0] + " " + s + ")"
	}
	for _, x := range after {
		s += " (" + x + ")"
	}
	return s
}

// renamed returns the text of the run with the names that its locals have in the new function.
func (e *extraction) renamed() string {
	var edits []source.Edit
	for i := range e.b.Locals {
		for _, r := range e.p.Module.References(analysis.Sym{Space: analysis.SpaceLocal, Owner: e.b.Func,
			Index: uint32(i)}, false) {
			if query.Inside(r.Span, e.span) {
				edits = append(
					edits,
					source.Edit{
						Span: source.Span{Start: r.Span.Start - e.span.Start, End: r.Span.End - e.span.Start},
						New:  e.names[i],
					},
				)
			}
		}
	}
	slices.SortFunc(edits, func(a, b source.Edit) int { return a.Start - b.Start })
	text, _ := source.ApplyAll(e.p.Snap.File().Text[e.span.Start:e.span.End], edits)
	return text
}

// reindent moves the lines of a text after the first from one indentation to another.
func reindent(text, from, to string) string {
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = to + strings.TrimPrefix(lines[i], from)
	}
	return strings.Join(lines, "\n")
}

// clean reports whether edits can be made and bring no new error.
func clean(s *analysis.Snapshot, edits []source.Edit) bool {
	if _, ok := source.ApplyAll(s.File().Text, edits); !ok {
		return false
	}
	return countErrors(s.EditAll(edits).Diagnostics()) <= countErrors(s.Diagnostics())
}
