package dap

import (
	"fmt"
	"slices"

	godap "github.com/google/go-dap"

	"stackscope/analysis/source"
	engine "stackscope/vm/debugger"
)

// group names a group of breakpoints of this session.
func (s *session) group(name string) string {
	if s.target == nil {
		return name
	}
	return fmt.Sprintf("%p%c%s", s, groupMark, name)
}

// onGotoTargets lists where a stack can go on: the places on a line of the function that it is in,
// as far as the operand stack is the same there. The request names no stack; the running one comes
// first, then those that the client has looked at.
func (s *session) onGotoTargets(a *godap.GotoTargetsArguments) (any, error) {
	out := godap.GotoTargetsResponseBody{Targets: []godap.GotoTarget{}}
	err := s.whenStopped(func(e *engine.Engine) error {
		i := s.unitOf(&a.Source)
		if i < 0 {
			return fmt.Errorf("there is no such source")
		}
		f := s.units()[i].File
		line := s.fromLine(a.Line)
		from, to := f.Lines(line, line)
		if a.Column > 0 {
			from = f.Offset(source.Position{Line: line, Col: s.fromCol(a.Column)}, source.UTF16)
		}
		ts, err := e.Stepper.GotoTargets(f, from, to, s.looked())
		if err != nil {
			return userError{err}
		}
		for _, t := range ts {
			x := godap.GotoTarget{Id: s.handles.id(), Label: t.Label, InstructionPointerReference: codeReference(t.Address)}
			s.handles.gotos[x.Id] = t
			x.Line, x.Column = s.position(f, t.Place.Span.Start)
			x.EndLine, x.EndColumn = s.position(f, t.Place.Span.End)
			out.Targets = append(out.Targets, x)
		}
		return nil
	})
	return out, err
}

// looked returns the stacks that the client has looked at, the last one first, then the others that
// are listed.
func (s *session) looked() []engine.StackID {
	var out []engine.StackID
	seen := map[engine.StackID]bool{}
	add := func(id engine.StackID) {
		if !seen[id] && id > 0 && id < engine.ScriptThread {
			seen[id] = true
			out = append(out, id)
		}
	}
	for _, id := range slices.Backward(s.handles.traced) {
		add(id)
	}
	for _, id := range slices.Backward(s.pinned) {
		add(id)
	}
	for _, t := range s.threads {
		add(t.id)
	}
	return out
}

// onGoto makes a stack go on at a target. Nothing is executed: the client is told of a stop.
func (s *session) onGoto(a *godap.GotoArguments) (any, error) {
	id, told := engine.StackID(a.ThreadId), ""
	err := s.whenStopped(func(e *engine.Engine) error {
		t, ok := s.handles.gotos[a.TargetId]
		if !ok {
			return fmt.Errorf("there is no goto target %d: the program has gone on since", a.TargetId)
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
		s.output(engine.Console, told+"\n", engine.Site{})
	}
	s.moved(engine.AtGoto, id, told == "")
	return nil, nil
}

// onRestartFrame makes a frame begin again: at once, if it is one of the running chain, else when
// its stack is resumed.
func (s *session) onRestartFrame(a *godap.RestartFrameArguments) (any, error) {
	var id engine.StackID
	runs, told := false, ""
	err := s.whenStopped(func(e *engine.Engine) error {
		f, err := s.frame(a.FrameId)
		if err != nil {
			return err
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
		s.output(engine.Console, told, engine.Site{})
	}
	s.moved(engine.AtRestart, id, runs)
	return nil, nil
}

// moved tells the client of a stop without that anything ran: a stack was made to go on elsewhere.
// If it is not the one that runs, what the program stopped at is still what comes next.
func (s *session) moved(why engine.Reason, id engine.StackID, runs bool) {
	stop := engine.Stop{Reason: why, Stack: id}
	if !runs {
		stop.Stack, stop.Focus, stop.Fault = s.stop.Stack, id, s.stop.Fault
	}
	s.handles.reset()
	if s.target != nil {
		s.target.moved(s, stop)
	}
	s.then(func() { s.stopped(stop) })
}
