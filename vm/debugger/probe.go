package debugger

import (
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/wasm"
)

// entering is told that a unit is about to be instantiated.
func (e *Engine) entering(u *Unit) {
	if !e.opt.NoDebug {
		e.adoptUnit(u)
	}
	if !e.opt.NoDebug && u.Module.Start != wasm.BadIndex {
		e.run.binding = true
		e.run.setStepping()
	}
}

// entered is told that a unit has been instantiated; in may be nil.
func (e *Engine) entered(in *vm.Instance) {
	if e.opt.NoDebug {
		return
	}
	e.run.binding = false
	e.adopt(in)
	e.run.setStepping()
}

// adopt puts the breakpoints of an instance's unit in force.
func (e *Engine) adopt(in *vm.Instance) {
	if in == nil {
		return
	}
	unit, ok := e.Symbols.units[in.Module()]
	if !ok {
		return
	}
	for _, x := range e.Breakpoints.instances {
		if x == in {
			return
		}
	}
	e.Breakpoints.instances = append(e.Breakpoints.instances, in)
	e.DataBreakpoints.instanceAdded()
	e.Breakpoints.setSites(in, unit)
}

// probe is called by the machine when it stops.
func (e *Engine) probe(s *vm.Stop) {
	if e.run.quiet > 0 {
		return
	}
	if e.run.killed.Load() {
		e.mach.Terminate()
		return
	}
	if e.progress.muted && s.Reason != vm.StopPause && !e.run.pausing.Load() {
		if e.run.binding && s.Site.Func != nil {
			e.adopt(s.Site.Func.Instance())
		}
		if e.run.want.Load() > 0 {
			e.serve()
		}
		e.run.event, e.run.access = "", nil
		e.run.setStepping()
		return
	}
	e.Stacks.moves = nil
	switch s.Reason {
	case vm.StopPause:
		e.serve()
		if e.run.pausing.Swap(false) {
			e.halt(Stop{Reason: AtPause})
		}
	case vm.StopBreak, vm.StopStep:
		e.instruction(s)
	case vm.StopTrap, vm.StopUnhandled, vm.StopThrow:
		e.run.access = nil
		if st := e.faults.stop(s); st != nil {
			e.halt(*st)
		}
	}
}

// instruction decides whether to stop before an instruction.
func (e *Engine) instruction(s *vm.Stop) {
	if e.run.binding && s.Site.Func != nil {
		e.adopt(s.Site.Func.Instance())
	}
	pt := Point{Stack: StackID(s.Stack.ID()), Depth: s.Stack.NumFrames()}
	e.Stepper.fill(&pt, s.Site)
	if e.run.hurried && e.run.event == "" && e.run.access == nil {
		switch all, depth := e.run.plan.Watch(); {
		case all || pt.Stack == e.run.plan.Stack && pt.Depth <= depth:
			e.Stepper.singleStep()
		case e.Breakpoints.sites[pt.Func][pt.PC] == nil && e.run.want.Load() == 0 && !e.run.pausing.Load():
			return
		}
	}
	planned := e.Stepper.planned(&pt, s)
	event := e.run.event
	var data touches
	if e.run.access != nil {
		data = e.DataBreakpoints.touched(s)
	}
	hits := data.hits
	e.run.event = ""
	if bs := e.Breakpoints.sites[pt.Func][pt.PC]; bs != nil {
		ids, text := e.hit(bs, s)
		if hits = append(hits, ids...); text != "" {
			event = text
		}
	}
	if e.run.want.Load() > 0 {
		e.serve()
		hits = e.still(hits) // they may have been removed
	}
	pause := e.run.pausing.Swap(false)
	switch {
	case e.run.into:
		e.run.into, e.progress.script.plan = false, Run
		e.halt(Stop{Reason: AtStep, Hits: hits})
	case e.run.entry:
		e.run.entry = false
		e.run.plan, e.run.planStack = nil, nil
		e.halt(Stop{Reason: AtEntry, Hits: hits})
	case len(hits) > 0:
		text := ""
		if planned || e.run.plan != nil && pt.Stack == e.run.plan.Stack {
			e.run.plan, e.run.planStack = nil, nil
		} else if p := e.run.plan; p != nil && p.Kind != Run {
			text = fmt.Sprintf("%s of stack #%d goes on: Continue finishes it", p.Kind, p.Stack)
		}
		stop := Stop{Reason: AtBreakpoint, Hits: hits, Text: text}
		if len(data.hits) > 0 {
			stop.Reason, stop.Text, stop.Brief = AtData, strings.TrimSuffix(data.text()+"\n"+text, "\n"), data.short()
		}
		e.halt(stop)
	case event != "":
		if planned || e.run.plan != nil && pt.Stack == e.run.plan.Stack {
			e.run.plan, e.run.planStack = nil, nil
		}
		e.halt(Stop{Reason: AtEvent, Text: event})
	case planned:
		e.run.plan, e.run.planStack = nil, nil
		e.halt(Stop{Reason: AtStep})
	case pause:
		e.run.plan, e.run.planStack = nil, nil
		e.halt(Stop{Reason: AtPause})
	default:
		if p := e.run.plan; p != nil && !e.run.hurried {
			if all, depth := p.Watch(); !all && (pt.Stack != p.Stack || pt.Depth > depth) {
				e.Stepper.runFast()
			}
		}
		e.run.setStepping()
	}
}

// planned reports whether the step that is under way ends here.
func (sp *Stepper) planned(pt *Point, s *vm.Stop) bool {
	p := sp.run.plan
	if p == nil {
		return false
	}
	switch st := sp.run.planStack; {
	case pt.Stack == p.Stack:
		p.Chained(true)
	case st == nil:
	case StackID(st.ID()) != p.Stack || st.State() == vm.StackMoribund:
		p.Finished(p.Stack)
	case p.Stay:
		p.Chained(inChain(s.Stack, st))
	}
	all, depth := p.Watch()
	if !all && (pt.Stack != p.Stack || pt.Depth > depth) {
		return false
	}
	return p.At(*pt)
}

// inChain reports whether a stack is an ancestor of the running one.
func inChain(run, st *vm.Stack) bool {
	for x := run; x != nil; x = x.Parent() {
		if x == st {
			return true
		}
	}
	return false
}

// halt stops: it tells, and does what it is told until that is to go on. If it is told to cancel
// stacks, it does that and stands as before.
func (e *Engine) halt(s Stop) {
	for {
		e.stand(s)
		if len(e.Canceller.todo) == 0 || e.run.killed.Load() {
			return
		}
		if s = e.Canceller.cancelAll(e.run.at); e.run.killed.Load() {
			return
		}
	}
}

// stand reports a stop, and does what it is told until that is to go on.
func (e *Engine) stand(s Stop) {
	if run := e.mach.Running(); run != nil {
		s.Stack = StackID(run.ID())
	} else if e.progress.script.at >= 0 {
		s.Stack = ScriptThread
	}
	e.run.at = s
	e.run.goOn = false
	e.Stepper.singleStep()
	e.run.setStepping()
	e.run.stopped.Store(true)
	if e.opt.OnStop != nil {
		e.opt.OnStop(s)
	}
	for !e.run.goOn && !e.run.killed.Load() {
		f := <-e.calls
		f()
	}
	e.run.stopped.Store(false)
}
