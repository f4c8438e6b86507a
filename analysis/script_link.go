package analysis

import (
	"slices"

	"stackscope/analysis/diag"
	"stackscope/analysis/syntax"
)

// registration is a `(register "name" $module?)` of a script.
type registration struct {
	unit int32 // of the command
	name string
	mod  *Module // nil: a module whose text is not in the script, or none
}

// registrations gives the registrations of a script in order.
func (s *Snapshot) registrations() []registration {
	s.regOnce.Do(func() {
		type named struct {
			first int // unit
			name  string
			mod   *Module
		}
		var all []named
		byUnit := map[int]*Module{}
		for _, m := range s.mods {
			byUnit[m.rng.open] = m
		}
		find := func(name string) *Module {
			for i := len(all) - 1; i >= 0; i-- {
				if name == "" || all[i].name == name {
					return all[i].mod
				}
			}
			return nil
		}
		ranges := s.tree.Modules()
		next := 0
		for i := range s.tree.Units {
			for next < len(ranges) && ranges[next].First <= i {
				r := ranges[next]
				next++
				if r.Open.Kind() == syntax.KCommand || !r.Open.IsZero() && r.Open.Kind() != syntax.KModule {
					continue // inside of an assertion: it is not there afterwards
				}
				n := named{first: r.First, name: idName(nameText(r.Name)), mod: byUnit[r.First]}
				if r.Instance {
					var ids []string
					for t := range r.Module.Own() {
						if t.Kind() == syntax.TokID {
							ids = append(ids, idName(t.Text()))
						}
					}
					n.mod = nil
					if len(ids) == 2 {
						n.name, n.mod = ids[0], find(ids[1])
					}
				}
				if r.Open.IsZero() && r.Module.IsZero() {
					n.mod = s.ModuleAt(s.tree.Units[r.First].Off)
				}
				all = append(all, n)
			}
			if s.tree.Units[i].Kind != syntax.UnitCommand {
				continue
			}
			root := s.tree.Root(i)
			if root.Kind() != syntax.KCommand || root.Keyword().Text() != "register" {
				continue
			}
			reg := registration{unit: int32(i), name: lastString(root)}
			id := ""
			for t := range root.Own() {
				if t.Kind() == syntax.TokID {
					id = idName(t.Text())
				}
			}
			reg.mod = find(id)
			s.regs = append(s.regs, reg)
		}
	})
	return s.regs
}

func nameText(t syntax.Tok) string {
	if t.T == nil {
		return ""
	}
	return t.Text()
}

// Registered gives the module that a script has registered under a name where module m stands (nil:
// at its end), and whether it has registered one at all; the module is nil if its text is not in the
// script.
func (s *Snapshot) Registered(m *Module, name string) (found *Module, ok bool) {
	for _, r := range s.registrations() {
		if (m == nil || int(r.unit) < m.first) && r.name == name {
			found, ok = r.mod, true
		}
	}
	return found, ok
}

// RegisteredNames gives the names that a script registers a module under.
func (s *Snapshot) RegisteredNames(m *Module) []string {
	var out []string
	for _, r := range s.registrations() {
		if r.mod == m && m != nil && !slices.Contains(out, r.name) {
			out = append(out, r.name)
		}
	}
	return out
}

// scriptLinks tells what is wrong with imports from modules that the script itself registers. A module
// that should not link must have something wrong, as far as all its imports can be seen.
func (s *Snapshot) scriptLinks(out []diag.Diagnostic) []diag.Diagnostic {
	if len(s.registrations()) == 0 {
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
		if complete && len(m.decls().mod.Imports) > 0 {
			if d, bad := s.expectError(ds, m.rng.assert, m.rng.expect, s.tree.Root(m.rng.open).Keyword().Span()); bad {
				out = append(out, d)
			}
		}
	}
	return out
}
