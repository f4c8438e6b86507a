package stacks

import (
	"cmp"
	"slices"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
)

// The stacks that are listed below each scheduler, and the kinds of the others that are named.
const listedBelow, kindsBelow = 50, 5

// maxClimb bounds how far up it is looked whether a stack would manage itself.
const maxClimb = 1000

// managers returns who manages each of some stacks, which are all that are considered; those that
// nobody manages are left out. The rule is in docs/design/debugger.md.
func (ss *Stacks) managers(live []vm.LiveStack) map[*vm.Stack]*vm.Stack {
	if ss.managed != nil {
		return ss.managed
	}
	byID := make(map[uint64]*vm.Stack, len(live))
	for i := range live {
		byID[live[i].ID()] = live[i].Stack
	}
	last := ss.lastParents()
	alive := func(id uint64) *vm.Stack { // it, or who managed it, if it has ended
		for range 100 {
			if st := byID[id]; st != nil || id == 0 {
				return st
			}
			id = last[id]
		}
		return nil
	}
	out := make(map[*vm.Stack]*vm.Stack, len(live))
	set := func(st, m *vm.Stack) bool {
		if m == nil || m == st || m.OfDebugger() {
			return false
		}
		for at, n := m, 0; at != nil && n < maxClimb; at, n = out[at], n+1 { // no circles
			if at == st {
				return false
			}
		}
		out[st] = m
		return true
	}
	lines := ss.queues()
	var rest []*vm.LiveStack
	for i := range live {
		l := &live[i]
		switch {
		case l.OfDebugger():
		case l.Parent() != nil:
			out[l.Stack] = l.Parent()
		case l.Rooted():
		case set(l.Stack, alive(last[l.ID()])):
		default:
			rest = append(rest, l)
		}
	}
	// Of a stack that never ran, or that the history does not know: whoever manages its neighbours in
	// the line where it stands, has it in a variable, or created it.
	of := map[string]*vm.Stack{}
	for st, q := range lines {
		if m := out[st]; m != nil && (of[q.In] == nil || m.ID() < of[q.In].ID()) {
			of[q.In] = m
		}
	}
	for _, l := range rest {
		switch q, ok := lines[l.Stack]; {
		case ok && set(l.Stack, of[q.In]):
		case l.Holder.Kind == vm.HeldByFrame && l.Holder.Stack != nil && set(l.Stack, l.Holder.Stack):
		default:
			set(l.Stack, alive(l.Creator()))
		}
	}
	ss.managed = out
	return out
}

// lastParents returns the last parent of each stack, as far as it is in the history: the stack that
// resumed it, or that got control from it; after a switch, the parent of the stack that switched to
// it. In a design without parents it is the stack that entered it first.
func (ss *Stacks) lastParents() map[uint64]uint64 {
	last := map[uint64]uint64{}
	if ss.recorder == nil {
		return last
	}
	var evs []vm.Event
	for _, ev := range ss.recorder.Newest() {
		if len(evs) == maxMoves {
			break
		}
		evs = append(evs, *ev)
	}
	for i := len(evs) - 1; i >= 0; i-- {
		ev := &evs[i]
		switch parents := ev.Dialect.Info().Suspend != ""; {
		case ev.Other == 0 || ev.Other == ev.Stack:
		case ev.Kind == vm.EventResume, ev.Kind == vm.EventSuspend:
			last[ev.Stack] = ev.Other
		case ev.Kind == vm.EventStart && last[ev.Stack] == 0:
			last[ev.Stack] = ev.Other
		case ev.Kind == vm.EventSwitch && parents && last[ev.Stack] != 0:
			last[ev.Other] = last[ev.Stack]
		}
	}
	return last
}

// annotate adds to descriptions of stacks who manages them and where they stand in line, if so few
// stacks are alive that all are looked at.
func (ss *Stacks) annotate(list []snapshot.Stack) {
	if !ss.Few() {
		return
	}
	managers, lines := ss.managers(ss.all()), ss.queues()
	for i := range list {
		st := ss.Find(list[i].ID)
		if st == nil {
			continue
		}
		if m := managers[st]; m != nil {
			list[i].Manager = snapshot.StackID(m.ID())
		}
		if q, ok := lines[st]; ok && q.Of > 1 {
			list[i].Queue = &q
		}
	}
}

// Schedulers describes stacks together with who manages them: all that manage others, and of those
// that each of them manages the first ones in line, at most max (0: no bound) in all. Of very many
// stacks not all are looked at. The error is ErrCancelled. It must be called inside Do.
func (ss *Stacks) Schedulers(max int, stop func() bool) (*snapshot.Snapshot, error) {
	var live []vm.LiveStack
	if ss.Few() {
		all, ok := ss.allUnless(stop)
		if !ok {
			return nil, ErrCancelled
		}
		live = all
	} else {
		w := ss.walk()
		if !w.reach(ExactUpTo, stop) {
			return nil, ErrCancelled
		}
		live = w.found[:min(len(w.found), ExactUpTo)]
		ss.managed = nil // of these alone
		defer func() { ss.managed = nil }()
	}
	managers, lines := ss.managers(live), ss.queues()
	below := map[*vm.Stack][]*vm.LiveStack{} // of nil: what nobody manages
	for i := range live {
		if l := &live[i]; !l.OfDebugger() {
			below[managers[l.Stack]] = append(below[managers[l.Stack]], l)
		}
	}
	var page []vm.LiveStack
	unlisted := map[*vm.Stack][]snapshot.Count{}
	left := max
	if max <= 0 {
		left = len(live)
	}
	for todo := []*vm.Stack{nil}; len(todo) > 0; todo = todo[1:] {
		list := below[todo[0]]
		slices.SortStableFunc(list, func(a, b *vm.LiveStack) int {
			qa, qb := lines[a.Stack], lines[b.Stack]
			return cmp.Or(
				cmp.Compare(rank(a, len(below[a.Stack]), qa), rank(b, len(below[b.Stack]), qb)),
				cmp.Compare(qa.In, qb.In), cmp.Compare(qa.Position, qb.Position), cmp.Compare(a.ID(), b.ID()),
			)
		})
		n := 0
		for ; n < len(list) && left > 0 && (max <= 0 || n < listedBelow || len(below[list[n].Stack]) > 0); n++ {
			page = append(page, *list[n])
			left--
			if len(below[list[n].Stack]) > 0 {
				todo = append(todo, list[n].Stack)
			}
		}
		unlisted[todo[0]] = ss.kinds(list[n:])
	}
	snap := ss.sym.SnapshotOf(page, 0, 0, true, nil)
	at := map[snapshot.StackID]*vm.LiveStack{}
	for i := range page {
		at[snapshot.StackID(page[i].ID())] = &page[i]
	}
	for i := range snap.Stacks {
		s := &snap.Stacks[i]
		l := at[s.ID]
		if m := managers[l.Stack]; m != nil {
			s.Manager = snapshot.StackID(m.ID())
		}
		if q, ok := lines[l.Stack]; ok && q.Of > 1 {
			s.Queue = &q
		}
		s.Manages, s.Unlisted = len(below[l.Stack]), unlisted[l.Stack]
	}
	order := map[snapshot.StackID]int{}
	for i := range page {
		order[snapshot.StackID(page[i].ID())] = i
	}
	slices.SortFunc(snap.Stacks, func(a, b snapshot.Stack) int { return order[a.ID] - order[b.ID] })
	snap.Unlisted, snap.Omitted = unlisted[nil], len(live)-len(page)
	if !ss.Few() {
		snap.Omitted = ss.mach.Count() - len(page)
	}
	return snap, nil
}

// rank orders the stacks that a scheduler manages: what is in the running chain, what manages others,
// what stands in line, the rest.
func rank(l *vm.LiveStack, manages int, q snapshot.Queue) int {
	switch {
	case l.Holder.Kind == vm.HeldByChain:
		return 0
	case manages > 0:
		return 1
	case q.Position > 0:
		return 2
	}
	return 3
}

// kinds counts stacks by where they stand, the most first.
func (ss *Stacks) kinds(list []*vm.LiveStack) []snapshot.Count {
	count, first := map[standing]int{}, map[standing]*vm.LiveStack{}
	var order []standing
	for _, l := range list {
		s := ss.standsAt(l.Stack)
		if count[s]++; count[s] == 1 {
			first[s] = l
			order = append(order, s)
		}
	}
	slices.SortStableFunc(order, func(a, b standing) int { return count[b] - count[a] })
	var out []snapshot.Count
	other := 0
	for i, s := range order {
		if i >= kindsBelow {
			other += count[s]
			continue
		}
		d := ss.sym.Stack(first[s].Stack)
		out = append(out, snapshot.Count{What: d.Place(), Count: count[s]})
	}
	if other > 0 {
		out = append(out, snapshot.Count{What: "elsewhere", Count: other})
	}
	return out
}
