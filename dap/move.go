package dap

import (
	"fmt"
	"slices"

	godap "github.com/google/go-dap"

	"stackscope/analysis/source"
	engine "stackscope/vm/debugger"
)

// mover makes stacks continue elsewhere: at another place in a function, or at a frame's beginning.
type mover struct {
	common
	threads *threads
	vars    *variables
	steps   *stepper
}

// onGotoTargets lists where a stack can go on: the places on a line of the function that it is in,
// as far as the operand stack is the same there. The request names no stack; the running one comes
// first, then those that the client has looked at.
func (mv *mover) onGotoTargets(a *godap.GotoTargetsArguments) (any, error) {
	out := godap.GotoTargetsResponseBody{Targets: []godap.GotoTarget{}}
	err := mv.prog.whenStopped(func(e *engine.Engine) error {
		f, err := mv.src.find(&a.Source)
		if err != nil {
			return userError{err}
		}
		if f == nil {
			return fmt.Errorf("there is no such source")
		}
		line := mv.client.fromLine(a.Line)
		from, to := f.Lines(line, line)
		if a.Column > 0 {
			from = f.Offset(source.Position{Line: line, Col: mv.client.fromCol(a.Column)}, source.UTF16)
		}
		ts, err := e.Stepper.GotoTargets(f, from, to, mv.threads.looked())
		if err != nil {
			return userError{err}
		}
		for _, t := range ts {
			x := godap.GotoTarget{
				Id: mv.handles.id(), Label: t.Label, InstructionPointerReference: codeReference(t.Address),
			}
			mv.handles.gotos[x.Id] = t
			x.Line, x.Column = mv.client.position(f, t.Place.Span.Start)
			if t.Place.Span.End > t.Place.Span.Start {
				x.EndLine, x.EndColumn = mv.client.position(f, t.Place.Span.End)
			}
			out.Targets = append(out.Targets, x)
		}
		return nil
	})
	return out, err
}

// looked returns the stacks that the client has looked at, the last one first, then the others that
// are listed.
func (ts *threads) looked() []engine.StackID {
	var out []engine.StackID
	seen := map[engine.StackID]bool{}
	add := func(id engine.StackID) {
		if !seen[id] && id > 0 && id < engine.ScriptThread {
			seen[id] = true
			out = append(out, id)
		}
	}
	for _, id := range slices.Backward(ts.handles.traced) {
		add(id)
	}
	for _, id := range slices.Backward(ts.pinned) {
		add(id)
	}
	for _, t := range ts.list {
		add(t.id)
	}
	return out
}

// onGoto makes a stack continue at a target. Nothing is executed: the client receives a stop.
func (mv *mover) onGoto(a *godap.GotoArguments) (any, error) {
	id, told := engine.StackID(a.ThreadId), ""
	err := mv.prog.whenStopped(func(e *engine.Engine) error {
		t, ok := mv.handles.gotos[a.TargetId]
		if !ok {
			return fmt.Errorf("stale goto target %d: the program has resumed since", a.TargetId)
		}
		var err error
		if told, err = e.Stepper.Goto(id, t); err != nil {
			return userError{err}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if told != "" {
		mv.console.write(engine.Console, told+"\n", engine.Site{})
	}
	mv.moved(engine.AtGoto, id, told == "")
	return nil, nil
}

// onRestartFrame makes a frame begin again: at once, if it is one of the running chain, else when
// its stack is resumed.
func (mv *mover) onRestartFrame(a *godap.RestartFrameArguments) (any, error) {
	var id engine.StackID
	runs, told := false, ""
	err := mv.prog.whenStopped(func(e *engine.Engine) error {
		f, err := mv.vars.frame(a.FrameId)
		if err != nil {
			return err
		}
		if f.Inlined > 0 {
			return userError{fmt.Errorf("%s is inlined in its caller: it cannot begin again by itself", f.Title)}
		}
		if runs, told, err = e.Stepper.RestartFrame(f); err != nil {
			return userError{err}
		}
		id = f.Stack
		return nil
	})
	if err != nil {
		return nil, err
	}
	if told != "" {
		mv.console.write(engine.Console, told, engine.Site{})
	}
	mv.moved(engine.AtRestart, id, runs)
	return nil, nil
}

// moved reports a stop without anything having run: a stack was made to continue elsewhere.
// If it is not the one that runs, what the program stopped at is still what comes next.
func (mv *mover) moved(why engine.Reason, id engine.StackID, runs bool) {
	stop := engine.Stop{Reason: why, Stack: id}
	if !runs {
		stop.Stack, stop.Focus, stop.Fault = mv.prog.stop.Stack, id, mv.prog.stop.Fault
	}
	mv.handles.reset()
	if mv.prog.target != nil {
		mv.prog.target.moved(mv.prog.inbox, stop)
	}
	mv.out.then(func() { mv.steps.stopped(stop) })
}
