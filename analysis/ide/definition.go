package ide

import (
	"stackscope/analysis"
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
		t.Name = headSpan(y)
	}
	return t
}

// headSpan returns the keyword of a declaration without a name.
func headSpan(y analysis.Symbol) source.Span {
	if !y.N.IsZero() {
		if k := y.N.Keyword(); k.T != nil {
			if sp := k.Span(); sp.Start >= y.DeclSpan.Start && sp.End <= y.DeclSpan.End {
				return sp
			}
		}
	}
	return y.DeclSpan
}

// Definition finds where the name or index at an offset is declared. On a keyword that closes or
// divides a block it is the block.
func Definition(s *analysis.Snapshot, off int) []Target {
	p := at(s, off)
	if n, ok := p.scriptName(); ok {
		var out []Target
		for _, t := range (*World)(nil).scriptDefinition(s, n) {
			out = append(out, t.Target)
		}
		return out
	}
	if y, _, ok := p.sym(); ok {
		return []Target{target(y)}
	}
	if p.has && p.tok.Kind() == syntax.TokKeyword {
		switch p.tok.Text() {
		case "end", "else", "then", "delegate", "catch", "catch_all":
			if n := blockOf(p.n); !n.IsZero() {
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
	p := at(s, off)
	if p.m == nil {
		return nil
	}
	t := newTyper(p.m)
	if t.ir == nil {
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
	if y, _, ok := p.sym(); ok {
		switch i := y.Index; y.Space {
		case analysis.SpaceType:
			types = t.uses(i)
		case analysis.SpaceFunc:
			if int(i) < len(t.ir.Funcs) {
				types = append(types, t.ir.Funcs[i].Type)
			}
		case analysis.SpaceTag:
			if int(i) < len(t.ir.Tags) {
				types = append(types, t.ir.Tags[i].Type)
			}
		case analysis.SpaceLabel:
			if b, blk := p.labelBlock(y); b != nil {
				add(t.labelTypes(b, blk)...)
			}
		default:
			if v, ok := t.valueType(y); ok {
				add(v)
			}
		}
	} else if b, i := p.instr(); i >= 0 {
		add(b.StackAfter(i)...)
	}
	var out []Target
	seen := map[uint32]bool{}
	for _, i := range types {
		if seen[i] {
			continue
		}
		seen[i] = true
		if y, ok := p.m.Symbol(analysis.Sym{Space: analysis.SpaceType, Index: i}); ok && y.DeclSpan.End > y.DeclSpan.Start {
			out = append(out, target(y))
		}
	}
	return out
}

// valueType returns the type of a local, global, field, table's or segment's element.
func (t typer) valueType(y analysis.Symbol) (wasm.ValType, bool) {
	i := int(y.Index)
	switch y.Space {
	case analysis.SpaceLocal:
		ft := t.funcType(y.Owner)
		if ft != nil && i < len(ft.Params) {
			return ft.Params[i], true
		}
		if b := t.m.Body(y.Owner); b != nil && i < len(b.Locals) {
			return b.Locals[i], true
		}
	case analysis.SpaceGlobal:
		if i < len(t.ir.Globals) {
			return t.ir.Globals[i].Type, true
		}
	case analysis.SpaceTable:
		if i < len(t.ir.Tables) {
			return t.ir.Tables[i].Type, true
		}
	case analysis.SpaceElem:
		if i < len(t.ir.Elems) {
			return t.ir.Elems[i].Type, true
		}
	case analysis.SpaceField:
		if ty := t.sub(y.Owner); ty != nil && i < len(ty.Fields) {
			return ty.Fields[i].Type, true
		}
	}
	return wasm.Unknown, false
}

// labelBlock returns the body and the instruction of the block that a label symbol belongs to.
func (p place) labelBlock(y analysis.Symbol) (*analysis.Body, int) {
	b := p.m.Body(y.Owner)
	if b == nil {
		return nil, -1
	}
	n := uint32(0)
	for i := range b.Instrs {
		if b.Instrs[i].Op.OpensBlock() {
			if n == y.Index {
				return b, i
			}
			n++
		}
	}
	return nil, -1
}
