package analysis

import (
	"slices"
	"sync"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/wasm"
)

// facts are what is known of a module as a whole, from what each body says of itself. They hold
// places of declarations only, so an edit in a body that names the same items and does the same to
// stacks leaves them as they were.
type facts struct {
	broken   bool // something is wrong in the module: nothing is said of the whole
	findings []cursor.Finding

	once    sync.Once
	effects *effectSets

	verdicts map[uint32][]verdict // by function: what the analysis of effects found in it

	mu     sync.Mutex
	placed map[*bodyState][]cursor.Finding // verdicts with their places, by the state they were found with
}

// wholeFacts returns the facts of the module, which every body has been checked for.
func (m *Module) wholeFacts() *facts {
	m.checkAll()
	m.whole.Do(func() {
		broken := m.broken()
		if m.facts != nil && m.facts.broken == broken {
			return
		}
		m.facts = &facts{broken: broken, placed: map[*bodyState][]cursor.Finding{}}
		if !m.facts.broken {
			m.facts.findings = m.lintModule()
			m.judge(m.facts)
		}
	})
	return m.facts
}

// broken reports whether there is an error anywhere in the module.
func (m *Module) broken() bool {
	for i := m.rng.first - btoi(m.rng.open >= 0); i < m.first+m.units; i++ {
		if len(m.snap.tree.Units[i].Errors) > 0 {
			return true
		}
	}
	for _, s := range m.states {
		if s != nil && s.broken {
			return true
		}
	}
	if slices.ContainsFunc(m.annotations().diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }) {
		return true
	}
	return anyError(m.decls().Findings) || anyError(m.checkDecls())
}

// sameWhole reports whether two states of a body say the same to the module as a whole.
func sameWhole(a, b *bodyState) bool {
	return a == b ||
		a != nil && b != nil && a.broken == b.broken && slices.Equal(a.uses, b.uses) && a.effects.equal(b.effects)
}

// equal compares two summaries; either may be nil.
func (s *effSummary) equal(o *effSummary) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.returns == o.returns && slices.Equal(s.items, o.items) &&
		slices.EqualFunc(s.handlers, o.handlers, func(a, b []wasm.Handler) bool {
			return slices.EqualFunc(
				a, b,
				func(x, y wasm.Handler) bool { return x.Tag == y.Tag && x.Switch == y.Switch && x.Label == y.Label },
			)
		}) &&
		slices.EqualFunc(s.catches, o.catches, func(a, b effCatch) bool {
			return a.all == b.all && a.outer == b.outer && slices.Equal(a.tags, b.tags)
		})
}
