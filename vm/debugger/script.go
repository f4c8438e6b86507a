package debugger

import (
	"fmt"
	"slices"
	"strings"

	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/step"
	"stackscope/vm/debugger/symbols"
)

// Command is a step of what runs a program: a command of a script. To a debugger it is a place to
// stop at, and the frame below the calls that it makes.
type Command struct {
	File  *symbols.Source
	Span  source.Span
	Title string // "assert_return"
	Runs  bool   // it runs code of the program; a stop on entry is at the first one that does
}

// progress is how far the program's own Run has come: the command of a script, and what Run
// expects.
type progress struct {
	prog     *Program
	mach     *vm.Machine
	sym      *symbols.Symbols
	run      *run
	active   func() bool // Engine.active
	script   script
	muted    bool // in Runner.Mute
	expected bool // a fault is what the program is after
}

// script is where a script is.
type script struct {
	at   int       // the command that runs, -1: none
	plan step.Kind // a step that began at a command; Run: none
}

// Command records that a command of the program's list is about to run. The program may stop.
func (r *Runner) Command(i int) {
	if e := r.engine; e != nil && !e.opt.NoDebug {
		e.commandBegins(i)
	}
}

// Event records that the program's host is about to call the program, or to continue a call, for a
// command of the program's list; -1 is none. If a step has ended with the code before, the program
// stops at the first instruction.
func (r *Runner) Event(i int) {
	e := r.engine
	if e == nil || e.opt.NoDebug || e.run.killed.Load() {
		return
	}
	e.progress.script.at = i
	e.serve()
	if e.stepEnded() || e.progress.script.plan != step.Run {
		e.Stepper.drop()
		e.progress.script.plan = step.Run
		e.run.due.into = true
	}
	e.run.setStepping()
}

// stepEnded reports whether a step is under way whose stack has ended.
func (e *Engine) stepEnded() bool {
	st := e.run.step()
	return st != nil && st.plan.Kind != step.Run &&
		(snapshot.StackID(st.stack.ID()) != st.plan.Stack || st.stack.State() == vm.StackMoribund)
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
	entry, expected := e.run.due.entry, e.progress.expected
	e.progress.muted, e.run.due.entry, e.progress.expected = true, false, true
	e.run.setStepping()
	defer func() {
		e.progress.muted, e.run.due.entry, e.progress.expected = false, entry, expected
		e.run.setStepping()
	}()
	run()
}

// CommandFailed is told why the command that ran last failed. The program may stop.
func (r *Runner) CommandFailed(text string) {
	e := r.engine
	if e == nil || e.opt.NoDebug || e.run.killed.Load() || !e.Filters.wants("assertion", nil) {
		return
	}
	e.Stepper.drop()
	e.progress.script.plan = step.Run
	e.stop(
		Stop{Reason: AtAssertion, Text: text, Fault: &Fault{ID: "assertion failed", Kind: "assertion", Message: text}},
	)
}

// commandBegins decides whether to stop before a command.
func (e *Engine) commandBegins(i int) {
	if e.run.killed.Load() {
		return
	}
	e.progress.script.at, e.run.due.into = i, false
	e.serve()
	stop := Stop{Reason: AtStep}
	ended := e.stepEnded()
	var data touches
	if e.run.due.access != nil { // the last instruction of the command before did that
		data = e.DataBreakpoints.touched(nil)
	}
	switch hits := e.commandHits(i); {
	case e.run.due.entry && (len(hits) > 0 || e.prog.entryAt(i)):
		e.run.due.entry = false
		stop.Reason, stop.Hits = AtEntry, hits
	case len(data.hits) > 0:
		stop.Reason, stop.Hits, stop.Text, stop.Brief = AtData, append(data.hits, hits...), data.text(), data.short()
	case len(hits) > 0:
		stop.Reason, stop.Hits = AtBreakpoint, hits
	case e.progress.script.plan != step.Run || ended:
	case e.run.pausing.Swap(false):
		stop.Reason = AtPause
	default:
		return
	}
	e.run.pausing.Store(false)
	e.Stepper.drop()
	e.progress.script.plan = step.Run
	e.stop(stop)
}

// commandHits returns the breakpoints that stop at a command.
func (e *Engine) commandHits(i int) []int {
	var ids []int
	for _, b := range e.Breakpoints.atCommands[i] {
		if b.Once && b.Hits > 0 || b.Stack != 0 {
			continue
		}
		b.Hits++
		switch {
		case !hitMatches(b.hitOp, b.hitN, b.Hits):
		case b.Log != "":
			e.output(Console, e.Evaluator.LogText(nil, b.parts)+"\n")
		default:
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// commandOn finds the command that begins on a line of a file, or the first one below, -1 if there
// is none. A line that has code of its own is not the command's.
func (bp *Breakpoints) commandOn(f *symbols.Source, line int, code symbols.Place, codeErr error) int {
	best := -1
	for i, c := range bp.prog.Commands {
		if c.File == f && f.LineOf(c.Span.Start) >= line {
			best = i
			break
		}
	}
	if best < 0 || codeErr != nil {
		return best
	}
	at, codeAt := f.LineOf(bp.prog.Commands[best].Span.Start), f.LineOf(code.Span.Start)
	if codeAt == line || codeAt < at {
		return -1
	}
	return best
}

// scriptFrame is the frame of the command that runs; ok is false if there is none.
func (pg *progress) scriptFrame() (inspect.Frame, bool) {
	if pg.script.at < 0 || pg.script.at >= len(pg.prog.Commands) || !pg.active() {
		return inspect.Frame{}, false
	}
	c := pg.prog.Commands[pg.script.at]
	f := inspect.Frame{
		Stack: inspect.ScriptThread, Title: c.Title, Func: snapshot.FuncID{Unit: -1}, PC: -1, File: c.File,
		Span: c.Span,
	}
	for _, in := range pg.mach.Instances() {
		if _, ok := pg.sym.UnitOf(in.Module()); ok {
			f.Instance, f.Module = in, in.Module()
		}
	}
	f.Site = snapshot.Site{Func: c.Title, File: c.File.Name, Offset: c.Span.Start}
	f.Site.Line, f.Site.Col = c.File.LineCol(c.Span.Start)
	return f, true
}

// ScriptTitle names the thread of the script where it is stopped between two calls, "" elsewhere.
// It must be called inside Do.
func (e *Engine) ScriptTitle() string { return e.progress.title() }

// title is Engine.ScriptTitle.
func (pg *progress) title() string {
	f, ok := pg.scriptFrame()
	if !ok || pg.mach.Running() != nil {
		return ""
	}
	return fmt.Sprintf(
		"script · command %d of %d: %s at %s", pg.script.at+1, len(pg.prog.Commands), strings.TrimSpace(f.Title),
		f.Site.Short(),
	)
}
