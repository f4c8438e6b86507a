package action

import (
	"slices"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// convertIndex turns a number into the name that it stands for, or a name into its number.
func convertIndex(p query.Place) []Refactor {
	y, r, ok := p.Symbol()
	if !ok || r.Kind == analysis.RefDef || y.Name == "" {
		return nil
	}
	if y.Space == analysis.SpaceLabel {
		return convertLabel(p, y)
	}
	switch p.Node.Kind() {
	case syntax.KParam, syntax.KResult, syntax.KLocal:
		if y.Space == analysis.SpaceType {
			return nil // fibers-handle: a name alone is a type, a number is not
		}
	}
	if p.Tok.Kind() == syntax.TokNat {
		name := query.Identifier(y.Name)
		return []Refactor{rewrite("Use the name "+name, r.Span, name)}
	}
	n := query.Index(y.Index)
	return []Refactor{rewrite("Use the index "+n, r.Span, n)}
}

// convertLabel turns the depth of a label into its name, unless a nearer block has the same, or the
// name into the depth. Depths count from the instruction whose label it is: in a catch clause of a
// try_table, from what is around the try_table.
func convertLabel(p query.Place, y analysis.Symbol) []Refactor {
	b, i := p.Instr()
	if b == nil || i < 0 || p.Tok.Kind() == syntax.TokID && endLabel(p, y.N) {
		return nil
	}
	target, ok := b.Index(y.N)
	if !ok {
		return nil
	}
	blocks := b.Blocks(i)
	if b.Instrs[i].Op == wasm.OpDelegate {
		blocks = blocks[1:]
	}
	depth := slices.Index(blocks, target)
	if depth < 0 {
		return nil
	}
	if p.Tok.Kind() == syntax.TokID {
		return []Refactor{
			rewrite("Use the depth "+query.Index(uint32(depth)), p.Tok.Span(), query.Index(uint32(depth))),
		}
	}
	for _, k := range blocks[:depth] {
		if id, ok := b.Node(k).ID(); ok && id.Text() == query.Identifier(y.Name) {
			return nil
		}
	}
	name := query.Identifier(y.Name)
	return []Refactor{rewrite("Use the name "+name, p.Tok.Span(), name)}
}

// endLabel reports whether the token under the cursor is a block's own label, or the one at its
// end.
func endLabel(p query.Place, n syntax.N) bool {
	for t := range n.Own() {
		if t == p.Tok {
			return true
		}
	}
	return false
}

// omittedIndex writes the memory or table that an instruction leaves out, which is number 0.
func omittedIndex(p query.Place, b *analysis.Body, i int) []Refactor {
	var names, kinds []string
	total := 0
	for _, imm := range b.Instrs[i].Op.Info().Imms {
		sp := analysis.SpaceNone
		switch imm {
		case wasm.ImmMemory, wasm.ImmMemArg:
			sp = analysis.SpaceMemory
		case wasm.ImmTable:
			sp = analysis.SpaceTable
		case wasm.ImmData, wasm.ImmElem, wasm.ImmLane:
			total++
			continue
		default:
			continue
		}
		total++
		y, ok := p.Module.Symbol(analysis.Sym{Space: sp})
		if !ok {
			return nil
		}
		names, kinds = append(names, query.Display(y)), append(kinds, sp.String())
	}
	have := 0
	for t := range p.Node.Own() {
		if t.Kind() == syntax.TokID || t.Kind() == syntax.TokNat {
			have++
		}
	}
	if len(names) == 0 || have != total-len(names) {
		return nil
	}
	return []Refactor{
		insert(
			"Write the implicit "+kinds[0]+" "+strings.Join(names, " and "), p.Node.Keyword().Span().End,
			" "+strings.Join(names, " "),
		),
	}
}
