package effects

import (
	"cmp"
	"math/bits"
	"slices"

	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// Effects is what a function may do to the stacks around it, as far as the module shows: what
// imported functions do, or functions of other modules reached by references, is not in it.
type Effects struct {
	Suspends []uint32 // tags it may suspend with that no resume of its own catches
	Switches []uint32 // tags it may switch on
	Throws   []uint32 // tags of exceptions that may leave it
}

// stepKind is the kind of a step in a summary.
type stepKind uint8

const (
	effSuspend     stepKind = iota // a: the tag
	effSwitch                      // a: the tag
	effThrow                       // a: the tag
	effCall                        // a: the function
	effCallType                    // a: the function type of the reference
	effResume                      // a: the continuation type; h: its clauses
	effRef                         // a: a function whose reference is taken
	effSend                        // a: a tag that an instruction of the other dialects sends an event with
	effReturnEvent                 // a: the tag of the event that a fiber sends when it returns
	effTake                        // a: a tag that a clause of the other dialects takes
	effBase                        // a: a function that a stack, fiber or task begins with
	effPark                        // it is suspended where another stack of the dialect stacks may throw
	effThrowInto                   // a: the tag of an exception that it throws where another stack stands
)

// step is a step. It holds no places, so that it stays true when the text moves.
type step struct {
	kind stepKind
	// barrier: it stands inside of a `barrier` of the function, so it cannot suspend past that.
	barrier bool
	// inert: it is never reached, or traps before, for a reference that is null or consumed.
	inert bool
	h     int32 // clauses of a resume, in summary.handlers; -1: none
	ctx   int32 // the catch clauses around it, in summary.catches; -1: none
	a     uint32
}

// catchBlock is a try_table: what it catches, and the one around it.
type catchBlock struct {
	tags  []uint32
	all   bool
	outer int32
}

// Program is what the analysis of effects reads: the declarations of a module and what each body
// does by itself.
type Program struct {
	Decls *decl.Decls
	Text  cursor.Text
	// Of returns the summary of a function; nil if there is none.
	Of func(fn uint32) *Summary
}

// Summary is what a body does by itself, computed once per text of the function.
type Summary struct {
	items          []step
	handlerClauses [][]wasm.HandlerClause
	catches        []catchBlock
	inert          []int32 // instructions of the body that never get to have their effects, in order
	returns        bool    // control gets to the function's end or a return, and is given up nowhere before
}

// Summarize sums up the body lowered last; nil if there is nothing to say.
func Summarize(b *lower.Body, returns bool, inert []int32) *Summary {
	var s Summary
	ctx := int32(-1)
	var open []int32 // by open block: the catches around it
	barrier := -1    // how many blocks are open around the outermost barrier, -1 outside of one
	dead := inert    // from the instruction at hand on
	idle := false    // it never gets to have its effects
	add := func(k stepKind, a uint32) {
		if a != wasm.BadIndex {
			s.items = append(s.items, step{kind: k, barrier: barrier >= 0, inert: idle, h: -1, ctx: ctx, a: a})
		}
	}
	gives := false // control may leave the function for good, as far as the module shows
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if idle = len(dead) > 0 && dead[0] == int32(i); idle {
			dead = dead[1:]
		}
		gives = gives || givesUp(in.Op)
		switch in.Op {
		case wasm.OpCall, wasm.OpReturnCall:
			add(effCall, in.A)
		case wasm.OpCallRef, wasm.OpReturnCallRef:
			add(effCallType, in.A)
		case wasm.OpCallIndirect, wasm.OpReturnCallIndirect:
			for k, imm := range in.Op.Info().Imms {
				if imm == wasm.ImmTypeUse || imm == wasm.ImmType {
					add(effCallType, []uint32{in.A, in.B}[min(k, 1)])
				}
			}
		case wasm.OpRefFunc:
			add(effRef, in.A)
		case wasm.OpSuspend:
			add(effSuspend, in.A)
		case wasm.OpThrow:
			add(effThrow, in.A)
		case wasm.OpSwitch:
			add(effSwitch, in.B)
			add(effResume, in.A)
		case wasm.OpResume, wasm.OpResumeThrow, wasm.OpResumeThrowRef:
			if in.Op == wasm.OpResumeThrow {
				add(effThrow, in.B)
			}
			add(effResume, in.A)
			if n := len(s.items); in.Ext != nil && len(in.Ext.HandlerClauses) > 0 && n > 0 {
				s.items[n-1].h = int32(len(s.handlerClauses))
				s.handlerClauses = append(s.handlerClauses, in.Ext.HandlerClauses)
			}
		case wasm.OpTryTable:
			open = append(open, ctx)
			c := catchBlock{outer: ctx}
			if in.Ext != nil {
				for _, x := range in.Ext.Catches {
					if x.Kind == wasm.CatchAll || x.Kind == wasm.CatchAllRef {
						c.all = true
					} else {
						c.tags = append(c.tags, x.Tag)
					}
				}
			}
			s.catches = append(s.catches, c)
			ctx = int32(len(s.catches) - 1)
			continue
		case wasm.OpTry: // legacy: its clauses stand inside; what they let through is not followed
			open = append(open, ctx)
			s.catches = append(s.catches, catchBlock{outer: ctx, all: true})
			ctx = int32(len(s.catches) - 1)
			continue
		case wasm.OpBarrier:
			if barrier < 0 {
				barrier = len(open)
			}
		default:
			if d := in.Op.Info().Dialect; d != wasm.DialectNone && !d.Info().HandlerClauses {
				events(in, add)
			}
		}
		switch {
		case in.Op.OpensBlock():
			open = append(open, ctx)
		case (in.Op == wasm.OpEnd || in.Op == wasm.OpDelegate) && len(open) > 0:
			ctx = open[len(open)-1]
			open = open[:len(open)-1]
			if len(open) == barrier {
				barrier = -1
			}
		}
	}
	s.inert = inert
	s.returns = returns && !gives
	if len(s.items) == 0 && !(s.returns && b.Decls.Dialect.Info().MustEnd != "") {
		return nil
	}
	slices.SortFunc(s.items, func(a, b step) int {
		return cmp.Or(
			cmp.Compare(a.kind, b.kind), cmp.Compare(a.a, b.a), cmp.Compare(a.ctx, b.ctx),
			cmp.Compare(a.h, b.h), cmp.Compare(asInt(a.barrier), asInt(b.barrier)),
			cmp.Compare(asInt(a.inert), asInt(b.inert)),
		)
	})
	s.items = slices.Clip(slices.Compact(s.items))
	return &s
}

// caught reports whether an exception with a tag is caught by the clauses around an item.
func (s *Summary) caught(ctx int32, tag uint32) bool {
	for ; ctx >= 0; ctx = s.catches[ctx].outer {
		if c := &s.catches[ctx]; c.all || slices.Contains(c.tags, tag) {
			return true
		}
	}
	return false
}

// OfResume returns what resuming a continuation type may do, clauses left out.
func (s *Sets) OfResume(ct uint32) Effects {
	if n, ok := s.types[[2]uint32{uint32(effResume), ct}]; ok {
		return s.Of(int(n))
	}
	return Effects{}
}

// Of returns the effects of a node: a function, by its index.
func (s *Sets) Of(n int) (e Effects) {
	out := [3]*[]uint32{&e.Suspends, &e.Switches, &e.Throws}
	for w, v := range s.sets[n] {
		for ; v != 0; v &= v - 1 {
			i := w<<6 + bits.TrailingZeros64(v)
			*out[i/s.tags] = append(*out[i/s.tags], uint32(i%s.tags))
		}
	}
	return e
}

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
