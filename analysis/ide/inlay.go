package ide

import (
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// InlayOptions switches the kinds of hints.
type InlayOptions struct {
	Types     bool // the operand stack behind the last instruction of a line
	BlockEnds bool // what an `end`, or the parenthesis that closes a long piece, closes
	Indices   bool // the name behind a number, the index of a definition without a name
}

// Hint is a piece of text that an editor shows inside the source.
type Hint struct {
	Off     int
	Label   string
	Tooltip string
	Type    bool
}

// longBlock is how many lines a folded block or function must have for a hint at its end.
const longBlock = 12

// Inlay gives the hints in a span, in order.
func Inlay(s *analysis.Snapshot, sp source.Span, o InlayOptions) []Hint {
	var out []Hint
	add := func(h Hint) {
		if h.Off >= sp.Start && h.Off <= sp.End {
			out = append(out, h)
		}
	}
	t := s.Tree()
	decls := declTable{}
	for i := range t.Units {
		u := &t.Units[i]
		if u.Off >= sp.End {
			break
		}
		if u.Off+int(u.Len) <= sp.Start || u.Kind != syntax.UnitField || len(u.Nodes) == 0 || len(u.Tokens) == 0 {
			continue
		}
		start := u.Off + int(u.Tokens[0].Off)
		m := s.ModuleAt(start)
		if m == nil {
			continue
		}
		if o.Indices {
			indexHints(m, start, decls.of(m), add)
		}
		if u.Nodes[0].Kind != syntax.KFunc {
			continue
		}
		fn, ok := m.FuncAt(start)
		if !ok {
			continue
		}
		if o.BlockEnds {
			endHints(s, syntax.N{T: t, U: int32(i)}, add)
		}
		if o.Types {
			if b := m.Body(fn); b != nil {
				stackHints(s, m, b, sp, add)
			}
		}
	}
	sortBy(out, func(a, b Hint) bool { return a.Off < b.Off })
	return out
}

// indexHints names what numbers refer to in a field, and gives the index of a definition without
// a name.
func indexHints(m *analysis.Module, start int, unnamed map[int]analysis.Symbol, add func(Hint)) {
	text := m.Snapshot().File().Text
	for _, r := range m.RefsIn(start) {
		if r.Kind == analysis.RefDef || r.Index == wasm.BadIndex || r.Span.End <= r.Span.Start || text[r.Span.Start] == '$' {
			continue
		}
		if y, ok := m.Symbol(r.Sym); ok && y.Name != "" {
			add(Hint{Off: r.Span.End, Label: idText(y.Name), Tooltip: y.Space.String() + " " + itoa(y.Index)})
		}
	}
	if y, ok := unnamed[start]; ok {
		at, label := headSpan(y).End, "(;"+itoa(y.Index)+";)"
		if !strings.HasPrefix(strings.TrimLeft(text[at:], " "), label) { // printed text says it already
			add(Hint{Off: at, Label: label, Tooltip: y.Space.String() + " " + itoa(y.Index)})
		}
	}
}

// declTable finds the definitions without a name of a module by where they begin.
type declTable struct {
	m       *analysis.Module
	unnamed map[int]analysis.Symbol
}

func (d *declTable) of(m *analysis.Module) map[int]analysis.Symbol {
	if d.m == m {
		return d.unnamed
	}
	d.m, d.unnamed = m, map[int]analysis.Symbol{}
	for sp := analysis.SpaceType; sp <= analysis.SpaceTag; sp++ {
		for _, y := range m.Symbols(sp) {
			if _, ok := d.unnamed[y.DeclSpan.Start]; !ok && y.Name == "" && y.DeclSpan.End > y.DeclSpan.Start {
				d.unnamed[y.DeclSpan.Start] = y
			}
		}
	}
	return d.unnamed
}

// endHints says what closing words and far-away parentheses close.
func endHints(s *analysis.Snapshot, root syntax.N, add func(Hint)) {
	f := s.File()
	u := &root.T.Units[root.U]
	for k := range u.Nodes {
		n := syntax.N{T: root.T, U: root.U, I: int32(k)}
		kind := n.Kind()
		if kind != syntax.KBlock && kind != syntax.KFunc {
			continue
		}
		sp := n.Span()
		id, named := n.ID()
		label := ""
		if named {
			label = id.Text()
		}
		switch {
		case kind == syntax.KBlock && !n.Folded():
			// `end $l` says it already.
			if label == "" || f.LineOf(sp.Start) == f.LineOf(sp.End) || !strings.HasSuffix(f.Text[sp.Start:sp.End], "end") {
				continue
			}
			add(Hint{Off: sp.End, Label: label, Tooltip: "ends " + n.Keyword().Text() + " " + label})
		case label != "" && f.LineOf(sp.End)-f.LineOf(sp.Start) >= longBlock:
			add(Hint{Off: sp.End, Label: label, Tooltip: "ends " + n.Keyword().Text() + " " + label})
		}
	}
}

// stackHints shows the operands behind the last instruction that ends on each line, if there are any.
func stackHints(s *analysis.Snapshot, m *analysis.Module, b *analysis.Body, sp source.Span, add func(Hint)) {
	f := s.File()
	t := newTyper(m)
	last := map[int]int{} // line → instruction
	for i := range b.Instrs {
		is := b.Span(i)
		if is.End <= sp.Start || is.Start > sp.End || is.End <= is.Start {
			continue
		}
		last[f.LineOf(is.Start)] = i
	}
	for ln, i := range last {
		if b.Unreachable(i) || i+1 >= len(b.Instrs) {
			continue
		}
		if st := b.StackAfter(i); len(st) > 0 {
			add(Hint{Off: f.Line(ln).End, Label: t.list(st), Tooltip: "operand stack after " + b.Instrs[i].Op.String(), Type: true})
		}
	}
}
