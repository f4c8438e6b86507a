package debugger

import (
	"errors"
	"sync/atomic"

	"stackscope/vm"
	"stackscope/wasm"
)

// Stepper runs steps, and makes stacks continue at other places.
type Stepper struct {
	opt         *Options
	mach        *vm.Machine
	sym         *Symbols
	stacks      *Stacks
	insp        *Inspector
	run         *run
	progress    *progress
	bps         *Breakpoints
	history     *History
	whenStopped func(func()) error // Engine.WhenStopped
}

// Prepare says how a stopped program is to go on: with a step or without (Run). stack is the stack
// that the step is for, 0 for the running one. stay asks that it also stops when control leaves the
// stack. The program goes on with Go.
func (sp *Stepper) Prepare(kind StepKind, g Granularity, stack StackID, stay bool) error {
	var err error
	if x := sp.whenStopped(func() { err = sp.prepare(kind, g, stack, stay) }); x != nil {
		return x
	}
	return err
}

// Go lets a stopped program go on.
func (e *Engine) Go() {
	_ = e.WhenStopped(func() {
		e.run.goOn = true
		e.Stacks.forget()
		e.DataBreakpoints.refresh()
		e.run.setStepping()
	})
}

func (sp *Stepper) prepare(kind StepKind, g Granularity, stack StackID, stay bool) error {
	run := sp.mach.Running()
	st := run
	if run == nil && sp.progress.script.at >= 0 && (stack == 0 || stack == ScriptThread) {
		sp.prepareScript(kind)
		sp.insp.exact = kind != Run && g == ByInstruction
		return nil
	}
	if kind != Run {
		sp.progress.script.plan = Run
	}
	if stack != 0 && (run == nil || StackID(run.ID()) != stack) {
		if st = sp.stacks.find(stack); st == nil {
			return noStack(stack)
		}
	}
	switch {
	case kind == Run && !stay:
		// A step that was interrupted on another stack is finished by Continue; on its own it is
		// given up.
		if p := sp.run.plan; p != nil && (run == nil || StackID(run.ID()) == p.Stack || p.Kind == Run) {
			sp.run.plan, sp.run.planStack = nil, nil
		}
	case st == nil:
		return errors.New("no stack is running")
	default:
		pt := sp.point(st)
		p := NewPlan(kind, g, pt, st == run)
		p.away = !inChain(run, st)
		p.Stay = stay || sp.opt.Law == ByControl && kind != Run
		sp.run.plan, sp.run.planStack = p, st
	}
	if kind != Run {
		sp.insp.exact = g == ByInstruction
	} else if sp.run.plan == nil {
		sp.insp.exact = false
	}
	return nil
}

// run is what the goroutine of the program shares with its parts: what the program is doing.
type run struct {
	mach *vm.Machine

	// Of any goroutine.
	want    atomic.Int32 // how many calls are on their way while it runs
	pausing atomic.Bool
	killed  atomic.Bool
	stopped atomic.Bool
	started atomic.Bool

	// Of the running goroutine.
	event     string // what has just happened: stop at the next instruction
	entry     bool   // stop at the next instruction
	into      bool   // stop at the first instruction: a step into a command of the script
	binding   bool   // a unit with a start function is being instantiated
	plan      *Plan
	planStack *vm.Stack
	hurried   bool // see Stepper.runFast
	goOn      bool
	at        Stop    // where it is stopped, while it is
	quiet     int     // >0: an evaluation is running, the probe is silent
	access    *access // what the instruction that is being executed touches of what is watched
}

// setStepping switches the machine's stepping on or off as is needed.
func (rn *run) setStepping() {
	rn.mach.SetStepping(
		rn.entry || rn.into || rn.binding || rn.event != "" || rn.access != nil || rn.plan != nil && !rn.hurried,
	)
}

// point describes where a stack stands.
func (sp *Stepper) point(st *vm.Stack) Point {
	p := Point{Stack: StackID(st.ID()), Depth: st.NumFrames()}
	site, _ := st.Site()
	if st.State() == vm.StackNew {
		p.Depth, site = 1, vm.Site{Func: st.BaseFunc()}
	}
	sp.fill(&p, site)
	return p
}

func (sp *Stepper) fill(p *Point, site vm.Site) {
	fi := sp.sym.info(site.Func)
	p.Func, p.PC, p.Stmt = fi.id, site.PC, fi.isStmt(site.PC)
	if site.PC >= 0 && site.PC < len(fi.lines) {
		p.Line = int(fi.lines[site.PC]) + 1
	}
	if in := fi.instr(site.PC); in != nil {
		switch in.Op {
		case wasm.OpReturnCall, wasm.OpReturnCallIndirect, wasm.OpReturnCallRef:
			p.Tail = true
		}
	}
}
