package ide

import (
	"strings"

	"slices"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// TypeItem is a type in a type hierarchy.
type TypeItem struct {
	Target
	Name, Detail string
}

func typeItem(m *analysis.Module, i uint32) (TypeItem, bool) {
	y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceType, Index: i})
	if !ok {
		return TypeItem{}, false
	}
	t := query.NewTypes(m)
	name := "type " + query.Index(i)
	if y.Name != "" {
		name = query.Identifier(y.Name)
	}
	return TypeItem{target(y), name, t.Short(i)}, true
}

// PrepareTypes returns the type that is named or defined at an offset.
func PrepareTypes(s *analysis.Snapshot, off int) []TypeItem {
	p := query.At(s, off)
	y, _, ok := p.Symbol()
	if !ok || y.Space != analysis.SpaceType {
		return nil
	}
	if it, ok := typeItem(p.Module, y.Index); ok {
		return []TypeItem{it}
	}
	return nil
}

// Supertypes returns the declared supertypes of the type at an offset.
func Supertypes(s *analysis.Snapshot, off int) []TypeItem {
	return related(s, off, func(supers []uint32, i, k uint32, of []uint32) bool { return slices.Contains(of, k) })
}

// Subtypes returns the types that declare the type at an offset as their supertype.
func Subtypes(s *analysis.Snapshot, off int) []TypeItem {
	return related(s, off, func(supers []uint32, i, k uint32, of []uint32) bool { return slices.Contains(supers, i) })
}

func related(s *analysis.Snapshot, off int, is func(supers []uint32, i, k uint32, of []uint32) bool) []TypeItem {
	p := query.At(s, off)
	y, _, ok := p.Symbol()
	if !ok || y.Space != analysis.SpaceType {
		return nil
	}
	ir := p.Module.Declared()
	if ir == nil || int64(y.Index) >= int64(len(ir.Types)) {
		return nil
	}
	of := ir.Types[y.Index].Supers
	var out []TypeItem
	for k := range uint32(len(ir.Types)) {
		if is(ir.Types[k].Supers, y.Index, k, of) {
			if it, ok := typeItem(p.Module, k); ok {
				out = append(out, it)
			}
		}
	}
	return out
}

// LinkedNames returns the two places of a block's label that must read the same: after the block's
// keyword and after its `end` or `else`.
func LinkedNames(s *analysis.Snapshot, off int) []source.Span {
	p := query.At(s, off)
	if !p.HasTok || p.Tok.Kind() != syntax.TokID {
		return nil
	}
	n := blockOf(p.Node)
	if n.IsZero() {
		return nil
	}
	var out []source.Span
	here := false
	for t := range n.Own() {
		if t.Kind() == syntax.TokID && t.Text() == p.Tok.Text() {
			out = append(out, t.Span())
			here = here || t.Span() == p.Tok.Span()
		}
	}
	if !here || len(out) < 2 {
		return nil
	}
	return out
}

// InlineNames returns the names of locals read or set in a range, for a debugger to show their
// values beside them.
func InlineNames(s *analysis.Snapshot, sp source.Span, stop int) []source.Span {
	m := s.ModuleAt(stop)
	if m == nil {
		return nil
	}
	fn, ok := m.FuncAt(stop)
	if !ok {
		return nil
	}
	var out []source.Span
	for _, r := range m.RefsIn(stop) {
		if r.Space == analysis.SpaceLocal && r.Owner == fn && r.Span.Start >= sp.Start && r.Span.End <= sp.End &&
			r.Span.Start <= stop {
			out = append(out, r.Span)
		}
	}
	return out
}

// Link is a place that leads to a document outside.
type Link struct {
	Span source.Span
	URL  string
}

// Links returns the addresses that comments hold.
func Links(s *analysis.Snapshot) []Link {
	var out []Link
	text := s.File().Text
	for i := 0; ; i++ {
		h := strings.Index(text[min(i, len(text)):], "http")
		if i += h; h < 0 || i+8 >= len(text) {
			return out
		}
		k := i + 4
		if text[k] == 's' {
			k++
		}
		if k+3 > len(text) || text[k:k+3] != "://" {
			continue
		}
		for k += 3; k < len(text) && text[k] > ' ' && text[k] < 0x7f && text[k] != '"' && text[k] != '<' && text[k] != '>' && text[k] != '`'; k++ {
		}
		for k > i && strings.IndexByte(".,);'", text[k-1]) >= 0 {
			k--
		}
		out = append(out, Link{source.Span{Start: i, End: k}, text[i:k]})
		i = k
	}
}
