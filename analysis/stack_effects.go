package analysis

import (
	"slices"

	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/effects"
	"stackscope/analysis/internal/protocol"
	"stackscope/wasm"
)

// StackEffects are the queries of a module about what its functions do to stacks and to each other.
// They are answered from what is known of each body, without lowering it again.
type StackEffects struct{ m *Module }

// StackEffects returns the queries about stacks.
func (m *Module) StackEffects() StackEffects { return StackEffects{m} }

// Users returns the functions whose bodies name a function: they call it or take its reference.
func (e StackEffects) Users(fn uint32) []uint32 {
	var out []uint32
	for i, s := range e.m.known() {
		if s != nil &&
			slices.ContainsFunc(
				s.uses, func(u decl.ItemUse) bool { return u.Space() == SpaceFunc && u.Index() == fn },
			) {
			out = append(out, uint32(i))
		}
	}
	return out
}

// Taken returns the functions whose reference is taken somewhere, in order: in bodies, initial
// values and segments that are not merely declarative.
func (e StackEffects) Taken() []uint32 { return e.m.program().TakenRefs() }

// Resumers returns the functions whose own bodies resume, or switch to, a continuation of one of
// the types.
func (e StackEffects) Resumers(is func(ct uint32) bool) []uint32 { return e.m.program().Resumers(is) }

// HandlerClauses returns by tag the functions with a handler clause for suspensions with it.
func (e StackEffects) HandlerClauses() map[uint32][]uint32 { return e.m.program().HandlerClauses() }

// HandledTags returns the tags of the handler clauses of a function for suspensions, in ascending
// order.
func (e StackEffects) HandledTags(fn uint32) []uint32 {
	p := e.m.program()
	if int64(fn) >= int64(len(p.Decls.Mod.Funcs)) {
		return nil
	}
	return p.Of(fn).HandledTags()
}

// Suspenders returns the functions whose own bodies suspend with one of the tags, which ascend.
func (e StackEffects) Suspenders(tags []uint32) []uint32 { return e.m.program().Suspenders(tags) }

// FuncRefs returns the functions that an instruction makes a stack, fiber or task of.
func FuncRefs(in *wasm.Instr) []uint32 { return effects.Starts(in) }

// program returns what the analysis of effects reads. Every body has been checked for it.
func (m *Module) program() *effects.Program {
	states := m.known()
	return &effects.Program{Decls: m.decls(), Text: m.text(), Of: func(fn uint32) *effects.Summary {
		if int(fn) < len(states) && states[fn] != nil {
			return states[fn].effects
		}
		return nil
	}}
}

// narrow returns the effects of the module's functions, made once.
func (f *facts) narrow(m *Module) *effects.Sets {
	f.once.Do(func() { f.effects = m.program().Effects(false) })
	return f.effects
}

// Of returns the effects of a function.
func (e StackEffects) Of(fn uint32) effects.Effects {
	s := e.m.effectSets()
	if s == nil || int64(fn) >= int64(len(e.m.decls().Mod.Funcs)) {
		return effects.Effects{}
	}
	return s.Of(int(fn))
}

// OfResume returns what resuming a continuation type may do, clauses left out.
func (e StackEffects) OfResume(ct uint32) effects.Effects {
	s := e.m.effectSets()
	if s == nil {
		return effects.Effects{}
	}
	return s.OfResume(ct)
}

// effectSets returns the effects of all functions, nil if the module has no tags.
func (m *Module) effectSets() *effects.Sets {
	return m.wholeFacts().narrow(m)
}

// placeVerdicts returns the verdicts with their places, which are found again only for bodies that
// have changed.
func (m *Module) placeVerdicts(f *facts) []cursor.Finding {
	if f.verdicts == nil || len(f.verdicts.ByFunc) == 0 && len(f.protocols.ByFunc) == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	fns := make([]uint32, 0, len(f.verdicts.ByFunc))
	for fn := range f.verdicts.ByFunc {
		fns = append(fns, fn)
	}
	for fn := range f.protocols.ByFunc {
		fns = append(fns, fn)
	}
	slices.Sort(fns)
	fns = slices.Compact(fns)
	var out []cursor.Finding
	now := make(map[*bodyState][]cursor.Finding, len(fns))
	for _, fn := range fns {
		st := m.states[fn]
		fs, ok := f.placed[st]
		if !ok {
			l := m.funcLowerer(fn)
			for _, v := range f.verdicts.ByFunc[fn] {
				fs = append(fs, effects.Place(l.Body, v, st.effects)...)
			}
			for _, v := range f.protocols.ByFunc[fn] {
				fs = append(fs, protocol.Place(l.Body, v)...)
			}
		}
		now[st] = fs
		out = append(out, fs...)
	}
	f.placed = now
	return out
}

// Effects is what a function may do to the stacks around it, as far as the module shows: what
// imported functions do, or functions of other modules reached by references, is not in it.
type Effects = effects.Effects
