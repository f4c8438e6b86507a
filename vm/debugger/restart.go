package debugger

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// RestartFrame makes a frame begin again; see vm.Frame's Restart for where that can be and what it
// undoes. runs tells that it is running now, and not what will be resumed. told is what there is to
// say about it. It must be called inside Do.
func (sp *Stepper) RestartFrame(f Frame) (runs bool, told string, err error) {
	if f.vf == nil {
		return false, "", errors.New("this is no code of the program")
	}
	st := f.vf.Stack()
	if err := f.vf.Restart(); err != nil {
		return false, "", err
	}
	sp.stacks.forget()
	now := sp.mach.Running()
	if runs = now != nil && StackID(now.ID()) == f.Stack; runs {
		sp.run.plan, sp.run.planStack = nil, nil
		sp.run.at = Stop{Reason: AtRestart}
	}
	switch {
	case runs:
	case st.State() == vm.StackNew && st.ByEvent():
		told = fmt.Sprintf("stack #%d is new again: %s begins with the event that resumes it\n", f.Stack, f.Title)
	default:
		told = fmt.Sprintf("%s of stack #%d begins anew %s\n", f.Title, f.Stack, whenResumed(st))
	}
	if changed := assigned(f); len(changed) > 0 {
		told += fmt.Sprintf("%s: what was assigned to %s stays\n", f.Title, strings.Join(changed, ", "))
	}
	return runs, told, nil
}

// assigned returns the parameters that the function of a frame assigns: what they were at first is
// not known any more.
func assigned(f Frame) (names []string) {
	if f.fi == nil || f.fi.fn == nil {
		return nil
	}
	params := 0
	if ft := f.fi.mod.FuncType(f.fi.fn.Type); ft != nil {
		params = len(ft.Params)
	}
	seen := map[int]bool{}
	for i := range f.fi.fn.Body {
		in := &f.fi.fn.Body[i]
		if p := int(in.A); (in.Op == wasm.OpLocalSet || in.Op == wasm.OpLocalTee) && p < params && !seen[p] {
			seen[p] = true
			names = append(names, localName(f.fi.mod, f.Func.Func, p, 0))
		}
	}
	return names
}
