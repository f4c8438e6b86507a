package analysis

import (
	"slices"
	"strings"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// hasAllow reports whether any of the module's fields holds an annotation that allows a code.
func (m *Module) hasAllow() bool {
	for i := range m.units {
		if m.snap.tree.Units[m.first+i].Annotated && strings.Contains(m.unit(int32(i)).Text, cursor.AllowWord) {
			return true
		}
	}
	return false
}

// allowed returns the codes that the module's own annotations allow.
func (m *Module) allowed() []string {
	var out []string
	for i := m.first; i < m.first+m.units; i++ {
		if p := &m.snap.tree.Units[i]; len(p.Nodes) > 0 && p.Nodes[0].Kind == syntax.KAnnot {
			u := m.unit(int32(i - m.first))
			out = append(out, u.AllowedCodes(0)...)
		}
	}
	return out
}

// suppressed reports whether an annotation inside of a field, or of an instruction around the
// place, allows the finding.
func (m *Module) suppressed(f *cursor.Finding) bool {
	if f.At.Unit < 0 || int(f.At.Unit) >= m.units {
		return false
	}
	return m.unitAllows(f.At.Unit, f.At.From, f.At.To, f.Code)
}

// suppressedAt is suppressed for a span of the text.
func (m *Module) suppressedAt(sp source.Span, code diag.Code) bool {
	i := m.snap.tree.UnitAt(sp.Start) - m.first
	if i < 0 || i >= m.units {
		return false
	}
	u := m.unit(int32(i))
	off := m.snap.tree.Units[m.first+i].Off + int(u.Base())
	if sp.Start < off {
		return false
	}
	return m.unitAllows(int32(i), uint32(sp.Start-off), uint32(sp.End-off), code)
}

// unitAllows reports whether an annotation in a unit allows a code from one offset to another.
func (m *Module) unitAllows(unit int32, from, to uint32, code diag.Code) bool {
	u := m.unit(unit)
	if !strings.Contains(u.Text, cursor.AllowWord) {
		return false
	}
	for n := range u.Nodes {
		if u.Nodes[n].Kind != syntax.KAnnot || !slices.Contains(u.AllowedCodes(uint32(n)), string(code)) {
			continue
		}
		parent := 0
		for k := range n {
			if int(u.Nodes[k].Next) > n {
				parent = k
			}
		}
		if p := u.NodePlace(uint32(parent)); p.From <= from && to <= p.To {
			return true
		}
	}
	return false
}

// lintTags returns how an editor shows a code.
func lintTags(c diag.Code) []diag.Tag {
	switch c {
	case diag.Unused, diag.Unread, diag.UnusedParam, diag.UnusedLabel, diag.Unreachable, diag.NeedlessMut,
		diag.UselessCatch, diag.ShadowedHandler:
		return []diag.Tag{diag.Unnecessary}
	case diag.Legacy, diag.DeprecatedItem:
		return []diag.Tag{diag.Deprecated}
	}
	return nil
}
