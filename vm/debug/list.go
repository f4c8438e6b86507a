package debug

import (
	"sort"

	"stackscope/vm"
)

// Which stacks there are is found by looking at all that can be reached, which takes time in
// proportion to it. So a stop does not do it: a list of threads looks at some of the stacks, and only
// who wants all of them (a tree, a filter, a histogram) pays, once for each stop.

// exactUpTo is how many stacks may be alive for a list to be exact: all are looked at then.
const exactUpTo = 20_000

// Snapshot describes the stacks of a machine. Those of the running chain and the pinned ones are
// always listed; of the others those from start on, by id, as long as there are no more than max in all
// (0: no bound). holders asks for who holds them.
func (y *Symbols) Snapshot(m *vm.Machine, start, max int, holders bool, pinned []StackID) *Snapshot {
	return y.snapshot(m.LiveStacks(0), start, max, holders, pinned)
}

func (y *Symbols) snapshot(live []vm.LiveStack, start, max int, holders bool, pinned []StackID) *Snapshot {
	snap := &Snapshot{}
	pin := map[StackID]bool{}
	for _, id := range pinned {
		pin[id] = true
	}
	room := max
	if max == 0 {
		room = len(live)
	}
	always := func(l *vm.LiveStack) bool { return l.Holder.Kind == vm.HeldByChain || pin[StackID(l.ID())] }
	for i := range live { // those that are always listed take their room first
		if always(&live[i]) {
			room--
		}
	}
	others := 0
	var first, second, rest []Stack // the chain, the pinned, the others
	for i := range live {
		l := &live[i]
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

// children notes who waits for whom. A child is known by its parent link; rooted stacks of nested calls
// of the host have none.
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

// all gives every stack, the running chain first, then the others by id. It is found once for each stop.
func (e *Engine) all() []vm.LiveStack {
	if e.live == nil {
		e.live = e.mach.LiveStacks(0)
	}
	return e.live
}

// forget drops what was found out about which stacks there are: something may have run.
func (e *Engine) forget() { e.live, e.heads = nil, nil }

// Threads describes the stacks that a list of threads shows: the running chain, then the pinned ones,
// then others, at most max (0: all) together. If there are very many, Omitted counts stacks that were
// dropped and not reclaimed yet too, and which of the others are listed is left to chance. It must be
// called inside Do.
func (e *Engine) Threads(max int, pinned []StackID) *Snapshot {
	if n := e.mach.Count(); max == 0 || n <= max || n <= exactUpTo || e.live != nil {
		return e.Symbols.snapshot(e.all(), 0, max, false, pinned)
	}
	found, _ := e.mach.SomeStacks(4*max + 1000)
	seen := map[*vm.Stack]bool{}
	for i := range found {
		seen[found[i].Stack] = true
	}
	for _, id := range pinned {
		if st := e.pins[id]; st != nil && StackID(st.ID()) == id && st.State() != vm.StackMoribund && !seen[st] {
			found = append(found, vm.LiveStack{Stack: st, Holder: vm.Holder{Kind: vm.HeldByObject}})
		}
	}
	chain := 0
	for chain < len(found) && found[chain].Holder.Kind == vm.HeldByChain {
		chain++
	}
	rest := found[chain:]
	sort.Slice(rest, func(i, j int) bool { return rest[i].ID() < rest[j].ID() })
	snap := e.Symbols.snapshot(found, 0, max, false, pinned)
	rooted := 0
	for i := range snap.Stacks {
		if snap.Stacks[i].Rooted {
			rooted++
		}
	}
	snap.Omitted = e.mach.Count() - (len(snap.Stacks) - rooted)
	return snap
}

// Pin lets the stack be found at once as long as the engine lives. It must be called inside Do.
func (e *Engine) Pin(id StackID) {
	if st := e.find(id); st != nil {
		e.pins[id] = st
	}
}

// Unpin undoes Pin. It must be called inside Do.
func (e *Engine) Unpin(id StackID) { delete(e.pins, id) }

// find gives the live stack of an id, nil if there is none.
func (e *Engine) find(id StackID) *vm.Stack {
	for st := range e.mach.Chain() {
		if StackID(st.ID()) == id {
			return st
		}
	}
	if st := e.pins[id]; st != nil && StackID(st.ID()) == id && st.State() != vm.StackMoribund {
		return st
	}
	all := e.all()
	chain := 0
	for chain < len(all) && all[chain].Holder.Kind == vm.HeldByChain {
		chain++
	}
	rest := all[chain:]
	i := sort.Search(len(rest), func(i int) bool { return StackID(rest[i].ID()) >= id })
	if i < len(rest) && StackID(rest[i].ID()) == id {
		return rest[i].Stack
	}
	return nil
}

// Snapshot describes the stacks of the engine's machine. It must be called inside Do.
func (e *Engine) Snapshot(max int, holders bool, pinned []StackID) *Snapshot {
	return e.Symbols.snapshot(e.all(), 0, max, holders, pinned)
}

// SnapshotPage is Snapshot without the first stacks that are no part of the running chain.
func (e *Engine) SnapshotPage(start, max int, holders bool, pinned []StackID) *Snapshot {
	return e.Symbols.snapshot(e.all(), start, max, holders, pinned)
}
