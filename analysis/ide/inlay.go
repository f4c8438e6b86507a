package ide

import (
	"cmp"
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// InlayOptions switches the kinds of hints.
type InlayOptions struct {
	Types     bool // the type of a local, global, function, tag or type where its name is used
	Stack     bool // the operand stack after the last instruction of a line
	BlockEnds bool // what an `end`, or the parenthesis that closes a long piece, closes
	Indices   bool // the name after a number, the index of a definition without a name
	// Parameters shows the name of the parameter or field before a constant operand.
	Parameters bool
}

// Hint is a piece of text that an editor shows inside the source.
type Hint struct {
	Off     int
	Label   string
	Type    bool          // it is a type
	Param   bool          // it names the parameter that the text after it is for
	Tooltip func() string // Markdown
	// Target is what the hint is about, elsewhere in the text; empty if nothing.
	Target source.Span
}

// longBlock is how many lines a folded block or function must have for a hint at its end.
const longBlock = 12

// maxHints is about how many hints are given: no screen has more.
const maxHints = 20000

// Inlay returns the hints in a span, in order. It looks at the fields that the span touches only.
func Inlay(s *analysis.Snapshot, sp source.Span, o InlayOptions) []Hint {
	w := inlayer{s: s, sp: sp, o: o}
	t := s.Tree()
	for i := t.UnitAt(sp.Start); i < len(t.Units) && t.Units[i].Off < sp.End && len(w.out) < maxHints; i++ {
		u := &t.Units[i]
		if u.Kind != syntax.UnitField || len(u.Nodes) == 0 || len(u.Tokens) == 0 {
			continue
		}
		start := u.Off + int(u.Tokens[0].Off)
		if w.m == nil || !w.m.Span().Contains(start) {
			if w.m = s.ModuleAt(start); w.m == nil {
				continue
			}
			w.t = query.NewTypes(w.m)
		}
		w.field(syntax.N{T: t, U: int32(i)}, start)
	}
	slices.SortStableFunc(w.out, func(a, b Hint) int { return cmp.Compare(a.Off, b.Off) })
	return w.out
}

type inlayer struct {
	s   *analysis.Snapshot
	sp  source.Span
	o   InlayOptions
	m   *analysis.Module
	t   query.Types
	out []Hint

	own  map[analysis.Sym][]analysis.Symbol // locals and labels of functions, by the first
	body *analysis.Body                     // of the function that was looked at last
}

// symbol returns the symbol of an item; those of a function are looked up once.
func (w *inlayer) symbol(s analysis.Sym) (analysis.Symbol, bool) {
	if s.Space != analysis.SpaceLocal && s.Space != analysis.SpaceLabel {
		return w.m.Symbol(s)
	}
	key := analysis.Sym{Space: s.Space, Owner: s.Owner}
	all, ok := w.own[key]
	if !ok {
		if all = w.m.Labels(s.Owner); s.Space == analysis.SpaceLocal {
			all = w.m.Locals(s.Owner)
		}
		if w.own == nil {
			w.own = map[analysis.Sym][]analysis.Symbol{}
		}
		w.own[key] = all
	}
	if int64(s.Index) >= int64(len(all)) {
		return analysis.Symbol{}, false
	}
	return all[s.Index], true
}

func (w *inlayer) add(h Hint) {
	if h.Off >= w.sp.Start && h.Off <= w.sp.End {
		w.out = append(w.out, h)
	}
}

func (w *inlayer) field(root syntax.N, start int) {
	if w.o.Indices || w.o.Types {
		w.names(start)
	}
	if root.Kind() != syntax.KFunc {
		return
	}
	if w.o.BlockEnds {
		w.ends(root)
	}
	if w.o.Parameters {
		w.parameters(root)
	}
	if fn, ok := w.m.FuncAt(start); ok && w.o.Stack {
		if w.body == nil || w.body.Func != fn {
			w.body = w.m.Body(fn)
		}
		if w.body != nil {
			w.stacks(w.body)
		}
	}
}

// names reports what numbers refer to in a field, of which type what is named is, and which index a
// definition without a name has.
func (w *inlayer) names(start int) {
	text := w.s.File().Text
	for _, r := range w.m.RefsIn(start) {
		if r.Kind == analysis.RefDef || r.Index == wasm.BadIndex || r.Span.End <= r.Span.Start ||
			r.Span.End < w.sp.Start ||
			r.Span.Start > w.sp.End {
			continue
		}
		y, ok := w.symbol(r.Sym)
		if !ok {
			continue
		}
		to := target(y).Name
		tip := func() string {
			var c card
			detail := ""
			switch y.Space {
			case analysis.SpaceLabel:
			case analysis.SpaceLocal, analysis.SpaceField:
				detail = w.value(y)
			default:
				detail = w.t.Describe(y)
			}
			c.code(strings.TrimSpace(y.Space.String() + " " + query.Index(y.Index) + " " + detail))
			c.para(query.DocAbove(w.s.File(), y.DeclSpan.Start))
			return c.String()
		}
		if w.o.Indices && text[r.Span.Start] != '$' && y.Name != "" {
			w.add(Hint{Off: r.Span.End, Label: query.Identifier(y.Name), Tooltip: tip, Target: to})
		}
		if label := w.typeOf(y, r); w.o.Types && label != "" {
			w.add(Hint{Off: r.Span.End, Label: ": " + label, Type: true, Tooltip: tip, Target: to})
		}
	}
	if !w.o.Indices {
		return
	}
	for _, y := range w.m.DeclaredIn(start) {
		if y.Name == "" && y.DeclSpan.Start == start {
			tip := y.Space.String() + " " + query.Index(y.Index)
			at, label := query.HeadSpan(y).End, "(;"+query.Index(y.Index)+";)"
			if !strings.HasPrefix(
				strings.TrimLeft(text[at:min(len(text), at+64)], " "),
				label,
			) { // printed text says it already
				w.add(Hint{Off: at, Label: label, Tooltip: func() string { return tip }})
			}
			break
		}
	}
}

// typeOf reports of which type an item is that is used; "" where that is on the same line, or says
// nothing.
func (w *inlayer) typeOf(y analysis.Symbol, r analysis.Ref) string {
	f := w.s.File()
	if f.LineOf(y.DeclSpan.Start) == f.LineOf(r.Span.Start) {
		return ""
	}
	switch y.Space {
	case analysis.SpaceLocal, analysis.SpaceGlobal, analysis.SpaceField:
		return w.value(y)
	case analysis.SpaceFunc, analysis.SpaceTag:
		s := w.t.Describe(y)
		return s
	case analysis.SpaceType:
		return w.t.Short(y.Index)
	}
	return ""
}

// value returns the type of a local, global or field; "" if it is unknown.
func (w *inlayer) value(y analysis.Symbol) string {
	if y.Space == analysis.SpaceLocal {
		if w.body == nil || w.body.Func != y.Owner {
			w.body = w.m.Body(y.Owner)
		}
		if w.body != nil && int64(y.Index) < int64(len(w.body.Locals)) {
			return w.t.Val(w.body.Locals[y.Index])
		}
	}
	if v, ok := w.t.ValueType(y); ok {
		return w.t.Val(v)
	}
	return ""
}

// ends reports what closing words and far-away parentheses close.
func (w *inlayer) ends(root syntax.N) {
	f := w.s.File()
	u := &root.T.Units[root.U]
	for k := range u.Nodes {
		n := syntax.N{T: root.T, U: root.U, I: int32(k)}
		kind := n.Kind()
		if kind != syntax.KBlock && kind != syntax.KFunc {
			continue
		}
		sp := n.Span()
		if sp.End < w.sp.Start || sp.End > w.sp.End {
			continue
		}
		id, named := n.ID()
		label := ""
		if named {
			label = id.Text()
		}
		tip := func() string {
			ln, _ := f.LineCol(sp.Start)
			return "ends `" + n.Keyword().Text() + " " + label + "` on line " + query.Index(uint32(ln))
		}
		switch {
		case kind == syntax.KBlock && !n.Folded():
			// `end $l` says it already.
			if label == "" || f.LineOf(sp.Start) == f.LineOf(sp.End) ||
				!strings.HasSuffix(f.Text[sp.Start:sp.End], "end") {
				continue
			}
			w.add(Hint{Off: sp.End, Label: label, Tooltip: tip, Target: id.Span()})
		case label != "" && f.LineOf(sp.End)-f.LineOf(sp.Start) >= longBlock:
			w.add(Hint{Off: sp.End, Label: label, Tooltip: tip, Target: id.Span()})
		}
	}
}

// stacks shows the operands after the last instruction that ends on each line, if there are any.
func (w *inlayer) stacks(b *analysis.Body) {
	f := w.s.File()
	last, line := -1, -1 // the last instruction on a line
	show := func() {
		if last < 0 || b.Unreachable(last) || last+1 >= len(b.Instrs) {
			return
		}
		i := last
		if st, more := b.TopAfter(i, query.ShownOperands); len(st) > 0 {
			w.add(Hint{Off: f.Line(line).End, Label: w.t.Top(st, more), Type: true, Tooltip: func() string {
				var c card
				c.para("operand stack after `" + b.Instrs[i].Op.String() + "`")
				c.lines(ticked(w.t.Expand(st)))
				return c.String()
			}})
		}
	}
	at := map[int]int{}
	for i := range b.Instrs {
		if off := int(b.Instrs[i].At); off < w.sp.Start-1 || off > w.sp.End {
			continue
		}
		if is := b.Span(i); is.End > is.Start {
			at[f.LineOf(is.Start)] = i
		}
	}
	for line, last = range at {
		show()
	}
}
