package symbols

import (
	"sort"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
)

// SnapshotOf describes stacks of a machine. Those of the running chain, from the innermost on, and
// the pinned ones are listed first; of the others those from start on, by id, as long as there are
// no more than max in all (0: no bound). holders asks for who holds them.
func (y *Symbols) SnapshotOf(
	live []vm.LiveStack, start, max int, holders bool, pinned []snapshot.StackID,
) *snapshot.Snapshot {
	snap := &snapshot.Snapshot{}
	pin := make(map[snapshot.StackID]bool, len(pinned))
	for _, id := range pinned {
		pin[id] = true
	}
	room := max
	if max == 0 {
		room = len(live)
	}
	always := func(l *vm.LiveStack) bool {
		return l.Holder.Kind == vm.HeldByChain || len(pin) > 0 && pin[snapshot.StackID(l.ID())]
	}
	for i := range live { // those that are always listed take their room first
		if always(&live[i]) {
			room--
		}
	}
	others := 0
	var first, second, rest []snapshot.Stack // the chain, the pinned, the others
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
			if h, ok := y.Holder(l.Holder); ok {
				s.HeldBy = []snapshot.Holder{h}
			}
		}
		if s.State == snapshot.Running {
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
	children(snap)
	return snap
}

// children records who waits for whom. A child is known by its parent link; rooted stacks of nested
// calls of the host have none.
func children(snap *snapshot.Snapshot) {
	at := make(map[snapshot.StackID]int, len(snap.Stacks))
	for i := range snap.Stacks {
		at[snap.Stacks[i].ID] = i
	}
	for i := range snap.Stacks {
		if p, ok := at[snap.Stacks[i].Parent]; ok {
			snap.Stacks[p].Child = snap.Stacks[i].ID
		}
	}
}

// Event describes an event of the machine. n is its ordinal; values asks for its payload.
func (y *Symbols) Event(ev *vm.Event, n uint64, values bool) snapshot.Event {
	out := snapshot.Event{
		N: n, Kind: eventKinds[ev.Kind], Stack: snapshot.StackID(ev.Stack),
		Other: snapshot.StackID(ev.Other), Tag: TagName(ev.Tag), Dialect: ev.Dialect, End: y.end(ev),
	}
	if ev.Base != nil {
		out.Func = y.Function(ev.Base).Title
	}
	if ev.Site.Func != nil {
		out.At = y.Site(ev.Site, true)
		out.Dialect = y.Dialect(ev.Site)
	}
	if !out.Dialect.Switches() && ev.Base != nil {
		out.Dialect = y.Dialect(vm.Site{Func: ev.Base, PC: -1})
	}
	if values {
		for _, v := range ev.Values {
			out.Values = append(out.Values, y.Constant(v))
		}
	}
	return out
}

var eventKinds = [...]snapshot.EventKind{
	vm.EventCreate: snapshot.Create, vm.EventStart: snapshot.Start, vm.EventSuspend: snapshot.Suspend,
	vm.EventResume: snapshot.Resume,
	vm.EventSwitch: snapshot.Switch, vm.EventBind: snapshot.Bind, vm.EventConsume: snapshot.Consume,
	vm.EventThrow:  snapshot.Throw,
	vm.EventFinish: snapshot.Finish, vm.EventRelease: snapshot.Release,
	vm.EventAwait: snapshot.Await, vm.EventSettle: snapshot.Settle,
}
