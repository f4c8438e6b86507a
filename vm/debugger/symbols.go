package debugger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"stackscope/vm"
	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// Symbols tell people about a machine that runs a program: functions, places, values, stacks. They
// are for the goroutine that runs the machine.
type Symbols struct {
	mu       sync.Mutex // guards growing list, which others may read
	list     []*Unit
	units    map[*wasm.Module]int
	funcs    map[*vm.Func]*funcInfo
	infos    map[FuncID]*funcInfo
	byFile   map[*Source][]region
	listings map[int]*listing
	typers   map[*wasm.Module]*valid.Typer
	mach     *vm.Machine                     // nil: none, only what the units say is known
	switches func(StackID) (in, out entered) // the last switches of a stack; nil: nothing is known of them
}

// NewSymbols returns the symbols of a program.
func NewSymbols(p *Program) *Symbols {
	y := &Symbols{
		list: append([]*Unit(nil), p.Units...), units: map[*wasm.Module]int{},
		funcs: map[*vm.Func]*funcInfo{}, infos: map[FuncID]*funcInfo{}, byFile: map[*Source][]region{},
		typers: map[*wasm.Module]*valid.Typer{},
	}
	for i, u := range y.list {
		y.units[u.Module] = i
	}
	return y
}

// Units returns the units that are known: those of the program, and those that it has instantiated
// besides. It may be called from any goroutine.
func (y *Symbols) Units() []*Unit {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.list[:len(y.list):len(y.list)]
}

// add makes a unit known that the program did not list.
func (y *Symbols) add(u *Unit) {
	if _, ok := y.units[u.Module]; ok {
		return
	}
	y.mu.Lock()
	y.list = append(y.list, u)
	y.mu.Unlock()
	y.units[u.Module] = len(y.list) - 1
	delete(y.byFile, u.File)
}

// Site describes a place of the machine. exact asks for the instruction, else the statement that
// begins there.
func (y *Symbols) Site(s vm.Site, exact bool) Site { return y.info(s.Func).site(s.PC, exact) }

// FuncTitle returns what people call a function.
func (y *Symbols) FuncTitle(f *vm.Func) string { return y.info(f).title }

// baseTitle names a stack by its base function; a rooted one by the export.
func (y *Symbols) baseTitle(st *vm.Stack) string {
	f := st.BaseFunc()
	fi := y.info(f)
	if st.Rooted() && fi.mod != nil {
		for _, x := range fi.mod.Exports {
			if x.Kind == wasm.ExternFunc && x.Index == fi.id.Func {
				return x.Name
			}
		}
	}
	return fi.title
}

// labelName returns the name of a label, as `$name`, where depth counts from the innermost block
// around pc; of a label without a name the line it continues on is in the caller's hands: "" then.
func (fi *funcInfo) labelName(pc int, depth uint32) string {
	if fi.fn == nil {
		return ""
	}
	var open []uint32 // ordinals of the blocks around, and the instructions that begin them
	var starts []int
	n := uint32(0)
	for i := 0; i < pc && i < len(fi.fn.Body); i++ {
		k := len(open)
		inEvent := k > 0 && fi.fn.Body[starts[k-1]].Op == wasm.OpEvent
		switch op := fi.fn.Body[i].Op; {
		case op == wasm.OpEvent && inEvent: // the next clause ends the one before it
			open[k-1], starts[k-1] = n, i
			n++
		case op == wasm.OpEvent || op.OpensBlock():
			open, starts = append(open, n), append(starts, i)
			n++
		case (op == wasm.OpEnd || op == wasm.OpDelegate) && k > 0:
			if inEvent && k > 1 { // with its handle
				k--
			}
			open, starts = open[:k-1], starts[:k-1]
		}
	}
	if int(depth) < len(open) {
		if name := fi.mod.Names.Labels[fi.id.Func][open[len(open)-1-int(depth)]]; name != "" {
			return "$" + name
		}
	}
	return ""
}

// Clause is an on-clause in force.
type Clause struct {
	Tag    string
	Switch bool
	Label  string // `$name`; "" if it has none
	To     Site   // where it continues
}

// String returns the clause as `on $yield → $on_yield`.
func (c Clause) String() string {
	switch {
	case c.Switch:
		return "on " + c.Tag + " switch"
	case c.Label != "":
		return "on " + c.Tag + " → " + c.Label
	}
	return "on " + c.Tag + " → " + c.To.Short()
}

// clauses describes the clauses that are in force at a waiting instruction.
func (y *Symbols) clauses(at vm.Site, hs []vm.HandlerClause) []Clause {
	fi := y.info(at.Func)
	in := fi.instr(at.PC)
	out := make([]Clause, len(hs))
	for i, h := range hs {
		c := Clause{Tag: tagName(h.Tag), Switch: h.Switch}
		if in != nil && in.Ext != nil && i < len(in.Ext.Handlers) && !h.Switch {
			c.Label = fi.labelName(at.PC, in.Ext.Handlers[i].Label)
		}
		if !h.Switch {
			c.To = fi.site(h.PC, false)
		}
		out[i] = c
	}
	return out
}

// tagName names a tag; one without a name is `tag 3`.
func tagName(t *vm.Tag) string {
	if t == nil {
		return ""
	}
	if s := t.String(); strings.HasPrefix(s, "$") || t.Instance() == nil {
		return s
	}
	return "tag " + t.String()
}

// parentText names a stack that waits for another one: "#1 main at main.wat:30 (on $yield →
// $on_yield)".
func (y *Symbols) parentText(id StackID, base string, at vm.Site, hs []vm.HandlerClause) string {
	s := fmt.Sprintf("#%d %s at %s", id, base, y.Site(at, true).Short())
	var cs []string
	for _, c := range y.clauses(at, hs) {
		cs = append(cs, c.String())
	}
	if len(cs) > 0 {
		s += " (" + strings.Join(cs, ", ") + ")"
	}
	return s
}

// Backtrace writes a backtrace across stacks: a line for each frame, with function and
// file:line:col, and a line where one stack was resumed by another.
func (y *Symbols) Backtrace(bt vm.Backtrace) string {
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
			fmt.Fprintf(&b, "    %s\n", frameLine(y.Site(f, true)))
		}
		by := y.cameBy(StackID(st.Stack))
		if i+1 == len(bt) {
			if by != "" {
				fmt.Fprintf(&b, "  ── stack #%d, %s ──\n", st.Stack, by)
			}
			break
		}
		next := bt[i+1]
		if st.Skipped > 0 {
			fmt.Fprintf(&b, "  ── … %s more stacks ──\n", grouped(st.Skipped))
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
		base := y.info(next.Frames[len(next.Frames)-1].Func).title
		fmt.Fprintf(
			&b, "  ── stack #%d, %s ──\n", st.Stack,
			y.linkedTo(StackID(st.Stack), StackID(next.Stack), base, next.Frames[0], next.HandlerClauses),
		)
	}
	return b.String()
}

// grouped writes a number with commas.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func frameLine(s Site) string {
	if s.Line > 0 {
		return fmt.Sprintf("at %s (%s)", s.Func, s.Full())
	}
	return "at " + s.Func
}

// Describe tells people of the error of a run: the message, and the backtrace if there is one.
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
		return msg + "\n" + y.Backtrace(t.Backtrace)
	case errors.As(err, &x):
		return y.exceptionLine(x) + "\n" + y.Backtrace(x.Backtrace)
	case errors.As(err, &crash):
		return crash.Error() + "\n" + crash.Stack
	}
	return err.Error() + "\n"
}

func (y *Symbols) exceptionLine(x *vm.Exception) string {
	s := "uncaught exception " + tagName(x.Tag)
	for i, v := range x.Values {
		if i == 0 {
			s += " with"
		}
		s += " " + y.Format(v, false)
	}
	return s
}

// stackSite describes where a stack stands: the statement a running one is at, else the
// instruction.
func (y *Symbols) stackSite(st *vm.Stack) Site {
	if st.State() == vm.StackNew {
		return y.Site(vm.Site{Func: st.BaseFunc(), PC: -1}, false)
	}
	s, _ := st.Site()
	return y.Site(s, st.State() != vm.StackRunning && !st.Moved())
}

var states = [...]State{
	vm.StackMoribund: Moribund, vm.StackNew: New, vm.StackSuspended: Suspended,
	vm.StackRunning: Running, vm.StackWaiting: Waiting,
}

// Stack describes a stack.
func (y *Symbols) Stack(st *vm.Stack) Stack {
	s := Stack{
		ID: StackID(st.ID()), Dialect: st.Dialect(), State: states[st.State()], Rooted: st.Rooted(), Base: y.baseTitle(st),
		At: y.stackSite(st), Depth: st.NumFrames(), Creator: StackID(st.Creator()), Resumes: st.Resumes(),
	}
	if st.Below() {
		s.State = Waiting
	}
	site, tag := st.Site()
	if s.State == New {
		site.Func = st.BaseFunc()
	}
	s.Func = y.info(site.Func).title
	if s.State == Suspended {
		s.Tag = tagName(tag)
	}
	if p := st.Parent(); p != nil {
		s.Parent = StackID(p.ID())
		s.ParentAt = y.stackSite(p)
	}
	if c := st.CreatedAt(); c.Func != nil {
		s.CreatedAt = y.Site(c, true)
	}
	y.addSwitches(st, &s)
	return s
}

// holder describes who holds a stack; ok is false if that is nothing to tell.
func (y *Symbols) holder(h vm.Holder) (Holder, bool) {
	switch h.Kind {
	case vm.HeldByGlobal, vm.HeldByTable:
		if h.Instance == nil {
			return Holder{What: "the host"}, true
		}
		m := h.Instance.Module()
		if h.Kind == vm.HeldByGlobal {
			return Holder{What: "global " + m.Names.Global(h.Index)}, true
		}
		return Holder{What: fmt.Sprintf("table %s[%d]", m.Names.Table(h.Index), h.Slot)}, true
	case vm.HeldByFrame:
		out := Holder{What: "a variable"}
		if h.Stack != nil {
			out.Stack = StackID(h.Stack.ID())
			if fs := h.Stack.Trace(0); h.Depth >= 0 && h.Depth < len(fs) {
				fn := fs[len(fs)-1-h.Depth].Func
				out.What = "an operand of " + y.info(fn).title
				if i, ok := h.Local(); ok && fn.Instance() != nil {
					out.What = "local " + fn.Instance().Module().Names.Local(fn.Index(), i) + " of " + y.info(fn).title
				}
			}
		}
		return out, true
	case vm.HeldByObject:
		return Holder{What: "an object"}, true
	case vm.HeldByHost:
		return Holder{What: "a call of the host, which it has to return to"}, true
	case vm.HeldBySegment:
		if h.Stack != nil {
			return Holder{What: "the segment it hangs in", Stack: StackID(h.Stack.ID())}, true
		}
	}
	return Holder{}, false
}

var eventKinds = [...]EventKind{
	vm.EventCreate: Create, vm.EventStart: Start, vm.EventSuspend: Suspend, vm.EventResume: Resume,
	vm.EventSwitch: Switch, vm.EventBind: Bind, vm.EventConsume: Consume, vm.EventThrow: Throw,
	vm.EventFinish: Finish, vm.EventRelease: Release,
}
