package debugger

import (
	"errors"
	"fmt"

	"stackscope/vm"
)

// GotoTarget is a place where a stack can go on. It is good until the program goes on.
type GotoTarget struct {
	Label   string
	Place   Place
	Address CodeAddress
}

// maxGotoTries bounds how many stacks are asked whether they can go on at a place: each asks the
// typing engine about the function.
const maxGotoTries = 50

// maxGotoFrames bounds how many frames of a stack are looked at for a reason why it cannot.
const maxGotoFrames = 100

// GotoTargets returns the places between two offsets of a file where the innermost frame of a stack
// can go on: in its function, with the same operands. The running stack is asked first, then the
// others in the order in which they are named; a label names the stack if it is not the running
// one. The error says why there is no place. It must be called inside Do.
func (sp *Stepper) GotoTargets(f *Source, from, to int, stacks []StackID) ([]GotoTarget, error) {
	var all []*vm.Stack
	run := sp.mach.Running()
	if run != nil {
		all = append(all, run)
	}
	few := sp.stacks.few()
	for _, id := range stacks {
		if _, pinned := sp.stacks.pins[id]; !pinned && !few {
			continue // to find it takes a look at all stacks
		}
		if st := sp.stacks.find(id); st != nil && st != run && st.NumFrames() > 0 {
			all = append(all, st)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no stack is running")
	}
	var out []GotoTarget
	err := fmt.Errorf("there is no code of %s", sp.sym.info(topFrame(all[0]).Func()).title)
	why := 0 // the best reason so far is of a frame of the function; of an innermost one
	for _, p := range sp.sym.Locations(f, from, to) {
		tries := 0
		for _, st := range all {
			frame, inner := sp.frameIn(st, p.Func)
			if frame == nil || tries == maxGotoTries {
				continue
			}
			tries++
			no := frame.CanJump(p.PC)
			if no == nil {
				t := GotoTarget{Label: sp.sym.infoOf(p.Func).text(p.PC), Place: p, Address: sp.sym.Address(p.Func, p.PC)}
				if st != run {
					t.Label += fmt.Sprintf(" in #%d %s, when it is resumed", st.ID(), sp.sym.baseTitle(st))
				}
				out = append(out, t)
				break
			}
			if r := 1 + inner; r > why {
				why, err = r, no
			}
		}
	}
	if len(out) == 0 {
		return nil, err
	}
	return out, nil
}

// frameIn returns the frame of a stack that could go on in a function: the innermost one, and then
// inner is 1; else one that waits, which can tell why it cannot.
func (sp *Stepper) frameIn(st *vm.Stack, fn FuncID) (f *vm.Frame, inner int) {
	for i := st.NumFrames() - 1; i >= max(0, st.NumFrames()-maxGotoFrames); i-- {
		f := st.Frame(i)
		if sp.sym.info(f.Func()).id != fn {
			continue
		}
		if i == st.NumFrames()-1 {
			return f, 1
		}
		return f, 0
	}
	return nil, 0
}

// Goto makes a stack go on at a target: the running one now, another one when it is resumed; told
// says so then. It must be called inside Do.
func (sp *Stepper) Goto(id StackID, t GotoTarget) (told string, err error) {
	st := sp.stacks.find(id)
	if st == nil || topFrame(st) == nil {
		return "", noStack(id)
	}
	name := fmt.Sprintf("#%d %s", id, sp.sym.baseTitle(st))
	fi := sp.sym.info(topFrame(st).Func())
	if fi.id != t.Place.Func {
		return "", fmt.Errorf("%s is in %s, and this place is in another function", name, fi.title)
	}
	if err := topFrame(st).Jump(t.Place.PC); err != nil {
		return "", fmt.Errorf("%s cannot go on there: %w", name, err)
	}
	if st == sp.mach.Running() {
		sp.run.plan, sp.run.planStack = nil, nil
		sp.run.at = Stop{Reason: AtGoto}
		return "", nil
	}
	sp.stacks.forget()
	return fmt.Sprintf("%s goes on at %s %s", name, sp.sym.stackSite(st).Short(), whenResumed(st)), nil
}

// whenResumed reports when a stack that was moved goes on.
func whenResumed(st *vm.Stack) string {
	if st.ByEvent() {
		return "when it is resumed, by the events that it took before; their values are dropped"
	}
	return "when it is resumed; the values that it is resumed with are dropped"
}
