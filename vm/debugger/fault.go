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
	script   bool // JavaScript calls the program, and may catch what comes out of it
}

// stop returns the stop for a fault, nil if it is not to stop.
func (fa *faults) stop(s *vm.Stop) *Stop {
	switch {
	case fa.progress.expected:
		return nil
	case s.Reason == vm.StopTrap && (s.Trap == nil || s.Trap.Kind == wasm.TrapInterrupted || !fa.filters.wants("trap", nil) && !(s.Trap.Kind.Stale() && fa.filters.wantsUse("consumed", nil, s.Trap.Stale))):
		return nil
	case s.Reason == vm.StopUnhandled && (s.Trap == nil || !fa.filters.wants("unhandled", s.Trap.Tag)):
		return nil
	case s.Reason == vm.StopThrow && (s.Exception == nil || !fa.filters.wants("uncaught", s.Exception.Tag) ||
		fa.caughtOutside(s.Exception.Tag)):
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
		f.Trace = symbols.ExceptionTrace(fa.sym, s.Exception.Backtrace)
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
		if r := s.Trap.Stale; r.Kind() == vm.RefStack {
			f.Message += "\n" + fa.staleUse(r)
		}
		if st, _, _ := s.Trap.Misplaced.Stack(); st != nil {
			x := fa.sym.Stack(st)
			f.Message += "\nit is " + x.Title()
			if x.Parent != 0 {
				f.Message += fmt.Sprintf("; %s #%d at %s", x.Words().Linked, x.Parent, x.ParentAt.Short())
			}
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

// staleUse reports which stack a reference was to that was used up, or whose stack has ended, and
// how that came.
func (fa *faults) staleUse(r vm.Ref) string {
	d := r.StackDialect().Info()
	s, ended := fa.sym.EndedStack(r)
	if d.Events { // it names a stack, rather than a use of one
		switch {
		case s.End != nil:
			text := fmt.Sprintf("it is %s, which has finished: %s", s.Name(), s.End.Text(s.Dialect))
			if s.End.Kind == snapshot.Returned {
				text = fmt.Sprintf("it is %s, which has finished: its function returned", s.Name())
			}
			if sk := s.End.SkippedText(); sk != "" {
				text += "; that " + sk
			}
			return text
		case fa.recorder == nil:
			return fmt.Sprintf("it is %s; how that ended is unknown: no history is kept (\"history\" is off)", s.Name())
		case fa.recorder.KeepsEnds():
			return fmt.Sprintf("it is %s; an evaluation of the debugger ended it, not the program", s.Name())
		}
		return fmt.Sprintf("it is %s; how that ended is unknown: too many stacks have ended since", s.Name())
	}
	st, good, _ := r.Stack()
	name := s.Name()
	if !ended {
		name = fmt.Sprintf("#%d %s", st.ID(), fa.sym.BaseTitle(st))
		// A resumption counts the generation up by one, and as long as it lasts the parent link
		// says who did it, and where.
		if p := st.Parent(); p != nil && st.Generation() == good+1 {
			if p.OfDebugger() {
				return fmt.Sprintf("it was to stack %s, which the debugger is cancelling", name)
			}
			site, _ := p.Site()
			return fmt.Sprintf(
				"it was to stack %s, which was %s at %s by stack #%d", name, d.Resumed,
				fa.sym.Site(site, true).Short(), p.ID(),
			)
		}
	}
	was := "it was to stack " + name
	if fa.recorder == nil {
		return was + "; what consumed it is unknown: no history is kept (\"history\" is off); " + fa.usesAgo(r, ended)
	}
	switch ev, ok := fa.recorder.Consumer(r); {
	case ok && ev.Kind == vm.EventConsume && ev.Site.Func == nil:
		return was + ", which the debugger has cancelled"
	case ok:
		return fmt.Sprintf(
			"%s, which was %s at %s by stack #%d", was, symbols.UsedHow(ev.Kind, ev.Dialect),
			fa.sym.Site(ev.Site, true).Short(), ev.Other,
		)
	case s.End != nil && s.End.Kind == snapshot.Ended:
		return was + ", which the debugger has ended"
	case fa.recorder.Count() <= uint64(fa.opt.History) && s.End != nil:
		return was + ", which has finished: " + s.End.Text(s.Dialect)
	case fa.recorder.Count() <= uint64(fa.opt.History):
		return was + "; an evaluation of the debugger consumed it, not the program"
	}
	return fmt.Sprintf(
		"%s; what consumed it is unknown: that was before the last %d stack events "+
			"(\"historyEvents\" in the launch configuration keeps more); %s", was, fa.opt.History, fa.usesAgo(r, ended),
	)
}

// usesAgo reports how long ago a reference was used up, by the generations that its stack has had
// since.
func (fa *faults) usesAgo(r vm.Ref, ended bool) string {
	st, good, _ := r.Stack()
	if ended {
		return "the stack has ended since"
	}
	n := st.Generation() - good
	if n == 1 {
		return "it was the last use of that stack"
	}
	times := "once"
	if n != 2 {
		times = fmt.Sprintf("%d times", n-1)
	}
	return "since then that stack was used " + times
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
