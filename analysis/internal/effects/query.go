package effects

import (
	"slices"

	"stackscope/wasm"
)

// Resumers returns the functions whose own bodies resume, or switch to, a continuation of one of
// the types.
func (p *Program) Resumers(is func(ct uint32) bool) []uint32 {
	return p.funcsWith(func(it step) bool { return it.kind == effResume && is(it.a) })
}

// HandlerClauses returns by tag the functions with a handler clause for suspensions with it.
func (p *Program) HandlerClauses() map[uint32][]uint32 {
	out := map[uint32][]uint32{}
	p.eachStep(func(fn uint32, s *Summary, it step) {
		if it.kind != effResume || it.h < 0 {
			return
		}
		for _, h := range s.handlerClauses[it.h] {
			if fs := out[h.Tag]; !h.Switch && (len(fs) == 0 || fs[len(fs)-1] != fn) {
				out[h.Tag] = append(fs, fn)
			}
		}
	})
	return out
}

// HandledTags returns the tags of the handler clauses of a function for suspensions, in ascending
// order.
func (s *Summary) HandledTags() []uint32 {
	if s == nil {
		return nil
	}
	var out []uint32
	for _, hs := range s.handlerClauses {
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
func (p *Program) Suspenders(tags []uint32) []uint32 {
	if len(tags) == 0 {
		return nil
	}
	return p.funcsWith(func(it step) bool {
		if it.kind != effSuspend {
			return false
		}
		_, ok := slices.BinarySearch(tags, it.a)
		return ok
	})
}

func (p *Program) funcsWith(is func(it step) bool) []uint32 {
	var out []uint32
	p.eachStep(func(fn uint32, _ *Summary, it step) {
		if n := len(out); (n == 0 || out[n-1] != fn) && is(it) {
			out = append(out, fn)
		}
	})
	return out
}

// Starts returns the functions that an instruction makes a stack, fiber or task of.
func Starts(in *wasm.Instr) []uint32 {
	if d := in.Op.Info().Dialect; d == wasm.DialectNone || d.Info().HandlerClauses {
		return nil
	}
	var out []uint32
	events(in, func(k stepKind, fn uint32) {
		if k == effBase && fn != wasm.BadIndex {
			out = append(out, fn)
		}
	})
	return out
}

// Equal compares two summaries; either may be nil.
func (s *Summary) Equal(o *Summary) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.returns == o.returns && slices.Equal(s.items, o.items) &&
		slices.EqualFunc(s.handlerClauses, o.handlerClauses, func(a, b []wasm.HandlerClause) bool {
			return slices.EqualFunc(
				a, b,
				func(x, y wasm.HandlerClause) bool {
					return x.Tag == y.Tag && x.Switch == y.Switch && x.Label == y.Label
				},
			)
		}) &&
		slices.EqualFunc(s.catches, o.catches, func(a, b catchBlock) bool {
			return a.all == b.all && a.outer == b.outer && slices.Equal(a.tags, b.tags)
		})
}
