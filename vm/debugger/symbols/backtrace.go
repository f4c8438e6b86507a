package symbols

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// Backtrace writes a backtrace across stacks: a line for each frame, with function and
// file:line:col, and a line where one stack was resumed by another.
func (y *Symbols) Backtrace(bt vm.Backtrace) string { return backtrace(y, bt, false) }

// ExceptionTrace is Backtrace of an exception. It notes where the exception reaches a parent that
// did not resume the stack itself: it has the parent of the stack that switched to it.
func ExceptionTrace(y *Symbols, bt vm.Backtrace) string { return backtrace(y, bt, true) }

func backtrace(y *Symbols, bt vm.Backtrace, exception bool) string {
	var b strings.Builder
	for i, st := range bt {
		const first, last = 40, 10
		if len(st.Frames) > 0 && st.Frames[0].Func.OfDebugger() {
			continue
		}
		for j, f := range st.Frames {
			switch left := len(st.Frames) - first - last + st.Omitted; {
			case j < first || j >= len(st.Frames)-last || left <= last:
			case j == first:
				fmt.Fprintf(&b, "    … %d more frames\n", left)
				continue
			default:
				continue
			}
			for _, s := range y.Sites(f) {
				fmt.Fprintf(&b, "    %s\n", frameLine(s))
			}
		}
		by := y.SwitchedBy(snapshot.StackID(st.Stack))
		if i+1 == len(bt) {
			if by != "" {
				fmt.Fprintf(&b, "  ── stack #%d, %s ──\n", st.Stack, by)
			}
			break
		}
		next := bt[i+1]
		if st.Skipped > 0 {
			fmt.Fprintf(&b, "  ── … %s more stacks ──\n", Grouped(st.Skipped))
			continue
		}
		if n := len(next.Frames); n > 0 && next.Frames[n-1].Func.OfDebugger() {
			fmt.Fprintf(&b, "  ── stack #%d, cancelled by the debugger ──\n", st.Stack)
			continue
		}
		if st.Rooted || len(next.Frames) == 0 {
			if by != "" {
				by += ", "
			}
			fmt.Fprintf(&b, "  ── stack #%d, %scalled by the host ──\n", st.Stack, by)
			continue
		}
		base := y.Function(next.Frames[len(next.Frames)-1].Func).Title
		fmt.Fprintf(
			&b,
			"  ── stack #%d, %s ──\n",
			st.Stack,
			y.linkedTo(
				snapshot.StackID(st.Stack), snapshot.StackID(next.Stack), base, next.Frames[0],
				y.userSite(next.Frames), next.HandlerClauses,
			),
		)
		if !exception {
			continue
		}
		note := Inherited(y, snapshot.StackID(st.Stack), snapshot.StackID(next.Stack), next.Frames[0])
		if note != "" {
			fmt.Fprintf(&b, "     %s\n", note)
		}
	}
	return b.String()
}

// Inherited reports that a parent, which waits at a place, did not resume a stack itself: another
// stack did by a switch. "" if it did, or that is not known.
func Inherited(y *Symbols, id, parent snapshot.StackID, at vm.Site) string {
	if y.switches == nil {
		return ""
	}
	in, _ := y.switches(id)
	if in.Other == 0 {
		return ""
	}
	w := wordsAt(y, at)
	return fmt.Sprintf(
		"note: #%d did not %s #%d itself: #%d switched to #%d and gave it its %s", parent, w.Resume, id, in.Other, id,
		w.Parent,
	)
}

// Sites describes a place of the machine: where the innermost of the calls stands that are inlined
// there, and where each of them is called.
func (y *Symbols) Sites(s vm.Site) (out []snapshot.Site) {
	fi := y.Function(s.Func)
	for _, l := range fi.LevelsAt(s.PC, 0) {
		_, _, at := fi.Shown(l, s.PC, true)
		out = append(out, at)
	}
	return out
}

// userSite returns the innermost of some frames that is code of the user in its source; of none the
// zero Site.
func (y *Symbols) userSite(frames []vm.Site) vm.Site {
	for _, at := range frames {
		if fi := y.Function(at.Func); fi.InSource() && fi.IsUser(at.PC) {
			return at
		}
	}
	return vm.Site{}
}

// Innermost returns the first place of a backtrace that has a line: in code of the user if there is
// such a frame, else in other code. The zero Site is none.
func (y *Symbols) Innermost(bt vm.Backtrace) (first snapshot.Site) {
	for _, st := range bt {
		for _, f := range st.Frames {
			switch s := y.Site(f, true); {
			case s.Line > 0 && y.Function(f.Func).IsUser(f.PC):
				return s
			case s.Line > 0 && first.IsZero():
				first = s
			}
		}
	}
	return first
}

func frameLine(s snapshot.Site) string {
	if s.Line > 0 {
		return fmt.Sprintf("at %s (%s)", s.Func, s.Full())
	}
	return "at " + s.Func
}

// Describe describes the error of a run: the message, and the backtrace if there is one.
func (y *Symbols) Describe(err error) string {
	var t *vm.Trap
	var x *vm.Exception
	var crash *vm.Crash
	switch {
	case errors.As(err, &t):
		msg := "trap: " + t.Message
		if t.Kind == wasm.TrapUnhandledTag {
			msg = t.Message
		}
		if t.Stale.Kind() == vm.RefStack {
			d := t.Stale.StackDialect().Info()
			msg += ": " + strings.TrimSuffix(strings.TrimSuffix(y.Stale(t.Stale), " · "+d.Used), " · finished")
		}
		return msg + "\n" + y.Backtrace(t.Backtrace)
	case errors.As(err, &x):
		return y.ExceptionLine(x) + "\n" + ExceptionTrace(y, x.Backtrace)
	case errors.As(err, &crash):
		return crash.Error() + "\n" + crash.Stack
	}
	return err.Error() + "\n"
}

func (y *Symbols) ExceptionLine(x *vm.Exception) string {
	if x.Tag.Instance() == nil && x.Tag.String() == "$JSTag" && len(x.Values) == 1 {
		if h, ok := x.Values[0].Ref.Host(); ok {
			return fmt.Sprintf("uncaught exception of JavaScript: %v", h)
		}
		return "uncaught exception of JavaScript: " + y.Format(x.Values[0], false)
	}
	s := "uncaught exception " + TagName(x.Tag)
	for i, v := range x.Values {
		if i == 0 {
			s += " with"
		}
		s += " " + y.Format(v, false)
	}
	return s
}

// Grouped writes a number with commas.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
