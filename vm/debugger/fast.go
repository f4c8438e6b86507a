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

// hurry switches to full speed, if the step that is under way allows it.
func (e *Engine) hurry() {
	p, st := e.plan, e.planStack
	if e.hurried || e.opt.SingleSteps || p == nil || st == nil || p.Stay || e.entry || e.binding {
		return
	}
	all, depth := p.Watch()
	if all || StackID(st.ID()) != p.Stack || st.State() == vm.StackMoribund {
		return
	}
	e.hurried = true
	seen := map[*vm.Func]bool{nil: true}
	enters := func(fn *vm.Func) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		for _, pc := range e.info(fn).entries() {
			e.temporary(fn, pc)
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
			e.temporary(fn, 0)
		}
	} else if f := topFrame(st); st.Moved() && f != nil { // control can enter it there, too
		e.temporary(f.Func(), f.PC())
	}
	e.watchEvents()
	e.stepping()
}

// temporary sets a breakpoint of the engine's own. One of the user at the same place stops too,
// while it is there.
func (e *Engine) temporary(fn *vm.Func, pc int) {
	if e.mach.SetBreakpoint(fn, pc) {
		e.temps = append(e.temps, tempBreak{fn, pc})
	}
}

// keepTemporaries sets the engine's own breakpoints again after those of the user have changed.
func (e *Engine) keepTemporaries() {
	for _, t := range e.temps {
		e.mach.SetBreakpoint(t.fn, t.pc)
	}
}

// linger goes back to single steps.
func (e *Engine) linger() {
	if !e.hurried {
		return
	}
	e.hurried = false
	for _, t := range e.temps {
		if e.sites[e.info(t.fn).id][t.pc] == nil {
			e.mach.ClearBreakpoint(t.fn, t.pc)
		}
	}
	e.temps = e.temps[:0]
	e.watchEvents()
	e.stepping()
}

// stackEnded is told that a stack has ended while the machine runs at full speed.
func (e *Engine) stackEnded(id StackID) {
	if e.hurried && e.plan != nil && e.plan.Stack == id {
		e.plan.Finished(id)
		e.linger()
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
