package analysis

import (
	"slices"
	"sync"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/effects"
	"stackscope/analysis/internal/lint"
	"stackscope/analysis/internal/protocol"
)

// facts are what is known of a module as a whole, from what each body says of itself. They hold
// places of declarations only, so an edit in a body that names the same items and does the same to
// stacks leaves them as they were.
type facts struct {
	broken   bool // something is wrong in the module: nothing is said of the whole
	findings []cursor.Finding

	once    sync.Once
	effects *effects.Sets

	verdicts  *effects.Verdicts  // what the analysis of effects found
	protocols *protocol.Verdicts // what the protocols show

	exchangeOnce sync.Once
	exchanges    *protocol.Exchanges

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
			m.facts.findings = lint.Module(m.decls(), m.text(), m.eachUses)
			m.facts.verdicts = m.program().Judge(func() *effects.Sets { return m.facts.narrow(m) })
			m.facts.protocols = ProtocolsOf(m).program().Judge(m.text())
			m.facts.findings = append(m.facts.findings, m.facts.verdicts.Findings...)
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
		a != nil && b != nil && a.broken == b.broken && slices.Equal(a.uses, b.uses) && a.effects.Equal(b.effects) &&
			a.protocol.Equal(b.protocol)
}

// eachUses goes over the items that each function names.
func (m *Module) eachUses(yield func(fn uint32, uses []decl.ItemUse) bool) {
	for fn, s := range m.states {
		if s != nil && !yield(uint32(fn), s.uses) {
			return
		}
	}
}
