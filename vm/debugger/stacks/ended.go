package stacks

import (
	"sort"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
)

// Bounds of a look for stacks that have ended: how much is looked at, how many stacks are listed,
// and how many holders of each.
const (
	endedBudget  = 200_000
	maxEnded     = 1000
	maxEndedHeld = 20
)

// ended is what was found out about stacks that have ended and to which something refers.
type ended struct {
	list    []snapshot.Stack // by id, with their holders
	partial bool
}

// Ended describes the stacks that have ended and that tables, globals, objects, locals and operands
// still refer to, by id, with the holders; at most 1,000, with at most 20 holders each. partial
// reports that there may be more. It must be called inside Do.
func (ss *Stacks) Ended() (list []snapshot.Stack, partial bool) {
	if ss.ended == nil {
		ss.ended = ss.findEnded()
	}
	return ss.ended.list, ss.ended.partial
}

func (ss *Stacks) findEnded() *ended {
	out := &ended{}
	at := map[uint64]int{}
	all := ss.mach.StaleRefs(endedBudget, func(r vm.Ref, h vm.Holder) {
		i, ok := at[r.StackID()]
		if !ok {
			if len(out.list) == maxEnded {
				out.partial = true
				return
			}
			s, ended := ss.sym.EndedStack(r)
			if !ended {
				return
			}
			i = len(out.list)
			at[r.StackID()] = i
			out.list = append(out.list, s)
		}
		s := &out.list[i]
		if x, ok := ss.sym.Holder(h); ok && len(s.HeldBy) < maxEndedHeld {
			s.HeldBy = append(s.HeldBy, x)
		}
	})
	out.partial = out.partial || !all
	sort.Slice(out.list, func(i, j int) bool { return out.list[i].ID < out.list[j].ID })
	return out
}

// Held returns a stack that has ended and to which something still refers. It must be called inside
// Do.
func (ss *Stacks) Held(id snapshot.StackID) (snapshot.Stack, bool) {
	list, _ := ss.Ended()
	i := sort.Search(len(list), func(i int) bool { return list[i].ID >= id })
	if i == len(list) || list[i].ID != id {
		return snapshot.Stack{}, false
	}
	return list[i], true
}

// Skipped reports the catch clauses that were skipped because stacks ended without being unwound,
// one line for each place; "" if there are none.
func (ss *Stacks) Skipped() string {
	if ss.recorder == nil {
		return ""
	}
	return ss.sym.SkippedReport(ss.recorder.SkippedTries())
}
