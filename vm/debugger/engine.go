package debugger

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"unicode/utf8"

	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/lang"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/stacks"
	"stackscope/vm/debugger/step"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/debugger/watch"
)

// Engine runs a program under control. It is composed of parts, each with a duty of its own; the
// engine itself starts, stops, resumes and ends the program.
//
// Its methods, and those of its parts, are for one goroutine, except Pause and Kill. The program
// runs on a goroutine of its own, which also does all looking at the machine: see Do. The parts are
// set by NewEngine and never change.
type Engine struct {
	Symbols         *symbols.Symbols   // functions, places, values and stacks in words
	Stacks          *stacks.Stacks     // finds, lists and queries the stacks
	Inspector       *inspect.Inspector // stack traces, frames and variables
	Evaluator       *inspect.Evaluator // expressions, assignments and calls
	Breakpoints     *Breakpoints       // places in code where the program stops or logs
	Filters         *Filters           // faults and control events that stop the program
	DataBreakpoints *DataBreakpoints   // variables and memory whose accesses stop the program
	Stepper         *Stepper           // steps, their targets, and moves to other places
	Canceller       *Canceller         // ends stacks and throws exceptions into them
	History         *History           // the events of the stacks

	prog *Program
	opt  *Options
	mach *vm.Machine

	ctx    context.Context
	cancel context.CancelFunc

	calls chan func()   // what the running goroutine is to do while it is stopped
	idle  sync.Mutex    // held while the program has not started or has ended, see whileIdle
	ended chan struct{} // closed when the program has ended

	outMu   sync.Mutex
	partial partial

	// Of the running goroutine.
	run      *run
	progress *progress
	faults   *faults
}

// NewEngine prepares a program to run. Nothing runs before Start.
func NewEngine(p *Program, o Options) *Engine {
	opt, mach, sym := &o, vm.New(p.Limits), symbols.NewSymbols(p.Units)
	e := &Engine{prog: p, opt: opt, mach: mach, calls: make(chan func()), ended: make(chan struct{}), Symbols: sym}
	skip, _ := symbols.NewSkip(p.Skip) // who has read the patterns has told of mistakes
	sym.SetSkip(skip)
	sym.SetView(nil, p.WAT)
	e.ctx, e.cancel = context.WithCancel(context.Background())
	var rec *vm.Recorder
	if o.History > 0 {
		rec = vm.NewRecorder(o.History)
	}
	e.run = newRun(mach)
	e.progress = &progress{
		prog: p, mach: mach, sym: sym, run: e.run, active: e.active, script: script{at: -1, plan: step.Run},
	}
	e.Stacks = stacks.NewStacks(mach, sym, rec)
	finder := watch.NewFinder(mach, sym, e.Stacks)
	e.Inspector = inspect.NewInspector(mach, sym, e.Stacks, finder, inspect.Hooks{
		Cancelling:  func(own *vm.Stack) string { return e.Canceller.cancelling(own) },
		ScriptFrame: e.progress.scriptFrame,
		Silence:     e.silence,
	})
	if e.Inspector.Printers, _ = lang.LoadPrinters(p.Printers...); e.Inspector.Printers == nil {
		e.Inspector.Printers, _ = lang.LoadPrinters() // CheckPrinters has told of mistakes
	}
	e.Evaluator = inspect.NewEvaluator(e.Inspector, p.Compile)
	e.Breakpoints = &Breakpoints{
		prog: p, opt: opt, mach: mach, sym: sym, run: e.run, eval: e.Evaluator, do: e.Do,
		groups: map[string][]*Breakpoint{}, sites: map[snapshot.FuncID]map[int][]*Breakpoint{},
	}
	e.Filters = &Filters{mach: mach, sym: sym, bps: e.Breakpoints, do: e.Do}
	for _, f := range DefaultFilters() {
		e.Filters.list = append(e.Filters.list, filter{Filter: f})
	}
	e.DataBreakpoints = &DataBreakpoints{
		opt: opt, sym: sym, run: e.run, eval: e.Evaluator, finder: finder, bps: e.Breakpoints, do: e.Do,
		groups: map[string][]*DataBreakpoint{},
	}
	e.History = &History{opt: opt, mach: mach, sym: sym, run: e.run, filters: e.Filters, recorder: rec}
	if o.Values {
		e.History.ring.cap = o.History
	}
	e.Filters.changed = e.History.watch
	e.Stepper = &Stepper{
		opt: opt, mach: mach, sym: sym, stacks: e.Stacks, insp: e.Inspector, run: e.run, progress: e.progress,
		bps: e.Breakpoints, history: e.History, whenStopped: e.WhenStopped,
	}
	e.History.stackEnded = e.Stepper.stackEnded
	e.Canceller = &Canceller{
		opt: opt, mach: mach, sym: sym, stacks: e.Stacks, insp: e.Inspector, data: e.DataBreakpoints, steps: e.Stepper,
		run: e.run, progress: e.progress, ctx: e.ctx, output: e.output,
	}
	e.faults = &faults{
		opt: opt, mach: mach, sym: sym, filters: e.Filters, recorder: rec, progress: e.progress,
	}
	return e
}

// Program returns the program.
func (e *Engine) Program() *Program { return e.prog }

// Start begins to run the program.
func (e *Engine) Start() {
	e.idle.Lock()
	defer e.idle.Unlock()
	if e.run.started.Load() {
		return
	}
	e.run.started.Store(true)
	if !e.opt.NoDebug {
		e.mach.SetProbe(e.probe)
		e.History.watch()
		if e.opt.StopOnEntry {
			e.run.due.entry = true
			e.run.setStepping()
		}
	}
	go e.main()
}

func (e *Engine) main() {
	end := End{}
	func() {
		defer func() {
			if r := recover(); r != nil {
				end.Err = &vm.Crash{Value: r, Stack: string(debug.Stack())}
			}
		}()
		r := &Runner{Machine: e.mach, Program: e.prog, engine: e, Output: e.output}
		end.Results, end.Err = e.prog.run(e.ctx, r)
		if e.run.due.access != nil && !e.run.killed.Load() { // there is no next instruction to stop at
			if text := e.DataBreakpoints.touched(nil).text(); text != "" {
				e.output(Console, text+"\n")
			}
		}
	}()
	e.finish(&end)
	e.run.stopped.Store(false)
	e.Stacks.Forget()
	close(e.ended)
	if e.opt.OnEnd != nil {
		e.opt.OnEnd(end)
	}
}

func (e *Engine) finish(end *End) {
	e.Stacks.ForgetSwitches()
	end.Killed = e.run.killed.Load()
	var exit *vm.Exit
	switch {
	case end.Err == nil:
	case errors.As(end.Err, &exit):
		end.Code = int(exit.Code)
	default:
		end.Code = 1
		if !end.Killed {
			end.Text = e.Symbols.Describe(end.Err)
		}
	}
	if !end.Killed {
		end.Summary = e.summary(end)
	}
	if st := e.run.step(); st != nil && !end.Killed && end.Err == nil {
		if p := st.plan; p.Kind != step.Run && !p.Gone && snapshot.StackID(st.stack.ID()) == p.Stack &&
			st.stack.State() != vm.StackMoribund {
			end.Pending = fmt.Sprintf("%s: stack #%d was never resumed", p.Kind, p.Stack)
		}
	}
	e.run.state = ended{}
	e.outMu.Lock()
	for s, rest := range e.partial {
		if rest != "" && e.opt.OnOutput != nil {
			e.opt.OnOutput(Stream(s), rest, snapshot.Site{})
		}
	}
	e.outMu.Unlock()
	if end.Err == nil && !end.Killed && !e.opt.NoDebug {
		end.Leaks = e.Stacks.Leaks()
	}
	if !end.Killed {
		end.Skipped = e.Stacks.Skipped()
	}
}

// summary describes how the program ended. What traps is described by its message, and a script by
// its own summary.
func (e *Engine) summary(end *End) string {
	var exit *vm.Exit
	switch {
	case errors.As(end.Err, &exit):
		return fmt.Sprintf("program exited with code %d", exit.Code)
	case end.Err != nil || e.prog.Run != nil || len(e.prog.Commands) > 0:
		return ""
	case e.prog.Invoke == "":
		return "module instantiated; no function was called"
	case len(end.Results) == 0:
		return e.prog.Invoke + " returned"
	}
	text := e.prog.Invoke + " returned"
	for _, v := range end.Results {
		text += " " + e.Symbols.Constant(v)
	}
	return text
}

// output passes on what the program writes, with the place of the call.
func (e *Engine) output(s Stream, text string) {
	e.outMu.Lock()
	defer e.outMu.Unlock()
	var at snapshot.Site
	if st := e.mach.Running(); st != nil {
		at = e.Symbols.StackSite(st)
	}
	if text = e.partial.whole(s, text); text != "" && e.opt.OnOutput != nil {
		e.opt.OnOutput(s, text, at)
	}
}

// StopOnEntry asks for a stop before the first instruction, of a program that has not started.
func (e *Engine) StopOnEntry() { e.opt.StopOnEntry = true }

// Stopped reports whether the program has been started and stands.
func (e *Engine) Stopped() bool { return e.run.stopped.Load() }

// Started reports whether Start was called.
func (e *Engine) Started() bool { return e.run.started.Load() }

// active reports whether the program has started and has not ended.
func (e *Engine) active() bool { return e.run.started.Load() && !e.Ended() }

// Ended reports whether the program has ended.
func (e *Engine) Ended() bool {
	select {
	case <-e.ended:
		return true
	default:
		return false
	}
}

// Done is closed when the program has ended.
func (e *Engine) Done() <-chan struct{} { return e.ended }

// RegisterForm returns the ops of the fused form of a function by the instruction that they come
// from; nil if no instance of its module exists, or it has none. It must be called inside Do.
func (e *Engine) RegisterForm(id snapshot.FuncID) map[int][]string {
	for _, in := range e.Breakpoints.instances {
		if unit, _ := e.Symbols.UnitOf(in.Module()); unit != id.Unit {
			continue
		}
		out := map[int][]string{}
		for i, o := range in.Func(id.Func).FusedForm() {
			out[o.PC] = append(out[o.PC], fmt.Sprintf("%d: %s", i, o.Text))
		}
		return out
	}
	return nil
}

// partial is what each stream was given of a character whose other bytes are still to come: a
// program may write a text in pieces of any length.
type partial [Console + 1]string

// whole returns the characters that are whole now, and keeps the rest.
func (p *partial) whole(s Stream, text string) string {
	text = p[s] + text
	n := len(text)
	for k := 1; k < utf8.UTFMax && k <= n; k++ {
		if b := text[n-k:]; utf8.RuneStart(b[0]) {
			if !utf8.FullRuneInString(b) {
				n -= k
			}
			break
		}
	}
	p[s] = text[n:]
	return text[:n]
}

// silence lets nothing stop, and nothing be recorded, until what it returns is called.
func (e *Engine) silence() (end func()) {
	before := e.run.state
	e.run.state = evaluating{before}
	e.mach.SetRecorder(nil)
	return func() {
		e.Stacks.Forget()
		if e.run.state = before; !e.run.silent() {
			e.History.watch()
		}
	}
}
