package debugger

import (
	"fmt"

	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
)

// Release ends stacks that are new or suspended: references to them are consumed from then on. None
// is ended if one of them cannot be. It must be called inside Do.
func (ca *Canceller) Release(ids []snapshot.StackID) error {
	seen := map[*vm.Stack]bool{}
	for _, id := range ids {
		st := ca.stacks.Find(id)
		switch {
		case st == nil:
			return inspect.NoStack(id)
		case st.Rooted():
			return fmt.Errorf("#%d cannot be ended: a call of the host runs on it", id)
		case st.Parent() != nil && st.Parent().OfDebugger():
			return fmt.Errorf("#%d is being cancelled already", id)
		case st.Parent() != nil:
			return fmt.Errorf("#%d cannot be ended: #%d waits for it", id, st.Parent().ID())
		}
		seen[st] = true
	}
	defer ca.stacks.Forget()
	for st := range seen {
		if !ca.mach.Release(st) {
			return fmt.Errorf("#%d cannot be ended: it is running", st.ID())
		}
	}
	return nil
}
