package debugger

import (
	"errors"
	"fmt"

	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/step"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// StepTarget is where a step into a statement can lead. It is good until the program resumes.
type StepTarget struct {
	Label string
	File  *symbols.Source
	Span  source.Span // of the instruction, or of a handler's label
	via   int         // the instruction that is to give control away; -1: see to
	to    int         // the place in this frame that is to be reached
}

// Targets returns the targets of the statement that a frame is about to execute: the calls,
// resumes, suspensions and switches in it, each with where control would go, and the handlers of
// the resumes. Only the top frame of the running stack has any. It must be called inside Do.
func (sp *Stepper) Targets(f inspect.Frame) []StepTarget {
	run := sp.mach.Running()
	if run == nil || f.VM == nil || f.Function == nil || f.Function.Func == nil ||
		snapshot.StackID(run.ID()) != f.Stack ||
		f.Depth != run.NumFrames()-1 ||
		f.Waiting {
		return nil
	}
	fi := f.Function
	var out []StepTarget
	for pc := f.PC; pc < len(fi.Func.Body); pc++ {
		if pc > f.PC && fi.IsStatement(pc) && !(fi.InSource() && sameLine(fi, f.PC, pc)) {
			break
		}
		in := &fi.Func.Body[pc]
		add := func(label string) {
			t := StepTarget{Label: label, via: pc, to: -1}
			if fi.Unit != nil {
				t.File, t.Span = fi.File(pc), fi.Span(pc, true)
			}
			out = append(out, t)
		}
		// Operands are known only of the instruction that comes next.
		var st *vm.Stack
		if pc == f.PC {
			st = target(in, f.VM)
		}
		noun := in.Op.Info().Dialect.Info().Noun
		switch in.Op.Info().Effect {
		case wasm.EffectCall, wasm.EffectTailCall:
			if in.Op == wasm.OpCall || in.Op == wasm.OpReturnCall {
				add(in.Op.String() + " " + sp.called(fi, in.A))
			} else {
				add(in.Op.String())
			}
		case wasm.EffectResume:
			add("into " + sp.sym.StackPlace(st, "the "+noun+" that "+in.Op.String()+" names"))
			out = append(out, sp.clauseTargets(f, pc)...)
		case wasm.EffectNew:
			switch in.Op {
			case wasm.OpFiberSpawn, wasm.OpFiberMountNew, wasm.OpFiberSwitchNew:
				if fn, ok := symbols.Index(in, wasm.ImmFunc, 0); ok {
					add("into a new " + noun + " of " + sp.called(fi, fn))
				} else {
					add("into a new " + noun)
				}
				out = append(out, sp.clauseTargets(f, pc)...)
			}
		case wasm.EffectSuspend:
			add("out to " + sp.receiver(run, in, st, tagOf(in, f.VM.Instance())))
		case wasm.EffectSwitch:
			add("switch to " + sp.sym.StackPlace(st, "the "+noun+" that it names"))
			out = append(out, sp.clauseTargets(f, pc)...)
		case wasm.EffectRetire:
			add("to where control goes after this " + noun + " ends")
		}
	}
	return out
}

// sameLine reports whether two instructions of a function are on a line of source, in the same of the
// calls that are inlined.
func sameLine(fi *symbols.Function, a, b int) bool {
	return fi.Line(a) == fi.Line(b) && fi.File(a) == fi.File(b) && fi.InlineAt(a) == fi.InlineAt(b)
}

// called names a function that another one calls, as it is shown.
func (sp *Stepper) called(fi *symbols.Function, fn uint32) string {
	if other := sp.sym.FunctionOf(snapshot.FuncID{Unit: fi.ID.Unit, Func: fn}); other != nil && fi.InSource() {
		return other.Title
	}
	return fi.Module.FuncTitle(fn)
}

// clauseTargets returns the clauses of an instruction as targets: the step ends where one takes its
// event.
func (sp *Stepper) clauseTargets(f inspect.Frame, pc int) []StepTarget {
	hs := f.VM.HandlerClausesAt(pc)
	var out []StepTarget
	for i, c := range sp.sym.Clauses(vm.Site{Func: f.VM.Func(), PC: pc}, hs) {
		if c.Switch || hs[i].PC < 0 {
			continue
		}
		t := StepTarget{Label: c.Where(), via: -1, to: hs[i].PC}
		if f.Function.Unit != nil {
			at := hs[i].PC
			if a, ok := f.Function.ArmAt(at); ok {
				at = a.PC
			}
			t.File, t.Span = f.Function.File(at), f.Function.Span(at, true)
		}
		out = append(out, t)
	}
	return out
}

// receiver reports which stack gets control where one gives it to its parent. named is the stack
// that the instruction names, nil if none is known.
func (sp *Stepper) receiver(run *vm.Stack, in *wasm.Instr, named *vm.Stack, tag *vm.Tag) string {
	d := in.Op.Info().Dialect.Info()
	switch {
	case !d.Events:
		return sp.handlerOf(run, tag)
	case named == nil || named.Parent() == nil:
		return "the " + d.Parent + " of the " + d.Noun + " that it names"
	}
	p := named.Parent()
	out := fmt.Sprintf("#%d %s, the %s", p.ID(), sp.sym.BaseTitle(p), d.Parent)
	if f := symbols.TopFrame(p); f != nil {
		site, _ := p.Site()
		hs := f.HandlerClauses()
		for i, c := range sp.sym.Clauses(site, hs) {
			if hs[i].Tag == tag {
				return out + ", " + c.Where()
			}
		}
	}
	return out
}

// handlerOf reports which stack handles a tag that is suspended with.
func (sp *Stepper) handlerOf(run *vm.Stack, tag *vm.Tag) string {
	for p := run.Parent(); p != nil; p = p.Parent() {
		f := symbols.TopFrame(p)
		if f == nil {
			continue
		}
		hs := f.HandlerClauses()
		site, _ := p.Site()
		for i, c := range sp.sym.Clauses(site, hs) {
			if hs[i].Tag == tag && !hs[i].Switch {
				return fmt.Sprintf("#%d %s, %s", p.ID(), sp.sym.BaseTitle(p), c.Where())
			}
		}
	}
	return "its handler"
}

// PrepareTarget is Prepare for a step into a target of the running stack's top frame.
func (sp *Stepper) PrepareTarget(t StepTarget, g step.Granularity) error {
	var err error
	if x := sp.whenStopped(func() {
		run := sp.mach.Running()
		if run == nil {
			err = errors.New("no stack is running")
			return
		}
		kind := step.Into
		if t.via < 0 {
			kind = step.Over
		}
		p := step.NewPlan(kind, g, sp.point(run), true)
		p.Via, p.To = t.via, t.to
		sp.run.proceed(&stepping{plan: p, stack: run})
		sp.insp.ShowInstructions = g == step.ByInstruction
	}); x != nil {
		return x
	}
	return err
}
