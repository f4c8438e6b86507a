package ide

import (
	"slices"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// References finds every place that names what stands at an offset, by identifier or by number;
// the declaration too if decl is set.
func References(s *analysis.Snapshot, off int, decl bool) []source.Span {
	p := at(s, off)
	r, ok := p.ref()
	if !ok {
		return nil
	}
	var out []source.Span
	for _, x := range p.m.References(r.Sym, decl) {
		out = append(out, x.Span)
	}
	return out
}

// MarkKind is the kind of a highlight.
type MarkKind uint8

// The kinds.
const (
	MarkText MarkKind = iota
	MarkRead
	MarkWrite
)

// Mark is a highlighted place.
type Mark struct {
	Span source.Span
	Kind MarkKind
}

// Highlight finds what belongs together with what stands at an offset: the uses of a name; the
// keywords of a block and the branches to it; a clause and the block that it goes to; a suspension
// and the clauses for its tag.
func Highlight(s *analysis.Snapshot, off int) []Mark {
	p := at(s, off)
	if n, ok := p.scriptName(); ok {
		return p.scriptMarks(n)
	}
	if n, ok := p.linkAt(); ok {
		return p.scriptMarks(n)
	}
	if n, ok := p.externAt(); ok && n.exp >= 0 {
		return p.scriptMarks(exportName(n))
	}
	if p.m == nil || !p.has {
		return nil
	}
	var out []Mark
	if y, _, ok := p.sym(); ok {
		for _, x := range p.m.References(y.Sym, true) {
			k := MarkRead
			if x.Kind != analysis.RefRead {
				k = MarkWrite
			}
			out = append(out, Mark{x.Span, k})
		}
		if y.Space == analysis.SpaceLabel {
			out = append(out, blockMarks(y.N)...)
		}
		return sorted(out)
	}
	if p.tok.Kind() != syntax.TokKeyword {
		return nil
	}
	switch p.n.Kind() {
	case syntax.KBlock, syntax.KThen, syntax.KElse, syntax.KDo, syntax.KCatchBlock, syntax.KEvent:
		if n := blockOf(p.n); !n.IsZero() {
			out = blockMarks(n)
			out = append(out, p.branches(n)...)
		}
	case syntax.KOn, syntax.KCatch, syntax.KClause:
		out = append(out, Mark{p.n.Span(), MarkText})
		if b, i := p.instr(); i >= 0 {
			for _, blk := range p.clauseBlocks(b, i) {
				out = append(out, blockMarks(b.Node(blk))...)
			}
		}
		out = append(out, p.senders()...)
	case syntax.KInstr:
		out = p.instrMarks()
	}
	return sorted(out)
}

// blockMarks marks the keywords of a block: its own, `else`, `end` and the clauses' words.
func blockMarks(n syntax.N) []Mark {
	if n.IsZero() || n.Kind() != syntax.KBlock {
		return nil
	}
	var out []Mark
	for t := range n.Own() {
		if t.Kind() == syntax.TokKeyword {
			switch t.Text() {
			case "else", "end", "delegate", "do", "catch", "catch_all", "event":
				out = append(out, Mark{t.Span(), MarkText})
			default:
				if t == n.Keyword() {
					out = append(out, Mark{t.Span(), MarkText})
				}
			}
		}
	}
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.KThen, syntax.KElse, syntax.KDo, syntax.KCatchBlock, syntax.KEvent:
			if k := c.Keyword(); k.T != nil {
				out = append(out, Mark{k.Span(), MarkText})
			}
		}
	}
	return out
}

// branches marks what goes to the label of a block: branches and clauses, named or by depth.
func (p place) branches(block syntax.N) []Mark {
	fn, ok := p.m.FuncAt(p.off)
	if !ok {
		return nil
	}
	for _, y := range p.m.Labels(fn) {
		if y.N == block {
			var out []Mark
			for _, x := range p.m.References(y.Sym, true) {
				out = append(out, Mark{x.Span, MarkRead})
			}
			return out
		}
	}
	return nil
}

// clauseBlocks returns the blocks that the clause under the cursor goes to.
func (p place) clauseBlocks(b *analysis.Body, i int) []int {
	var out []int
	for t := range p.n.Own() {
		if r, ok := p.m.RefAt(t.Span().Start); ok && r.Space == analysis.SpaceLabel && r.Index != wasm.BadIndex {
			if y, ok := p.m.Symbol(r.Sym); ok {
				if _, blk := p.labelBlock(y); blk >= 0 {
					out = append(out, blk)
				}
			}
		}
	}
	return out
}

// senders marks the instructions whose events the clause under the cursor can take: the
// suspensions, switches or throws with its tag.
func (p place) senders() []Mark {
	var out []Mark
	for t := range p.n.Own() {
		r, ok := p.m.RefAt(t.Span().Start)
		if !ok || r.Space != analysis.SpaceTag || r.Index == wasm.BadIndex {
			continue
		}
		for _, x := range p.m.References(r.Sym, false) {
			if n, _ := p.s.Tree().At(x.Span.Start); n.Kind() == syntax.KInstr && takes(p.n, n.Op().Info().Effect) {
				out = append(out, Mark{n.Keyword().Span(), MarkText})
			}
		}
	}
	return out
}

// takes reports whether a clause takes what an instruction with an effect sends: `(on $tag switch)`
// takes switches, other clauses of resume suspensions, those of try_table exceptions. Clauses of
// the other dialects take every event.
func takes(clause syntax.N, e wasm.Effect) bool {
	switch clause.Kind() {
	case syntax.KCatch:
		return e == wasm.EffectThrow
	case syntax.KOn:
		for t := range clause.Own() {
			if t.Kind() == syntax.TokKeyword && t.Text() == "switch" {
				return e == wasm.EffectSwitch
			}
		}
		return e == wasm.EffectSuspend
	case syntax.KClause:
		return e != wasm.EffectThrow && e != wasm.EffectNone
	}
	return false
}

// instrMarks marks what belongs to an instruction: its branch target's block; the clauses of a
// suspension's tag; the handler blocks of a resume.
func (p place) instrMarks() []Mark {
	b, i := p.instr()
	if i < 0 {
		return nil
	}
	out := []Mark{{p.tok.Span(), MarkText}}
	in := &b.Instrs[i]
	switch in.Op.Info().Effect {
	case wasm.EffectSuspend, wasm.EffectThrow, wasm.EffectSwitch:
		tag, ok := tagOf(in)
		if !ok {
			break
		}
		for _, r := range p.m.References(analysis.Sym{Space: analysis.SpaceTag, Index: tag}, false) {
			if n, _ := p.s.Tree().At(r.Span.Start); takes(n, in.Op.Info().Effect) {
				out = append(out, Mark{n.Span(), MarkText})
			}
		}
	default:
		for _, blk := range b.LabelTargets(i) {
			if blk >= 0 {
				out = append(out, blockMarks(b.Node(blk))...)
			}
		}
	}
	return out
}

// tagOf returns the tag immediate of an instruction.
func tagOf(in *wasm.Instr) (uint32, bool) {
	k := 0
	for _, imm := range in.Op.Info().Imms {
		switch imm {
		case wasm.ImmTag:
			if k == 0 {
				return in.A, true
			}
			return in.B, true
		case wasm.ImmType,
			wasm.ImmTypeUse,
			wasm.ImmFunc,
			wasm.ImmTable,
			wasm.ImmMemory,
			wasm.ImmGlobal,
			wasm.ImmLocal,
			wasm.ImmLabel,
			wasm.ImmElem,
			wasm.ImmData,
			wasm.ImmField:
			k++
		}
	}
	return 0, false
}

// sorted puts marks in order and drops doubles; a write wins over a text mark.
func sorted(ms []Mark) []Mark {
	slices.SortFunc(ms, func(a, b Mark) int {
		if d := a.Span.Start - b.Span.Start; d != 0 {
			return d
		}
		if d := a.Span.End - b.Span.End; d != 0 {
			return d
		}
		return int(b.Kind) - int(a.Kind)
	})
	return slices.CompactFunc(ms, func(a, b Mark) bool { return a.Span == b.Span })
}
