package ide

import (
	"fmt"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// HoverInfo is what to say about a place.
type HoverInfo struct {
	Span     source.Span
	Markdown string
}

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

func (c *card) String() string { return strings.Join(c.parts, "\n\n") }

// Hover tells about what stands at an offset: a name, an instruction, a clause, a type or a
// keyword.
func Hover(s *analysis.Snapshot, off int) (HoverInfo, bool) {
	p := at(s, off)
	if !p.has || !isWord(p.tok) {
		return HoverInfo{}, false
	}
	if y, r, ok := p.sym(); ok {
		return HoverInfo{r.Span, p.hoverSymbol(y, r)}, true
	}
	if p.m == nil {
		return p.hoverWord()
	}
	if p.tok.Kind() == syntax.TokKeyword {
		switch p.n.Kind() {
		case syntax.KOn, syntax.KCatch, syntax.KClause:
			if md := p.hoverClause(); md != "" {
				return HoverInfo{p.n.Span(), md}, true
			}
		case syntax.KInstr, syntax.KBlock, syntax.KThen, syntax.KElse, syntax.KDo, syntax.KCatchBlock, syntax.KEvent:
			if h, ok := p.hoverInstr(); ok {
				return h, true
			}
		}
		return p.hoverWord()
	}
	if p.n.Kind() == syntax.KInstr {
		return p.hoverInstr()
	}
	return HoverInfo{}, false
}

// hoverSymbol tells about an item: its definition, what it is, its doc comment, its types spelled
// out.
func (p place) hoverSymbol(y analysis.Symbol, r analysis.Ref) string {
	t := newTyper(p.m)
	if t.ir == nil {
		return ""
	}
	var c card
	c.code(p.defLine(t, y))
	c.para(p.role(t, y))
	c.lines(p.spelled(t, y))
	if y.Space == analysis.SpaceFunc {
		c.lines(effectLines(t, p.m, y.Index))
	}
	if !y.N.IsZero() && y.Space != analysis.SpaceLabel {
		c.doc(docAbove(p.s.File(), y.DeclSpan.Start))
	}
	return c.String()
}

// defLine writes the declaration of an item as one would write it, with types and names resolved.
func (p place) defLine(t typer, y analysis.Symbol) string {
	id := ""
	if y.Name != "" {
		id = " " + idText(y.Name)
	}
	i := y.Index
	switch y.Space {
	case analysis.SpaceFunc:
		return "(func" + id + t.funcSig(i) + ")"
	case analysis.SpaceType:
		return "(type" + id + " (" + t.def(i) + "))"
	case analysis.SpaceTag:
		if ft := t.tagType(i); ft != nil {
			return "(tag" + id + t.sig(ft.Params, ft.Results) + ")"
		}
		return "(tag" + id + ")"
	case analysis.SpaceGlobal:
		if int(i) < len(t.ir.Globals) {
			g := t.ir.Globals[i]
			ty := t.val(g.Type)
			if g.Mut {
				ty = "(mut " + ty + ")"
			}
			return "(global" + id + " " + ty + p.initText(y) + ")"
		}
	case analysis.SpaceTable:
		if int(i) < len(t.ir.Tables) {
			tb := t.ir.Tables[i]
			return "(table" + id + limits(tb.Limits) + " " + t.val(tb.Type) + ")"
		}
	case analysis.SpaceMemory:
		if int(i) < len(t.ir.Mems) {
			return "(memory" + id + limits(t.ir.Mems[i].Limits) + ")"
		}
	case analysis.SpaceElem:
		if int(i) < len(t.ir.Elems) {
			e := t.ir.Elems[i]
			return fmt.Sprintf("(elem%s %s)  ;; %d items", id, t.val(e.Type), len(e.Init))
		}
	case analysis.SpaceData:
		if int(i) < len(t.ir.Datas) {
			return fmt.Sprintf("(data%s)  ;; %d bytes", id, len(t.ir.Datas[i].Bytes))
		}
	case analysis.SpaceLocal:
		word := "local"
		if ft := t.funcType(y.Owner); ft != nil && int(i) < len(ft.Params) {
			word = "param"
		}
		v, _ := t.valueType(y)
		return "(" + word + id + " " + t.val(v) + ")"
	case analysis.SpaceField:
		if ty := t.sub(y.Owner); ty != nil && int(i) < len(ty.Fields) {
			return "(field" + id + " " + t.field(ty.Fields[i]) + ")"
		}
	case analysis.SpaceLabel:
		if b, blk := p.labelBlock(y); b != nil {
			params, results := t.blockType(b.Instrs[blk].Block())
			return b.Instrs[blk].Op.String() + id + t.sig(params, results)
		}
		return "label" + id
	}
	return y.Space.String() + id
}

// initText returns the initial value of a global as written, if it is short and on one line.
func (p place) initText(y analysis.Symbol) string {
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

func limits(l wasm.Limits) string {
	s := ""
	if l.Is64 {
		s = " i64"
	}
	s += fmt.Sprintf(" %d", l.Min)
	if l.HasMax {
		s += fmt.Sprintf(" %d", l.Max)
	}
	if l.Shared {
		s += " shared"
	}
	if l.HasPage {
		s += fmt.Sprintf(" (pagesize %d)", uint64(1)<<l.PageBits)
	}
	return s
}

// role reports in words what an item is: its index, where it comes from and goes to.
func (p place) role(t typer, y analysis.Symbol) string {
	switch y.Space {
	case analysis.SpaceLocal:
		word := "local"
		if ft := t.funcType(y.Owner); ft != nil && int(y.Index) < len(ft.Params) {
			word = "parameter"
		}
		return fmt.Sprintf("%s %d of %s", word, y.Index, p.funcTitle(t, y.Owner))
	case analysis.SpaceField:
		return fmt.Sprintf("field %d of `%s`", y.Index, t.name(y.Owner))
	case analysis.SpaceLabel:
		return p.labelRole(t, y)
	}
	s := fmt.Sprintf("%s %d", y.Space, y.Index)
	kind, ok := externOf(y.Space)
	if !ok {
		return s
	}
	for _, im := range t.ir.Imports {
		if im.Kind == kind && im.Index == y.Index {
			s += fmt.Sprintf(" · imported from %q %q", im.Module, im.Name)
		}
	}
	var names []string
	for _, e := range t.ir.Exports {
		if e.Kind == kind && e.Index == y.Index {
			names = append(names, fmt.Sprintf("%q", e.Name))
		}
	}
	if len(names) > 0 {
		s += " · exported as " + strings.Join(names, ", ")
	}
	if y.Space == analysis.SpaceFunc && t.ir.Start == y.Index {
		s += " · start function"
	}
	return s
}

func (p place) funcTitle(t typer, fn uint32) string {
	title := t.ir.FuncTitle(fn)
	if n, ok := t.ir.Names.Funcs[fn]; ok {
		title = idText(n)
	}
	return "`" + title + "`"
}

// labelRole reports where a branch to a label goes and what it brings.
func (p place) labelRole(t typer, y analysis.Symbol) string {
	b, blk := p.labelBlock(y)
	if b == nil {
		return "label"
	}
	where := "end"
	if b.Instrs[blk].Op == wasm.OpLoop {
		where = "start"
	}
	line, _ := p.s.File().LineCol(y.DeclSpan.Start)
	s := fmt.Sprintf("label of the `%s` at line %d · a branch goes to its %s", b.Instrs[blk].Op, line, where)
	if ts := t.labelTypes(b, blk); len(ts) > 0 {
		s += " with `" + t.list(ts) + "`"
	}
	return s
}

func externOf(sp analysis.Space) (wasm.ExternKind, bool) {
	switch sp {
	case analysis.SpaceFunc:
		return wasm.ExternFunc, true
	case analysis.SpaceTable:
		return wasm.ExternTable, true
	case analysis.SpaceMemory:
		return wasm.ExternMemory, true
	case analysis.SpaceGlobal:
		return wasm.ExternGlobal, true
	case analysis.SpaceTag:
		return wasm.ExternTag, true
	}
	return 0, false
}

// spelled returns the lines that spell the types of an item out.
func (p place) spelled(t typer, y analysis.Symbol) []string {
	i := y.Index
	var out []string
	switch y.Space {
	case analysis.SpaceType:
		ty := t.sub(i)
		if ty == nil {
			return nil
		}
		if ty.Kind == wasm.CompCont {
			out = append(out, "`"+t.name(i)+" = "+t.short(i)+"`")
		}
		return append(out, ticked(t.expandTypes(t.uses(i)))...)
	case analysis.SpaceFunc:
		if ft := t.funcType(i); ft != nil {
			return ticked(t.expand(both(ft.Params, ft.Results)))
		}
	case analysis.SpaceTag:
		ft := t.tagType(i)
		if ft == nil {
			return nil
		}
		if p.m.Dialect() == wasm.DialectCont || len(ft.Results) > 0 {
			out = append(
				out,
				fmt.Sprintf("Suspending with it sends `%s`, being resumed gives back `%s`.", t.list(ft.Params), t.list(ft.Results)),
			)
		}
		return append(out, ticked(t.expand(both(ft.Params, ft.Results)))...)
	case analysis.SpaceLabel:
		if b, blk := p.labelBlock(y); b != nil {
			return ticked(t.expand(t.labelTypes(b, blk)))
		}
	default:
		v, ok := t.valueType(y)
		if !ok || !v.IsRef() || v.Heap() < 0 {
			return nil
		}
		h := uint32(v.Heap())
		lines := t.expandTypes([]uint32{h})
		if ty := t.sub(h); ty != nil && ty.Kind == wasm.CompCont && len(lines) > 0 {
			// Said on one line; the function type behind it follows.
			out = append(out, fmt.Sprintf("`%s : %s` → `%s`", display(y), t.val(v), t.short(h)))
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

func both(a, b []wasm.ValType) []wasm.ValType {
	return append(append([]wasm.ValType(nil), a...), b...)
}

// hoverClause reports what a handler clause does: which label gets what, and which continuation
// type.
func (p place) hoverClause() string {
	b, i := p.instr()
	if i < 0 {
		return ""
	}
	in := &b.Instrs[i]
	if in.Ext == nil {
		return ""
	}
	t := newTyper(p.m)
	start := wasm.Pos(p.n.Span().Start)
	end := wasm.Pos(p.n.Span().End)
	var c card
	c.code(p.n.Text())
	for _, h := range in.Ext.Handlers {
		if h.At >= start && h.At < end {
			p.handlerText(&c, t, b, i, h)
			return c.String()
		}
	}
	for k, h := range in.Ext.Catches {
		if h.At >= start && h.At < end {
			var ts []wasm.ValType
			if ft := t.tagType(h.Tag); ft != nil && (h.Kind == wasm.CatchTag || h.Kind == wasm.CatchTagRef) {
				ts = append(ts, ft.Params...)
			}
			if h.Kind == wasm.CatchTagRef || h.Kind == wasm.CatchAllRef {
				ts = append(ts, wasm.ExnRef.NonNull())
			}
			what := "Any exception"
			if h.Kind == wasm.CatchTag || h.Kind == wasm.CatchTagRef {
				what = "An exception with `" + p.tagTitle(h.Tag) + "`"
			}
			c.para(fmt.Sprintf("%s goes to %s with `%s`.", what, p.labelTitle(b, i, h.Label), t.list(ts)))
			_ = k
			return c.String()
		}
	}
	return ""
}

// handlerText reports what an on-clause does.
func (p place) handlerText(c *card, t typer, b *analysis.Body, i int, h wasm.Handler) {
	ft := t.tagType(h.Tag)
	tag := "`" + p.tagTitle(h.Tag) + "`"
	if h.Switch {
		c.para("A `switch` with " + tag + " on the resumed stack ends here: another continuation then runs in its place.")
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
		has = t.labelTypes(b, blk)
	}
	k := "a continuation"
	var kt wasm.ValType
	if n := len(has); n == len(ft.Params)+1 && has[n-1].IsRef() {
		kt = has[n-1]
	}
	if kt != 0 && kt.Heap() >= 0 {
		k = "the continuation `" + t.val(kt) + "` → `" + t.short(uint32(kt.Heap())) + "`"
	} else if in := &b.Instrs[i]; in.A != wasm.BadIndex {
		if cf := t.ir.ContFunc(in.A); cf != nil {
			k = "a continuation, `cont " + t.arrow(ft.Results, cf.Results) + "`"
		}
	}
	s := "When the resumed continuation suspends with " + tag + ", control goes to " + target + " with "
	if len(ft.Params) > 0 {
		s += "the payload `" + t.list(ft.Params) + "` and "
	}
	c.para(s + k + ".")
	if len(ft.Results) > 0 {
		c.para("Resuming that continuation takes `" + t.list(ft.Results) + "`, what the suspension gives back.")
	}
	if kt != 0 {
		c.lines(ticked(t.expand([]wasm.ValType{kt})))
	}
}

func (p place) tagTitle(tag uint32) string {
	if y, ok := p.m.Symbol(analysis.Sym{Space: analysis.SpaceTag, Index: tag}); ok {
		return display(y)
	}
	return itoa(tag)
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
func (p place) labelTitle(b *analysis.Body, i int, depth uint32) string {
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
