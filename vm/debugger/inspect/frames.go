package inspect

import (
	"fmt"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/vm/debugger/lang"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/stacks"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/debugger/watch"
	"stackscope/wasm"
)

// Frame is a frame of a stack that is stopped. It is good until the program resumes.
type Frame struct {
	Stack    snapshot.StackID
	Depth    int // 0 is the base frame
	Title    string
	Func     snapshot.FuncID
	Module   *wasm.Module
	PC       int
	File     *symbols.Source // nil: no source
	Span     source.Span
	Site     snapshot.Site
	Waiting  bool // the instruction has begun: a call, a resume, a suspension
	VM       *vm.Frame
	Function *symbols.Function
	Instance *vm.Instance // of a command of a script: the module that was instantiated last

	// Of a frame whose function has debugging information. The frames of calls that were inlined
	// share VM, Depth and PC with that of their function, and come before it.
	Source  *debuginfo.Func  // nil: nothing is known
	Scope   *debuginfo.Scope // the function or the inlined call that this is a frame of; nil: not known
	Inlined int              // how many inlined calls are outside of this one in the function; 0: the function
	Folded  bool             // a frame of the language's runtime, or of a file that is skipped
	WAT     *symbols.Source  // the second place: in the text format
	WATSpan source.Span
}

// instance returns the instance whose globals, tables and memories the frame sees, nil if there is
// none.
func (f Frame) instance() *vm.Instance {
	if f.VM != nil {
		return f.VM.Instance()
	}
	return f.Instance
}

// OfScript reports that the frame is a command of a script.
func (f Frame) OfScript() bool { return f.Stack == ScriptThread }

// Gone reports that the frame has ended: something has run, or ended its stack, since it was
// described. It must be called inside Do.
func (f Frame) Gone() bool {
	return f.VM != nil && (snapshot.StackID(f.VM.Stack().ID()) != f.Stack || f.Depth >= f.VM.Stack().NumFrames())
}

// MayRestart reports whether the frame can begin again, as far as can be told without looking at
// the stacks around it. It must be called inside Do.
func (f Frame) MayRestart() bool {
	if f.VM == nil || f.Function == nil || f.Function.Func == nil {
		return false
	}
	switch f.VM.Stack().State() {
	case vm.StackRunning, vm.StackWaiting, vm.StackSuspended:
		return true
	}
	return false
}

// Hooks are what an inspector and an evaluator ask about the run of the program.
type Hooks struct {
	// Cancelling returns the tag with which the debugger cancels what runs above one of its own
	// stacks.
	Cancelling func(own *vm.Stack) string
	// ScriptFrame returns the frame of the command of a script that runs; ok is false if none does.
	ScriptFrame func() (f Frame, ok bool)
	// Silence lets nothing stop and nothing be recorded until end is called.
	Silence func() (end func())
}

// Inspector describes frames, what they see, and the stack traces that they are in.
type Inspector struct {
	mach             *vm.Machine
	sym              *symbols.Symbols
	stacks           *stacks.Stacks
	finder           *watch.Finder
	hooks            Hooks
	ShowInstructions bool // the last step was by instruction: show instructions
	// Printers show values of library types.
	Printers *lang.Printers
	src      sourceView
	path     func(f Frame, path string) (Var, error) // finds what a path of WebAssembly names
}

// NewInspector returns an inspector of a machine.
func NewInspector(
	mach *vm.Machine, sym *symbols.Symbols, stacks *stacks.Stacks, finder *watch.Finder, hooks Hooks,
) *Inspector {
	ip := &Inspector{mach: mach, sym: sym, stacks: stacks, finder: finder, hooks: hooks}
	ip.src.ip = ip
	return ip
}

// frames describes the frames of a stack, innermost first, with the calls that are inlined.
func (ip *Inspector) frames(st *vm.Stack) (out []Frame) {
	for i := range st.NumFrames() {
		out = append(out, ip.levels(st, i)...)
	}
	return out
}

// levels describes the ith frame of a stack, counted from the innermost: the calls that are inlined
// where it stands, innermost first, and the function.
func (ip *Inspector) levels(st *vm.Stack, i int) []Frame {
	exact := i > 0 || ip.ShowInstructions || st.State() != vm.StackRunning && !vm.GoesOnHere(st)
	f := st.Frame(st.NumFrames() - 1 - i)
	fi := ip.sym.Function(f.Func())
	hidden := 0
	if i == 0 {
		hidden = ip.sym.Hidden(st)
	}
	ls := fi.LevelsAt(f.PC(), hidden)
	out := make([]Frame, len(ls))
	for k, l := range ls {
		out[k] = ip.level(f, fi, l, exact)
	}
	if i == 0 {
		if s, ok := ip.sym.ArrivedSite(st); ok {
			at, file, _ := ip.sym.Arrived(st)
			out[0].Site, out[0].File, out[0].Span = s, file, at.Span
		}
	}
	return out
}

// frame describes the innermost level of a frame.
func (ip *Inspector) frame(f *vm.Frame, exact bool) Frame {
	fi := ip.sym.Function(f.Func())
	hidden := 0
	if st := f.Stack(); f.Depth() == st.NumFrames()-1 {
		hidden = ip.sym.Hidden(st)
	}
	return ip.level(f, fi, fi.LevelsAt(f.PC(), hidden)[0], exact)
}

// level describes a level of a frame.
func (ip *Inspector) level(f *vm.Frame, fi *symbols.Function, l symbols.Level, exact bool) Frame {
	x := Frame{
		Stack: snapshot.StackID(f.Stack().ID()), Depth: f.Depth(), Title: l.Title, Func: fi.ID, Module: fi.Module,
		PC: f.PC(), Waiting: f.Waiting(), VM: f, Function: fi,
		Source: fi.Source(), Scope: l.Scope, Folded: fi.Folded(l),
	}
	if l.Inline != nil {
		x.Inlined = l.Inline.Depth
	}
	x.File, x.Span, x.Site = fi.Shown(l, x.PC, exact)
	if fi.Unit != nil {
		x.WAT, x.WATSpan = fi.Unit.File, fi.WAT().Span(x.PC, exact)
	}
	return x
}

// Words returns the words of the design of the frame's stack, or of its module if the stack was made
// for a call from the host.
func (ip *Inspector) Words(f Frame) *wasm.Words {
	d := wasm.DialectNone
	if f.VM != nil {
		d = ip.sym.Design(f.VM.Stack())
	}
	if !d.Switches() && f.Module != nil {
		d = f.Module.Dialect
	}
	return &d.Info().Words
}

// StackVar returns a stack as a variable, also one that has ended, as long as that is known. It must
// be called inside Do.
func (ip *Inspector) StackVar(id snapshot.StackID) (Var, bool) {
	st, name := ip.stacks.Find(id), fmt.Sprintf("#%d", id)
	if st == nil {
		s, ok := ip.sym.EndedID(id)
		if !ok {
			if s, ok = ip.stacks.Held(id); !ok {
				return Var{}, false
			}
		}
		return Var{
			Name: name, EvalName: name, Text: s.Title(),
			Children: func() []Var { return within(name, ip.endedVars(&s)) },
		}, true
	}
	s := ip.sym.Stack(st)
	return Var{
		Name: name, EvalName: name, Text: s.Title(),
		Children: func() []Var { return within(name, ip.stackVars(st)) },
	}, true
}

// ScriptThread is the id of what is shown while a script stands between two calls. No stack has it.
const ScriptThread snapshot.StackID = 1<<31 - 2
