package debug

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/wasm"
)

// Options are how a program is to be debugged. The functions are called on the goroutine that runs
// the program and must not call the engine.
type Options struct {
	StopOnEntry bool
	NoDebug     bool // just run
	Law         Law
	History     int  // how many events are kept; 0: none
	Values      bool // keep payloads in the history
	OnStop      func(Stop)
	OnEnd       func(End)
	OnOutput    func(Stream, string, Site)
	OnEvent     func(Event)          // every event of stacks; nil: not wanted
	OnChange    func(Breakpoint)     // a breakpoint was resolved while the program runs
	OnUnit      func(i int)          // a unit became known that the program has not listed: Units()[i]
	OnData      func(DataBreakpoint) // what a data breakpoint watches is gone, or is there now
	// InGroup tells whether a group of breakpoints belongs to a file that becomes known only when the
	// program runs; nil: none does.
	InGroup func(group string, f *source.File) bool
}

// Reason tells why a program stopped.
type Reason uint8

// The reasons.
const (
	AtEntry Reason = iota
	AtBreakpoint
	AtStep
	AtPause
	AtTrap      // a trap
	AtUnhandled // a suspension that nothing handles
	AtThrow     // an exception that nothing catches
	AtEvent     // a control event that a filter asked for
	AtAssertion // a command of a script failed
	AtGoto      // nothing ran: the stack was made to go on elsewhere
	AtRestart   // nothing ran: a frame was made to begin anew
	AtData      // behind an access that a data breakpoint waits for
)

// Stop is that the program stopped.
type Stop struct {
	Reason Reason
	Stack  StackID // the running one
	Hits   []int   // ids of the breakpoints here
	Text   string  // for people, may be empty
	Fault  *Fault  // of AtTrap, AtUnhandled, AtThrow
}

// End is that the program ended.
type End struct {
	Results []vm.Value
	Err     error  // *vm.Trap, *vm.Exception, *vm.Exit, *vm.LinkError, *vm.Crash or another; nil if it went well
	Code    int    // exit code
	Text    string // what to tell: a trap's message with its backtrace; may be empty
	Pending string // a step that never ended, in words
	Leaks   string // the stacks that were never resumed to their end, a line for each kind; may be empty
	Killed  bool   // Kill was called
}

// ErrRunning is returned where the program would have to be stopped, or be reached within reasonable time.
var ErrRunning = errors.New("the program is running")

// ErrEnded is returned where the program would have to run.
var ErrEnded = errors.New("the program has ended")

// Engine runs a program under control. Its methods are for one goroutine, except Pause and Kill. The
// program runs on a goroutine of its own, which also does all looking at the machine: see Do.
type Engine struct {
	prog *Program
	opt  Options
	mach *vm.Machine

	ctx    context.Context
	cancel context.CancelFunc

	calls    chan func()  // what the running goroutine is to do while it stands
	want     atomic.Int32 // how many calls are on their way while it runs
	pausing  atomic.Bool
	killed   atomic.Bool
	stopped  atomic.Bool
	started  bool
	ended    chan struct{} // closed when the program has ended
	outMu    sync.Mutex
	finalOut End

	// Of the running goroutine from here on.
	*Symbols
	instances []*vm.Instance // those of units, in order of creation
	groups    map[string][]*Breakpoint
	sites     map[FuncID]map[int][]*Breakpoint
	filters   []filter
	after     string // what has just happened: stop at the next instruction
	entry     bool   // stop at the next instruction
	binding   bool   // a unit with a start function is being instantiated
	plan      *Plan
	planStack *vm.Stack
	hurried   bool // see hurry
	temps     []tempBreak
	exact     bool // the last step was by instruction: show instructions
	goOn      bool
	expected  bool         // a fault is what the program is after
	quiet     int          // >0: an evaluation is running, the probe is silent
	history   ring         // with payloads, if they are asked for
	recorder  *vm.Recorder // without
	steps     uint64
	exprs     map[exprKey]*expression
	data      map[string][]*DataBreakpoint
	live      []vm.LiveStack    // see all
	heads     map[*vm.Stack]int // how many stacks hang below each
	pins      map[StackID]*vm.Stack
	script    script
	// atCommands are the breakpoints at commands of a script, by their index.
	atCommands map[int][]*Breakpoint
	access     *access  // what the instruction that is being executed touches of what is watched
	objects    []vm.Ref // see objectData
	marks      uint32   // the last mark that was given to a frame
}

// NewEngine prepares a program to run. Nothing runs before Start.
func NewEngine(p *Program, o Options) *Engine {
	e := &Engine{
		prog: p, opt: o, calls: make(chan func()), ended: make(chan struct{}),
		Symbols: NewSymbols(p), groups: map[string][]*Breakpoint{}, sites: map[FuncID]map[int][]*Breakpoint{},
		exprs: map[exprKey]*expression{}, data: map[string][]*DataBreakpoint{}, pins: map[StackID]*vm.Stack{}, script: script{at: -1, plan: Run},
	}
	for _, f := range DefaultFilters() {
		e.filters = append(e.filters, filter{Filter: f})
	}
	if o.Values {
		e.history.cap = o.History
	}
	if o.History > 0 {
		e.recorder = vm.NewRecorder(o.History)
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.mach = vm.New(p.Limits)
	return e
}

// Program gives the program.
func (e *Engine) Program() *Program { return e.prog }

// Start begins to run the program.
func (e *Engine) Start() {
	if e.started {
		return
	}
	e.started = true
	if !e.opt.NoDebug {
		e.mach.SetProbe(e.probe)
		e.watchEvents()
		if e.opt.StopOnEntry {
			e.entry = true
			e.stepping()
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
	}()
	e.finish(&end)
	e.finalOut = end
	e.stopped.Store(false)
	e.forget()
	close(e.ended)
	if e.opt.OnEnd != nil {
		e.opt.OnEnd(end)
	}
}

func (e *Engine) finish(end *End) {
	end.Killed = e.killed.Load()
	var exit *vm.Exit
	switch {
	case end.Err == nil:
	case errors.As(end.Err, &exit):
		end.Code = int(exit.Code)
	default:
		end.Code = 1
		if !end.Killed {
			end.Text = e.describe(end.Err)
		}
	}
	if p := e.plan; p != nil && !end.Killed && end.Err == nil && p.Kind != Run && !p.gone {
		if s := e.planStack; s != nil && StackID(s.ID()) == p.Stack && s.State() != vm.StackMoribund {
			end.Pending = fmt.Sprintf("%s: stack #%d was never resumed", p.Kind, p.Stack)
		}
	}
	e.plan, e.planStack = nil, nil
	if end.Err == nil && !end.Killed && !e.opt.NoDebug {
		end.Leaks = e.leaks()
	}
}

// output passes on what the program writes, with the place of the call.
func (e *Engine) output(s Stream, text string) {
	e.outMu.Lock()
	defer e.outMu.Unlock()
	var at Site
	if st := e.mach.Running(); st != nil {
		at = e.stackSite(st)
	}
	if e.opt.OnOutput != nil {
		e.opt.OnOutput(s, text, at)
	}
}

// StopOnEntry asks for a stop before the first instruction, of a program that has not started.
func (e *Engine) StopOnEntry() { e.opt.StopOnEntry = true }

// Stopped tells whether the program has been started and stands.
func (e *Engine) Stopped() bool { return e.stopped.Load() }

// Started tells whether Start was called.
func (e *Engine) Started() bool { return e.started }

// Ended tells whether the program has ended.
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

// Do calls a function at a moment when the machine stands still and may be looked at: at once if the
// program has not started, is stopped or has ended, else at its next safe point, after which it runs
// on. It gives ErrRunning if no safe point is reached within two seconds.
func (e *Engine) Do(f func()) error {
	if !e.started || e.Ended() {
		f()
		return nil
	}
	if e.opt.NoDebug { // it is not to be disturbed
		return ErrRunning
	}
	done := make(chan struct{})
	call := func() {
		defer close(done)
		defer e.want.Add(-1)
		f()
	}
	e.want.Add(1)
	if !e.stopped.Load() {
		e.mach.RequestPause()
	}
	t := time.NewTimer(2 * time.Second)
	defer t.Stop()
	select {
	case e.calls <- call:
		<-done
	case <-e.ended:
		e.want.Add(-1)
		f()
	case <-t.C:
		e.want.Add(-1)
		return ErrRunning
	}
	return nil
}

// WhenStopped is Do for what needs a stopped program.
func (e *Engine) WhenStopped(f func()) error {
	switch {
	case e.Ended():
		return ErrEnded
	case !e.stopped.Load():
		return ErrRunning
	}
	return e.Do(f)
}

// Pause makes the program stop at its next safe point.
func (e *Engine) Pause() {
	if e.stopped.Load() {
		return
	}
	e.pausing.Store(true)
	e.mach.RequestPause()
}

// InHost tells of the call of the host that the program is in, and how many stacks wait for it to
// return; ok is false if it is in none. Meanwhile the program cannot be stopped. It may be called while
// the program runs.
func (e *Engine) InHost() (text string, ok bool) {
	e.outMu.Lock() // the host function may write something
	defer e.outMu.Unlock()
	ok = e.mach.InHost(func(fn *vm.Func) {
		run := e.mach.Running()
		if run == nil {
			return
		}
		s := e.Stack(run)
		text = fmt.Sprintf("the program is in a call of the host: %s called %s at %s, and stops when that returns", s.Name(), fn, s.At.Short())
		waiting, suspended := 0, 0
		found, _ := e.mach.SomeStacks(exactUpTo)
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
			text += fmt.Sprintf("; all other stacks are suspended, %d of them: nothing goes on but by what the host gives", suspended)
		case suspended+waiting > 0:
			text += fmt.Sprintf("; %d stacks wait for it, %d are suspended", waiting, suspended)
		}
	})
	return text, ok && text != ""
}

// Kill ends the program. It does not wait: see Done.
func (e *Engine) Kill() {
	if e.killed.Swap(true) {
		return
	}
	e.cancel()
	e.mach.Terminate()
	if e.started && e.stopped.Load() {
		go func() {
			select {
			case e.calls <- func() { e.goOn = true }:
			case <-e.ended:
			}
		}()
	}
}

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
	if run == nil && e.script.at >= 0 {
		e.prepareScript(kind)
		e.exact = kind != Run && g == ByInstruction
		return nil
	}
	if kind != Run {
		e.script.plan = Run
	}
	if stack != 0 && (run == nil || StackID(run.ID()) != stack) {
		if st = e.find(stack); st == nil {
			return fmt.Errorf("there is no stack #%d", stack)
		}
	}
	switch {
	case kind == Run && !stay:
		// A step that was interrupted on another stack is finished by Continue; on its own it is given up.
		if p := e.plan; p != nil && (run == nil || StackID(run.ID()) == p.Stack || p.Kind == Run) {
			e.plan, e.planStack = nil, nil
		}
	case st == nil:
		return errors.New("no stack is running")
	default:
		pt := e.point(st)
		p := NewPlan(kind, g, pt, st == run)
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
	e.mach.SetStepping(e.entry || e.script.into || e.binding || e.after != "" || e.access != nil || e.plan != nil && !e.hurried)
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

// serve does the calls that are on their way.
func (e *Engine) serve() {
	e.forget()
	defer e.forget()
	for e.want.Load() > 0 {
		select {
		case f := <-e.calls:
			f()
		case <-time.After(10 * time.Millisecond): // the caller has given up
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
	var hits []int
	event, data := e.after, ""
	if e.access != nil {
		hits, data = e.touched(s)
	}
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
	case e.script.into:
		e.script.into, e.script.plan = false, Run
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
		if data != "" {
			stop.Reason, stop.Text = AtData, strings.TrimSuffix(data+"\n"+text, "\n")
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

// planned tells whether the step that is under way ends here.
func (e *Engine) planned(pt *Point, s *vm.Stop) bool {
	p := e.plan
	if p == nil {
		return false
	}
	if st := e.planStack; st != nil && pt.Stack != p.Stack {
		if StackID(st.ID()) != p.Stack || st.State() == vm.StackMoribund {
			p.Finished(p.Stack)
		} else if p.Stay {
			p.Left(inChain(s.Stack, st))
		}
	}
	all, depth := p.Watch()
	if !all && (pt.Stack != p.Stack || pt.Depth > depth) {
		return false
	}
	return p.At(*pt)
}

// inChain tells whether a stack is an ancestor of the running one.
func inChain(run, st *vm.Stack) bool {
	for x := run; x != nil; x = x.Parent() {
		if x == st {
			return true
		}
	}
	return false
}

// halt stops: it tells, and does what it is told until that is to go on.
func (e *Engine) halt(s Stop) {
	if run := e.mach.Running(); run != nil {
		s.Stack = StackID(run.ID())
	} else if e.script.at >= 0 {
		s.Stack = ScriptThread
	}
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
