package debugger

import (
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
)

// A search explains why nothing took what a stack sent: a tag or an exception. It passes the stacks
// of the running chain, innermost first, and has a level for each.

// The levels that are kept of a search: the first and the last ones.
const firstLevels, lastLevels = 50, 10

// levels collects the levels of a search.
type levels struct {
	first, last []Level
	omitted     int
}

func (l *levels) add(x Level) {
	if len(l.first) < firstLevels {
		l.first = append(l.first, x)
		return
	}
	if l.last = append(l.last, x); len(l.last) > 2*lastLevels {
		l.omitted += lastLevels
		l.last = append(l.last[:0], l.last[lastLevels:]...)
	}
}

// all returns the levels that are kept, with one that stands for the others.
func (l *levels) all() []Level {
	if n := len(l.last) - lastLevels; l.omitted > 0 && n > 0 {
		l.omitted += n
		l.last = l.last[n:]
	}
	out := l.first
	if l.omitted > 0 {
		out = append(
			out,
			Level{Title: fmt.Sprintf("… %s more stacks", symbols.Grouped(l.omitted)), Why: "none of them does either"},
		)
	}
	return append(out, l.last...)
}

// missed reports why the stack that was to take an event does not.
func (fa *faults) missed(st *vm.Stack) Level {
	s := fa.sym.Stack(st)
	l := Level{Stack: s.ID, Title: fmt.Sprintf("%s, at %s", s.Name(), s.At.Short()), Why: "it accepts no events there"}
	var names []string
	for _, h := range st.EventClauses() {
		names = append(names, symbols.TagName(h.Tag))
	}
	if len(names) > 0 {
		l.Why = "it accepts only " + strings.Join(names, ", ") + " there"
	}
	return l
}

// search reports, resume by resume, why nothing handled a tag.
func (fa *faults) search(tag *vm.Tag) []Level {
	run := fa.mach.Running()
	if run == nil {
		return nil
	}
	var out levels
	last := run
	for p := run.Parent(); p != nil; p = p.Parent() {
		if p.OfDebugger() {
			out.add(fa.debuggerLevel(p, last, "it handles no tags"))
			return out.all()
		}
		last = p
		site, _ := p.Site()
		l := fa.waitingLevel(p)
		var hs []vm.HandlerClause
		if f := symbols.TopFrame(p); f != nil {
			hs = f.HandlerClauses()
		}
		if d := fa.sym.Dialect(site).Info(); !d.HandlerClauses {
			l.Why = "it waits for a " + d.Noun + ", and no tag passes that"
			out.add(l)
			return out.all()
		}
		l.Why = why(tag, hs, fa.sym.Clauses(site, hs))
		out.add(l)
	}
	out.add(fa.hostLevel(last, "the host handles no tags"))
	return out.all()
}

// catchSearch reports, stack by stack, why nothing caught an exception. It ends at a stack that no
// exception can leave.
func (fa *faults) catchSearch(tag *vm.Tag) []Level {
	run := fa.mach.Running()
	if run == nil {
		return nil
	}
	var out levels
	var child *vm.Stack
	for s := run; ; s = s.Parent() {
		if s.OfDebugger() {
			out.add(
				Level{
					Stack: snapshot.StackID(s.ID()), Title: fmt.Sprintf("#%d the debugger", s.ID()),
					Why: "it catches no exceptions",
				},
			)
			return out.all()
		}
		l := fa.waitingLevel(s)
		if s == run {
			site, _ := s.Site()
			l.Title = fmt.Sprintf("#%d %s, at %s", s.ID(), fa.sym.BaseTitle(s), fa.sym.Site(site, true).Short())
		}
		l.Why = fa.uncaught(s, tag)
		if child != nil {
			site, _ := s.Site()
			if note := symbols.Inherited(fa.sym, snapshot.StackID(child.ID()), l.Stack, site); note != "" {
				l.Why += "; " + note
			}
		}
		child = s
		leaves := ""
		if d := s.Dialect().Info(); !s.Rooted() && d.Exception != 0 {
			leaves = "; an exception that leaves a " + d.Noun + " traps"
		}
		l.Why += leaves
		out.add(l)
		if leaves != "" {
			return out.all()
		}
		if s.Parent() == nil {
			why := "the host catches no exceptions"
			if fa.script {
				why = "if JavaScript has called it, that may catch the exception"
			}
			out.add(fa.hostLevel(s, why))
			return out.all()
		}
	}
}

// caughtOutside reports whether a frame catches an exception with a tag that leaves the running host
// call, if the host function that has made the call passes it on: as the host's functions do, and
// JavaScript without a catch.
func (fa *faults) caughtOutside(tag *vm.Tag) bool {
	outside, looked := false, 0
	for s := range fa.mach.Chain() {
		if s.OfDebugger() {
			return false
		}
		for i := s.NumFrames() - 1; outside && i >= 0 && looked < framesSearched; i-- {
			looked++
			f := s.Frame(i)
			for _, t := range f.Tries() {
				for _, c := range t.Tags {
					if c == nil || c == tag {
						return true
					}
				}
			}
		}
		outside = outside || s.Parent() == nil
	}
	return false
}

// The tries of a stack that are named, and the frames that are looked at.
const triesNamed, framesSearched = 5, 10_000

// uncaught reports why none of the frames of a stack catches an exception with a tag.
func (fa *faults) uncaught(s *vm.Stack, tag *vm.Tag) string {
	n := s.NumFrames()
	var tries []string
	more := 0
	for i := n - 1; i >= max(0, n-framesSearched); i-- {
		f := s.Frame(i)
		for _, t := range f.Tries() {
			if more++; more > triesNamed {
				continue
			}
			var names []string
			for _, c := range t.Tags {
				switch {
				case c != nil && tag != nil && c.String() == tag.String():
					names = append(names, symbols.TagName(c)+" (another tag of that name)")
				case c != nil:
					names = append(names, symbols.TagName(c))
				}
			}
			at := fa.sym.Site(vm.Site{Func: f.Func(), PC: t.PC}, true)
			if len(names) == 0 {
				tries = append(tries, fmt.Sprintf("the %s at %s catches nothing", at.Text, at.Short()))
				continue
			}
			tries = append(tries, fmt.Sprintf("the %s at %s catches only %s", at.Text, at.Short(), strings.Join(names, ", ")))
		}
	}
	switch {
	case len(tries) == 0 && n == 1:
		return "its frame is not in a try_table"
	case len(tries) == 0:
		return fmt.Sprintf("none of its %d frames is in a try_table", n)
	case more > triesNamed:
		tries = append(tries, fmt.Sprintf("%d more catch other tags", more-triesNamed))
	}
	return strings.Join(tries, "; ")
}

// waitingLevel begins the level of a stack that waits.
func (fa *faults) waitingLevel(s *vm.Stack) Level {
	site, _ := s.Site()
	return Level{
		Stack: snapshot.StackID(s.ID()),
		Title: fmt.Sprintf("#%d %s, waiting at %s", s.ID(), fa.sym.BaseTitle(s), fa.sym.Site(site, true).Short()),
	}
}

// debuggerLevel is the level of a stack of the debugger that cancels another one.
func (fa *faults) debuggerLevel(s, cancelled *vm.Stack, why string) Level {
	return Level{
		Stack: snapshot.StackID(s.ID()),
		Title: fmt.Sprintf("#%d the debugger, which cancels #%d", s.ID(), cancelled.ID()), Why: why,
	}
}

// hostLevel is the level of the host that has called a stack.
func (fa *faults) hostLevel(s *vm.Stack, why string) Level {
	return Level{
		Stack: snapshot.StackID(s.ID()), Title: fmt.Sprintf("#%d %s, called by the host", s.ID(), fa.sym.BaseTitle(s)),
		Why: why,
	}
}

// why reports why none of the clauses of a resume matched.
func why(tag *vm.Tag, hs []vm.HandlerClause, cs []symbols.Clause) string {
	if len(hs) == 0 {
		return "its resume has no handler clauses"
	}
	var names []string
	for i, h := range hs {
		switch {
		case h.Tag == tag && h.Switch:
			return fmt.Sprintf("its clause `%s` is for switch, not for suspend", cs[i])
		case h.Tag == tag:
			return fmt.Sprintf("its clause `%s` is for suspend, not for switch", cs[i])
		case h.Tag != nil && tag != nil && h.Tag.String() == tag.String():
			names = append(names, cs[i].Tag+" (another tag of that name)")
		default:
			names = append(names, cs[i].Tag)
		}
	}
	return "it handles only " + strings.Join(names, ", ")
}
