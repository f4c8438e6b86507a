package analysis

import (
	"stackscope/analysis/source"
)

// ImportSpans returns the places of an import's strings, quotes included: the module's name and the
// item's. Empty spans if they are missing.
func (m *Module) ImportSpans(i int) (module, name source.Span) {
	d := m.decls()
	if i < 0 || i >= len(d.Imports) {
		return
	}
	it := d.Imports[i]
	u := m.unit(it.Unit)
	a, b := u.ImportNames(it.Node)
	if a >= 0 {
		module = m.span(u.TokPlace(uint32(a)))
	}
	if b >= 0 {
		name = m.span(u.TokPlace(uint32(b)))
	}
	return module, name
}
