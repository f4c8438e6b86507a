package stacks

import (
	"slices"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
)

// Threads describes the stacks that a list of threads shows: the running chain, then the pinned
// ones, then others, at most max (0: all) together. If there are very many, Omitted counts stacks
// that were dropped and not reclaimed yet too, and which of the others are listed is left to
// chance. It must be called inside Do.
func (ss *Stacks) Threads(max int, pinned []snapshot.StackID) *snapshot.Snapshot {
	if max == 0 || ss.mach.Count() <= max || ss.Few() {
		return ss.sym.SnapshotOf(ss.all(), 0, max, false, pinned)
	}
	return ss.some(0, max, false, pinned)
}

// some describes the running chain, the pinned stacks, and of the others those from start on, in
// the order in which they are found, at most max together. Omitted is how many there are besides,
// dropped ones that were not reclaimed yet included.
func (ss *Stacks) some(start, max int, holders bool, pinned []snapshot.StackID) *snapshot.Snapshot {
	s := ss.walk()
	chain := s.chain()
	s.reach(chain+start+max, nil)
	found := slices.Concat(s.found[:min(chain, max)], s.found[chain:min(chain+start+max, len(s.found))])
	if len(pinned) > 0 {
		in := make(map[*vm.Stack]bool, len(found))
		for i := range found {
			in[found[i].Stack] = true
		}
		for _, id := range pinned {
			if st := ss.pins[id]; st != nil && snapshot.StackID(st.ID()) == id && st.State() != vm.StackMoribund &&
				!in[st] {
				found = append(found, vm.LiveStack{Stack: st, Holder: vm.Holder{Kind: vm.HeldByObject}})
			}
		}
	}
	snap := ss.sym.SnapshotOf(found, start, max, holders, pinned)
	if snap.Omitted = len(s.found) - len(snap.Stacks); s.more {
		rooted := 0
		for i := range snap.Stacks {
			if snap.Stacks[i].Rooted {
				rooted++
			}
		}
		snap.Omitted = ss.mach.Count() - (len(snap.Stacks) - rooted)
	}
	return snap
}

// Pin lets the stack be found at once as long as the engine lives. It must be called inside Do.
func (ss *Stacks) Pin(id snapshot.StackID) {
	if st := ss.Find(id); st != nil {
		ss.pins[id] = st
	}
}

// Pinned reports whether a stack is pinned.
func (ss *Stacks) Pinned(id snapshot.StackID) bool { return ss.pins[id] != nil }

// Unpin undoes Pin. It must be called inside Do.
func (ss *Stacks) Unpin(id snapshot.StackID) { delete(ss.pins, id) }

// Snapshot describes the stacks of the engine's machine; with holders also those that have ended and
// that something still refers to. It must be called inside Do.
func (ss *Stacks) Snapshot(max int, holders bool, pinned []snapshot.StackID) *snapshot.Snapshot {
	snap := ss.sym.SnapshotOf(ss.all(), 0, max, holders, pinned)
	if holders {
		snap.Ended, snap.EndedPartial = ss.Ended()
		ss.annotate(snap.Stacks)
	}
	return snap
}

// Page is a part of the stacks.
type Page struct {
	snapshot.Snapshot
	Next    int  // the cursor of the next page; 0: there is none
	Partial bool // not all stacks were looked at, so what is counted is of those that were, and Omitted a bound
	Alive   int  // of a partial answer: how many stacks there are at most, rooted ones left out
}

// Page describes the running chain, the pinned stacks and, from start on, others, at most
// max (0: all) together. Of very many stacks not all are looked at, unless that is to be exact. The
// error is ErrCancelled. It must be called inside Do.
func (ss *Stacks) Page(
	start, max int, holders, exact bool, pinned []snapshot.StackID, stop func() bool,
) (*Page, error) {
	p := &Page{}
	if exact || max == 0 || ss.Few() {
		all, ok := ss.allUnless(stop)
		if !ok {
			return nil, ErrCancelled
		}
		p.Snapshot = *ss.sym.SnapshotOf(all, start, max, holders, pinned)
	} else {
		p.Snapshot = *ss.some(start, max, holders, pinned)
		if p.Partial = ss.seen.more; p.Partial {
			p.Alive = ss.mach.Count()
		}
	}
	if holders {
		ss.annotate(p.Stacks)
	}
	chain := ss.seen.chain()
	if max > 0 {
		chain = min(chain, max)
	}
	others := 0 // that are listed because of their place
	for _, s := range p.Stacks[chain:] {
		if !slices.Contains(pinned, s.ID) {
			others++
		}
	}
	if others > 0 && (p.Partial || p.Omitted > start) {
		p.Next = start + others
	}
	return p, nil
}
