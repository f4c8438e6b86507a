package action

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Fixes returns ways to put a diagnostic right that follow from its place: its own, and those that
// need no more than what stands there. Those that keep what the program does are marked as safe.
func Fixes(s *analysis.Snapshot, d *diag.Diagnostic) []diag.Fix {
	p := query.At(s, d.Span.Start)
	if p.Module == nil || len(d.Fixes) > 0 {
		return broughtFixes(p, d)
	}
	for i := range quickFixes {
		q := &quickFixes[i]
		if !slices.Contains(q.codes, d.Code) {
			continue
		}
		if out := q.fix(p, d); out != nil {
			for k := range out {
				out[k].Safe = out[k].Safe || q.safe
			}
			return out
		}
	}
	return nil
}

// broughtFixes returns the fixes that a diagnostic brings, but for those that cannot be written,
// and the declaration of what it does not find.
func broughtFixes(p query.Place, d *diag.Diagnostic) []diag.Fix {
	out := slices.Clone(d.Fixes)
	if p.Module != nil {
		out = slices.DeleteFunc(out, func(x diag.Fix) bool {
			return unwritable(p.Snap, d, x) || x.Title == "Remove the operand" && !mends(p, x.Edits)
		})
		out = append(out, declare(p, d)...) // a name like it, or a new thing
	}
	for i := range out {
		out[i].Safe = out[i].Safe || isSafe(p.Snap, d, out[i].Title)
	}
	return out
}

// one returns a single fix, which is preferred.
func one(title string, edits ...source.Edit) []diag.Fix {
	return []diag.Fix{{Title: title, Edits: edits, Preferred: true}}
}

// removeStart removes the start field that is one too many.
func removeStart(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Field()
	if n.Kind() != syntax.KStart {
		return nil
	}
	return one("Remove this start", source.Edit{Span: lineOut(p.Snap.File(), n.Span())})
}

// removeExport removes an export whose name is taken.
func removeExport(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KInlineExport, syntax.KExport)
	if n.IsZero() {
		return nil
	}
	return one("Remove this export", source.Edit{Span: cutOut(p, n)})
}

// tryToBlock writes a try_table without clauses as a block.
func tryToBlock(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KBlock)
	if n.Op() != wasm.OpTryTable {
		return nil
	}
	return one("Convert to block", source.Edit{Span: n.Keyword().Span(), New: "block"})
}

// removeClause removes a clause that nothing reaches.
func removeClause(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KCatch, syntax.KOn)
	if n.IsZero() {
		return nil
	}
	return one("Remove the clause", source.Edit{Span: cutOut(p, n)})
}

// writeIndex writes the memory or table that an instruction leaves out.
func writeIndex(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	b, i := p.Instr()
	if i < 0 || p.Node.Kind() != syntax.KInstr {
		return nil
	}
	for _, r := range omittedIndex(p, b, i) {
		return one(r.Title, r.Edits...)
	}
	return nil
}

// wrapModule wraps the fields of a file in a module.
func wrapModule(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	f := p.Snap.File()
	sp := p.Module.Span()
	first := sp.Start
	for _, u := range p.Snap.Tree().Units {
		if len(u.Tokens) > 0 {
			first = u.Off + int(u.Tokens[0].Off)
			break
		}
	}
	end := first + len(strings.TrimRight(f.Text[first:sp.End], " \t\r\n"))
	closing := ")"
	if strings.HasPrefix(strings.TrimSpace(f.Text[f.LineStart(f.LineOf(end)):end]), ";;") {
		closing = "\n)"
	}
	return one("Wrap in (module …)", source.Edit{Span: source.Span{Start: first, End: first}, New: "(module\n"},
		source.Edit{Span: source.Span{Start: end, End: end}, New: closing})
}

// addMemory adds a memory to a module that has none.
func addMemory(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	if len(p.Module.Declared().Mems) > 0 || p.Tok.Kind() == syntax.TokID {
		return nil
	}
	return addField(p, "Add a memory", "(memory 1)")
}

// removeImport removes a group of imports without items.
func removeImport(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	return one("Remove the import", source.Edit{Span: lineOut(p.Snap.File(), p.Field().Span())})
}

// unwritable reports whether a fix writes a constant that its type does not have, or a type or
// export that has no plain name, or takes a type out in part.
func unwritable(s *analysis.Snapshot, d *diag.Diagnostic, x diag.Fix) bool {
	for _, e := range x.Edits {
		if strings.Contains(e.New, "unknown)") ||
			strings.HasPrefix(e.New, " (export ") && strings.Contains(e.New, `\`) {
			return true
		}
		if cut := s.File().Text[e.Start:e.End]; d.Code == diag.InlineType &&
			strings.Count(cut, "(") != strings.Count(cut, ")") {
			return true
		}
		if !strings.HasPrefix(e.New, "(") || !strings.HasSuffix(e.New, ")") {
			continue
		}
		word, number, ok := strings.Cut(e.New[1:len(e.New)-1], ".const ")
		if t := slices.Index([]string{"i32", "i64", "f32", "f64"}, word); ok && t >= 0 {
			if _, _, err := syntax.ParseNumber([]wasm.ValType{wasm.I32, wasm.I64, wasm.F32, wasm.F64}[t],
				number); err != nil {
				return true
			}
		}
	}
	return false
}

// cutOut returns the span of a part with the white space before it; of a field its line.
func cutOut(p query.Place, n syntax.N) source.Span {
	f := p.Snap.File()
	if n.Parent().IsZero() {
		return lineOut(f, n.Span())
	}
	sp := n.Span()
	for sp.Start > 0 && strings.IndexByte(" \t\r\n", f.Text[sp.Start-1]) >= 0 {
		sp.Start--
	}
	return sp
}

// moveImport puts an import before the first definition that it may not follow.
func moveImport(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Field()
	if n.Kind() != syntax.KImport {
		return nil
	}
	t := p.Snap.Tree()
	sp := p.Module.Span()
	for i := t.UnitAt(sp.Start); i < int(n.U); i++ {
		r := t.Root(i)
		switch r.Kind() {
		case syntax.KFunc, syntax.KTable, syntax.KMemory, syntax.KGlobal, syntax.KTag:
			if !r.First(syntax.KInlineImport).IsZero() {
				continue
			}
			start := r.Span().Start
			return []diag.Fix{{Title: "Move the import before the definitions", Preferred: true, Edits: []source.Edit{
				{Span: source.Span{Start: start, End: start}, New: n.Text() + "\n" + indentOf(p.Snap.File(), start)},
				{Span: lineOut(p.Snap.File(), n.Span())},
			}}}
		}
	}
	return nil
}

// removeLabel removes the label of a block wherever the block repeats it.
func removeLabel(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	n := p.Up(syntax.KBlock)
	if n.IsZero() {
		return nil
	}
	f := p.Snap.File()
	var edits []source.Edit
	drop := func(t syntax.Tok) {
		sp := t.Span()
		for sp.Start > 0 && (f.Text[sp.Start-1] == ' ' || f.Text[sp.Start-1] == '\t') {
			sp.Start--
		}
		edits = append(edits, source.Edit{Span: sp})
	}
	for t := range n.Own() {
		if t.Kind() == syntax.TokID {
			drop(t)
		}
	}
	for c := range n.Children() { // the flat else may repeat it
		if c.Kind() != syntax.KElse {
			continue
		}
		for t := range c.Own() {
			if t.Kind() == syntax.TokID {
				drop(t)
			}
		}
	}
	slices.SortFunc(edits, func(a, b source.Edit) int { return a.Start - b.Start })
	if len(edits) == 0 {
		return nil
	}
	return []diag.Fix{{Title: "Remove the label", Edits: edits}}
}

// makeMutable makes the global or field mutable that an instruction sets.
func makeMutable(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	for t := range p.Node.Own() {
		r, ok := p.Module.RefAt(t.Span().Start)
		if !ok || r.Index == wasm.BadIndex || r.Kind != analysis.RefWrite ||
			r.Space != analysis.SpaceGlobal && r.Space != analysis.SpaceField {
			continue
		}
		y, ok := p.Module.Symbol(r.Sym)
		if !ok {
			return nil
		}
		kinds := 0
		var ty syntax.N
		for c := range y.N.Children() {
			if k := c.Kind(); k == syntax.KNumType || k == syntax.KRefType {
				ty = c
				kinds++
			}
		}
		if kinds != 1 {
			return nil // imported, or one of several in a group
		}
		return []diag.Fix{
			{
				Title: "Make " + query.Display(y) + " mutable", Preferred: true,
				Edits: []source.Edit{{Span: ty.Span(), New: "(mut " + ty.Text() + ")"}},
			},
		}
	}
	return nil
}

// addResults returns a function or block the results that are left on the stack at its end.
func addResults(p query.Place, d *diag.Diagnostic) []diag.Fix {
	fn, ok := p.Module.FuncAt(d.Span.Start)
	if !ok || !strings.Contains(d.Message, "requires [] but stack has") ||
		strings.Contains(d.Message, "event requires") {
		return nil // an event clause gives what its handle gives
	}
	b := p.Module.Body(fn)
	if b == nil {
		return nil
	}
	t := query.NewTypes(p.Module)
	for i := range b.Instrs {
		if b.Instrs[i].Op != wasm.OpEnd || b.Unreachable(i) {
			continue
		}
		n := b.Node(i)
		// The diagnostic stands at the end of what has too much.
		if sp := n.Span(); n.IsZero() ||
			d.Span.End != sp.End && !query.Inside(b.Span(i), d.Span) && !query.Inside(d.Span, n.Keyword().Span()) {
			continue
		}
		left, more := b.TopBefore(i, 1000)
		if len(left) == 0 || more > 0 || !t.Named(left) {
			continue
		}
		head := n.Keyword().Span().End
		typed := false
		for c := range n.Children() {
			switch c.Kind() {
			case syntax.KResult, syntax.KTypeUse:
				typed = true
			case syntax.KParam, syntax.KInlineExport:
				head = c.Span().End
			}
		}
		if id, ok := n.ID(); ok && id.Span().End > head && id.Span().Start < n.Keyword().Span().End+2 {
			head = id.Span().End
		}
		if typed || n.Kind() != syntax.KFunc && n.Kind() != syntax.KBlock || branchedTo(b, i) {
			continue
		}
		if n.Op() == wasm.OpHandle || n.Op() == wasm.OpIf && n.First(syntax.KElse).IsZero() {
			continue // the other clauses would have to give them too
		}
		edits := []source.Edit{{Span: source.Span{Start: head, End: head}, New: t.Sig(nil, left)}}
		if (n.Op() == wasm.OpIf || n.Kind() == syntax.KFunc) && !mends(p, edits) {
			continue // the other arm, or what uses the function, is for no results
		}
		return []diag.Fix{{Title: "Add" + t.Sig(nil, left) + " to the " + n.Keyword().Text(), Edits: edits}}
	}
	return nil
}

// maxMended is the length of the texts in which a fix is tried before it is offered. A long text
// can have many mistakes, and takes long to check.
const maxMended = 32 << 10

// mends reports whether edits bring no new error, as far as that can be found out quickly.
func mends(p query.Place, edits []source.Edit) bool {
	return len(p.Snap.File().Text) > maxMended || clean(p.Snap, edits)
}

// branchedTo reports whether something branches to the end at an instruction, so that results there
// would be asked of the branches too.
func branchedTo(b *analysis.Body, end int) bool {
	for i := range b.Instrs {
		switch op := b.Instrs[i].Op; op {
		case wasm.OpReturn, wasm.OpReturnCall, wasm.OpReturnCallIndirect, wasm.OpReturnCallRef:
			if end == len(b.Instrs)-1 {
				return true
			}
		}
		for _, to := range b.LabelTargets(i) {
			if to == -1 && end == len(b.Instrs)-1 || to >= 0 && b.Instrs[to].Op != wasm.OpLoop && b.End(to) == end {
				return true
			}
		}
	}
	return false
}

// declareLocal declares the local that an instruction sets, with the type of what it is set to.
func declareLocal(p query.Place, _ *diag.Diagnostic) []diag.Fix {
	if p.Tok.Kind() != syntax.TokID || p.Node.Op() != wasm.OpLocalSet && p.Node.Op() != wasm.OpLocalTee {
		return nil
	}
	b, _ := p.Instr()
	root := p.Field()
	if b == nil || root.Kind() != syntax.KFunc {
		return nil
	}
	i := b.Next(p.Node.Span().End - 1)
	if ops := query.FoldedOperands(p.Node); len(ops) > 0 {
		if k, ok := b.Index(ops[len(ops)-1]); ok {
			i = b.End(k) + 1
			if ops[len(ops)-1].Kind() == syntax.KInstr {
				i = k + 1
			}
		}
	}
	st, _ := b.TopBefore(i, 1)
	if len(st) == 0 || !query.NewTypes(p.Module).Named(st[len(st)-1:]) {
		return nil
	}
	at := root.Keyword().Span().End
	if id, ok := root.ID(); ok {
		at = id.Span().End
	}
	for c := range root.Children() {
		switch c.Kind() {
		case syntax.KParam, syntax.KResult, syntax.KLocal, syntax.KTypeUse, syntax.KInlineExport:
			at = c.Span().End
		}
	}
	decl := "(local " + p.Tok.Text() + " " + query.NewTypes(p.Module).Val(st[len(st)-1]) + ")"
	return []diag.Fix{
		{Title: "Declare " + decl, Edits: []source.Edit{{Span: source.Span{Start: at, End: at}, New: " " + decl}}},
	}
}

// addField adds a field before the one around the cursor.
func addField(p query.Place, title, text string) []diag.Fix {
	n := p.Field()
	if n.IsZero() {
		return nil
	}
	at := n.Span().Start
	return []diag.Fix{
		{
			Title: title + ": " + text,
			Edits: []source.Edit{
				{Span: source.Span{Start: at, End: at}, New: text + "\n" + indentOf(p.Snap.File(), at)},
			},
		},
	}
}
