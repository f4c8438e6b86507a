package analysis

import (
	"slices"

	"stackscope/analysis/internal/decl"
	"stackscope/wasm"
)

// What bodies do to each other, from what is known of each body without lowering it again.

// Users returns the functions whose bodies name a function: they call it or take its reference.
func (m *Module) Users(fn uint32) []uint32 {
	var out []uint32
	for i, s := range m.known() {
		if s != nil && slices.ContainsFunc(s.uses, func(u decl.ItemUse) bool { return u.Space() == decl.SpaceFunc && u.Index() == fn }) {
			out = append(out, uint32(i))
		}
	}
	return out
}

// Taken returns the functions whose reference is taken somewhere, in order: in bodies, initial
// values and segments that are not merely declarative.
func (m *Module) Taken() []uint32 { return m.takenRefs(m.known()) }

// Resumers returns the functions whose own bodies resume, or switch to, a continuation of one of
// the types.
func (m *Module) Resumers(is func(ct uint32) bool) []uint32 {
	return m.funcsWith(func(_ *effSummary, it effItem) bool { return it.kind == effResume && is(it.a) })
}

// Handlers returns by tag the functions that resume with a clause that takes suspensions with it.
func (m *Module) Handlers() map[uint32][]uint32 {
	m.known()
	out := map[uint32][]uint32{}
	m.eachStep(func(fn uint32, s *effSummary, it effItem) {
		if it.kind != effResume || it.h < 0 {
			return
		}
		for _, h := range s.handlers[it.h] {
			if fs := out[h.Tag]; !h.Switch && (len(fs) == 0 || fs[len(fs)-1] != fn) {
				out[h.Tag] = append(fs, fn)
			}
		}
	})
	return out
}

// Handled returns the tags whose suspensions the clauses of a function take, in ascending order.
func (m *Module) Handled(fn uint32) []uint32 {
	states := m.known()
	if int64(fn) >= int64(len(states)) || states[fn] == nil || states[fn].effects == nil {
		return nil
	}
	var out []uint32
	for _, hs := range states[fn].effects.handlers {
		for _, h := range hs {
			if !h.Switch {
				out = append(out, h.Tag)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Suspenders returns the functions whose own bodies suspend with one of the tags, which ascend.
func (m *Module) Suspenders(tags []uint32) []uint32 {
	if len(tags) == 0 {
		return nil
	}
	return m.funcsWith(func(_ *effSummary, it effItem) bool {
		if it.kind != effSuspend {
			return false
		}
		_, ok := slices.BinarySearch(tags, it.a)
		return ok
	})
}

func (m *Module) funcsWith(is func(s *effSummary, it effItem) bool) []uint32 {
	m.known()
	var out []uint32
	m.eachStep(func(fn uint32, s *effSummary, it effItem) {
		if n := len(out); (n == 0 || out[n-1] != fn) && is(s, it) {
			out = append(out, fn)
		}
	})
	return out
}

// FuncRefs returns the functions that an instruction makes a stack, fiber or task of.
func FuncRefs(in *wasm.Instr) []uint32 {
	if d := in.Op.Info().Dialect; d == wasm.DialectNone || d.Info().Handlers {
		return nil
	}
	var out []uint32
	events(in, func(k effKind, fn uint32) {
		if k == effBase && fn != wasm.BadIndex {
			out = append(out, fn)
		}
	})
	return out
}
