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
		e.binding = true
		e.stepping()
	}
}

// entered is told that a unit has been instantiated; in may be nil.
func (e *Engine) entered(in *vm.Instance) {
	if e.opt.NoDebug {
		return
	}
	e.binding = false
	e.adopt(in)
	e.stepping()
}

// adopt puts the breakpoints of an instance's unit in force.
func (e *Engine) adopt(in *vm.Instance) {
	if in == nil {
		return
	}
	unit, ok := e.units[in.Module()]
	if !ok {
		return
	}
	for _, x := range e.instances {
		if x == in {
			return
		}
	}
	e.instances = append(e.instances, in)
	e.dataFound()
	e.setSites(in, unit)
}

// probe is called by the machine when it stops.
func (e *Engine) probe(s *vm.Stop) {
	if e.quiet > 0 {
		return
	}
	if e.killed.Load() {
		e.mach.Terminate()
		return
	}
	if e.muted && s.Reason != vm.StopPause && !e.pausing.Load() {
		if e.binding && s.Site.Func != nil {
			e.adopt(s.Site.Func.Instance())
		}
		if e.want.Load() > 0 {
			e.serve()
		}
		e.after, e.access = "", nil
		e.stepping()
		return
	}
	e.moves = nil
	switch s.Reason {
	case vm.StopPause:
		e.serve()
		if e.pausing.Swap(false) {
			e.halt(Stop{Reason: AtPause})
		}
	case vm.StopBreak, vm.StopStep:
		e.instruction(s)
	case vm.StopTrap, vm.StopUnhandled, vm.StopThrow:
		e.access = nil
		if st := e.faultStop(s); st != nil {
			e.halt(*st)
		}
	}
}

// instruction decides whether to stop before an instruction.
func (e *Engine) instruction(s *vm.Stop) {
	e.steps++
	if e.binding && s.Site.Func != nil {
		e.adopt(s.Site.Func.Instance())
	}
	pt := Point{Stack: StackID(s.Stack.ID()), Depth: s.Stack.NumFrames()}
	e.fill(&pt, s.Site)
	if e.hurried && e.after == "" && e.access == nil {
		switch all, depth := e.plan.Watch(); {
		case all || pt.Stack == e.plan.Stack && pt.Depth <= depth:
			e.linger()
		case e.sites[pt.Func][pt.PC] == nil && e.want.Load() == 0 && !e.pausing.Load():
			return
		}
	}
	planned := e.planned(&pt, s)
	event := e.after
	var data touches
	if e.access != nil {
		data = e.touched(s)
	}
	hits := data.hits
	e.after = ""
	if bs := e.sites[pt.Func][pt.PC]; bs != nil {
		ids, text := e.hit(bs, s)
		if hits = append(hits, ids...); text != "" {
			event = text
		}
	}
	if e.want.Load() > 0 {
		e.serve()
		hits = e.still(hits) // they may have been removed
	}
	pause := e.pausing.Swap(false)
	switch {
	case e.into:
		e.into, e.script.plan = false, Run
		e.halt(Stop{Reason: AtStep, Hits: hits})
	case e.entry:
		e.entry = false
		e.plan, e.planStack = nil, nil
		e.halt(Stop{Reason: AtEntry, Hits: hits})
	case len(hits) > 0:
		text := ""
		if planned || e.plan != nil && pt.Stack == e.plan.Stack {
			e.plan, e.planStack = nil, nil
		} else if p := e.plan; p != nil && p.Kind != Run {
			text = fmt.Sprintf("%s of stack #%d goes on: Continue finishes it", p.Kind, p.Stack)
		}
		stop := Stop{Reason: AtBreakpoint, Hits: hits, Text: text}
		if len(data.hits) > 0 {
			stop.Reason, stop.Text, stop.Brief = AtData, strings.TrimSuffix(data.text()+"\n"+text, "\n"), data.short()
		}
		e.halt(stop)
	case event != "":
		if planned || e.plan != nil && pt.Stack == e.plan.Stack {
			e.plan, e.planStack = nil, nil
		}
		e.halt(Stop{Reason: AtEvent, Text: event})
	case planned:
		e.plan, e.planStack = nil, nil
		e.halt(Stop{Reason: AtStep})
	case pause:
		e.plan, e.planStack = nil, nil
		e.halt(Stop{Reason: AtPause})
	default:
		if p := e.plan; p != nil && !e.hurried {
			if all, depth := p.Watch(); !all && (pt.Stack != p.Stack || pt.Depth > depth) {
				e.hurry()
			}
		}
		e.stepping()
	}
}

// planned reports whether the step that is under way ends here.
func (e *Engine) planned(pt *Point, s *vm.Stop) bool {
	p := e.plan
	if p == nil {
		return false
	}
	switch st := e.planStack; {
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
		if len(e.cancels) == 0 || e.killed.Load() {
			return
		}
		if s = e.cancelAll(e.at); e.killed.Load() {
			return
		}
	}
}

// stand reports a stop, and does what it is told until that is to go on.
func (e *Engine) stand(s Stop) {
	if run := e.mach.Running(); run != nil {
		s.Stack = StackID(run.ID())
	} else if e.script.at >= 0 {
		s.Stack = ScriptThread
	}
	e.at = s
	e.goOn = false
	e.linger()
	e.stepping()
	e.stopped.Store(true)
	if e.opt.OnStop != nil {
		e.opt.OnStop(s)
	}
	for !e.goOn && !e.killed.Load() {
		f := <-e.calls
		f()
	}
	e.stopped.Store(false)
}
