package ide

import (
	"fmt"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// HoverInfo is what to say about a place.
type HoverInfo struct {
	Span     source.Span
	Markdown string
}

// describer writes what to say about what stands at a place.
type describer struct{ query.Place }

// card puts a hover together: code on top, then lines, paragraphs between them.
type card struct{ parts []string }

// code adds a fenced piece of text format.
func (c *card) code(s string) { c.parts = append(c.parts, "```wat\n"+s+"\n```") }

// para adds a paragraph; empty ones are left out.
func (c *card) para(s string) {
	if s != "" {
		c.parts = append(c.parts, s)
	}
}

// doc adds a doc comment, set off by a rule. It is Markdown as its author wrote it.
func (c *card) doc(s string) {
	if s != "" {
		c.parts = append(c.parts, "---", s)
	}
}

// lines adds lines of one paragraph.
func (c *card) lines(ls []string) { c.para(strings.Join(ls, "  \n")) }

// String returns the Markdown of the card.
func (c *card) String() string { return strings.Join(c.parts, "\n\n") }

// Hover describes what stands at an offset: a name, an instruction, a clause, a type or a
// keyword.
func Hover(s *analysis.Snapshot, off int) (HoverInfo, bool) {
	p := describer{query.At(s, off)}
	if !p.HasTok || !query.IsWord(p.Tok) {
		return HoverInfo{}, false
	}
	if y, r, ok := p.Symbol(); ok {
		return HoverInfo{r.Span, p.hoverSymbol(y)}, true
	}
	if p.Node.Kind() == syntax.KAnnot {
		return p.hoverAnnotation()
	}
	if p.Module == nil {
		return p.hoverWord()
	}
	if p.Tok.Kind() == syntax.TokKeyword {
		switch p.Node.Kind() {
		case syntax.KOn, syntax.KCatch, syntax.KClause:
			if md := p.hoverClause(); md != "" {
				return HoverInfo{p.Node.Span(), md}, true
			}
		case syntax.KInstr, syntax.KBlock, syntax.KThen, syntax.KElse, syntax.KDo, syntax.KCatchBlock, syntax.KEvent:
			if h, ok := p.hoverInstr(); ok {
				return h, true
			}
		}
		return p.hoverWord()
	}
	if p.Node.Kind() == syntax.KInstr {
		return p.hoverInstr()
	}
	return HoverInfo{}, false
}

// hoverSymbol describes an item: its definition, what it is, its doc comment, its types spelled
// out.
func (p describer) hoverSymbol(y analysis.Symbol) string {
	t := query.NewTypes(p.Module)
	if t.Declared == nil {
		return ""
	}
	var c card
	c.code(p.defLine(t, y))
	c.para(p.role(t, y))
	if p.Node.Kind() == syntax.KClause { // a clause without a word of its own
		p.bareClause(&c, t)
	}
	c.lines(p.spelled(t, y))
	if y.Space == analysis.SpaceFunc {
		c.lines(effectLines(t, p.Module, y.Index))
		c.para(protocolText(p.Module, y.Index))
	}
	if !y.N.IsZero() && y.Space != analysis.SpaceLabel {
		c.doc(query.DocAbove(p.Snap.File(), y.DeclSpan.Start))
	}
	return c.String()
}

// defLine writes the declaration of an item as one would write it, with types and names resolved.
func (p describer) defLine(t query.Types, y analysis.Symbol) string {
	id := ""
	if y.Name != "" {
		id = " " + query.Identifier(y.Name)
	}
	i := y.Index
	switch y.Space {
	case analysis.SpaceFunc:
		return "(func" + id + t.FuncSig(i) + ")"
	case analysis.SpaceType:
		return "(type" + id + " (" + t.Def(i) + "))"
	case analysis.SpaceTag:
		if ft := t.TagType(i); ft != nil {
			return "(tag" + id + t.Sig(ft.Params, ft.Results) + ")"
		}
		return "(tag" + id + ")"
	case analysis.SpaceGlobal:
		if int(i) < len(t.Declared.Globals) {
			g := t.Declared.Globals[i]
			ty := t.Val(g.Type)
			if g.Mut {
				ty = "(mut " + ty + ")"
			}
			return "(global" + id + " " + ty + p.initText(y) + ")"
		}
	case analysis.SpaceTable:
		if int(i) < len(t.Declared.Tables) {
			tb := t.Declared.Tables[i]
			return "(table" + id + query.Limits(tb.Limits) + " " + t.Val(tb.Type) + ")"
		}
	case analysis.SpaceMemory:
		if int(i) < len(t.Declared.Mems) {
			return "(memory" + id + query.Limits(t.Declared.Mems[i].Limits) + ")"
		}
	case analysis.SpaceElem:
		if int(i) < len(t.Declared.Elems) {
			e := t.Declared.Elems[i]
			return fmt.Sprintf("(elem%s %s)  ;; %d items", id, t.Val(e.Type), len(e.Init))
		}
	case analysis.SpaceData:
		if int(i) < len(t.Declared.Datas) {
			return fmt.Sprintf("(data%s)  ;; %d bytes", id, len(t.Declared.Datas[i].Bytes))
		}
	case analysis.SpaceLocal:
		word := "local"
		if ft := t.FuncType(y.Owner); ft != nil && int(i) < len(ft.Params) {
			word = "param"
		}
		v, _ := t.ValueType(y)
		return "(" + word + id + " " + t.Val(v) + ")"
	case analysis.SpaceField:
		if ty := t.Sub(y.Owner); ty != nil && int(i) < len(ty.Fields) {
			return "(field" + id + " " + t.Field(ty.Fields[i]) + ")"
		}
	case analysis.SpaceLabel:
		if b, blk := p.LabelBlock(y); b != nil {
			params, results := t.BlockType(b.Instrs[blk].Block())
			return b.Instrs[blk].Op.String() + id + t.Sig(params, results)
		}
		return "label" + id
	}
	return y.Space.String() + id
}

// initText returns the initial value of a global as written, if it is short and on one line.
func (p describer) initText(y analysis.Symbol) string {
	if y.N.IsZero() || y.N.Kind() != syntax.KGlobal {
		return ""
	}
	for c := range y.N.Children() {
		if c.Kind() == syntax.KInstr {
			if s := c.Text(); len(s) <= 60 && !strings.Contains(s, "\n") {
				return " " + s
			}
			return " …"
		}
	}
	return ""
}

// role reports in words what an item is: its index, where it comes from and goes to.
func (p describer) role(t query.Types, y analysis.Symbol) string {
	switch y.Space {
	case analysis.SpaceLocal:
		word := "local"
		if ft := t.FuncType(y.Owner); ft != nil && int(y.Index) < len(ft.Params) {
			word = "parameter"
		}
		return fmt.Sprintf("%s %d of %s", word, y.Index, p.funcTitle(t, y.Owner))
	case analysis.SpaceField:
		return fmt.Sprintf("field %d of `%s`", y.Index, t.Name(y.Owner))
	case analysis.SpaceLabel:
		return p.labelRole(t, y)
	}
	s := fmt.Sprintf("%s %d", y.Space, y.Index)
	kind, ok := query.ExternOf(y.Space)
	if !ok {
		return s
	}
	for _, im := range t.Declared.Imports {
		if im.Kind == kind && im.Index == y.Index {
			s += fmt.Sprintf(" · imported from %q %q", im.Module, im.Name)
		}
	}
	var names []string
	for _, e := range t.Declared.Exports {
		if e.Kind == kind && e.Index == y.Index {
			names = append(names, fmt.Sprintf("%q", e.Name))
		}
	}
	if len(names) > 0 {
		s += " · exported as " + strings.Join(names, ", ")
	}
	if y.Space == analysis.SpaceFunc && t.Declared.Start == y.Index {
		s += " · start function"
	}
	return s
}

func (p describer) funcTitle(t query.Types, fn uint32) string {
	title := t.Declared.FuncTitle(fn)
	if n, ok := t.Declared.Names.Funcs[fn]; ok {
		title = query.Identifier(n)
	}
	return "`" + title + "`"
}

// labelRole reports where a branch to a label goes and what it brings.
func (p describer) labelRole(t query.Types, y analysis.Symbol) string {
	b, blk := p.LabelBlock(y)
	if b == nil {
		return "label"
	}
	where := "end"
	if b.Instrs[blk].Op == wasm.OpLoop {
		where = "start"
	}
	line, _ := p.Snap.File().LineCol(y.DeclSpan.Start)
	s := fmt.Sprintf("label of the `%s` at line %d · a branch goes to its %s", b.Instrs[blk].Op, line, where)
	if ts := t.LabelTypes(b, blk); len(ts) > 0 {
		s += " with `" + t.List(ts) + "`"
	}
	return s
}

// spelled returns the lines that spell the types of an item out.
func (p describer) spelled(t query.Types, y analysis.Symbol) []string {
	i := y.Index
	var out []string
	switch y.Space {
	case analysis.SpaceType:
		ty := t.Sub(i)
		if ty == nil {
			return nil
		}
		if ty.Kind == wasm.CompCont {
			out = append(out, "`"+t.Name(i)+" = "+t.Short(i)+"`")
		}
		return append(out, ticked(t.ExpandTypes(t.Uses(i)))...)
	case analysis.SpaceFunc:
		if ft := t.FuncType(i); ft != nil {
			return ticked(t.Expand(query.Concat(ft.Params, ft.Results)))
		}
	case analysis.SpaceTag:
		ft := t.TagType(i)
		if ft == nil {
			return nil
		}
		if p.Module.Dialect().Info().TagResults || len(ft.Results) > 0 {
			out = append(
				out,
				fmt.Sprintf(
					"Suspending with it passes `%s`; resuming passes back `%s`.",
					t.List(ft.Params),
					t.List(ft.Results),
				),
			)
		}
		return append(out, ticked(t.Expand(query.Concat(ft.Params, ft.Results)))...)
	case analysis.SpaceLabel:
		if b, blk := p.LabelBlock(y); b != nil {
			return ticked(t.Expand(t.LabelTypes(b, blk)))
		}
	default:
		v, ok := t.ValueType(y)
		if !ok || !v.IsRef() || v.Heap() < 0 {
			return nil
		}
		h := uint32(v.Heap())
		lines := t.ExpandTypes([]uint32{h})
		if ty := t.Sub(h); ty != nil && ty.Kind == wasm.CompCont && len(lines) > 0 {
			// Said on one line; its function type follows.
			out = append(out, fmt.Sprintf("`%s : %s` → `%s`", query.Display(y), t.Val(v), t.Short(h)))
			lines = lines[1:]
		}
		return append(out, ticked(lines)...)
	}
	return out
}

func ticked(ls []string) []string {
	out := make([]string, len(ls))
	for i, l := range ls {
		out[i] = "`" + l + "`"
	}
	return out
}

// hoverClause reports what a handler clause does: which label gets what, and which continuation
// type.
func (p describer) hoverClause() string {
	b, i := p.Instr()
	if i < 0 {
		return ""
	}
	in := &b.Instrs[i]
	if in.Ext == nil {
		return ""
	}
	t := query.NewTypes(p.Module)
	start := wasm.Pos(p.Node.Span().Start)
	end := wasm.Pos(p.Node.Span().End)
	var c card
	c.code(p.Node.Text())
	if h, ok := clauseAt(in, p.Node); ok {
		if in.Op.Info().Dialect.Info().HandlerClauses {
			p.clauseText(&c, t, b, i, h)
		} else {
			p.eventClauseText(&c, t, b, i, h)
		}
		return c.String()
	}
	for k, h := range in.Ext.Catches {
		if h.At >= start && h.At < end {
			var ts []wasm.ValType
			if ft := t.TagType(h.Tag); ft != nil && (h.Kind == wasm.CatchTag || h.Kind == wasm.CatchTagRef) {
				ts = append(ts, ft.Params...)
			}
			if h.Kind == wasm.CatchTagRef || h.Kind == wasm.CatchAllRef {
				ts = append(ts, wasm.ExnRef.NonNull())
			}
			what := "Any exception"
			if h.Kind == wasm.CatchTag || h.Kind == wasm.CatchTagRef {
				what = "An exception with `" + p.tagTitle(h.Tag) + "`"
			}
			c.para(fmt.Sprintf("%s goes to %s with `%s`.", what, p.labelTitle(b, i, h.Label), t.List(ts)))
			_ = k
			return c.String()
		}
	}
	return ""
}

// clauseText reports what a handler clause does.
func (p describer) clauseText(c *card, t query.Types, b *analysis.Body, i int, h wasm.HandlerClause) {
	ft := t.TagType(h.Tag)
	tag := "`" + p.tagTitle(h.Tag) + "`"
	if h.Switch {
		c.para(
			"A `switch` with " + tag +
				" on the resumed stack is handled here: another continuation runs in its place.",
		)
		return
	}
	target := p.labelTitle(b, i, h.Label)
	if ft == nil {
		c.para("When the resumed continuation suspends with " + tag + ", control goes to " + target + ".")
		return
	}
	blk, ok := labelAt(b, i, h.Label)
	var has []wasm.ValType
	if ok {
		has = t.LabelTypes(b, blk)
	}
	k := "a continuation"
	var kt wasm.ValType
	if n := len(has); n == len(ft.Params)+1 && has[n-1].IsRef() {
		kt = has[n-1]
	}
	if kt != 0 && kt.Heap() >= 0 {
		k = "the continuation `" + t.Val(kt) + "` → `" + t.Short(uint32(kt.Heap())) + "`"
	} else if in := &b.Instrs[i]; in.A != wasm.BadIndex {
		if cf := t.Declared.ContFunc(in.A); cf != nil {
			k = "a continuation, `cont " + t.Arrow(ft.Results, cf.Results) + "`"
		}
	}
	s := "When the resumed continuation suspends with " + tag + ", control goes to " + target + " with "
	if len(ft.Params) > 0 {
		s += "the payload `" + t.List(ft.Params) + "` and "
	}
	c.para(s + k + ".")
	if len(ft.Results) > 0 {
		c.para("Resuming that continuation takes `" + t.List(ft.Results) + "`: the results of the `suspend`.")
	}
	if kt != 0 {
		c.lines(ticked(t.Expand([]wasm.ValType{kt})))
	}
}

func (p describer) tagTitle(tag uint32) string {
	if y, ok := p.Module.Symbol(analysis.Sym{Space: analysis.SpaceTag, Index: tag}); ok {
		return query.Display(y)
	}
	return query.Index(tag)
}

// labelAt returns the block instruction that a label depth names at an instruction; -1 the
// function.
func labelAt(b *analysis.Body, i int, depth uint32) (int, bool) {
	bs := b.Blocks(i)
	if int64(depth) >= int64(len(bs)) {
		return 0, false
	}
	return bs[depth], true
}

// labelTitle reports where a label goes: "the end of `block $l`".
func (p describer) labelTitle(b *analysis.Body, i int, depth uint32) string {
	blk, ok := labelAt(b, i, depth)
	switch {
	case !ok:
		return "its label"
	case blk < 0:
		return "the end of the function"
	}
	op := b.Instrs[blk].Op
	where := "the end of"
	if op == wasm.OpLoop {
		where = "the start of"
	}
	id := ""
	if n := b.Node(blk); !n.IsZero() {
		if tok, ok := n.ID(); ok {
			id = " " + tok.Text()
		}
	}
	return fmt.Sprintf("%s `%s%s`", where, op, id)
}
