package debugger

import (
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Fault is what went wrong, in words.
type Fault struct {
	ID      string // "integer divide by zero", "unhandled tag $yield" …
	Kind    string // "trap", "unhandled tag", "uncaught exception"
	Message string // one line or two
	Search  []Level
	Trace   string // the backtrace across stacks
}

// Level is a stack that a search for a handler, or for a clause that catches an exception, passed.
type Level struct {
	Stack snapshot.StackID
	Title string // "#1 main, waiting at main.wat:30"
	Why   string // why no clause there matched
}

// faults explains what goes wrong.
type faults struct {
	opt      *Options
	mach     *vm.Machine
	sym      *symbols.Symbols
	filters  *Filters
	recorder *vm.Recorder // nil: no history is kept
	progress *progress
}

// stop returns the stop for a fault, nil if it is not to stop.
func (fa *faults) stop(s *vm.Stop) *Stop {
	switch {
	case fa.progress.expected:
		return nil
	case s.Reason == vm.StopTrap && (s.Trap == nil || s.Trap.Kind == wasm.TrapInterrupted || !fa.filters.wants("trap", nil) && !(consumed(s.Trap.Kind) && fa.filters.wants("consumed", nil))):
		return nil
	case s.Reason == vm.StopUnhandled && (s.Trap == nil || !fa.filters.wants("unhandled", s.Trap.Tag)):
		return nil
	case s.Reason == vm.StopThrow && (s.Exception == nil || !fa.filters.wants("uncaught", s.Exception.Tag)):
		return nil
	}
	out := &Stop{}
	f := &Fault{}
	switch s.Reason {
	case vm.StopThrow:
		out.Reason = AtThrow
		f.Kind, f.ID = "uncaught exception", "uncaught exception "+symbols.TagName(s.Exception.Tag)
		f.Message = fa.sym.ExceptionLine(s.Exception)
		f.Search = fa.catchSearch(s.Exception.Tag)
		f.Trace = fa.sym.Backtrace(s.Exception.Backtrace)
	case vm.StopUnhandled:
		out.Reason = AtUnhandled
		f.Kind, f.ID = "unhandled tag", s.Trap.Kind.String()
		if s.Trap.Tag != nil {
			f.ID += " " + symbols.TagName(s.Trap.Tag)
		}
		f.Message = f.ID
		for i, v := range s.Trap.Values {
			if i == 0 {
				f.Message += " with"
			}
			f.Message += " " + fa.sym.Preview(v, false)
		}
		f.Search = fa.search(s.Trap.Tag)
		f.Trace = fa.sym.Backtrace(s.Trap.Backtrace)
	default:
		out.Reason = AtTrap
		f.Kind, f.ID, f.Message = "trap", s.Trap.Kind.String(), s.Trap.Message
		f.Trace = fa.sym.Backtrace(s.Trap.Backtrace)
		if consumed(s.Trap.Kind) {
			f.Message += fa.consumer(symbols.TopFrame(s.Stack))
		}
		switch {
		case s.Trap.Kind == wasm.TrapCoroutineException || s.Trap.Kind == wasm.TrapTaskException:
			f.Search = fa.catchSearch(s.Trap.Tag)
		case s.Trap.At != nil:
			f.Search = []Level{fa.missed(s.Trap.At)}
		case s.Trap.Tag != nil:
			f.Search = fa.search(s.Trap.Tag)
		}
	}
	out.Text, out.Fault = f.Message, f
	return out
}

// consumed reports whether a trap is the use of a reference that was used up.
func consumed(k wasm.TrapKind) bool {
	return k == wasm.TrapContinuationConsumed || k == wasm.TrapStackConsumed
}

// consumer reports who used up the reference that a frame is about to use again.
func (fa *faults) consumer(f *vm.Frame) string {
	if f == nil {
		return ""
	}
	ops := f.Operands()
	for i := len(ops) - 1; i >= 0; i-- {
		r := ops[i].Ref
		if !ops[i].Type.IsRef() || r.Kind() != vm.RefStack {
			continue
		}
		st, good, stale := r.Stack()
		if !stale {
			continue
		}
		// A resumption counts the generation up by one, and as long as it lasts the parent link
		// says who did it, and where.
		if p := st.Parent(); p != nil && st.Generation() == good+1 {
			if p.OfDebugger() {
				return fmt.Sprintf("\nit was to stack #%d, which the debugger is cancelling", st.ID())
			}
			site, _ := p.Site()
			return fmt.Sprintf(
				"\nit was to stack #%d, which was %s at %s by stack #%d", st.ID(), words(st).Resumed,
				fa.sym.Site(site, true).Short(), p.ID(),
			)
		}
		if fa.recorder == nil {
			return fmt.Sprintf(
				"\nwhat consumed it is unknown: no history is kept (\"history\" is off); %s",
				usesAgo(st.Generation()-good),
			)
		}
		ev, ok := fa.recorder.Consumer(r)
		switch {
		case !ok && fa.recorder.Count() <= uint64(fa.opt.History):
			return "\nan evaluation of the debugger consumed it, not the program"
		case !ok:
			return fmt.Sprintf(
				"\nwhat consumed it is unknown: that was before the last %d stack events (\"historyEvents\" in the launch configuration keeps more); %s",
				fa.opt.History,
				usesAgo(st.Generation()-good),
			)
		}
		if ev.Kind == vm.EventRelease {
			return fmt.Sprintf("\nit was to stack #%d, which the debugger has ended", ev.Stack)
		}
		if ev.Kind == vm.EventConsume && ev.Site.Func == nil {
			return fmt.Sprintf("\nit was to stack #%d, which the debugger has cancelled", ev.Stack)
		}
		what := map[vm.EventKind]string{vm.EventResume: "resumed", vm.EventSwitch: "switched to", vm.EventBind: "bound", vm.EventConsume: "cancelled"}[ev.Kind]
		return fmt.Sprintf(
			"\nit was to stack #%d, which was %s at %s by stack #%d", ev.Stack, what,
			fa.sym.Site(ev.Site, true).Short(), ev.Other,
		)
	}
	return ""
}

// usesAgo reports how long ago a reference was used up, by the generations that its stack, and
// those that got its storage, have had since.
func usesAgo(n uint64) string {
	if n == 1 {
		return "it was the last use of that stack"
	}
	times := "once"
	if n != 2 {
		times = fmt.Sprintf("%d times", n-1)
	}
	return "since then that stack, or one in its place, was used or ended " + times
}

// Explain returns the whole story of a fault.
func (f *Fault) Explain() string {
	var b strings.Builder
	b.WriteString(f.Message)
	for _, l := range f.Search {
		fmt.Fprintf(&b, "\n  %s: %s", l.Title, l.Why)
	}
	return b.String()
}
