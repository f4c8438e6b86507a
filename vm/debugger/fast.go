package debugger

import (
	"stackscope/vm"
	"stackscope/wasm"
)

// While a step waits for control to come back to a frame, the machine runs at full speed: instead
// of single steps there are breakpoints wherever control can enter again the functions that the
// stack's frames are in. The end of the stack is told by the observer.

// tempBreak is a breakpoint of the engine's own.
type tempBreak struct {
	fn *vm.Func
	pc int
}

// runFast switches to full speed, if the step that is under way allows it.
func (sp *Stepper) runFast() {
	p, st := sp.run.plan, sp.run.planStack
	if sp.run.hurried || sp.opt.SingleSteps || p == nil || st == nil || p.Stay || sp.run.entry || sp.run.binding {
		return
	}
	all, depth := p.Watch()
	if all || StackID(st.ID()) != p.Stack || st.State() == vm.StackMoribund {
		return
	}
	sp.run.hurried = true
	seen := map[*vm.Func]bool{nil: true}
	enters := func(fn *vm.Func) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		for _, pc := range sp.sym.info(fn).entries() {
			sp.bps.setTemporary(fn, pc)
		}
	}
	frames := st.Trace(0)
	for i, f := range frames {
		if len(frames)-i <= depth {
			enters(f.Func)
		}
	}
	if st.State() == vm.StackNew {
		for _, fn := range st.Entries() {
			enters(fn)
			sp.bps.setTemporary(fn, 0)
		}
	} else if f := topFrame(st); st.Moved() && f != nil { // control can enter it there, too
		sp.bps.setTemporary(f.Func(), f.PC())
	}
	sp.history.watch()
	sp.run.setStepping()
}

// setTemporary sets a breakpoint of the engine's own. One of the user at the same place stops too,
// while it is there.
func (bp *Breakpoints) setTemporary(fn *vm.Func, pc int) {
	if bp.mach.SetBreakpoint(fn, pc) {
		bp.temps = append(bp.temps, tempBreak{fn, pc})
	}
}

// keepTemporaries sets the engine's own breakpoints again after those of the user have changed.
func (bp *Breakpoints) keepTemporaries() {
	for _, t := range bp.temps {
		bp.mach.SetBreakpoint(t.fn, t.pc)
	}
}

// singleStep goes back to single steps.
func (sp *Stepper) singleStep() {
	if !sp.run.hurried {
		return
	}
	sp.run.hurried = false
	for _, t := range sp.bps.temps {
		if sp.bps.sites[sp.sym.info(t.fn).id][t.pc] == nil {
			sp.mach.ClearBreakpoint(t.fn, t.pc)
		}
	}
	sp.bps.temps = sp.bps.temps[:0]
	sp.history.watch()
	sp.run.setStepping()
}

// stackEnded is told that a stack has ended while the machine runs at full speed.
func (sp *Stepper) stackEnded(id StackID) {
	if sp.run.hurried && sp.run.plan != nil && sp.run.plan.Stack == id {
		sp.run.plan.Finished(id)
		sp.singleStep()
	}
}

// entries returns the instructions at which control can enter a function again that waits in a
// call, a resume or a suspension: behind those, and at the targets of labels.
func (fi *funcInfo) entries() []int {
	if fi.fn == nil {
		return nil
	}
	if fi.entry != nil {
		return fi.entry
	}
	body := fi.fn.Body
	at := make([]bool, len(body)+1)
	for pc := range body {
		switch op := body[pc].Op; op.Info().Effect {
		case wasm.EffectBlock:
			// Labels continue at loops and behind ends; clauses and arms begin where they stand.
			if !op.OpensBlock() || op == wasm.OpLoop {
				at[pc], at[pc+1] = true, true
			}
		case wasm.EffectNone, wasm.EffectTrap, wasm.EffectBranch, wasm.EffectReturn, wasm.EffectBind:
		default:
			at[pc+1] = true
		}
	}
	fi.entry = []int{}
	for pc := range body {
		if at[pc] {
			fi.entry = append(fi.entry, pc)
		}
	}
	return fi.entry
}
