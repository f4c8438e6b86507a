package debug

import (
	"errors"
	"fmt"

	"stackscope/analysis/source"
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
func (e *Engine) GotoTargets(f *source.File, from, to int) ([]GotoTarget, error) {
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
	return nil
}

// RestartFrame makes the running stack go on at the beginning of one of its frames; see vm.Frame's
// Restart for what that undoes. It must be called inside Do.
func (e *Engine) RestartFrame(f Frame) error {
	run := e.mach.Running()
	if run == nil || f.vf == nil || StackID(run.ID()) != f.Stack {
		return errors.New("only a frame of the running stack can begin anew")
	}
	if err := f.vf.Restart(); err != nil {
		return err
	}
	e.plan, e.planStack = nil, nil
	return nil
}
