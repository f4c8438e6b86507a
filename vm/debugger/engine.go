package debugger

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"stackscope/vm"
)

// Engine runs a program under control. Its methods are for one goroutine, except Pause and Kill.
// The program runs on a goroutine of its own, which also does all looking at the machine: see Do.
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
	started  atomic.Bool
	idle     sync.Mutex    // while the program has not started or has ended, see whileIdle
	ended    chan struct{} // closed when the program has ended
	outMu    sync.Mutex
	partial  partial
	finalOut End

	// Of the running goroutine from here on.
	*Symbols
	instances  []*vm.Instance // those of units, in order of creation
	groups     map[string][]*Breakpoint
	sites      map[FuncID]map[int][]*Breakpoint
	filters    []filter
	after      string // what has just happened: stop at the next instruction
	entry      bool   // stop at the next instruction
	binding    bool   // a unit with a start function is being instantiated
	plan       *Plan
	planStack  *vm.Stack
	hurried    bool // see hurry
	temps      []tempBreak
	exact      bool // the last step was by instruction: show instructions
	goOn       bool
	at         Stop            // where it stands, while it does
	cancels    []cancellation  // that begin when the program is told to go on
	batches    []*batch        // that are under way, the innermost last
	expected   bool            // a fault is what the program is after
	forbidden  Effects         // of the evaluation that is under way
	asked      context.Context // of the request that is being served; nil: none can be cancelled
	evaluating context.Context // of the evaluation that is under way; nil: there is none
	quiet      int             // >0: an evaluation is running, the probe is silent
	history    ring            // with payloads, if they are asked for
	recorder   *vm.Recorder    // without
	steps      uint64
	exprs      map[exprKey]*expression
	data       map[string][]*DataBreakpoint
	seen       *survey // what was found out since something ran; nil: nothing
	moves      *moves  // the same of who switched to whom
	pins       map[StackID]*vm.Stack
	script     script
	into       bool // stop at the first instruction: a step into a command of the script
	muted      bool // in Runner.Mute
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
	e.Symbols.switches = e.switches
	return e
}

// Program returns the program.
func (e *Engine) Program() *Program { return e.prog }

// Start begins to run the program.
func (e *Engine) Start() {
	e.idle.Lock()
	defer e.idle.Unlock()
	if e.started.Load() {
		return
	}
	e.started.Store(true)
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
		if e.access != nil && !e.killed.Load() { // there is no next instruction to stop at
			if text := e.touched(nil).text(); text != "" {
				e.output(Console, text+"\n")
			}
		}
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
	e.moves = nil
	end.Killed = e.killed.Load()
	var exit *vm.Exit
	switch {
	case end.Err == nil:
	case errors.As(end.Err, &exit):
		end.Code = int(exit.Code)
	default:
		end.Code = 1
		if !end.Killed {
			end.Text = e.Describe(end.Err)
		}
	}
	if !end.Killed {
		end.Summary = e.summary(end)
	}
	if p := e.plan; p != nil && !end.Killed && end.Err == nil && p.Kind != Run && !p.gone {
		if s := e.planStack; s != nil && StackID(s.ID()) == p.Stack && s.State() != vm.StackMoribund {
			end.Pending = fmt.Sprintf("%s: stack #%d was never resumed", p.Kind, p.Stack)
		}
	}
	e.plan, e.planStack = nil, nil
	e.outMu.Lock()
	for s, rest := range e.partial {
		if rest != "" && e.opt.OnOutput != nil {
			e.opt.OnOutput(Stream(s), rest, Site{})
		}
	}
	e.outMu.Unlock()
	if end.Err == nil && !end.Killed && !e.opt.NoDebug {
		end.Leaks = e.leaks()
	}
}

// summary describes how the program ended. What traps is described by its message, and a script by
// its own summary.
func (e *Engine) summary(end *End) string {
	var exit *vm.Exit
	switch {
	case errors.As(end.Err, &exit):
		return fmt.Sprintf("program exited with code %d", exit.Code)
	case end.Err != nil || e.prog.Run != nil:
		return ""
	case e.prog.Invoke == "":
		return "module instantiated; no function was called"
	case len(end.Results) == 0:
		return e.prog.Invoke + " returned"
	}
	text := e.prog.Invoke + " returned"
	for _, v := range end.Results {
		text += " " + e.Constant(v)
	}
	return text
}

// output passes on what the program writes, with the place of the call.
func (e *Engine) output(s Stream, text string) {
	e.outMu.Lock()
	defer e.outMu.Unlock()
	var at Site
	if st := e.mach.Running(); st != nil {
		at = e.stackSite(st)
	}
	if text = e.partial.whole(s, text); text != "" && e.opt.OnOutput != nil {
		e.opt.OnOutput(s, text, at)
	}
}

// StopOnEntry asks for a stop before the first instruction, of a program that has not started.
func (e *Engine) StopOnEntry() { e.opt.StopOnEntry = true }

// Stopped reports whether the program has been started and stands.
func (e *Engine) Stopped() bool { return e.stopped.Load() }

// Started reports whether Start was called.
func (e *Engine) Started() bool { return e.started.Load() }

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
