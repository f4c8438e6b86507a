package dap

import (
	"fmt"
	"time"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
	"stackscope/wasm"
)

// stepper resumes the program, and reports where it stopped.
type stepper struct {
	common
	inbox   *inbox
	threads *threads
	vars    *variables
	breaks  *breakpoints
	data    *dataBreakpoints
}

func (st *stepper) onContinue(a *godap.ContinueArguments) (any, error) {
	if err := st.resume(engine.Run, "", a.ThreadId, a.SingleThread); err != nil {
		return nil, err
	}
	// The machine has one thread of control: whatever is asked for, all stacks can run.
	return continueResponseBody{true}, nil
}

func (st *stepper) onNext(a *godap.NextArguments) (any, error) {
	return nil, st.resume(engine.Over, a.Granularity, a.ThreadId, a.SingleThread)
}

func (st *stepper) onStepIn(a *godap.StepInArguments) (any, error) {
	if a.TargetId != 0 {
		return nil, st.stepTo(a)
	}
	return nil, st.resume(engine.Into, a.Granularity, a.ThreadId, a.SingleThread)
}

func (st *stepper) onStepOut(a *godap.StepOutArguments) (any, error) {
	return nil, st.resume(engine.Out, a.Granularity, a.ThreadId, a.SingleThread)
}

// resume prepares to go on, and does so once the response is out.
func (st *stepper) resume(k engine.StepKind, g godap.SteppingGranularity, thread int, single bool) error {
	e, err := st.prog.engine()
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
		return fmt.Errorf("this entry stands for many stacks: choose one of them")
	}
	if st.prog.phase != phaseStopped {
		return st.prog.notStopped()
	}
	if err := e.Stepper.Prepare(k, gran, stack, single); err != nil {
		return err
	}
	st.run(nil)
	return nil
}

// run lets the program go on as it was prepared to, once the response is out and the client was
// informed with tell, if it did not ask.
func (st *stepper) run(tell func()) {
	st.prog.phase = phaseRunning
	st.handles.reset()
	if st.prog.target != nil {
		st.prog.target.resumed(st.prog.inbox)
	}
	if tell != nil {
		st.out.then(tell)
	}
	st.out.then(st.prog.eng.Resume)
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
func (st *stepper) stepTo(a *godap.StepInArguments) error {
	e, err := st.prog.engine()
	if err != nil {
		return err
	}
	gran, err := granularity(a.Granularity)
	if err != nil {
		return err
	}
	if st.prog.phase != phaseStopped {
		return st.prog.notStopped()
	}
	t, ok := st.handles.targets[a.TargetId]
	if !ok {
		return fmt.Errorf("stale step target %d: the program has resumed since", a.TargetId)
	}
	if err := e.Stepper.PrepareTarget(t, gran); err != nil {
		return err
	}
	st.run(nil)
	return nil
}

// onStepInTargets lists where a step into the statement of a frame can lead.
func (st *stepper) onStepInTargets(a *godap.StepInTargetsArguments) (any, error) {
	out := godap.StepInTargetsResponseBody{Targets: []godap.StepInTarget{}}
	err := st.prog.whenStopped(func(e *engine.Engine) error {
		f, err := st.vars.frame(a.FrameId)
		if err != nil {
			return err
		}
		for _, t := range e.Stepper.Targets(f) {
			x := godap.StepInTarget{Id: st.handles.id(), Label: t.Label}
			st.handles.targets[x.Id] = t
			if t.File != nil {
				x.Line, x.Column = st.client.position(t.File, t.Span.Start)
				x.EndLine, x.EndColumn = st.client.position(t.File, t.Span.End)
			}
			out.Targets = append(out.Targets, x)
		}
		return nil
	})
	return out, err
}

func (st *stepper) onPause(*godap.PauseArguments) (any, error) {
	e, err := st.prog.engine()
	if err != nil {
		return nil, err
	}
	if st.prog.phase != phaseEnded {
		run := st.prog.run
		st.out.then(func() {
			e.Pause()
			time.AfterFunc(pauseTime, func() { st.inbox.post(pauseLate{run}) })
		})
	}
	return nil, nil
}

// pauseTime is how long a pause may take before the client is informed what the program waits for.
const pauseTime = 300 * time.Millisecond

// pauseLate is that the program may not have stopped in time.
type pauseLate struct{ run int }

// onPauseLate reports why the program does not stop, if it does not because of the host.
func (st *stepper) onPauseLate() {
	if st.prog.eng == nil || st.prog.phase == phaseStopped || st.prog.phase == phaseEnded {
		return
	}
	if text, ok := st.prog.eng.InHost(); ok {
		st.console.write(engine.Console, text+"\n", engine.Site{})
	}
}

// stopped reports to the client that the program stopped.
func (st *stepper) stopped(x engine.Stop) {
	if st.prog.phase == phaseEnded {
		return
	}
	x.Hits = st.own(x.Hits)
	st.prog.stop, st.prog.phase = x, phaseStopped
	b := godap.StoppedEventBody{ThreadId: int(x.Stack), AllThreadsStopped: true, HitBreakpointIds: x.Hits, Text: x.Text}
	switch x.Reason {
	case engine.AtEntry:
		b.Reason, b.Description = "entry", "Stopped on entry"
	case engine.AtBreakpoint:
		b.Reason, b.Description = "breakpoint", "Stopped at a breakpoint"
		for _, id := range x.Hits {
			for _, f := range st.breaks.funcs {
				if f.ID == id {
					b.Reason = "function breakpoint"
				}
			}
			for _, f := range st.breaks.instrs {
				if f.ID == id {
					b.Reason = "instruction breakpoint"
				}
			}
		}
	case engine.AtAssertion:
		b.Reason, b.Description = "exception", "Stopped at a failed assertion"
	case engine.AtGoto:
		b.Reason, b.Description = "goto", "Continues here"
	case engine.AtRestart:
		b.Reason, b.Description = "restart", "The frame restarts"
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
	b.Description = describeAfterCancel(b.Description, x.Cancelled)
	if x.Focus != 0 {
		w := &wasm.Words{}
		_ = st.prog.eng.Do(func() { w = st.prog.eng.Stacks.Words(x.Focus) })
		b.ThreadId, b.Description = int(x.Focus), b.Description+" when it is "+w.Resumed
		st.threads.pin(x.Focus)
	}
	st.threads.shown = engine.StackID(b.ThreadId)
	st.threads.pin(x.Stack)
	st.src.warn()
	st.out.event("stopped", b)
}

// maxPinned is how many of the stacks that were stopped at or focused are remembered.
const maxPinned = 16

// pin keeps a stack in the list of threads even if the list is cut.
func (ts *threads) pin(id engine.StackID) {
	for _, p := range ts.pinned {
		if p == id {
			return
		}
	}
	ts.pinned = append(ts.pinned, id)
	gone := engine.StackID(0)
	if len(ts.pinned) > maxPinned {
		gone, ts.pinned = ts.pinned[0], ts.pinned[1:]
	}
	_ = ts.prog.eng.WhenStopped(func() {
		ts.prog.eng.Stacks.Unpin(gone)
		ts.prog.eng.Stacks.Pin(id)
	})
}

func (st *stepper) onExceptionInfo(a *godap.ExceptionInfoArguments) (any, error) {
	_, err := st.prog.engine()
	switch {
	case err != nil:
		return nil, err
	case st.prog.phase != phaseStopped:
		return nil, st.prog.notStopped()
	case st.prog.stop.Reason == engine.AtEvent:
		id := st.prog.stop.Filter
		return godap.ExceptionInfoResponseBody{ExceptionId: id, Description: st.prog.stop.Text, BreakMode: "always",
			Details: &godap.ExceptionDetails{
				Message: st.prog.stop.Text, TypeName: "control event", FullTypeName: "control event",
			}}, nil
	case st.prog.stop.Fault == nil:
		return nil, fmt.Errorf("the program did not stop at an exception")
	}
	f := st.prog.stop.Fault
	d := &godap.ExceptionDetails{Message: f.Explain(), TypeName: f.Kind, FullTypeName: f.Kind, StackTrace: f.Trace}
	for _, l := range f.Search {
		d.InnerException = append(d.InnerException, godap.ExceptionDetails{TypeName: l.Title, Message: l.Why})
	}
	return godap.ExceptionInfoResponseBody{
		ExceptionId: f.ID, Description: f.Explain(), BreakMode: "always", Details: d,
	}, nil
}

// own returns those of the breakpoints that were hit that this session has: they may be another
// session's, or have been removed while the stop was on its way.
func (st *stepper) own(hits []int) (out []int) {
	if len(hits) == 0 {
		return nil
	}
	have := map[int]bool{}
	st.breaks.ids(have)
	for _, b := range st.data.list {
		have[b.ID] = true
	}
	for _, id := range hits {
		if have[id] {
			out = append(out, id)
		}
	}
	return out
}
