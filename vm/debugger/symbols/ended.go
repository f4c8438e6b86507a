package symbols

import (
	"fmt"
	"sort"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// What is known of stacks that have ended: their number always, from the references to them; their
// name and end as long as the recorder keeps them.

var endKinds = [...]snapshot.EndKind{
	vm.EndReturned: snapshot.Returned, vm.EndRetired: snapshot.Retired, vm.EndReleased: snapshot.Released,
	vm.EndThrew: snapshot.Threw, vm.EndTrapped: snapshot.Trapped,
	vm.EndExited: snapshot.Exited, vm.EndByDebugger: snapshot.Ended,
}

// end describes the end of a stack; nil if the event is none.
func (y *Symbols) end(ev *vm.Event) *snapshot.End {
	if ev.End == vm.EndNone {
		return nil
	}
	e := &snapshot.End{Kind: endKinds[ev.End], With: snapshot.StackID(ev.With), Tag: TagName(ev.Tag)}
	if ev.By != ev.Stack {
		e.By = snapshot.StackID(ev.By)
	}
	if e.Kind != snapshot.Returned && ev.Site.Func != nil {
		e.At = y.Site(ev.Site, true)
	}
	e.Skipped, e.More = y.Skipped(ev.Skipped), ev.Skipped.More
	return e
}

// Skipped describes tries.
func (y *Symbols) Skipped(sk vm.Skipped) []snapshot.Site {
	var out []snapshot.Site
	for _, at := range sk.Tries {
		out = append(out, y.Site(at, true))
	}
	return out
}

// EndedStack describes the stack that a stale reference was to, if that has ended; ok is false if
// it has not, or the reference is none to a stack.
func (y *Symbols) EndedStack(r vm.Ref) (s snapshot.Stack, ok bool) {
	st, _, stale := r.Stack()
	id := r.StackID()
	if !stale || st.ID() == id && st.State() != vm.StackMoribund {
		return s, false
	}
	if s, ok = y.EndedID(snapshot.StackID(id)); ok {
		return s, true
	}
	d := r.StackDialect()
	s = snapshot.Stack{
		ID: snapshot.StackID(id), Dialect: d, State: snapshot.Moribund, Rooted: d == wasm.DialectNone,
	}
	if fn := r.EndedBase(); fn != nil {
		s.Base = y.baseTitle(fn, s.Rooted)
	}
	return s, true
}

// EndedID describes the stack of an id that has ended; ok is false if its end is not kept.
func (y *Symbols) EndedID(id snapshot.StackID) (s snapshot.Stack, ok bool) {
	if y.recorder == nil {
		return s, false
	}
	ev, ok := y.recorder.End(uint64(id))
	if !ok {
		return s, false
	}
	return snapshot.Stack{
		ID: id, Dialect: ev.Dialect, State: snapshot.Moribund, Rooted: ev.Dialect == wasm.DialectNone,
		Base: y.baseTitle(ev.Base, ev.Dialect == wasm.DialectNone), End: y.end(&ev),
	}, true
}

// Stale describes the stack that a stale reference was to, and why it is stale: "#2 $worker ·
// finished, released by #1 at main.wat:30", "#2 $gen · consumed, resumed by #1 at main.wat:12".
func (y *Symbols) Stale(r vm.Ref) string {
	d := r.StackDialect().Info()
	s, ended := y.EndedStack(r)
	if ended && d.Events {
		return s.Title()
	}
	if !ended {
		st, _, _ := r.Stack()
		s.ID, s.Base = snapshot.StackID(r.StackID()), y.BaseTitle(st)
	}
	text := s.Name() + " · " + d.Used
	if by := usedBy(y, r); by != "" {
		return text + ", " + by
	} else if s.End != nil {
		return text + "; " + s.Doing()
	}
	return text
}

// usedBy reports what used up a reference that is good once: "resumed by #1 at main.wat:12"; "" if
// that is not kept.
func usedBy(y *Symbols, r vm.Ref) string {
	if y.recorder == nil {
		return ""
	}
	ev, ok := y.recorder.Consumer(r)
	switch {
	case !ok:
		return ""
	case ev.Kind == vm.EventConsume && ev.Site.Func == nil:
		return "cancelled by the debugger"
	}
	return fmt.Sprintf("%s by #%d at %s", UsedHow(ev.Kind, ev.Dialect), ev.Other, y.Site(ev.Site, true).Short())
}

// UsedHow returns what an event does that uses up a reference to a stack of a dialect: "resumed",
// "switched to" …
func UsedHow(k vm.EventKind, d wasm.Dialect) string {
	switch k {
	case vm.EventResume:
		return d.Info().Resumed
	case vm.EventSwitch:
		return "switched to"
	case vm.EventBind:
		return "bound"
	}
	return "cancelled"
}

// SkippedReport reports tries that were skipped, and how often each was: one line for each, the most
// frequent first; "" if there are none.
func (y *Symbols) SkippedReport(tries map[vm.Site]int) string {
	if len(tries) == 0 {
		return ""
	}
	type line struct {
		at snapshot.Site
		n  int
	}
	var lines []line
	total := 0
	for at, n := range tries {
		lines = append(lines, line{y.Site(at, true), n})
		total += n
	}
	sort.Slice(lines, func(i, j int) bool {
		a, b := &lines[i], &lines[j]
		switch {
		case a.n != b.n:
			return a.n > b.n
		case a.at.File != b.at.File:
			return a.at.File < b.at.File
		}
		return a.at.Offset < b.at.Offset
	})
	var b strings.Builder
	fmt.Fprintf(
		&b, "catch clauses were skipped %s by stacks that ended without being unwound:\n", Plural(total, "time", "times"),
	)
	for i, l := range lines {
		if i == maxSkippedLines {
			fmt.Fprintf(&b, "  … and %s\n", Plural(len(lines)-i, "more place", "more places"))
			break
		}
		fmt.Fprintf(&b, "  %s at %s in %s", l.at.Text, l.at.Short(), l.at.Func)
		if l.n > 1 {
			fmt.Fprintf(&b, ": %d times", l.n)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// maxSkippedLines bounds the lines of a SkippedReport.
const maxSkippedLines = 20
