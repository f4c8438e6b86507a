package ide

import (
	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Target is where something is declared.
type Target struct {
	Span source.Span // the whole declaration
	Name source.Span // its name; without one, its keyword
}

// Finder finds the targets of what stands at an offset.
type Finder func(s *analysis.Snapshot, off int) []Target

// target returns the target of a symbol.
func target(y analysis.Symbol) Target {
	t := Target{Span: y.DeclSpan, Name: y.NameSpan}
	if t.Name.Start == t.Name.End {
		t.Name = query.HeadSpan(y)
	}
	return t
}

// Definition finds where the name or index at an offset is declared. On a keyword that closes or
// divides a block it is the block.
func Definition(s *analysis.Snapshot, off int) []Target {
	p := query.At(s, off)
	if n, ok := scriptNameAt(p); ok {
		var out []Target
		for _, t := range (*World)(nil).scriptDefinition(s, n) {
			out = append(out, t.Target)
		}
		return out
	}
	if y, _, ok := p.Symbol(); ok {
		return []Target{target(y)}
	}
	if p.HasTok && p.Tok.Kind() == syntax.TokKeyword {
		switch p.Tok.Text() {
		case "end", "else", "then", "delegate", "catch", "catch_all":
			if n := blockOf(p.Node); !n.IsZero() {
				return []Target{{Span: n.Span(), Name: n.Keyword().Span()}}
			}
		}
	}
	return nil
}

// blockOf returns the block that a node is, or is an arm of; the zero N if neither.
func blockOf(n syntax.N) syntax.N {
	for ; !n.IsZero(); n = n.Parent() {
		switch n.Kind() {
		case syntax.KBlock:
			return n
		case syntax.KThen, syntax.KElse, syntax.KDo, syntax.KCatchBlock, syntax.KEvent:
		default:
			return syntax.N{}
		}
	}
	return syntax.N{}
}

// TypeDefinition finds the definitions of the types of what stands at an offset: of a local,
// global, table or field those its type names, of a function or tag its function type, of a
// continuation type the function type, of a label what it takes, of an instruction those of its
// results.
func TypeDefinition(s *analysis.Snapshot, off int) []Target {
	p := query.At(s, off)
	if p.Module == nil {
		return nil
	}
	t := query.NewTypes(p.Module)
	if t.Declared == nil {
		return nil
	}
	var types []uint32
	add := func(vs ...wasm.ValType) {
		for _, v := range vs {
			if v.IsRef() && v.Heap() >= 0 {
				types = append(types, uint32(v.Heap()))
			}
		}
	}
	if y, _, ok := p.Symbol(); ok {
		switch i := y.Index; y.Space {
		case analysis.SpaceType:
			types = t.Uses(i)
		case analysis.SpaceFunc:
			if int(i) < len(t.Declared.Funcs) {
				types = append(types, t.Declared.Funcs[i].Type)
			}
		case analysis.SpaceTag:
			if int(i) < len(t.Declared.Tags) {
				types = append(types, t.Declared.Tags[i].Type)
			}
		case analysis.SpaceLabel:
			if b, blk := p.LabelBlock(y); b != nil {
				add(t.LabelTypes(b, blk)...)
			}
		default:
			if v, ok := t.ValueType(y); ok {
				add(v)
			}
		}
	} else if b, i := p.Instr(); i >= 0 {
		add(b.StackAfter(i)...)
	}
	var out []Target
	seen := map[uint32]bool{}
	for _, i := range types {
		if seen[i] {
			continue
		}
		seen[i] = true
		if y, ok := p.Module.Symbol(analysis.Sym{Space: analysis.SpaceType, Index: i}); ok &&
			y.DeclSpan.End > y.DeclSpan.Start {
			out = append(out, target(y))
		}
	}
	return out
}
