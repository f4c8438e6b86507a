package dap

import (
	"fmt"
	"strings"

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
		from, to := f.Lines(line, line)
		if a.Column > 0 {
			from = f.Offset(source.Position{Line: line, Col: s.fromCol(a.Column)}, source.UTF16)
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
	s.moved(engine.AtGoto, nil)
	return nil, nil
}

// onRestartFrame makes a frame begin anew: at once, if it is one of the running chain, else when its
// stack is resumed.
func (s *session) onRestartFrame(a *godap.RestartFrameArguments) (any, error) {
	runs, told := false, ""
	err := s.whenStopped(func(e *engine.Engine) error {
		f, err := s.frame(a.FrameId)
		if err != nil {
			return err
		}
		again, changed, err := e.RestartFrame(f)
		if err != nil {
			return userError{err}
		}
		if runs = again; runs {
			s.stop.Stack = f.Stack
		} else {
			told = fmt.Sprintf("%s of stack #%d begins anew when that is resumed; the values that it is resumed with are dropped\n", f.Title, f.Stack)
		}
		if len(changed) > 0 {
			told += fmt.Sprintf("%s: what was assigned to %s stays\n", f.Title, strings.Join(changed, ", "))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if told != "" {
		s.output(engine.Console, told, engine.Site{})
	}
	faulted := s.stop.Fault
	if runs {
		faulted = nil
	}
	s.moved(engine.AtRestart, faulted)
	return nil, nil
}

// moved tells the client of a stop without that anything ran. faulted is the fault that is still what
// comes next, if the running stack has not been moved.
func (s *session) moved(why engine.Reason, faulted *engine.Fault) {
	stop := engine.Stop{Reason: why, Stack: s.stop.Stack, Fault: faulted}
	s.handles.reset()
	if s.target != nil {
		s.target.moved(s, stop)
	}
	s.then(func() { s.stopped(stop) })
}
