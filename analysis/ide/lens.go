package ide

import (
	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

// Lens is a place over which an editor offers to run an export.
type Lens struct {
	Span   source.Span // the declaration's head
	Export string
}

// Lenses returns the exported functions of a module, where a file has just one.
func Lenses(s *analysis.Snapshot) []Lens {
	mods := s.Modules()
	if len(mods) != 1 || query.IsScript(s) {
		return nil
	}
	m := mods[0]
	ir := m.Declared()
	if ir == nil {
		return nil
	}
	var out []Lens
	for _, e := range ir.Exports {
		if e.Kind != wasm.ExternFunc {
			continue
		}
		y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: e.Index})
		if !ok || int64(e.Index) >= int64(len(ir.Funcs)) || ir.Funcs[e.Index].Import >= 0 {
			continue
		}
		out = append(out, Lens{Span: target(y).Name, Export: e.Name})
	}
	return out
}

// ExportPlace returns where the code action that exports a function is offered: its name, or the
// keyword of a function without one.
func ExportPlace(m *analysis.Module, fn uint32) (source.Span, bool) {
	y, ok := m.Symbol(analysis.Sym{Space: analysis.SpaceFunc, Index: fn})
	if !ok || query.IsImport(y.N) {
		return source.Span{}, false
	}
	if y.Name != "" {
		return y.NameSpan, true
	}
	return query.HeadSpan(y), true
}
