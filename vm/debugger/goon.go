package debugger

import (
	"errors"

	"stackscope/vm"
	"stackscope/wasm"
)

// Prepare says how a stopped program is to go on: with a step or without (Run). stack is the stack
// that the step is for, 0 for the running one. stay asks that it also stops when control leaves the
// stack. The program goes on with Go.
func (e *Engine) Prepare(kind StepKind, g Granularity, stack StackID, stay bool) error {
	var err error
	if x := e.WhenStopped(func() { err = e.prepare(kind, g, stack, stay) }); x != nil {
		return x
	}
	return err
}

// Go lets a stopped program go on.
func (e *Engine) Go() {
	_ = e.WhenStopped(func() {
		e.goOn = true
		e.forget()
		e.refreshData()
		e.stepping()
	})
}

func (e *Engine) prepare(kind StepKind, g Granularity, stack StackID, stay bool) error {
	run := e.mach.Running()
	st := run
	if run == nil && e.script.at >= 0 && (stack == 0 || stack == ScriptThread) {
		e.prepareScript(kind)
		e.exact = kind != Run && g == ByInstruction
		return nil
	}
	if kind != Run {
		e.script.plan = Run
	}
	if stack != 0 && (run == nil || StackID(run.ID()) != stack) {
		if st = e.find(stack); st == nil {
			return noStack(stack)
		}
	}
	switch {
	case kind == Run && !stay:
		// A step that was interrupted on another stack is finished by Continue; on its own it is
		// given up.
		if p := e.plan; p != nil && (run == nil || StackID(run.ID()) == p.Stack || p.Kind == Run) {
			e.plan, e.planStack = nil, nil
		}
	case st == nil:
		return errors.New("no stack is running")
	default:
		pt := e.point(st)
		p := NewPlan(kind, g, pt, st == run)
		p.away = !inChain(run, st)
		p.Stay = stay || e.opt.Law == ByControl && kind != Run
		e.plan, e.planStack = p, st
	}
	if kind != Run {
		e.exact = g == ByInstruction
	} else if e.plan == nil {
		e.exact = false
	}
	return nil
}

// stepping switches the machine's stepping on or off as is needed.
func (e *Engine) stepping() {
	e.mach.SetStepping(
		e.entry || e.into || e.binding || e.after != "" || e.access != nil || e.plan != nil && !e.hurried,
	)
}

// point describes where a stack stands.
func (e *Engine) point(st *vm.Stack) Point {
	p := Point{Stack: StackID(st.ID()), Depth: st.NumFrames()}
	site, _ := st.Site()
	if st.State() == vm.StackNew {
		p.Depth, site = 1, vm.Site{Func: st.BaseFunc()}
	}
	e.fill(&p, site)
	return p
}

func (e *Engine) fill(p *Point, site vm.Site) {
	fi := e.info(site.Func)
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
