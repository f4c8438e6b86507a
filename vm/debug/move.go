package debug

import (
	"errors"
	"fmt"

	"stackscope/wasm"
)

// GotoTarget is a place where the running stack can go on. It is good until the program goes on.
type GotoTarget struct {
	Label   string
	Place   Place
	Address CodeAddress
}

// GotoTargets gives the places between two offsets of a file where the running stack's innermost frame
// can go on: in its function, with the same operands. The error says why there is none. It must be
// called inside Do.
func (e *Engine) GotoTargets(f *Source, from, to int) ([]GotoTarget, error) {
	run := e.mach.Running()
	if run == nil {
		return nil, errors.New("no stack is running")
	}
	frame := topFrame(run)
	if frame == nil {
		return nil, errors.New("no stack is running")
	}
	fi := e.info(frame.Func())
	var out []GotoTarget
	err := fmt.Errorf("there is no code of %s", fi.title)
	for _, p := range e.Locations(f, from, to) {
		if p.Func != fi.id {
			continue
		}
		if why := frame.CanJump(p.PC); why != nil {
			if len(out) == 0 {
				err = why
			}
			continue
		}
		out = append(out, GotoTarget{Label: fi.text(p.PC), Place: p, Address: e.Address(p.Func, p.PC)})
	}
	if len(out) == 0 {
		return nil, err
	}
	return out, nil
}

// Goto makes the running stack go on at a target. It must be called inside Do.
func (e *Engine) Goto(t GotoTarget) error {
	run := e.mach.Running()
	if run == nil || topFrame(run) == nil || e.info(topFrame(run).Func()).id != t.Place.Func {
		return errors.New("the function of this target is not running")
	}
	if err := topFrame(run).Jump(t.Place.PC); err != nil {
		return err
	}
	e.plan, e.planStack = nil, nil
	e.at = Stop{Reason: AtGoto}
	return nil
}

// RestartFrame makes a frame begin anew; see vm.Frame's Restart for where that can be and what it
// undoes. runs tells that it is running now, and not what will be resumed. changed are the parameters
// that its function assigns: what they were at first is not known any more. It must be called inside Do.
func (e *Engine) RestartFrame(f Frame) (runs bool, changed []string, err error) {
	if f.vf == nil {
		return false, nil, errors.New("this is no code of the program")
	}
	run := e.mach.Running()
	if err := f.vf.Restart(); err != nil {
		return false, nil, err
	}
	e.forget()
	e.at = Stop{Reason: AtRestart, Fault: e.at.Fault}
	now := e.mach.Running()
	if runs = now != nil && StackID(now.ID()) == f.Stack; runs || now != run {
		e.plan, e.planStack, e.at.Fault = nil, nil, nil
	}
	if f.fi != nil && f.fi.fn != nil {
		params := 0
		if ft := f.fi.mod.FuncType(f.fi.fn.Type); ft != nil {
			params = len(ft.Params)
		}
		seen := map[int]bool{}
		for i := range f.fi.fn.Body {
			in := &f.fi.fn.Body[i]
			if p := int(in.A); (in.Op == wasm.OpLocalSet || in.Op == wasm.OpLocalTee) && p < params && !seen[p] {
				seen[p] = true
				changed = append(changed, localName(f.fi.mod, f.Func.Func, p, 0))
			}
		}
	}
	return runs, changed, nil
}
