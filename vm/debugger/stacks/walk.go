package stacks

import (
	"errors"
	"math"
	"slices"
	"sort"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// ExactUpTo is how many stacks may be alive for every list and count to be exact: all are looked at
// then.
const ExactUpTo = 20_000

// walkPart is how many stacks, objects and table slots are looked at in one go.
const walkPart = 4096

// ErrCancelled is what a query returns that was told to stop.
var ErrCancelled = errors.New("cancelled")

// heapWalk is what was found out about which stacks there are.
type heapWalk struct {
	found  []vm.LiveStack // in the order in which they are found, which is always the same: the running chain first
	more   bool           // there may be others
	by     *vm.HeapWalk
	below  map[*vm.Stack]int // how many stacks hang below each of those
	sorted []vm.LiveStack    // all; see Engine.all
}

// Stacks finds, lists and queries the stacks of a machine.
type Stacks struct {
	mach     *vm.Machine
	sym      *symbols.Symbols
	recorder *vm.Recorder                   // nil: no history is kept
	pins     map[snapshot.StackID]*vm.Stack // see Pin
	seen     *heapWalk                      // what was found out since something ran; nil: nothing
	moves    *moves                         // the same of who switched to whom
	lines    map[*vm.Stack]snapshot.Queue   // the same of where stacks stand in line
	managed  map[*vm.Stack]*vm.Stack        // the same of who manages whom
	ended    *ended                         // the same of stacks that have ended
}

// NewStacks returns the stacks of a machine; rec is the history of their events, nil if none is
// kept.
func NewStacks(mach *vm.Machine, sym *symbols.Symbols, rec *vm.Recorder) *Stacks {
	ss := &Stacks{mach: mach, sym: sym, recorder: rec, pins: map[snapshot.StackID]*vm.Stack{}}
	sym.Attach(mach, ss.switches, rec)
	return ss
}

// walk returns what was found out so far.
func (ss *Stacks) walk() *heapWalk {
	if s := ss.seen; s != nil && (!s.more || s.by.Valid()) {
		return s
	}
	known := 0
	if ss.seen != nil {
		known = len(ss.seen.found) // somebody has looked for stacks in another way since: the same again
	}
	s := &heapWalk{more: true, below: map[*vm.Stack]int{}}
	s.by = ss.mach.WalkHeap(func(st *vm.Stack, h vm.Holder) {
		s.found = append(s.found, vm.LiveStack{Stack: st, Holder: h})
		if p := st.Parent(); p != nil {
			s.below[p]++
		}
	})
	ss.seen = s
	s.reach(known, nil)
	return s
}

// Forget drops what was found out about which stacks there are: something may have run.
func (ss *Stacks) Forget() {
	ss.seen, ss.moves, ss.ended, ss.lines, ss.managed = nil, nil, nil, nil, nil
}

// part goes on for a moment. It reports whether there may be stacks that were not found.
func (s *heapWalk) part() bool {
	s.more = s.more && s.by.More(walkPart)
	return s.more
}

// reach goes on until n stacks are found, or all. It reports whether it was not stopped.
func (s *heapWalk) reach(n int, stop func() bool) bool {
	for s.more && len(s.found) < n {
		if stop != nil && stop() {
			return false
		}
		s.part()
	}
	return true
}

// chain returns how many stacks are in the running chain. They come first.
func (s *heapWalk) chain() int {
	n := 0
	for n < len(s.found) && s.found[n].Holder.Kind == vm.HeldByChain {
		n++
	}
	return n
}

// all returns every stack, the running chain first, then the others by id.
func (ss *Stacks) all() []vm.LiveStack {
	all, _ := ss.allUnless(nil)
	return all
}

// allUnless is all that can be stopped; ok is false then.
func (ss *Stacks) allUnless(stop func() bool) (all []vm.LiveStack, ok bool) {
	s := ss.walk()
	if n := ss.mach.Count() + 1; s.more && n > len(s.found) {
		s.found = slices.Grow(s.found, n-len(s.found))
	}
	if !s.reach(math.MaxInt, stop) {
		return nil, false
	}
	if s.sorted == nil {
		byID := func(a, b vm.LiveStack) int { return int(int64(a.ID()) - int64(b.ID())) }
		if s.sorted = s.found; !slices.IsSortedFunc(s.found[s.chain():], byID) {
			s.sorted = slices.Clone(s.found)
			slices.SortFunc(s.sorted[s.chain():], byID)
		}
	}
	return s.sorted, true
}

// Words returns the words of the design of a stack. It must be called inside Do.
func (ss *Stacks) Words(id snapshot.StackID) *wasm.Words {
	if st := ss.Find(id); st != nil {
		return &st.Dialect().Info().Words
	}
	return &wasm.DialectNone.Info().Words
}

// Few reports whether so few stacks are alive that all are looked at.
func (ss *Stacks) Few() bool { return ss.mach.Count() <= ExactUpTo }

// Find returns the live stack of an id, nil if there is none.
func (ss *Stacks) Find(id snapshot.StackID) *vm.Stack {
	for st := range ss.mach.Chain() {
		if snapshot.StackID(st.ID()) == id {
			return st
		}
	}
	if st := ss.pins[id]; st != nil && snapshot.StackID(st.ID()) == id && st.State() != vm.StackMoribund {
		return st
	}
	s := ss.walk()
	if s.sorted != nil {
		rest := s.sorted[s.chain():]
		i := sort.Search(len(rest), func(i int) bool { return snapshot.StackID(rest[i].ID()) >= id })
		if i < len(rest) && snapshot.StackID(rest[i].ID()) == id {
			return rest[i].Stack
		}
		return nil
	}
	for i := 0; i < len(s.found) || s.more; i++ {
		for i == len(s.found) && s.part() {
		}
		if i < len(s.found) && snapshot.StackID(s.found[i].ID()) == id {
			return s.found[i].Stack
		}
	}
	return nil
}
