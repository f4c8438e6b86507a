package debugger

import (
	"errors"
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// RestartFrame makes a frame begin again; see vm.Frame's Restart for where that can be and what it
// undoes. runs reports that it is running now, and not what will be resumed. told is what there is
// to say about it. It must be called inside Do.
func (sp *Stepper) RestartFrame(f inspect.Frame) (runs bool, told string, err error) {
	if f.VM == nil {
		return false, "", errors.New("this is not code of the program")
	}
	st := f.VM.Stack()
	if err := f.VM.Restart(); err != nil {
		return false, "", err
	}
	sp.stacks.Forget()
	now := sp.mach.Running()
	if runs = now != nil && snapshot.StackID(now.ID()) == f.Stack; runs {
		sp.drop()
		sp.run.moved(Stop{Reason: AtRestart})
	}
	switch {
	case runs:
	case st.State() == vm.StackNew && st.ByEvent():
		told = fmt.Sprintf("stack #%d is new again: %s begins with the event that it is %s with\n", f.Stack, f.Title, words(st).Resumed)
	default:
		told = fmt.Sprintf("%s of stack #%d restarts %s\n", f.Title, f.Stack, whenResumed(st))
	}
	if changed := assigned(f); len(changed) > 0 {
		told += fmt.Sprintf("%s: what was assigned to %s stays\n", f.Title, strings.Join(changed, ", "))
	}
	return runs, told, nil
}

// assigned returns the parameters that the function of a frame assigns: what they were at first is
// not known any more.
func assigned(f inspect.Frame) (names []string) {
	if f.Function == nil || f.Function.Func == nil {
		return nil
	}
	params := 0
	if ft := f.Function.Module.FuncType(f.Function.Func.Type); ft != nil {
		params = len(ft.Params)
	}
	seen := map[int]bool{}
	for i := range f.Function.Func.Body {
		in := &f.Function.Func.Body[i]
		if p := int(in.A); (in.Op == wasm.OpLocalSet || in.Op == wasm.OpLocalTee) && p < params && !seen[p] {
			seen[p] = true
			names = append(names, symbols.LocalName(f.Function.Module, f.Func.Func, p, 0))
		}
	}
	return names
}
