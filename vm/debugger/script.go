package debugger

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stackscope/analysis/source"
	"stackscope/vm"
)

// Command is a step of what runs a program: a command of a script. To a debugger it is a place to
// stop at, and the frame below the calls that it makes.
type Command struct {
	File  *Source
	Span  source.Span
	Title string // "assert_return"
	Runs  bool   // it runs code of the program; a stop on entry is at the first one that does
}

// ScriptThread is the id of what is shown while a script stands between two calls. No stack has it.
const ScriptThread StackID = 1<<31 - 2

// script is where a script is.
type script struct {
	at   int      // the command that runs, -1: none
	plan StepKind // a step that began at a command; Run: none
}

// noStack is what people are told of an id that no stack has.
func noStack(id StackID) error {
	if id == ScriptThread {
		return errors.New("the script is no stack")
	}
	return fmt.Errorf("there is no stack #%d", id)
}

// Command is told that a command of the program's list is about to run. The program may stop.
func (r *Runner) Command(i int) {
	if e := r.engine; e != nil && !e.opt.NoDebug {
		e.commandBegins(i)
	}
}

// entryAt reports whether a stop on entry is at a command: the first one that runs code, or the
// first one if none does.
func (p *Program) entryAt(i int) bool {
	return p.Commands[i].Runs || !slices.ContainsFunc(p.Commands, func(c Command) bool { return c.Runs })
}

// Mute calls run, a part of the program that only prepares what is debugged. The program does not
// stop in it, except for a pause.
func (r *Runner) Mute(run func()) {
	e := r.engine
	if e == nil || e.opt.NoDebug {
		run()
		return
	}
	entry, expected := e.entry, e.expected
	e.muted, e.entry, e.expected = true, false, true
	e.stepping()
	defer func() {
		e.muted, e.entry, e.expected = false, entry, expected
		e.stepping()
	}()
	run()
}

// CommandFailed is told why the command that ran last failed. The program may stop.
func (r *Runner) CommandFailed(text string) {
	e := r.engine
	if e == nil || e.opt.NoDebug || e.killed.Load() || !e.wants("assertion", nil) {
		return
	}
	e.plan, e.planStack, e.script.plan = nil, nil, Run
	e.halt(Stop{Reason: AtAssertion, Text: text, Fault: &Fault{ID: "assertion failed", Kind: "assertion", Message: text}})
}

// commandBegins decides whether to stop before a command.
func (e *Engine) commandBegins(i int) {
	if e.killed.Load() {
		return
	}
	e.script.at, e.into = i, false
	e.serve()
	stop := Stop{Reason: AtStep}
	ended := e.plan != nil && e.plan.Kind != Run && e.planStack != nil &&
		(StackID(e.planStack.ID()) != e.plan.Stack || e.planStack.State() == vm.StackMoribund)
	var data touches
	if e.access != nil { // the last instruction of the command before did that
		data = e.touched(nil)
	}
	switch hits := e.commandHits(i); {
	case e.entry && (len(hits) > 0 || e.prog.entryAt(i)):
		e.entry = false
		stop.Reason, stop.Hits = AtEntry, hits
	case len(data.hits) > 0:
		stop.Reason, stop.Hits, stop.Text, stop.Brief = AtData, append(data.hits, hits...), data.text(), data.short()
	case len(hits) > 0:
		stop.Reason, stop.Hits = AtBreakpoint, hits
	case e.script.plan != Run || ended:
	case e.pausing.Swap(false):
		stop.Reason = AtPause
	default:
		return
	}
	e.pausing.Store(false)
	e.plan, e.planStack, e.script.plan = nil, nil, Run
	e.halt(stop)
}

// prepareScript is prepare where the program stands between two calls.
func (e *Engine) prepareScript(kind StepKind) {
	e.plan, e.planStack = nil, nil
	e.script.plan, e.into = kind, kind == Into
	if kind == Out {
		e.script.plan = Run
	}
}

// commandHits returns the breakpoints that stop at a command.
func (e *Engine) commandHits(i int) []int {
	var ids []int
	for _, b := range e.atCommands[i] {
		if b.Once && b.Hits > 0 || b.Stack != 0 {
			continue
		}
		b.Hits++
		switch {
		case !hitMatches(b.hitOp, b.hitN, b.Hits):
		case b.Log != "":
			e.output(Console, e.logText(nil, b.parts)+"\n")
		default:
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// commandOn finds the command that begins on a line of a file, or the first one below, -1 if there
// is none. A line that has code of its own is not the command's.
func (e *Engine) commandOn(f *Source, line int, code Place, codeErr error) int {
	best := -1
	for i, c := range e.prog.Commands {
		if c.File == f && f.LineOf(c.Span.Start) >= line {
			best = i
			break
		}
	}
	if best < 0 || codeErr != nil {
		return best
	}
	at, codeAt := f.LineOf(e.prog.Commands[best].Span.Start), f.LineOf(code.Span.Start)
	if codeAt == line || codeAt < at {
		return -1
	}
	return best
}

// scriptFrame is the frame of the command that runs; ok is false if there is none.
func (e *Engine) scriptFrame() (Frame, bool) {
	if e.script.at < 0 || e.script.at >= len(e.prog.Commands) || !e.started.Load() || e.Ended() {
		return Frame{}, false
	}
	c := e.prog.Commands[e.script.at]
	f := Frame{Stack: ScriptThread, Title: c.Title, Func: FuncID{Unit: -1}, PC: -1, File: c.File, Span: c.Span}
	for _, in := range e.mach.Instances() {
		if _, ok := e.units[in.Module()]; ok {
			f.in, f.Module = in, in.Module()
		}
	}
	f.Site = Site{Func: c.Title, File: c.File.Name, Offset: c.Span.Start}
	f.Site.Line, f.Site.Col = c.File.LineCol(c.Span.Start)
	return f, true
}

// ScriptTitle names the thread of the script where it stands between two calls, "" elsewhere. It
// must be called inside Do.
func (e *Engine) ScriptTitle() string {
	f, ok := e.scriptFrame()
	if !ok || e.mach.Running() != nil {
		return ""
	}
	return fmt.Sprintf(
		"script · command %d of %d: %s at %s", e.script.at+1, len(e.prog.Commands), strings.TrimSpace(f.Title),
		f.Site.Short(),
	)
}
