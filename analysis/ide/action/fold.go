package action

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// foldActions write instructions folded or flat: the one under the cursor with its operands, or, at
// the word `func`, the whole body. Both say the same: operands stand before what takes them.
func foldActions(p query.Place) []Refactor {
	fn, ok := p.Module.FuncAt(p.Off)
	if !ok {
		return nil
	}
	root := p.Field()
	if tooDeep(root) {
		return nil
	}
	if root.Kind() == syntax.KFunc && p.Node == root {
		return foldFunction(p, root, fn)
	}
	n := p.Node
	if n.Kind() != syntax.KInstr && n.Kind() != syntax.KBlock || n.Keyword() != p.Tok {
		return nil
	}
	if n.Folded() {
		return unfold(p, fn, n)
	}
	return foldOne(p, fn, n)
}

// tooDeep reports whether a function nests so deeply that writing it in another form would take
// long: each level is written as often as it is deep.
func tooDeep(root syntax.N) bool {
	const most = 200
	nodes := root.Unit().Nodes
	var open []uint32 // by level: where it ends
	for i := range nodes {
		for len(open) > 0 && open[len(open)-1] <= uint32(i) {
			open = open[:len(open)-1]
		}
		if open = append(open, nodes[i].Next); len(open) > most {
			return true
		}
	}
	return false
}

// foldFunction offers to write the whole body in the form that some of it is not in.
func foldFunction(p query.Place, root syntax.N, fn uint32) []Refactor {
	var body []syntax.N
	flat, folded := false, false
	for c := range root.Children() {
		if k := c.Kind(); k == syntax.KInstr || k == syntax.KBlock {
			body = append(body, c)
		}
	}
	u := root.Unit()
	if len(body) == 0 || len(u.Errors) > 0 || u.Annotated {
		return nil
	}
	var look func(n syntax.N)
	look = func(n syntax.N) {
		switch n.Kind() {
		case syntax.KInstr, syntax.KBlock:
			if stays(n) {
				return
			}
			folded, flat = folded || n.Folded(), flat || !n.Folded()
		case syntax.KFunc, syntax.KThen, syntax.KElse:
		default:
			return
		}
		for c := range n.Children() {
			look(c)
		}
	}
	look(root)
	var out []Refactor
	offer := func(title string, f func(w *folder) string) {
		out = append(out, Refactor{Title: title, Later: func() []source.Edit {
			w := newFolder(p, fn)
			if w == nil {
				return nil
			}
			start := w.begin(body[0])
			return layout(
				p,
				root,
				source.Edit{Span: source.Span{Start: start, End: body[len(body)-1].Span().End}, New: f(w)},
			)
		}})
	}
	if flat {
		offer("Write the function folded", func(w *folder) string {
			return w.framed(w.texts(w.sequence(body, root.Span().End)))
		})
	}
	if folded {
		offer("Write the function flat", func(w *folder) string { return w.framed(w.flatten(body, root.Span().End)) })
	}
	return out
}

// layout returns the edit that puts a text in the place of another in a function, with the layout
// of the formatter.
func layout(p query.Place, root syntax.N, e source.Edit) []source.Edit {
	t := p.Snap.Tree()
	old := t.Units[root.U]
	next := t.Edit(e)
	if len(next.Units) != len(t.Units) {
		return []source.Edit{e}
	}
	u := next.Units[root.U]
	if len(u.Tokens) == 0 || len(u.Errors) > 0 {
		return []source.Edit{e}
	}
	from := u.Off + int(u.Tokens[0].Off)
	within := source.Span{Start: from + 1, End: from + 2}
	var edits []source.Edit
	for _, x := range syntax.Format(next, syntax.FormatOptions{}, within) {
		if x.Start >= from && x.End <= u.Off+int(u.Len) {
			edits = append(edits, source.Edit{Span: source.Span{Start: x.Start - from, End: x.End - from},
				New: x.New})
		}
	}
	text, ok := source.ApplyAll(next.Src.Text[from:u.Off+int(u.Len)], edits)
	if !ok {
		return []source.Edit{e}
	}
	return []source.Edit{
		{Span: source.Span{Start: old.Off + int(old.Tokens[0].Off), End: old.Off + int(old.Len)}, New: text},
	}
}

// foldOne folds a flat instruction with what stands before it and makes its operands.
func foldOne(p query.Place, fn uint32, n syntax.N) []Refactor {
	w := newFolder(p, fn)
	if w == nil || n.Unit().Annotated {
		return nil
	}
	var all []syntax.N
	for c := range n.Parent().Children() {
		if k := c.Kind(); k == syntax.KInstr || k == syntax.KBlock {
			all = append(all, c)
		}
	}
	for _, x := range w.sequence(all, n.Parent().Span().Start) {
		x.text = x.lead + x.text
		if x.opaque || !query.Inside(n.Span(), x.span) {
			continue
		}
		if strings.Contains(p.Snap.File().Text[x.span.Start:x.span.End], ";;") || x.text == n.Text() {
			return nil // a line comment in the middle: the whole function can be folded
		}
		return []Refactor{rewrite("Write folded", x.span, x.text)}
	}
	return nil
}

// unfold writes a folded instruction flat, its operands before it.
func unfold(p query.Place, fn uint32, n syntax.N) []Refactor {
	if n.Kind() == syntax.KInstr && len(query.FoldedOperands(n)) == 0 || !besideOthers(n) {
		return nil
	}
	if hasComment(n.Text()) || n.Unit().Annotated {
		return nil // the whole function can be written flat
	}
	w := newFolder(p, fn)
	if w == nil || stays(n) {
		return nil
	}
	f := p.Snap.File()
	lines := indented(w.flatten([]syntax.N{n}, n.Span().End))
	ind := "\n" + indentOf(f, n.Span().Start)
	first, sp := "", n.Span()
	if strings.TrimSpace(f.Text[f.LineStart(f.LineOf(n.Span().Start)):n.Span().Start]) != "" {
		ind += "  " // something stands before it on the line
		first = ind
		for f.Text[sp.Start-1] == ' ' || f.Text[sp.Start-1] == '\t' {
			sp.Start--
		}
	}
	return []Refactor{rewrite("Write flat", sp, first+strings.Join(lines, ind))}
}

// besideOthers reports whether a folded instruction stands where flat ones can stand. Only folded
// ones can be operands of a folded instruction, or the condition of a folded if.
func besideOthers(n syntax.N) bool {
	up := n.Parent()
	return !up.Folded() || up.Kind() != syntax.KInstr && (up.Kind() != syntax.KBlock || up.Op() != wasm.OpIf)
}

// indented indents flat lines by the blocks that they are in.
func indented(lines []string) []string {
	depth := 0
	for i, l := range lines {
		word, _, _ := strings.Cut(l, " ")
		if word == "end" || word == "else" {
			depth--
		}
		lines[i] = strings.Repeat("  ", min(max(0, depth), syntax.MaxIndent)) + l
		if ops := wasm.Lookup(word); word == "else" || len(ops) > 0 && ops[0].OpensBlock() {
			depth++
		}
	}
	return lines
}

// folder writes the instructions of a function in the other form.
type folder struct {
	p     query.Place
	t     query.Types
	b     *analysis.Body
	index map[int32]int // by node: its instruction
	// Comments not written yet, in order.
	comments  []syntax.Comment
	afterHead string // comments after the head of the function, on its line
}

func newFolder(p query.Place, fn uint32) *folder {
	b := p.Module.Body(fn)
	if b == nil {
		return nil
	}
	w := &folder{p: p, t: query.NewTypes(p.Module), b: b, index: map[int32]int{}}
	for i := range b.Instrs {
		if n := b.Node(i); !n.IsZero() {
			if _, ok := w.index[n.I]; !ok {
				w.index[n.I] = i
			}
		}
	}
	return w
}

// begin takes the comments after what stands before the first instruction, and gives
// where that is.
func (w *folder) begin(first syntax.N) int {
	u := first.Unit()
	k := u.Nodes[first.I].Tok
	from := u.Off + int(u.Tokens[k-1].Off+u.Tokens[k-1].Len)
	w.comments = syntax.Comments(w.p.Snap.Tree(), from, u.Off+int(u.Len))
	for len(w.comments) > 0 && w.comments[0].Lines == 0 && w.comments[0].Span.Start < first.Span().Start {
		w.afterHead += " " + w.comments[0].Text
		w.comments = w.comments[1:]
	}
	return from
}

// framed puts lines between the head of a function and its closing parenthesis. A comment after
// the head stays there.
func (w *folder) framed(lines []string) string {
	s := w.afterHead + "\n" + strings.Join(lines, "\n")
	if strings.HasPrefix(strings.TrimSpace(lastLine(s)), ";;") {
		s += "\n"
	}
	return s
}

// lead returns the comments before an offset, each with a line end after it.
func (w *folder) lead(off int) string {
	s := ""
	for len(w.comments) > 0 && w.comments[0].Span.Start < off {
		s += w.comments[0].Text + "\n"
		w.comments = w.comments[1:]
	}
	return s
}

// maxFolded is how long the operands inside a folded instruction are at most. They are copied for
// each level; longer ones stay before it.
const maxFolded = 16 << 10

// expr is a folded form that is being made, or something that can be no operand.
type expr struct {
	lead    string // comments before it, each with a line end after it
	text    string
	span    source.Span
	results int
	opaque  bool
}

func (w *folder) texts(xs []expr) []string {
	out := make([]string, 0, len(xs)+1)
	for _, x := range xs {
		out = append(out, x.lead+x.text)
	}
	if s := strings.TrimSuffix(w.lead(1<<62), "\n"); s != "" {
		out = append(out, s)
	}
	return out
}

// stays reports whether a node has no other form. It is written as it is.
func stays(n syntax.N) bool {
	if n.Kind() == syntax.KBlock {
		switch n.Op() {
		case wasm.OpBlock, wasm.OpLoop, wasm.OpIf, wasm.OpTryTable:
		default:
			return true
		}
	}
	return !plain(n)
}

// plain reports whether a node has no parts but operands and what belongs to its head.
func plain(n syntax.N) bool {
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.KInstr, syntax.KBlock, syntax.KTypeUse, syntax.KParam, syntax.KResult, syntax.KOn,
			syntax.KClause, syntax.KCatch, syntax.KRefType, syntax.KNumType, syntax.KThen, syntax.KElse:
		default:
			return false
		}
	}
	return true
}

// head returns the words of an instruction: mnemonic and immediates.
func (w *folder) head(i int) string {
	sp := w.b.Span(i)
	s := w.p.Snap.File().Text[sp.Start:sp.End]
	w.lead(sp.End) // comments inside go with it
	rest := ""
	if n := w.b.Node(i); n.Kind() == syntax.KInstr && n.Folded() { // fibers-handle: a tag between operands
		for t := range n.Own() {
			if t.Span().Start >= sp.End && t.Kind() != syntax.TokRParen {
				rest += " " + t.Text()
			}
		}
	}
	if hasComment(s) {
		return s + "\n" + rest
	}
	return strings.Join(strings.Fields(s), " ") + rest
}

// sequence folds instructions that stand beside each other.
func (w *folder) sequence(ns []syntax.N, end int) []expr {
	var xs []expr
	for _, n := range ns {
		w.add(&xs, n)
	}
	if s := strings.TrimSuffix(w.lead(end), "\n"); s != "" {
		xs = append(xs, expr{text: s, opaque: true})
	}
	return xs
}

// add puts an instruction after others, with those of them that are its operands inside.
func (w *folder) add(xs *[]expr, n syntax.N) {
	lead := w.lead(n.Span().Start)
	i, ok := w.index[n.I]
	if !ok || stays(n) {
		w.lead(n.Span().End)
		*xs = append(*xs, expr{lead: lead, text: n.Text(), span: n.Span(), opaque: true})
		return
	}
	var body []syntax.N // of a block
	if n.Kind() == syntax.KInstr || n.Op() == wasm.OpIf && n.Folded() {
		for _, o := range query.FoldedOperands(n) {
			w.add(xs, o)
		}
	} else {
		body = query.FoldedOperands(n)
	}
	head := w.head(i)
	params, results := w.t.Effect(w.b, i)
	take := 0
	if n.Kind() == syntax.KInstr || n.Op() == wasm.OpIf {
		take = len(params)
	}
	first, got, size := len(*xs), 0, 0
	for first > 0 {
		x := (*xs)[first-1]
		if size += len(x.text); x.opaque || x.results == 0 || got+x.results > take || size > maxFolded {
			break
		}
		got += x.results
		first--
	}
	out := expr{span: n.Span(), results: len(results)}
	var b strings.Builder
	b.WriteString("(" + head)
	for k, x := range (*xs)[first:] {
		if k == 0 { // its comments are now those of the whole
			out.lead, x.lead = x.lead, ""
		}
		if x.lead != "" {
			x.lead = "\n" + x.lead
		}
		b.WriteString(" " + x.lead + x.text)
		out.span.Start = min(out.span.Start, x.span.Start)
	}
	if n.Kind() == syntax.KBlock {
		w.blockBody(&b, n, body)
	}
	b.WriteString(")")
	out.lead += lead
	out.text = b.String()
	*xs = append((*xs)[:first], out)
}

// blockBody writes what stands in a block.
func (w *folder) blockBody(b *strings.Builder, n syntax.N, body []syntax.N) {
	line := func(xs []expr) {
		for _, x := range xs {
			b.WriteString("\n" + x.lead + x.text)
		}
		if len(xs) > 0 && xs[len(xs)-1].opaque && strings.HasPrefix(lastLine(xs[len(xs)-1].text), ";;") {
			b.WriteString("\n")
		}
	}
	if n.Op() != wasm.OpIf {
		line(w.sequence(body, n.Span().End))
		return
	}
	then, els := syntax.N{}, syntax.N{}
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.KThen:
			then = c
			body = query.FoldedOperands(c)
		case syntax.KElse:
			els = c
		}
	}
	end := n.Span().End
	if !then.IsZero() {
		end = then.Span().End
	} else if !els.IsZero() {
		end = els.Span().Start
	}
	b.WriteString("\n(then")
	line(w.sequence(body, end))
	b.WriteString(")")
	if !els.IsZero() {
		b.WriteString("\n(else")
		line(w.sequence(query.FoldedOperands(els), els.Span().End))
		b.WriteString(")")
	}
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// flatten returns the lines of instructions written flat.
func (w *folder) flatten(ns []syntax.N, end int) []string {
	var out []string
	comments := func(off int) {
		for len(out) > 0 && len(w.comments) > 0 && w.comments[0].Span.Start < off && w.comments[0].Lines == 0 {
			out[len(out)-1] += " " + w.comments[0].Text // on the line of what stands before
			w.comments = w.comments[1:]
		}
		if s := strings.TrimSuffix(w.lead(off), "\n"); s != "" {
			out = append(out, strings.Split(s, "\n")...)
		}
	}
	var walk func(n syntax.N)
	all := func(ns []syntax.N) {
		for _, o := range ns {
			walk(o)
		}
	}
	walk = func(n syntax.N) {
		comments(n.Span().Start)
		i, ok := w.index[n.I]
		if !ok || stays(n) {
			w.lead(n.Span().End)
			out = append(out, n.Text())
			return
		}
		if n.Kind() == syntax.KInstr {
			all(query.FoldedOperands(n))
			out = append(out, strings.TrimSuffix(w.head(i), "\n"))
			return
		}
		body := query.FoldedOperands(n)
		if n.Op() == wasm.OpIf && n.Folded() {
			all(body)
			body = nil
		}
		out = append(out, strings.TrimSuffix(w.head(i), "\n"))
		for c := range n.Children() {
			switch c.Kind() {
			case syntax.KInstr, syntax.KBlock:
				if body != nil {
					walk(c)
				}
			case syntax.KThen:
				all(query.FoldedOperands(c))
				comments(c.Span().End)
			case syntax.KElse:
				comments(c.Span().Start)
				out = append(out, "else")
				all(query.FoldedOperands(c))
				comments(c.Span().End)
			}
		}
		comments(n.Span().End)
		out = append(out, "end")
	}
	all(ns)
	comments(end)
	return out
}
