package debugger

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

// instance returns the instance whose globals, tables and memories the frame sees, nil if there is
// none.
func (f Frame) instance() *vm.Instance {
	if f.vf != nil {
		return f.vf.Instance()
	}
	return f.in
}

// OfScript reports that the frame is a command of a script.
func (f Frame) OfScript() bool { return f.Stack == ScriptThread }

// Gone reports that the frame has ended: something has run, or ended its stack, since it was
// described. It must be called inside Do.
func (f Frame) Gone() bool {
	return f.vf != nil && (StackID(f.vf.Stack().ID()) != f.Stack || f.Depth >= f.vf.Stack().NumFrames())
}

// MayRestart reports whether the frame can begin again, as far as can be told without looking at
// the stacks around it. It must be called inside Do.
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
func (ip *Inspector) frames(st *vm.Stack) []Frame {
	out := make([]Frame, st.NumFrames())
	for i := range out {
		out[i] = ip.frameAt(st, i)
	}
	return out
}

// frameAt describes the ith frame of a stack, counted from the innermost.
func (ip *Inspector) frameAt(st *vm.Stack, i int) Frame {
	exact := i > 0 || ip.exact || st.State() != vm.StackRunning && !st.Moved()
	return ip.frame(st.Frame(st.NumFrames()-1-i), exact)
}

func (ip *Inspector) frame(f *vm.Frame, exact bool) Frame {
	fi := ip.sym.info(f.Func())
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

// linkLabel reports how a stack came to hang below its parent, which waits.
func (y *Symbols) linkLabel(st, parent *vm.Stack) string {
	site, _ := parent.Site()
	var hs []vm.HandlerClause
	if f := topFrame(parent); f != nil {
		hs = f.HandlerClauses()
	}
	return y.linkedTo(StackID(st.ID()), StackID(parent.ID()), y.baseTitle(parent), site, hs)
}

// StackVar returns a stack as a variable. It must be called inside Do.
func (ip *Inspector) StackVar(id StackID) (Var, bool) {
	st := ip.stacks.find(id)
	if st == nil {
		return Var{}, false
	}
	s := ip.sym.Stack(st)
	name := fmt.Sprintf("#%d", id)
	return Var{
		Name: name, EvalName: name, Text: s.Title(),
		Children: func() []Var { return within(name, ip.stackVars(st)) },
	}, true
}

// Release ends stacks that are new or suspended: references to them are consumed from then on. None
// is ended if one of them cannot be. It must be called inside Do.
func (ca *Canceller) Release(ids []StackID) error {
	seen := map[*vm.Stack]bool{}
	for _, id := range ids {
		st := ca.stacks.find(id)
		switch {
		case st == nil:
			return noStack(id)
		case st.Rooted():
			return fmt.Errorf("#%d cannot be ended: a call of the host runs on it", id)
		case st.Parent() != nil && st.Parent().OfDebugger():
			return fmt.Errorf("#%d is being cancelled already", id)
		case st.Parent() != nil:
			return fmt.Errorf("#%d cannot be ended: #%d waits for it", id, st.Parent().ID())
		}
		seen[st] = true
	}
	defer ca.stacks.forget()
	for st := range seen {
		if !ca.mach.Release(st) {
			return fmt.Errorf("#%d cannot be ended: it is running", st.ID())
		}
	}
	return nil
}
