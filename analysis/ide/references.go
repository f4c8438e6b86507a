package ide

import (
	"slices"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// References finds every place that names what stands at an offset, by identifier or by number;
// the declaration too if decl is set.
func References(s *analysis.Snapshot, off int, decl bool) []source.Span {
	p := query.At(s, off)
	r, ok := p.Ref()
	if !ok {
		return nil
	}
	var out []source.Span
	for _, x := range p.Module.References(r.Sym, decl) {
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
	p := query.At(s, off)
	if n, ok := scriptNameAt(p); ok {
		return scriptMarks(p, n)
	}
	if n, ok := linkAt(p); ok {
		return scriptMarks(p, n)
	}
	if n, ok := externAt(p); ok && n.exp >= 0 {
		return scriptMarks(p, exportName(n))
	}
	if p.Module == nil || !p.HasTok {
		return nil
	}
	var out []Mark
	if y, _, ok := p.Symbol(); ok {
		for _, x := range p.Module.References(y.Sym, true) {
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
	if p.Tok.Kind() != syntax.TokKeyword {
		return nil
	}
	switch p.Node.Kind() {
	case syntax.KBlock, syntax.KThen, syntax.KElse, syntax.KDo, syntax.KCatchBlock, syntax.KEvent:
		if n := blockOf(p.Node); !n.IsZero() {
			out = blockMarks(n)
			out = append(out, branchesTo(p, n)...)
		}
	case syntax.KOn, syntax.KCatch, syntax.KClause:
		out = append(out, Mark{p.Node.Span(), MarkText})
		if b, i := p.Instr(); i >= 0 {
			for _, blk := range clauseBlocks(p, b, i) {
				out = append(out, blockMarks(b.Node(blk))...)
			}
		}
		out = append(out, senders(p)...)
	case syntax.KInstr:
		out = instrMarks(p)
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

// branchesTo marks what goes to the label of a block: branches and clauses, named or by depth.
func branchesTo(p query.Place, block syntax.N) []Mark {
	fn, ok := p.Module.FuncAt(p.Off)
	if !ok {
		return nil
	}
	for _, y := range p.Module.Labels(fn) {
		if y.N == block {
			var out []Mark
			for _, x := range p.Module.References(y.Sym, true) {
				out = append(out, Mark{x.Span, MarkRead})
			}
			return out
		}
	}
	return nil
}

// clauseBlocks returns the blocks that the clause under the cursor goes to.
func clauseBlocks(p query.Place, b *analysis.Body, i int) []int {
	var out []int
	for t := range p.Node.Own() {
		if r, ok := p.Module.RefAt(t.Span().Start); ok && r.Space == analysis.SpaceLabel && r.Index != wasm.BadIndex {
			if y, ok := p.Module.Symbol(r.Sym); ok {
				if _, blk := p.LabelBlock(y); blk >= 0 {
					out = append(out, blk)
				}
			}
		}
	}
	return out
}

// senders marks the instructions whose events the clause under the cursor can take: the
// suspensions, switches or throws with its tag.
func senders(p query.Place) []Mark {
	var out []Mark
	for t := range p.Node.Own() {
		r, ok := p.Module.RefAt(t.Span().Start)
		if !ok || r.Space != analysis.SpaceTag || r.Index == wasm.BadIndex {
			continue
		}
		for _, x := range p.Module.References(r.Sym, false) {
			if n, _ := p.Snap.Tree().At(x.Span.Start); n.Kind() == syntax.KInstr &&
				takes(p.Node, n.Op().Info().Effect) {
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
func instrMarks(p query.Place) []Mark {
	b, i := p.Instr()
	if i < 0 {
		return nil
	}
	out := []Mark{{p.Tok.Span(), MarkText}}
	in := &b.Instrs[i]
	switch in.Op.Info().Effect {
	case wasm.EffectSuspend, wasm.EffectThrow, wasm.EffectSwitch:
		tag, ok := tagOf(in)
		if !ok {
			break
		}
		for _, r := range p.Module.References(analysis.Sym{Space: analysis.SpaceTag, Index: tag}, false) {
			if n, _ := p.Snap.Tree().At(r.Span.Start); takes(n, in.Op.Info().Effect) {
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
			return in.Index(k), true
		case wasm.ImmType, wasm.ImmTypeUse, wasm.ImmFunc, wasm.ImmTable, wasm.ImmMemory, wasm.ImmGlobal,
			wasm.ImmLocal, wasm.ImmLabel, wasm.ImmElem, wasm.ImmData, wasm.ImmField:
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
