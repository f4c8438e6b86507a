package debugger

import (
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/stacks"
	"stackscope/vm/debugger/step"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/debugger/watch"
	"stackscope/wasm"
)

// beforeInstantiation records that a unit is about to be instantiated.
func (e *Engine) beforeInstantiation(u *symbols.Unit) {
	if !e.opt.NoDebug {
		e.adoptUnit(u)
	}
	if !e.opt.NoDebug && u.Module.Start != wasm.BadIndex {
		e.run.due.instantiating = true
		e.run.setStepping()
	}
}

// afterInstantiation records that a unit has been instantiated; in may be nil.
func (e *Engine) afterInstantiation(in *vm.Instance) {
	if e.opt.NoDebug {
		return
	}
	e.run.due.instantiating = false
	e.adopt(in)
	e.run.setStepping()
}

// adopt puts the breakpoints of an instance's unit in force.
func (e *Engine) adopt(in *vm.Instance) {
	if in == nil {
		return
	}
	unit, ok := e.Symbols.UnitOf(in.Module())
	if !ok {
		return
	}
	for _, x := range e.Breakpoints.instances {
		if x == in {
			return
		}
	}
	e.Breakpoints.instances = append(e.Breakpoints.instances, in)
	e.Stepper.singleStep() // a step into may end in it
	e.DataBreakpoints.instanceAdded()
	e.Breakpoints.setSites(in, unit)
}

// adoptUnit makes a unit known that the program has not listed, and resolves the breakpoints that
// wait for its file.
func (e *Engine) adoptUnit(u *symbols.Unit) {
	if _, ok := e.Symbols.UnitOf(u.Module); ok {
		return
	}
	e.Symbols.Add(u)
	e.Filters.place()
	e.DataBreakpoints.place()
	if e.opt.OnUnit != nil {
		e.opt.OnUnit(len(e.Symbols.Units()) - 1)
	}
	e.Breakpoints.unitAdded(u)
}

// probe is called by the machine when it stops.
func (e *Engine) probe(s *vm.Stop) {
	if e.run.silent() {
		return
	}
	if e.run.killed.Load() {
		e.mach.Terminate()
		return
	}
	if e.progress.muted && s.Reason != vm.StopPause && !e.run.pausing.Load() {
		if e.run.due.instantiating && s.Site.Func != nil {
			e.adopt(s.Site.Func.Instance())
		}
		if e.run.want.Load() > 0 {
			e.serve()
		}
		e.run.due.event, e.run.due.access = "", nil
		e.run.setStepping()
		return
	}
	e.Stacks.ForgetSwitches()
	switch s.Reason {
	case vm.StopPause:
		e.serve()
		if e.run.pausing.Swap(false) {
			e.stop(Stop{Reason: AtPause})
		}
	case vm.StopBreak, vm.StopStep, vm.StopArrival:
		e.instruction(s)
	case vm.StopTrap, vm.StopUnhandled, vm.StopThrow:
		e.run.due.access = nil
		if st := e.faults.stop(s); st != nil {
			e.Stepper.drop()
			e.stop(*st)
		}
	}
}

// instruction decides whether to stop before an instruction.
func (e *Engine) instruction(s *vm.Stop) {
	if e.run.due.instantiating && s.Site.Func != nil {
		e.adopt(s.Site.Func.Instance())
	}
	pt := step.Point{Stack: snapshot.StackID(s.Stack.ID()), Depth: s.Stack.NumFrames()}
	e.Stepper.fill(&pt, s.Site)
	back := false // control comes back to a frame that a step waits for
	st := e.run.step()
	if st != nil {
		back, st.ended = st.ended, false
	}
	if st != nil && st.fast && e.run.due.event == "" && e.run.due.access == nil {
		switch all, depth := st.plan.Watch(); {
		case st.stops && st.plan.Own(&pt) && st.plan.Passes(&pt) && !e.Stepper.wantedAt(&pt, s):
			return
		case all || pt.Stack == st.plan.Stack && pt.Depth <= depth:
			e.Stepper.singleStep()
			back = true
		case !e.Stepper.wantedAt(&pt, s):
			return
		}
	}
	if !e.arrival(pt, s, back) {
		e.run.setStepping()
		return
	}
	planned := e.Stepper.planned(&pt, s)
	event, filter := e.run.due.event, "finish"
	var data touches
	if e.run.due.access != nil {
		data = e.DataBreakpoints.touched(s)
	}
	hits := data.hits
	e.run.due.event = ""
	if bs := e.Breakpoints.sites[pt.Func][pt.PC]; bs != nil {
		ids, text, name := e.hit(bs, s, false)
		if hits = append(hits, ids...); text != "" {
			event, filter = text, name
		}
	}
	if e.run.want.Load() > 0 {
		e.serve()
		hits = e.filterLive(hits) // they may have been removed
	}
	pause := e.run.pausing.Swap(false)
	switch {
	case (e.run.due.into || e.run.due.entry) && len(hits) == 0 && !pause && !e.begun(&pt, s.Stack):
		e.run.setStepping()
	case e.run.due.into:
		e.Symbols.HideCalls(s.Stack, len(pt.Entering))
		e.run.due.into, e.progress.script.plan = false, step.Run
		e.stop(Stop{Reason: AtStep, Hits: hits})
	case e.run.due.entry:
		e.run.due.entry = false
		e.Symbols.HideCalls(s.Stack, len(pt.Entering))
		e.Stepper.drop()
		e.stop(Stop{Reason: AtEntry, Hits: hits})
	case len(hits) > 0:
		text := e.interrupted(&pt, planned)
		e.Symbols.HideCalls(s.Stack, e.Breakpoints.notBegun(&pt, hits))
		stop := Stop{Reason: AtBreakpoint, Hits: hits, Text: text}
		if len(data.hits) > 0 {
			stop.Reason, stop.Text, stop.Brief = AtData, strings.TrimSuffix(data.text()+"\n"+text, "\n"), data.short()
		}
		e.stop(stop)
	case event != "":
		if p := e.run.plan(); planned || p != nil && pt.Stack == p.Stack {
			e.Stepper.drop()
		}
		e.stop(Stop{Reason: AtEvent, Text: event, Filter: filter})
	case planned:
		if p := e.run.plan(); p.Hide > 0 {
			e.Symbols.HideCalls(s.Stack, p.Hide)
		}
		e.Stepper.drop()
		e.stop(Stop{Reason: AtStep})
	case pause:
		e.Stepper.drop()
		e.stop(Stop{Reason: AtPause})
	default:
		e.Stepper.speedUp(&pt)
		e.run.setStepping()
	}
}

// begun reports whether the code of the user has begun: of a program in its source not in the
// runtime, nor in what the host calls before the entry of the program.
func (e *Engine) begun(pt *step.Point, st *vm.Stack) bool {
	if pt.Code == step.Folded || pt.Prologue {
		return false
	}
	if pt.Code == step.AsText || !e.run.due.entry || e.prog.Invoke == "" {
		return true
	}
	for st.Parent() != nil {
		st = st.Parent()
	}
	exported := false
	fi := e.Symbols.Function(st.BaseFunc())
	for _, x := range fi.Module.Exports {
		if x.Kind == wasm.ExternFunc && x.Index == fi.ID.Func {
			if exported = true; x.Name == e.prog.Invoke {
				return true
			}
		}
	}
	return !exported
}

// interrupted ends the step that is under way, if a breakpoint stops its stack, or returns what is
// told of one that goes on.
func (e *Engine) interrupted(pt *step.Point, planned bool) (text string) {
	if p := e.run.plan(); planned || p != nil && pt.Stack == p.Stack {
		e.Stepper.drop()
	} else if p != nil && p.Kind != step.Run {
		text = fmt.Sprintf("%s of stack #%d is still under way: Continue finishes it", p.Kind, p.Stack)
	}
	return text
}

// arrival stops where control has come by a clause, at the clause, before what comes next is looked
// at: a stop of its own, for breakpoints at the clause, and for steps that end at an `event` or
// legacy `catch`. back reports that control comes back to a frame that a step has waited for. It
// reports whether the program is still there.
func (e *Engine) arrival(pt step.Point, s *vm.Stop, back bool) bool {
	fi := e.Symbols.Function(s.Site.Func)
	var at symbols.Arrival
	var bs []*Breakpoint
	arm := false
	switch a := s.Arrival; {
	case a != nil:
		at = symbols.Arrival{Kind: symbols.ByClause, Func: e.Symbols.Function(a.Func).ID, PC: a.PC, Clause: a.Clause}
		bs, arm = e.Breakpoints.arrivedAt(a), a.Clause < 0
	case back: // it can come to where a clause begins only by an event or exception
		at, arm = fi.ArmAt(s.Site.PC)
	}
	arm = arm && !fi.InSource()
	place, ok := e.Symbols.Clause(at)
	if !ok || len(bs) == 0 && !arm || e.run.due.entry || e.run.due.into {
		return true
	}
	planned := false
	if p := e.run.plan(); arm && p != nil && p.Gran != step.ByInstruction {
		c := pt
		if c.Stmt, c.Line, c.Tail = true, fi.Line(at.PC), false; p.To < 0 {
			c.PC = at.PC
		}
		planned = e.Stepper.planned(&c, s)
	}
	defer e.Symbols.ShowArrival(s.Stack, place)()
	switch hits, _, _ := e.hit(bs, s, true); {
	case len(hits) > 0:
		e.stop(Stop{Reason: AtBreakpoint, Hits: hits, Text: e.interrupted(&pt, planned)})
	case planned:
		e.Stepper.drop()
		e.stop(Stop{Reason: AtStep})
	default:
		return true
	}
	now := e.mach.Running()
	if e.run.killed.Load() || now != s.Stack || snapshot.StackID(now.ID()) != pt.Stack || now.NumFrames() != pt.Depth {
		return false
	}
	site, _ := now.Site()
	return site == s.Site
}

// stop stops the program until a request resumes it. If the requests have begun cancellations,
// these run first, and the program stops again at the same place.
func (e *Engine) stop(s Stop) {
	for {
		at := e.parkAtStop(s)
		if e.run.due.inlined && !e.run.killed.Load() && len(e.Canceller.todo) == 0 {
			e.run.due.inlined = false
			s = Stop{Reason: AtStep}
			continue
		}
		if len(e.Canceller.todo) == 0 || e.run.killed.Load() {
			return
		}
		if s = e.Canceller.cancelAll(at); e.run.killed.Load() {
			return
		}
	}
}

// parkAtStop reports a stop and serves requests until one resumes the program. It returns the stop,
// which a request may have replaced.
func (e *Engine) parkAtStop(s Stop) Stop {
	if run := e.mach.Running(); run != nil {
		s.Stack = snapshot.StackID(run.ID())
	} else if e.progress.script.at >= 0 {
		s.Stack = inspect.ScriptThread
	}
	e.Stepper.singleStep()
	st := &stopped{at: s, next: e.run.state}
	e.run.state = st
	e.run.setStepping()
	e.run.stopped.Store(true)
	if e.opt.OnStop != nil {
		e.opt.OnStop(s)
	}
	for !st.resumed && !e.run.killed.Load() {
		f := <-e.calls
		f()
	}
	e.run.stopped.Store(false)
	e.run.state = st.next
	return st.at
}

// hit returns the ids of the breakpoints that stop here, and the control event that a filter asks
// for, with its name. Those that log do so. arrived reports that they are at the clause by which
// control has come.
func (e *Engine) hit(bs []*Breakpoint, s *vm.Stop, arrived bool) (ids []int, event, filter string) {
	frame := symbols.TopFrame(s.Stack)
	first := arrived || atStart(e.Symbols.Function(s.Site.Func), frame)
	for _, b := range bs {
		if b.data {
			e.DataBreakpoints.activated(frame)
			e.run.due.access = e.DataBreakpoints.finder.Access(frame)
			continue
		}
		if b.event != nil {
			if t := e.Filters.text(b.event, frame); t != "" {
				event, filter = t, b.event.Name
			}
			continue
		}
		if !b.newPass(frame, arrived) {
			continue
		}
		ok, err := e.Breakpoints.met(b, frame, first)
		if err != nil {
			e.output(Console, fmt.Sprintf("breakpoint %d: condition: %v\n", b.ID, err))
			ids = append(ids, b.ID) // whoever asked wants to know
			continue
		}
		if !ok {
			continue
		}
		b.Hits++
		if !hitMatches(b.hitOp, b.hitN, b.Hits) {
			continue
		}
		if b.Log != "" {
			e.output(Console, e.Evaluator.LogText(frame, b.parts)+"\n")
			continue
		}
		ids = append(ids, b.ID)
	}
	return ids, event, filter
}

// atStart reports whether a frame is at the beginning of its function for the first time: where that
// is in a loop it comes there again and again, but the function is entered once. It notes that it
// was there.
func atStart(fi *symbols.Function, f *vm.Frame) bool {
	if f == nil || f.PC() != 0 && f.PC() != fi.Begin() || !fi.InLoop(f.PC()) {
		return true
	}
	again := f.Mark()&watch.MarkStarted != 0
	f.SetMark(f.Mark() | watch.MarkStarted)
	return !again
}

// Resume lets a stopped program go on.
func (e *Engine) Resume() {
	_ = e.WhenStopped(func() {
		e.run.resume()
		e.Stacks.Forget()
		e.DataBreakpoints.refresh()
		e.run.setStepping()
	})
}

// whileIdle calls a function if the program has not started or has ended, and reports whether it
// did. Sessions that share the program take turns then, and it does not start meanwhile.
func (e *Engine) whileIdle(f func()) bool {
	e.idle.Lock()
	defer e.idle.Unlock()
	if e.run.started.Load() && !e.Ended() {
		return false
	}
	f()
	return true
}

// Do calls a function at a moment when the machine is stopped and may be looked at: at once if
// the program has not started, is stopped or has ended, else at its next safe point, after which it
// runs on. It returns ErrRunning if no safe point is reached within two seconds. If the function
// panics, Do does, with a *RecoveredPanic, and the program is as it was.
func (e *Engine) Do(f func()) error {
	if e.whileIdle(f) {
		return nil
	}
	if e.opt.NoDebug { // it is not to be disturbed
		return ErrRunning
	}
	done := make(chan struct{})
	var fault *RecoveredPanic
	call := func() {
		defer close(done)
		defer e.run.want.Add(-1)
		defer func() {
			if r := recover(); r != nil {
				fault = &RecoveredPanic{r, string(debug.Stack())}
			}
		}()
		f()
	}
	e.run.want.Add(1)
	if !e.run.stopped.Load() {
		e.mach.RequestPause()
	}
	t := time.NewTimer(2 * time.Second)
	defer t.Stop()
	select {
	case e.calls <- call:
		if <-done; fault != nil {
			panic(fault)
		}
	case <-e.ended:
		e.run.want.Add(-1)
		f()
	case <-t.C:
		e.run.want.Add(-1)
		return ErrRunning
	}
	return nil
}

// RecoveredPanic is what Do panics with if its function did, on the goroutine of the machine.
type RecoveredPanic struct {
	Value any
	Stack string // where that was
}

// Error returns the value.
func (f *RecoveredPanic) Error() string { return fmt.Sprint(f.Value) }

// WhenStopped is Do for what needs a stopped program.
func (e *Engine) WhenStopped(f func()) error {
	switch {
	case e.Ended():
		return ErrEnded
	case !e.run.stopped.Load():
		return ErrRunning
	}
	return e.Do(f)
}

// serve does the calls that are on their way.
func (e *Engine) serve() {
	e.Stacks.Forget()
	defer e.Stacks.Forget()
	for e.run.want.Load() > 0 {
		select {
		case f := <-e.calls:
			f()
		case <-time.After(10 * time.Millisecond): // the caller has given up
		}
	}
}

// Pause makes the program stop at its next safe point.
func (e *Engine) Pause() {
	if e.run.stopped.Load() {
		return
	}
	e.run.pausing.Store(true)
	e.mach.RequestPause()
}

// InHost reports the call of the host that the program is in, and how many stacks wait for it to
// return; ok is false if it is in none. Meanwhile the program cannot be stopped. It may be called
// while the program runs.
func (e *Engine) InHost() (text string, ok bool) {
	e.outMu.Lock() // the host function may write something
	defer e.outMu.Unlock()
	ok = e.mach.InHost(func(fn *vm.Func) {
		run := e.mach.Running()
		if run == nil {
			return
		}
		s := e.Symbols.Stack(run)
		text = fmt.Sprintf(
			"the program is in a host call: %s called %s at %s; it stops when that call returns", s.Name(),
			fn, s.At.Short(),
		)
		waiting, suspended := 0, 0
		found, _ := e.mach.SomeStacks(stacks.ExactUpTo)
		for _, l := range found {
			switch {
			case l.Stack == run:
			case l.Holder.Kind == vm.HeldByChain:
				waiting++
			default:
				suspended++
			}
		}
		switch {
		case suspended > 0 && waiting == 0:
			text += fmt.Sprintf(
				"; all other stacks are suspended, %d of them: none of them continues until the host returns",
				suspended,
			)
		case suspended+waiting > 0:
			text += fmt.Sprintf("; %d stacks wait for it, %d are suspended", waiting, suspended)
		}
	})
	return text, ok && text != ""
}

// Kill ends the program. It does not wait: see Done.
func (e *Engine) Kill() {
	if e.run.killed.Swap(true) {
		return
	}
	e.cancel()
	e.mach.Terminate()
	if e.run.started.Load() && e.run.stopped.Load() {
		go func() {
			select {
			case e.calls <- e.run.resume:
			case <-e.ended:
			}
		}()
	}
}
