package dap

import (
	"fmt"
	"strings"
	"time"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

func (s *session) onContinue(a *godap.ContinueArguments) (any, error) {
	if err := s.resume(engine.Run, "", a.ThreadId, a.SingleThread); err != nil {
		return nil, err
	}
	// The machine has one thread of control: whatever is asked for, all stacks can run.
	return continueResponseBody{true}, nil
}

func (s *session) onNext(a *godap.NextArguments) (any, error) {
	return nil, s.resume(engine.Over, a.Granularity, a.ThreadId, a.SingleThread)
}

func (s *session) onStepIn(a *godap.StepInArguments) (any, error) {
	if a.TargetId != 0 {
		return nil, s.stepTo(a)
	}
	return nil, s.resume(engine.Into, a.Granularity, a.ThreadId, a.SingleThread)
}

func (s *session) onStepOut(a *godap.StepOutArguments) (any, error) {
	return nil, s.resume(engine.Out, a.Granularity, a.ThreadId, a.SingleThread)
}

// resume prepares to go on, and does so once the response is out.
func (s *session) resume(k engine.StepKind, g godap.SteppingGranularity, thread int, single bool) error {
	e, err := s.requireEngine()
	if err != nil {
		return err
	}
	gran, err := granularity(g)
	if err != nil {
		return err
	}
	stack := engine.StackID(thread)
	if k == engine.Run && !single {
		stack = 0
	}
	if thread == moreThreads {
		return fmt.Errorf("this entry stands for many stacks: choose one")
	}
	if s.phase != phaseStopped {
		return s.notStanding()
	}
	if err := e.Stepper.Prepare(k, gran, stack, single); err != nil {
		return err
	}
	s.goOn(nil)
	return nil
}

// goOn lets the program go on as it was prepared to, once the response is out and the client was
// told with tell, if it does not know.
func (s *session) goOn(tell func()) {
	s.phase = phaseRunning
	s.handles.reset()
	if s.target != nil {
		s.target.continues(s)
	}
	if tell != nil {
		s.then(tell)
	}
	s.then(s.eng.Go)
}

func granularity(g godap.SteppingGranularity) (engine.Granularity, error) {
	switch g {
	case "", "statement":
		return engine.ByStatement, nil
	case "line":
		return engine.ByLine, nil
	case "instruction":
		return engine.ByInstruction, nil
	}
	return 0, fmt.Errorf("there is no stepping granularity %q", g)
}

// stepTo is a step into a target.
func (s *session) stepTo(a *godap.StepInArguments) error {
	e, err := s.requireEngine()
	if err != nil {
		return err
	}
	gran, err := granularity(a.Granularity)
	if err != nil {
		return err
	}
	if s.phase != phaseStopped {
		return s.notStanding()
	}
	t, ok := s.handles.targets[a.TargetId]
	if !ok {
		return fmt.Errorf("there is no step target %d: the program has gone on since", a.TargetId)
	}
	if err := e.Stepper.PrepareTarget(t, gran); err != nil {
		return err
	}
	s.goOn(nil)
	return nil
}

// onStepInTargets lists where a step into the statement of a frame can lead.
func (s *session) onStepInTargets(a *godap.StepInTargetsArguments) (any, error) {
	out := godap.StepInTargetsResponseBody{Targets: []godap.StepInTarget{}}
	err := s.whenStopped(func(e *engine.Engine) error {
		f, err := s.frame(a.FrameId)
		if err != nil {
			return err
		}
		for _, t := range e.Stepper.Targets(f) {
			x := godap.StepInTarget{Id: s.handles.id(), Label: t.Label}
			s.handles.targets[x.Id] = t
			if t.File != nil {
				x.Line, x.Column = s.position(t.File, t.Span.Start)
				x.EndLine, x.EndColumn = s.position(t.File, t.Span.End)
			}
			out.Targets = append(out.Targets, x)
		}
		return nil
	})
	return out, err
}

// notStanding is the error of what needs a stopped program. The program may have stopped already:
// as long as the client has not been told, it runs.
func (s *session) notStanding() error {
	if s.phase == phaseEnded {
		return engine.ErrEnded
	}
	return engine.ErrRunning
}

func (s *session) onPause(*godap.PauseArguments) (any, error) {
	e, err := s.requireEngine()
	if err != nil {
		return nil, err
	}
	if s.phase != phaseEnded {
		run := s.run
		s.then(func() {
			e.Pause()
			time.AfterFunc(pauseTime, func() { s.post(pauseLate{run}) })
		})
	}
	return nil, nil
}

// pauseTime is how long a pause may take before the client is told what the program waits for.
const pauseTime = 300 * time.Millisecond

// pauseLate is that the program may not have stopped in time.
type pauseLate struct{ run int }

// onPauseLate reports why the program does not stop, if it does not because of the host.
func (s *session) onPauseLate() {
	if s.eng == nil || s.phase == phaseStopped || s.phase == phaseEnded {
		return
	}
	if text, ok := s.eng.InHost(); ok {
		s.output(engine.Console, text+"\n", engine.Site{})
	}
}

// stopped tells the client that the program stopped.
func (s *session) stopped(x engine.Stop) {
	if s.phase == phaseEnded {
		return
	}
	x.Hits = s.own(x.Hits)
	s.stop, s.phase = x, phaseStopped
	b := godap.StoppedEventBody{ThreadId: int(x.Stack), AllThreadsStopped: true, HitBreakpointIds: x.Hits, Text: x.Text}
	switch x.Reason {
	case engine.AtEntry:
		b.Reason, b.Description = "entry", "Stopped on entry"
	case engine.AtBreakpoint:
		b.Reason, b.Description = "breakpoint", "Stopped at a breakpoint"
		for _, id := range x.Hits {
			for _, f := range s.breaks.funcs {
				if f.ID == id {
					b.Reason = "function breakpoint"
				}
			}
			for _, f := range s.breaks.instrs {
				if f.ID == id {
					b.Reason = "instruction breakpoint"
				}
			}
		}
	case engine.AtAssertion:
		b.Reason, b.Description = "exception", "Stopped at an assertion that failed"
	case engine.AtGoto:
		b.Reason, b.Description = "goto", "Goes on here"
	case engine.AtRestart:
		b.Reason, b.Description = "restart", "The frame begins anew"
	case engine.AtData:
		b.Reason, b.Description = "data breakpoint", x.Brief
	case engine.AtStep:
		b.Reason, b.Description = "step", ""
	case engine.AtPause:
		b.Reason, b.Description = "pause", "Paused"
	case engine.AtTrap:
		b.Reason, b.Description = "exception", "Stopped at a trap"
	case engine.AtUnhandled:
		b.Reason, b.Description = "exception", "Stopped at an unhandled tag"
	case engine.AtEvent:
		b.Reason, b.Description = "exception", "Stopped at "+x.Text
	case engine.AtThrow:
		b.Reason, b.Description = "exception", "Stopped at an uncaught exception"
	}
	b.Description = again(b.Description, x.Cancelled)
	if x.Focus != 0 {
		b.ThreadId, b.Description = int(x.Focus), b.Description+" when it is resumed"
		s.pin(x.Focus)
	}
	s.shown = engine.StackID(b.ThreadId)
	s.pin(x.Stack)
	s.conn.event("stopped", b)
}

// maxPinned is how many of the stacks that were stopped at or focused are remembered.
const maxPinned = 16

// pin keeps a stack in the list of threads even if the list is cut.
func (s *session) pin(id engine.StackID) {
	for _, p := range s.pinned {
		if p == id {
			return
		}
	}
	s.pinned = append(s.pinned, id)
	gone := engine.StackID(0)
	if len(s.pinned) > maxPinned {
		gone, s.pinned = s.pinned[0], s.pinned[1:]
	}
	_ = s.eng.WhenStopped(func() {
		s.eng.Stacks.Unpin(gone)
		s.eng.Stacks.Pin(id)
	})
}

func (s *session) onExceptionInfo(a *godap.ExceptionInfoArguments) (any, error) {
	_, err := s.requireEngine()
	switch {
	case err != nil:
		return nil, err
	case s.phase != phaseStopped:
		return nil, s.notStanding()
	case s.stop.Reason == engine.AtEvent:
		id, _, _ := strings.Cut(s.stop.Text, " ")
		return godap.ExceptionInfoResponseBody{ExceptionId: id, Description: s.stop.Text, BreakMode: "always",
			Details: &godap.ExceptionDetails{
				Message: s.stop.Text, TypeName: "control event", FullTypeName: "control event",
			}}, nil
	case s.stop.Fault == nil:
		return nil, fmt.Errorf("the program did not stop at an exception")
	}
	f := s.stop.Fault
	d := &godap.ExceptionDetails{Message: f.Explain(), TypeName: f.Kind, FullTypeName: f.Kind, StackTrace: f.Trace}
	for _, l := range f.Search {
		d.InnerException = append(d.InnerException, godap.ExceptionDetails{TypeName: l.Title, Message: l.Why})
	}
	return godap.ExceptionInfoResponseBody{
		ExceptionId: f.ID, Description: f.Explain(), BreakMode: "always", Details: d,
	}, nil
}
