package debugger

import (
	"errors"

	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/stacks"
	"stackscope/vm/debugger/step"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Stepper runs steps, and makes stacks continue at other places.
type Stepper struct {
	opt         *Options
	mach        *vm.Machine
	sym         *symbols.Symbols
	stacks      *stacks.Stacks
	insp        *inspect.Inspector
	run         *run
	progress    *progress
	bps         *Breakpoints
	history     *History
	whenStopped func(func()) error // Engine.WhenStopped
}

// Prepare sets how a stopped program resumes: with a step or without (Run). stack is the stack
// that the step is for, 0 for the running one. stay asks that it also stops when control leaves the
// stack. The program continues with Go.
func (sp *Stepper) Prepare(kind step.Kind, g step.Granularity, stack snapshot.StackID, stay bool) error {
	var err error
	if x := sp.whenStopped(func() { err = sp.prepare(kind, g, stack, stay) }); x != nil {
		return x
	}
	return err
}

func (sp *Stepper) prepare(kind step.Kind, g step.Granularity, stack snapshot.StackID, stay bool) error {
	run := sp.mach.Running()
	st := run
	if run == nil && sp.progress.script.at >= 0 && (stack == 0 || stack == inspect.ScriptThread) {
		sp.prepareScript(kind)
		sp.insp.ShowInstructions = kind != step.Run && g == step.ByInstruction
		return nil
	}
	if kind != step.Run {
		sp.progress.script.plan = step.Run
	}
	if stack != 0 && (run == nil || snapshot.StackID(run.ID()) != stack) {
		if st = sp.stacks.Find(stack); st == nil {
			return sp.insp.NoStack(stack)
		}
	}
	switch {
	case kind == step.Run && !stay:
		// A step that was interrupted on another stack is finished by Continue; on its own it is
		// given up.
		if p := sp.run.plan(); p != nil && (run == nil || snapshot.StackID(run.ID()) == p.Stack || p.Kind == step.Run) {
			sp.drop()
		}
	case st == nil:
		return errors.New("no stack is running")
	default:
		if kind == step.Into && g != step.ByInstruction && st == run && sp.enterInlined(st) {
			break
		}
		pt := sp.point(st)
		if g != step.ByInstruction && kind != step.Run && pt.Code == step.Folded && !sp.brokeHere() {
			pt = sp.outOfFolded(st, pt)
		}
		p := step.NewPlan(kind, g, pt, st == run)
		p.Away = !inChain(run, st)
		p.Stay = stay || sp.opt.Semantics == ByControl && kind != step.Run
		sp.run.proceed(&stepping{plan: p, stack: st})
	}
	if kind != step.Run {
		sp.insp.ShowInstructions = g == step.ByInstruction
	} else if sp.run.step() == nil {
		sp.insp.ShowInstructions = false
	}
	return nil
}

// prepareScript is prepare where the program is stopped between two calls.
func (sp *Stepper) prepareScript(kind step.Kind) {
	sp.drop()
	sp.progress.script.plan, sp.run.due.into = kind, kind == step.Into
	if kind == step.Out {
		sp.progress.script.plan = step.Run
	}
}

// point describes where a stack stands.
func (sp *Stepper) point(st *vm.Stack) step.Point {
	p := step.Point{Stack: snapshot.StackID(st.ID()), Depth: st.NumFrames()}
	site, _ := st.Site()
	if st.State() == vm.StackNew {
		p.Depth, site = 1, vm.Site{Func: st.BaseFunc()}
	}
	sp.fill(&p, site)
	if n := sp.sym.Hidden(st); n > 0 && n <= len(p.Entering) {
		c := p.Entering[n-1]
		p.Inline, p.File, p.Line, p.Entering = c.Inline, c.File, c.Line, p.Entering[n:]
		if p.Code = step.InSource; c.Folded {
			p.Code = step.Folded
		}
	}
	if at, file, ok := sp.sym.Arrived(st); ok { // at a clause, before that
		p.PC, p.Stmt, p.Tail, p.Line = site.PC-1, true, false, 1+file.LineOf(at.Span.Start)
	}
	return p
}

// enterInlined is a step into a call that is inlined and begins where a stack stands: nothing runs.
// It reports whether there is one that is not folded.
func (sp *Stepper) enterInlined(st *vm.Stack) bool {
	n := sp.sym.Hidden(st)
	if n == 0 {
		return false
	}
	site, _ := st.Site()
	fi := sp.sym.Function(site.Func)
	if l := fi.LevelsAt(site.PC, n-1)[0]; fi.Folded(l) {
		return false
	}
	sp.sym.HideCalls(st, n-1)
	sp.drop()
	sp.run.due.inlined = true
	return true
}

// brokeHere reports whether the program has stopped at a breakpoint: what is there is looked at.
func (sp *Stepper) brokeHere() bool {
	s, ok := sp.run.state.(*stopped)
	return ok && len(s.at.Hits) > 0
}

// maxFoldedFrames bounds how many frames are looked at for one that is not folded.
const maxFoldedFrames = 10_000

// outOfFolded returns where the innermost frame of a stack stands that is not folded; if there is
// none, top, where the stack stands.
func (sp *Stepper) outOfFolded(st *vm.Stack, top step.Point) step.Point {
	n := st.NumFrames()
	for i, site := range st.Trace(maxFoldedFrames) {
		fi := sp.sym.Function(site.Func)
		if i > 0 && fi.Instr(site.PC) != nil && fi.IsUser(site.PC) {
			p := step.Point{Stack: top.Stack, Depth: n - i}
			sp.fill(&p, site)
			p.Tail = false // it waits in a call
			return p
		}
	}
	return top
}

func (sp *Stepper) fill(p *step.Point, site vm.Site) {
	fi := sp.sym.Function(site.Func)
	p.Func, p.PC = fi.ID, site.PC
	switch {
	case !fi.IsUser(site.PC):
		p.Code = step.Folded
	case fi.InSource():
		p.Code = step.InSource
	}
	if p.Inline = fi.InlineAt(site.PC); p.Inline != nil && fi.Entering(site.PC, nil) != nil {
		for _, l := range fi.LevelsAt(site.PC, 0)[1:] {
			c := step.Caller{Inline: l.Inline, Line: l.Place.Line, Folded: fi.Folded(l)}
			if l.Known {
				c.File = fi.FileOf(l.Place).Name
			}
			p.Entering = append(p.Entering, c)
			if l.Inline == nil || l.Inline.Entry != site.PC {
				break
			}
		}
	}
	if plan := sp.run.plan(); p.Code != step.Folded || fi.InSource() || plan == nil || plan.Any() {
		p.Stmt, p.Line = fi.IsStatement(site.PC), fi.Line(site.PC)
	}
	if fi.InSource() {
		if f := fi.File(site.PC); f != nil {
			p.File = f.Name
		}
		p.Prologue = site.PC < fi.Begin()
	}
	if in := fi.Instr(site.PC); in != nil {
		switch in.Op {
		case wasm.OpReturnCall, wasm.OpReturnCallIndirect, wasm.OpReturnCallRef:
			p.Tail = true
		}
	}
}

// planned reports whether the step that is under way ends here.
func (sp *Stepper) planned(pt *step.Point, s *vm.Stop) bool {
	now := sp.run.step()
	if now == nil {
		return false
	}
	p := now.plan
	switch st := now.stack; {
	case pt.Stack == p.Stack:
		p.Chained(true)
	case snapshot.StackID(st.ID()) != p.Stack || st.State() == vm.StackMoribund:
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

// While a step waits for control to come back to a frame, the machine runs at full speed: instead
// of single steps there are breakpoints wherever control can enter again the functions that the
// stack's frames are in. The observer reports the end of the stack.
//
// A line of source may take millions of instructions, in the frame of the step or in functions that
// are folded. After some single steps the machine then runs at full speed, too: to the instructions
// of the frame where the step may end, and for a step into to all code of the user.

// patience is how many instructions a step looks at one at a time before it runs at full speed in its
// own frame; foldedPatience, in folded functions: to find all code of the user takes longer.
const (
	patience       = 500
	foldedPatience = 20_000
)

// speedUp switches to full speed, if the step that is under way allows it at a point.
func (sp *Stepper) speedUp(pt *step.Point) {
	now := sp.run.step()
	if now == nil || now.fast || sp.opt.SingleSteps || now.plan.Stay || sp.run.due.entry || sp.run.due.instantiating {
		return
	}
	p := now.plan
	all, depth := p.Watch()
	if !all && (pt.Stack != p.Stack || pt.Depth > depth) {
		sp.runFast(depth)
		return
	}
	own, folded := patience, foldedPatience
	if n := sp.opt.Patience; n > 0 {
		own, folded = n, n
	}
	if now.slow++; now.slow < own || p.Any() {
		return
	}
	switch inFrame := p.Own(pt); {
	case inFrame && !all && now.slow > own/patience*len(sp.sym.FunctionOf(pt.Func).Func.Body)/4:
		if sp.runFast(depth - 1); now.fast {
			sp.breakInFrame(now)
		}
	case !all || now.slow <= folded:
	case inFrame || pt.Code == step.Folded && !sp.sym.MayBeUser(sp.sym.FunctionOf(pt.Func).Module, pt.Func.Func):
		sp.runToUser(now) // in another function the next instruction may be code of the user
	}
}

// wantedAt reports whether something else than a step may be wanted at a point.
func (sp *Stepper) wantedAt(pt *step.Point, s *vm.Stop) bool {
	return sp.bps.sites[pt.Func][pt.PC] != nil || s.Arrival != nil || sp.run.want.Load() > 0 || sp.run.pausing.Load()
}

// breakInFrame sets breakpoints at the instructions of the frame of a step where it may end.
func (sp *Stepper) breakInFrame(now *stepping) {
	start := now.plan.Start()
	f := now.stack.Frame(start.Depth - 1)
	if f == nil || snapshot.StackID(now.stack.ID()) != start.Stack || sp.sym.Function(f.Func()).ID != start.Func {
		return
	}
	now.stops = true
	sp.breakAtSuccessors(f.Func())
	for pc := range sp.sym.FunctionOf(start.Func).Func.Body {
		x := step.Point{Stack: start.Stack, Depth: start.Depth}
		if sp.fill(&x, vm.Site{Func: f.Func(), PC: pc}); !now.plan.Passes(&x) {
			sp.bps.setTemporary(f.Func(), pc)
		}
	}
}

// breakAtSuccessors sets breakpoints where functions begin that a stack calls in place of another.
func (sp *Stepper) breakAtSuccessors(fn *vm.Func) {
	for _, other := range sp.sym.Function(fn).Successors() {
		if next := fn.Instance().Func(other); next != nil {
			sp.bps.setTemporary(next, 0)
		}
	}
}

// maxUserEntries bounds the breakpoints that runToUser sets.
const maxUserEntries = 500_000

// runToUser lets the machine run at full speed, out of folded code or of the frame of the step, until
// it comes to code of the user.
func (sp *Stepper) runToUser(now *stepping) {
	var set []tempBreak
	for _, in := range sp.mach.Instances() {
		for fn := range in.Module().Funcs {
			if len(in.Module().Funcs[fn].Body) == 0 || !sp.sym.MayBeUser(in.Module(), uint32(fn)) {
				continue
			}
			f := in.Func(uint32(fn))
			fi := sp.sym.Function(f)
			begin := fi.Begin()
			set = append(set, tempBreak{f, begin})
			for _, pc := range fi.Entries() {
				if pc > begin {
					set = append(set, tempBreak{f, pc})
				}
			}
			if len(set) > maxUserEntries {
				return
			}
		}
	}
	now.fast = true
	for _, t := range set {
		sp.bps.setTemporary(t.fn, t.pc)
	}
	sp.breakInFrame(now)
	sp.history.watch()
	sp.run.setStepping()
}

// runFast switches to full speed. Breakpoints are where control enters the functions of frames of the
// stack again, up to a depth.
func (sp *Stepper) runFast(depth int) {
	now := sp.run.step()
	p, st := now.plan, now.stack
	if all, _ := p.Watch(); all || snapshot.StackID(st.ID()) != p.Stack || st.State() == vm.StackMoribund {
		return
	}
	now.fast = true
	seen := map[*vm.Func]bool{nil: true}
	enters := func(fn *vm.Func) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		fi := sp.sym.Function(fn)
		for _, pc := range fi.Entries() {
			sp.bps.setTemporary(fn, pc)
		}
		sp.breakAtSuccessors(fn)
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
	} else if f := symbols.TopFrame(st); vm.GoesOnHere(st) && f != nil { // control can enter it there, too
		sp.bps.setTemporary(f.Func(), f.PC())
	}
	sp.history.watch()
	sp.run.setStepping()
}

// singleStep goes back to single steps.
func (sp *Stepper) singleStep() {
	if !sp.run.fast() {
		return
	}
	now := sp.run.step()
	now.fast, now.stops = false, false
	for _, t := range sp.bps.temps {
		if sp.bps.sites[sp.sym.Function(t.fn).ID][t.pc] == nil {
			sp.mach.ClearBreakpoint(t.fn, t.pc)
		}
	}
	sp.bps.temps = sp.bps.temps[:0]
	sp.history.watch()
	sp.run.setStepping()
}

// stackEnded records that a stack has ended while the machine runs at full speed.
func (sp *Stepper) stackEnded(id snapshot.StackID) {
	if now := sp.run.step(); now != nil && now.fast && now.plan.Stack == id {
		now.plan.Finished(id)
		now.ended = true
		sp.singleStep()
	}
}

// drop abandons the step that is under way, if there is one.
func (sp *Stepper) drop() {
	if sp.run.step() != nil {
		sp.singleStep()
		sp.run.proceed(sp.run.base)
	}
}
