package debugger

import (
	"slices"
	"sort"

	"stackscope/vm"
)

// Snapshot describes the stacks of a machine. Those of the running chain, from the innermost on,
// and the pinned ones are listed first; of the others those from start on, by id, as long as there
// are no more than max in all (0: no bound). holders asks for who holds them.
func (y *Symbols) Snapshot(m *vm.Machine, start, max int, holders bool, pinned []StackID) *Snapshot {
	return y.snapshot(m.LiveStacks(0), start, max, holders, pinned)
}

func (y *Symbols) snapshot(live []vm.LiveStack, start, max int, holders bool, pinned []StackID) *Snapshot {
	snap := &Snapshot{}
	pin := make(map[StackID]bool, len(pinned))
	for _, id := range pinned {
		pin[id] = true
	}
	room := max
	if max == 0 {
		room = len(live)
	}
	always := func(l *vm.LiveStack) bool {
		return l.Holder.Kind == vm.HeldByChain || len(pin) > 0 && pin[StackID(l.ID())]
	}
	for i := range live { // those that are always listed take their room first
		if always(&live[i]) {
			room--
		}
	}
	others := 0
	var first, second, rest []Stack // the chain, the pinned, the others
	for i := range live {
		l := &live[i]
		if max > 0 && len(first) >= max && l.Holder.Kind == vm.HeldByChain { // a long one: its innermost stacks
			snap.Omitted++
			continue
		}
		fixed := always(l)
		if !fixed {
			others++
			if others <= start || room <= 0 {
				snap.Omitted++
				continue
			}
			room--
		}
		s := y.Stack(l.Stack)
		if holders {
			if h, ok := y.holder(l.Holder); ok {
				s.HeldBy = []Holder{h}
			}
		}
		if s.State == Running {
			snap.Running = s.ID
		}
		switch {
		case l.Holder.Kind == vm.HeldByChain:
			first = append(first, s)
		case fixed:
			second = append(second, s)
		default:
			rest = append(rest, s)
		}
	}
	if max == 0 || len(rest)+len(first)+len(second) == len(live) { // nothing is left out: order is by id
		rest = append(second, rest...)
		second = nil
		sort.Slice(rest, func(i, j int) bool { return rest[i].ID < rest[j].ID })
	}
	snap.Stacks = append(append(first, second...), rest...)
	y.children(snap)
	return snap
}

// children notes who waits for whom. A child is known by its parent link; rooted stacks of nested
// calls of the host have none.
func (y *Symbols) children(snap *Snapshot) {
	at := make(map[StackID]int, len(snap.Stacks))
	for i := range snap.Stacks {
		at[snap.Stacks[i].ID] = i
	}
	for i := range snap.Stacks {
		if p, ok := at[snap.Stacks[i].Parent]; ok {
			snap.Stacks[p].Child = snap.Stacks[i].ID
		}
	}
}

// Threads describes the stacks that a list of threads shows: the running chain, then the pinned
// ones, then others, at most max (0: all) together. If there are very many, Omitted counts stacks
// that were dropped and not reclaimed yet too, and which of the others are listed is left to
// chance. It must be called inside Do.
func (ss *Stacks) Threads(max int, pinned []StackID) *Snapshot {
	if max == 0 || ss.mach.Count() <= max || ss.few() {
		return ss.sym.snapshot(ss.all(), 0, max, false, pinned)
	}
	return ss.some(0, max, false, pinned)
}

// some describes the running chain, the pinned stacks, and of the others those from start on, in
// the order in which they are found, at most max together. Omitted is how many there are besides,
// dropped ones that were not reclaimed yet included.
func (ss *Stacks) some(start, max int, holders bool, pinned []StackID) *Snapshot {
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
			if st := ss.pins[id]; st != nil && StackID(st.ID()) == id && st.State() != vm.StackMoribund && !in[st] {
				found = append(found, vm.LiveStack{Stack: st, Holder: vm.Holder{Kind: vm.HeldByObject}})
			}
		}
	}
	snap := ss.sym.snapshot(found, start, max, holders, pinned)
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
func (ss *Stacks) Pin(id StackID) {
	if st := ss.find(id); st != nil {
		ss.pins[id] = st
	}
}

// Unpin undoes Pin. It must be called inside Do.
func (ss *Stacks) Unpin(id StackID) { delete(ss.pins, id) }

// Snapshot describes the stacks of the engine's machine. It must be called inside Do.
func (ss *Stacks) Snapshot(max int, holders bool, pinned []StackID) *Snapshot {
	return ss.sym.snapshot(ss.all(), 0, max, holders, pinned)
}

// Page is a part of the stacks.
type Page struct {
	Snapshot
	Next    int  // the cursor of the next page; 0: there is none
	Partial bool // not all stacks were looked at, so what is counted is of those that were, and Omitted a bound
	Alive   int  // of a partial answer: how many stacks there are at most, rooted ones left out
}

// Page describes the running chain, the pinned stacks and, from start on, others, at most
// max (0: all) together. Of very many stacks not all are looked at, unless that is to be exact. The
// error is ErrCancelled. It must be called inside Do.
func (ss *Stacks) Page(start, max int, holders, exact bool, pinned []StackID, stop func() bool) (*Page, error) {
	p := &Page{}
	if exact || max == 0 || ss.few() {
		all, ok := ss.allUnless(stop)
		if !ok {
			return nil, ErrCancelled
		}
		p.Snapshot = *ss.sym.snapshot(all, start, max, holders, pinned)
	} else {
		p.Snapshot = *ss.some(start, max, holders, pinned)
		if p.Partial = ss.seen.more; p.Partial {
			p.Alive = ss.mach.Count()
		}
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
