package debugger

import (
	"errors"
	"fmt"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// GotoTarget is a place where a stack can continue. It is good until the program resumes.
type GotoTarget struct {
	Label   string
	Place   symbols.Place
	Address symbols.CodeAddress
}

// maxGotoTries bounds how many stacks are asked whether they can continue at a place: each asks the
// typing engine about the function.
const maxGotoTries = 50

// maxGotoFrames bounds how many frames of a stack are looked at for a reason why it cannot.
const maxGotoFrames = 100

// GotoTargets returns the places between two offsets of a file where the innermost frame of a stack
// can continue: in its function, with the same operands. The running stack is asked first, then the
// others in the order in which they are named; a label names the stack if it is not the running
// one. The error says why there is no place. It must be called inside Do.
func (sp *Stepper) GotoTargets(f *symbols.Source, from, to int, stacks []snapshot.StackID) ([]GotoTarget, error) {
	var all []*vm.Stack
	run := sp.mach.Running()
	if run != nil {
		all = append(all, run)
	}
	few := sp.stacks.Few()
	for _, id := range stacks {
		if !few && !sp.stacks.Pinned(id) {
			continue // to find it takes a look at all stacks
		}
		if st := sp.stacks.Find(id); st != nil && st != run && st.NumFrames() > 0 {
			all = append(all, st)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no stack is running")
	}
	var out []GotoTarget
	places := sp.sym.Locations(f, from, to)
	err := sp.elsewhere(all[0], places)
	why := 0 // the best reason so far is of a frame of the function; of an innermost one
	for _, p := range places {
		if p.Arrival.Kind != symbols.Anyhow {
			err = errors.New("control comes there only by an event")
			continue
		}
		tries := 0
		for _, st := range all {
			frame, inner := sp.frameIn(st, p.Func)
			if frame == nil || tries == maxGotoTries {
				continue
			}
			tries++
			no := frame.CanJump(p.PC)
			if no == nil {
				t := GotoTarget{
					Label: sp.sym.FunctionOf(p.Func).Text(p.PC), Place: p,
					Address: sp.sym.Address(p.Func, p.PC),
				}
				if st != run {
					t.Label += fmt.Sprintf(
						" in #%d %s, when it is %s", st.ID(), sp.sym.BaseTitle(st), words(st).Resumed,
					)
				}
				out = append(out, t)
				break
			}
			if r := 1 + inner; r > why {
				why, err = r, sp.inSource(frame, p, no)
			}
		}
	}
	if len(out) == 0 {
		return nil, err
	}
	return out, nil
}

// elsewhere is the error of places none of which is in the function that a stack is in.
func (sp *Stepper) elsewhere(st *vm.Stack, places []symbols.Place) error {
	here := sp.sym.Function(symbols.TopFrame(st).Func())
	if !here.InSource() {
		return fmt.Errorf("there is no code of %s", here.Title)
	}
	for _, p := range places {
		if there := sp.sym.FunctionOf(p.Func); p.Func != here.ID {
			return fmt.Errorf("this line is in %s: %s can only continue in its own code", there.Title, here.Title)
		}
	}
	return fmt.Errorf("there is no code of %s on this line", here.Title)
}

// inSource is the reason why a frame cannot go on at a place, in words of the source if it is shown
// in that.
func (sp *Stepper) inSource(f *vm.Frame, p symbols.Place, no error) error {
	switch {
	case !vm.OtherOperands(no) || !sp.sym.FunctionOf(p.Func).InSource():
		return no
	case len(f.Operands()) > 0:
		return errors.New("the program has stopped in the middle of an expression: " +
			"it can continue elsewhere when it is at the start of a statement")
	}
	return errors.New("this line begins in the middle of an expression: continue at the start of a statement")
}

// frameIn returns the frame of a stack that could go on in a function: the innermost one, and then
// inner is 1; else one that waits, which can tell why it cannot.
func (sp *Stepper) frameIn(st *vm.Stack, fn snapshot.FuncID) (f *vm.Frame, inner int) {
	for i := st.NumFrames() - 1; i >= max(0, st.NumFrames()-maxGotoFrames); i-- {
		f := st.Frame(i)
		if sp.sym.Function(f.Func()).ID != fn {
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
func (sp *Stepper) Goto(id snapshot.StackID, t GotoTarget) (told string, err error) {
	st := sp.stacks.Find(id)
	if st == nil || symbols.TopFrame(st) == nil {
		return "", sp.insp.NoStack(id)
	}
	name := fmt.Sprintf("#%d %s", id, sp.sym.BaseTitle(st))
	fi := sp.sym.Function(symbols.TopFrame(st).Func())
	if fi.ID != t.Place.Func {
		return "", fmt.Errorf("%s is in %s, and this place is in another function", name, fi.Title)
	}
	if err := symbols.TopFrame(st).Jump(t.Place.PC); err != nil {
		return "", fmt.Errorf("%s cannot continue there: %w", name, err)
	}
	if st == sp.mach.Running() {
		sp.drop()
		sp.run.moved(Stop{Reason: AtGoto})
		return "", nil
	}
	sp.stacks.Forget()
	return fmt.Sprintf("%s continues at %s %s", name, sp.sym.StackSite(st).Short(), whenResumed(st)), nil
}

// whenResumed reports when a stack that was moved goes on.
func whenResumed(st *vm.Stack) string {
	r := words(st).Resumed
	if st.ByEvent() {
		return "when it is " + r + " with one of the same events; their values are dropped"
	}
	return "when it is " + r + "; the values that come with that are dropped"
}

// words returns the words of the design of a stack.
func words(st *vm.Stack) *wasm.Words { return &st.Dialect().Info().Words }
