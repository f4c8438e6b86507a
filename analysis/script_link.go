package analysis

import (
	"slices"

	"stackscope/analysis/diag"
)

// Registered returns the module that a script has registered under a name where module m stands
// (nil: at its end), and whether it has registered one at all; the module is nil if its text is not
// in the script.
func (s *Snapshot) Registered(m *Module, name string) (found *Module, ok bool) {
	i := s.registrationFor(m, name)
	if i < 0 {
		return nil, false
	}
	return s.script().regs[i].text(), true
}

// RegisteredNames returns the names that a script registers a module under.
func (s *Snapshot) RegisteredNames(m *Module) []string {
	var out []string
	for _, r := range s.script().regs {
		if r.text() == m && m != nil && !slices.Contains(out, r.name) {
			out = append(out, r.name)
		}
	}
	return out
}

// scriptLinks reports what is wrong with imports from modules that the script itself registers. A
// module that should not link must have something wrong, as far as all its imports can be seen.
func (s *Snapshot) scriptLinks(out []diag.Diagnostic) []diag.Diagnostic {
	if len(s.script().regs) == 0 {
		return out
	}
	for _, m := range s.mods {
		if mustFail(m.rng.assert) || m.rng.definition {
			continue
		}
		complete := m.Sound()
		ds := m.LinkErrors(func(name string) *Module {
			x, _ := s.Registered(m, name)
			complete = complete && x != nil && x.Sound()
			return x
		}, m.rng.assert != "assert_unlinkable")
		if m.rng.assert != "assert_unlinkable" {
			out = append(out, ds...)
			continue
		}
		if complete && len(m.decls().Mod.Imports) > 0 {
			if d, bad := s.expectError(ds, m.rng.assert, m.rng.expect, s.tree.Root(m.rng.open).Keyword().Span()); bad {
				out = append(out, d)
			}
		}
	}
	return out
}
