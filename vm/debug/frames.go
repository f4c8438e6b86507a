package debug

import (
	"fmt"

	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/wasm"
)

// Frame is a frame of a stack that stands still. It is good until the program goes on.
type Frame struct {
	Stack   StackID
	Depth   int // 0 is the base frame
	Title   string
	Func    FuncID
	Module  *wasm.Module
	PC      int
	File    *Source // nil: no source
	Span    source.Span
	Site    Site
	Waiting bool // the instruction has begun: a call, a resume, a suspension
	vf      *vm.Frame
	fi      *funcInfo
	in      *vm.Instance // of a command of a script: the module that was instantiated last
}

// instance gives the instance whose globals, tables and memories the frame sees, nil if there is none.
func (f Frame) instance() *vm.Instance {
	if f.vf != nil {
		return f.vf.Instance()
	}
	return f.in
}

// OfScript tells that the frame is a command of a script.
func (f Frame) OfScript() bool { return f.Stack == ScriptThread }

// Gone tells that the frame has ended: something has run, or ended its stack, since it was described. It
// must be called inside Do.
func (f Frame) Gone() bool {
	return f.vf != nil && (StackID(f.vf.Stack().ID()) != f.Stack || f.Depth >= f.vf.Stack().NumFrames())
}

// MayRestart tells whether the frame can begin anew, as far as can be told without looking at the stacks
// around it. It must be called inside Do.
func (f Frame) MayRestart() bool {
	if f.vf == nil || f.fi == nil || f.fi.fn == nil {
		return false
	}
	switch f.vf.Stack().State() {
	case vm.StackRunning, vm.StackWaiting, vm.StackSuspended:
		return true
	}
	return false
}

// frames describes the frames of a stack, innermost first.
func (e *Engine) frames(st *vm.Stack) []Frame {
	fs := st.Frames()
	out := make([]Frame, 0, len(fs))
	for i, f := range fs {
		exact := i > 0 || e.exact || st.State() != vm.StackRunning && !st.Moved()
		out = append(out, e.frame(f, exact))
	}
	return out
}

func (e *Engine) frame(f *vm.Frame, exact bool) Frame {
	fi := e.info(f.Func())
	x := Frame{
		Stack: StackID(f.Stack().ID()), Depth: f.Depth(), Title: fi.title, Func: fi.id, Module: fi.mod, PC: f.PC(),
		Waiting: f.Waiting(), vf: f, fi: fi,
	}
	x.Site = fi.site(x.PC, exact)
	if fi.unit != nil {
		x.File, x.Span = fi.unit.File, fi.span(x.PC, exact)
	}
	return x
}

// Entry is a line of the stack trace of a thread: a frame, or a label between frames.
type Entry struct {
	Label string // if not empty, it is a label
	Frame Frame
}

// Trace gives the stack trace of a stack. Of the running stack that is its frames, then a label that
// tells how it was resumed, then the frames of its resumer, and so on down to the host. Of another
// stack it is its frames, and labels that tell what it waits for and who made it. ok is false if there
// is no such stack. It must be called inside Do.
func (e *Engine) Trace(id StackID) (out []Entry, ok bool) {
	run := e.mach.Running()
	if id == ScriptThread {
		f, ok := e.scriptFrame()
		return []Entry{{Frame: f}}, ok && run == nil
	}
	if run == nil || StackID(run.ID()) != id {
		st := e.find(id)
		if st == nil {
			return nil, false
		}
		return e.parked(st), true
	}
	for st := range e.mach.Chain() {
		if st.OfDebugger() {
			continue
		}
		for _, f := range e.frames(st) {
			out = append(out, Entry{Frame: f})
		}
		switch p := st.Parent(); {
		case p != nil && p.OfDebugger():
			out = append(out, Entry{Label: "cancelled with " + e.cancelling(p) + " by the debugger"})
		case p != nil:
			out = append(out, Entry{Label: e.resumeLabel(p)})
		case st.Rooted():
			out = append(out, Entry{Label: "called by the host"})
		}
	}
	if n := len(out); n > 0 && out[n-1].Label != "" {
		out = out[:n-1] // nothing below the host's call
	}
	if f, ok := e.scriptFrame(); ok {
		out = append(out, Entry{Frame: f})
	}
	return out, true
}

// resumeLabel tells how the child of a waiting stack was resumed.
func (e *Engine) resumeLabel(p *vm.Stack) string {
	site, _ := p.Site()
	var hs []vm.Handled
	if f := topFrame(p); f != nil {
		hs = f.Handlers()
	}
	return e.resumedBy(StackID(p.ID()), e.baseTitle(p), site, hs)
}

// parked is the trace of a stack that does not run.
func (e *Engine) parked(st *vm.Stack) (out []Entry) {
	if st.OfDebugger() {
		return []Entry{{Label: "the debugger cancels the stack above with " + e.cancelling(st)}}
	}
	s := e.Stack(st)
	fs := e.frames(st)
	switch {
	case s.State == New:
		out = append(out, Entry{Label: "not started: resuming it enters " + s.Base})
	case st.Below() && !st.InHost():
		out = append(out, Entry{Label: "stopped at " + s.At.Short() + "; a cancellation runs on top of it"})
	case st.Below():
		out = append(out, Entry{Label: "waiting for a call of the host"})
	case s.State == Waiting:
		out = append(out, Entry{Label: "waiting for the stack it resumed"})
	case st.Moved():
		out = append(out, Entry{Label: "goes on at " + s.At.Short() + " when it is resumed"})
	default:
		l := "suspended"
		if s.Tag != "" {
			l += " by " + s.Tag
		}
		out = append(out, Entry{Label: l + " at " + s.At.Short()})
	}
	for _, f := range fs {
		out = append(out, Entry{Frame: f})
	}
	if p := st.Parent(); p != nil {
		out = append(out, Entry{Label: e.resumeLabel(p)})
	}
	if !s.CreatedAt.IsZero() {
		out = append(out, Entry{Label: "created at " + s.CreatedAt.Short()})
	}
	return out
}

// StackVar gives a stack as a variable. It must be called inside Do.
func (e *Engine) StackVar(id StackID) (Var, bool) {
	st := e.find(id)
	if st == nil {
		return Var{}, false
	}
	s := e.Stack(st)
	return Var{Name: fmt.Sprintf("#%d", id), Text: s.Title(), Children: func() []Var { return e.stackVars(st) }}, true
}

// Release ends stacks that are new or suspended: references to them are consumed from then on. None is
// ended if one of them cannot be. It must be called inside Do.
func (e *Engine) Release(ids []StackID) error {
	seen := map[*vm.Stack]bool{}
	for _, id := range ids {
		st := e.find(id)
		switch {
		case st == nil:
			return fmt.Errorf("there is no stack #%d", id)
		case st.Rooted():
			return fmt.Errorf("#%d cannot be ended: a call of the host runs on it", id)
		case st.Parent() != nil && st.Parent().OfDebugger():
			return fmt.Errorf("#%d is being cancelled already", id)
		case st.Parent() != nil:
			return fmt.Errorf("#%d cannot be ended: #%d waits for it", id, st.Parent().ID())
		}
		seen[st] = true
	}
	defer e.forget()
	for st := range seen {
		if !e.mach.Release(st) {
			return fmt.Errorf("#%d cannot be ended: it is running", st.ID())
		}
	}
	return nil
}
