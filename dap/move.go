package dap

import (
	"fmt"

	godap "github.com/google/go-dap"

	"stackscope/analysis/source"
	engine "stackscope/vm/debug"
)

// group names a group of breakpoints of this session.
func (s *session) group(name string) string {
	if s.target == nil {
		return name
	}
	return fmt.Sprintf("%p%c%s", s, groupMark, name)
}

// onGotoTargets lists where the running stack can go on: the places on a line of the function that it
// is in, as far as the operand stack is the same there.
func (s *session) onGotoTargets(a *godap.GotoTargetsArguments) (any, error) {
	out := godap.GotoTargetsResponseBody{Targets: []godap.GotoTarget{}}
	err := s.whenStopped(func(e *engine.Engine) error {
		i := s.unitOf(&a.Source)
		if i < 0 {
			return fmt.Errorf("there is no such source")
		}
		f := s.units()[i].File
		line := s.fromLine(a.Line)
		from, to := f.LineStart(line), f.LineStart(line+1)
		if line >= f.NumLines()-1 {
			to = len(f.Text) + 1
		}
		if a.Column > 0 {
			from = f.Offset(source.Position{Line: line, Col: s.fromCol(a.Column)}, source.UTF16)
		}
		if s.stop.Fault != nil {
			return userError{errFaulted}
		}
		ts, err := e.GotoTargets(f, from, to)
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

// onGoto makes the running stack go on at a target. Nothing is executed: the client is told of a stop.
func (s *session) onGoto(a *godap.GotoArguments) (any, error) {
	err := s.whenStopped(func(e *engine.Engine) error {
		t, ok := s.handles.gotos[a.TargetId]
		if !ok {
			return fmt.Errorf("there is no goto target %d: the program has gone on since", a.TargetId)
		}
		if engine.StackID(a.ThreadId) != s.stop.Stack {
			return userError{fmt.Errorf("only the running stack #%d can go on elsewhere", s.stop.Stack)}
		}
		if err := e.Goto(t); err != nil {
			return userError{err}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.moved(engine.AtGoto)
	return nil, nil
}

// onRestartFrame makes the running stack go on at the beginning of one of its frames.
func (s *session) onRestartFrame(a *godap.RestartFrameArguments) (any, error) {
	err := s.whenStopped(func(e *engine.Engine) error {
		f, err := s.frame(a.FrameId)
		if err != nil {
			return err
		}
		if s.stop.Fault != nil {
			return userError{errFaulted}
		}
		if err := e.RestartFrame(f); err != nil {
			return userError{err}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.moved(engine.AtRestart)
	return nil, nil
}

var errFaulted = fmt.Errorf("the program ends here: what comes next is that this call of the host fails")

// canRestart tells whether a frame is of the running stack and can begin anew.
func (s *session) canRestart(f engine.Frame) bool {
	return f.Stack == s.stop.Stack && f.File != nil && s.stop.Fault == nil
}

// moved tells the client of a stop without that anything ran.
func (s *session) moved(why engine.Reason) {
	stop := engine.Stop{Reason: why, Stack: s.stop.Stack}
	s.handles.reset()
	s.then(func() { s.stopped(stop) })
}
