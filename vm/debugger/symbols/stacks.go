package symbols

import (
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

// Site describes a place of the machine. exact asks for the instruction, else the statement that
// begins there.
func (y *Symbols) Site(s vm.Site, exact bool) snapshot.Site {
	return y.Function(s.Func).Site(s.PC, exact)
}

// FuncTitle returns the title of a function.
func (y *Symbols) FuncTitle(f *vm.Func) string { return y.Function(f).Title }

// BaseTitle names a stack as Stack does: by its base function, a rooted one by the export, a
// coroutine of a program with debugging information by the function of the user that it runs.
func (y *Symbols) BaseTitle(st *vm.Stack) string {
	if !st.Rooted() && st.Dialect().Switches() {
		if at, ok := y.Standing(st); ok {
			return y.Function(at.Outer.Func).Title
		} else if fi := closureOf(y, st); fi != nil {
			return fi.Title
		}
	}
	return y.baseTitle(st.BaseFunc(), st.Rooted())
}

func (y *Symbols) baseTitle(f *vm.Func, rooted bool) string {
	fi := y.Function(f)
	if rooted && fi.Module != nil {
		for _, x := range fi.Module.Exports {
			if x.Kind == wasm.ExternFunc && x.Index == fi.ID.Func {
				return x.Name
			}
		}
	}
	return fi.Title
}

// StackSite describes where a stack stands: the statement a running one is at, else the
// instruction.
func (y *Symbols) StackSite(st *vm.Stack) snapshot.Site {
	if st.State() == vm.StackNew {
		return y.Site(vm.Site{Func: st.BaseFunc(), PC: -1}, false)
	}
	if s, ok := y.ArrivedSite(st); ok {
		return s
	}
	if at, ok := y.Standing(st); ok && at.Called != nil {
		return y.Site(at.Inner, true)
	}
	s, _ := st.Site()
	return y.Site(s, st.State() != vm.StackRunning && !vm.GoesOnHere(st))
}

var states = [...]snapshot.State{
	vm.StackMoribund: snapshot.Moribund, vm.StackNew: snapshot.New, vm.StackSuspended: snapshot.Suspended,
	vm.StackRunning: snapshot.Running, vm.StackWaiting: snapshot.Waiting,
}

// Stack describes a stack.
func (y *Symbols) Stack(st *vm.Stack) snapshot.Stack {
	s := snapshot.Stack{
		ID: snapshot.StackID(
			st.ID(),
		), Dialect: st.Dialect(), State: states[st.State()], Rooted: st.Rooted(),
		Base: y.baseTitle(st.BaseFunc(), st.Rooted()),
		At:   y.StackSite(st), Depth: st.NumFrames(), Creator: snapshot.StackID(st.Creator()), Resumes: st.Resumes(),
	}
	if st.Below() {
		s.State = snapshot.Waiting
		if p := vm.ParkedCall(st); p != nil && p.Leaf() == st {
			s.Awaits = fmt.Sprint(p.On())
		}
	}
	site, tag := st.Site()
	if s.State == snapshot.New {
		site.Func = st.BaseFunc()
	}
	s.Func = y.Function(site.Func).Title
	if s.State == snapshot.Suspended {
		s.Tag = TagName(tag)
		if st.Parent() == nil {
			s.Modules = modulesOf(y, st)
		}
	}
	if p := st.Parent(); p != nil {
		s.Parent = snapshot.StackID(p.ID())
		if at, _ := p.Site(); !y.folded(at) {
			s.ParentAt = y.StackSite(p)
		} else if at, ok := y.Standing(p); ok {
			s.ParentAt = y.Site(at.Inner, true)
		}
	}
	if c := st.CreatedAt(); c.Func != nil && !y.folded(c) {
		s.CreatedAt = y.Site(c, true)
	}
	if f := TopFrame(st); f != nil && s.State == snapshot.Running {
		if tag, vals := f.Pending(); tag != nil {
			s.Pending = &snapshot.Pending{Tag: TagName(tag)}
			for _, v := range vals {
				s.Pending.Values = append(s.Pending.Values, y.Constant(v))
			}
		}
	}
	y.addSwitches(st, &s)
	if at, ok := y.Standing(st); ok {
		y.inSource(&s, at)
	} else if fi := closureOf(y, st); fi != nil {
		s.Base, s.Noun = fi.Title, nounOf(fi)
	}
	return s
}

// Holder describes who holds a stack; ok is false if that is nothing to tell.
func (y *Symbols) Holder(h vm.Holder) (snapshot.Holder, bool) {
	path := ""
	for n := 0; h.Kind == vm.HeldByObject && h.In != nil; h = *h.In {
		if n++; n <= maxHolderPath {
			path = member(y, h) + path
		} else if n == maxHolderPath+1 {
			path = "…" + path
		}
	}
	switch h.Kind {
	case vm.HeldByGlobal, vm.HeldByTable:
		if h.Instance == nil {
			return snapshot.Holder{What: "the host"}, true
		}
		m := h.Instance.Module()
		if h.Kind == vm.HeldByGlobal {
			return snapshot.Holder{What: "global " + m.Names.Global(h.Index) + path}, true
		}
		return snapshot.Holder{What: fmt.Sprintf("table %s[%d]%s", m.Names.Table(h.Index), h.Slot, path)}, true
	case vm.HeldByFrame:
		out := snapshot.Holder{What: "a variable"}
		if h.Stack != nil {
			out.Stack = snapshot.StackID(h.Stack.ID())
			if fs := h.Stack.Trace(0); h.Depth >= 0 && h.Depth < len(fs) {
				fn := fs[len(fs)-1-h.Depth].Func
				out.What = "an operand of " + y.Function(fn).Title
				if path != "" {
					out.What = "an operand" + path + " of " + y.Function(fn).Title
				}
				if i, ok := h.Local(); ok && fn.Instance() != nil {
					name := fn.Instance().Module().Names.Local(fn.Index(), i)
					out.What = "local " + name + path + " of " + y.Function(fn).Title
				}
			}
		}
		return out, true
	case vm.HeldByObject:
		if h.Instance != nil {
			return snapshot.Holder{What: "an element segment" + path}, true
		}
		return snapshot.Holder{What: "an object" + path}, true
	case vm.HeldByPromise:
		return snapshot.Holder{What: "the host, which waits for a promise"}, true
	case vm.HeldByHost:
		return snapshot.Holder{What: "a host call that it must return to"}, true
	case vm.HeldBySegment:
		if h.Stack != nil {
			return snapshot.Holder{What: "the segment it hangs in", Stack: snapshot.StackID(h.Stack.ID())}, true
		}
	}
	return snapshot.Holder{}, false
}

// maxHolderPath bounds how many objects are named on the way to a stack.
const maxHolderPath = 8

// member names the field or element of an object that holds something: `.$queue`, `[3]`.
func member(y *Symbols, h vm.Holder) string {
	switch r := h.Object; r.Kind() {
	case vm.RefStruct:
		s := r.Struct()
		m, t := y.Declared(s.Type(), nil)
		n := int(h.Slot)
		for i := range s.Len() {
			if !s.Storage(i).IsRef() {
				continue
			}
			if n--; n < 0 {
				return "." + FieldName(m, t, i)
			}
		}
	case vm.RefArray:
		return fmt.Sprintf("[%d]", h.Slot)
	case vm.RefExn:
		return ".payload"
	}
	return ".?"
}

// addSwitches records in the description of a stack who switched to it, and whom it switched to.
func (y *Symbols) addSwitches(st *vm.Stack, s *snapshot.Stack) {
	if s.State == snapshot.Suspended && !st.Moved() {
		s.Switched = switches(st.Leaf())
		if f := TopFrame(st.Leaf()); vm.Entering(st.Leaf()) && f != nil {
			s.Calls = y.Function(f.Func()).Title
		}
	}
	if y.switches == nil {
		return
	}
	in, out := y.switches(s.ID)
	if in.Other != 0 && (s.State == snapshot.Running || s.State == snapshot.Waiting) {
		s.SwitchedBy, s.SwitchedAt, s.SwitcherOf = in.Other, y.Site(in.At, true), y.Function(in.Base).Title
	}
	if s.Switched {
		s.SwitchedTo = out.Other
	}
}

// switches reports whether a suspended stack stands at an instruction that switches to a peer, or has
// left its function by one.
func switches(st *vm.Stack) bool {
	if vm.Entering(st) {
		return true
	}
	site, _ := st.Site()
	fn := site.Func
	if fn == nil || fn.Instance() == nil || fn.IsHost() {
		return false
	}
	body := fn.Instance().Module().Funcs[fn.Index()].Body
	if site.PC < 0 || site.PC >= len(body) {
		return false
	}
	op := body[site.PC].Op
	return op.Info().Effect == wasm.EffectSwitch || op == wasm.OpFiberSwitchNew
}

// SwitchedBy reports how a stack came to run if that was by a switch: "switched to by #2 $a at
// main.wat:12"; else "".
func (y *Symbols) SwitchedBy(id snapshot.StackID) string {
	if y.switches == nil {
		return ""
	}
	in, _ := y.switches(id)
	if in.Other == 0 {
		return ""
	}
	return fmt.Sprintf(
		"%s #%d %s at %s", wordsAt(y, in.At).SwitchBy, in.Other, y.Function(in.Base).Title, y.Site(in.At, true).Short(),
	)
}

// wordsAt returns the words of the design of an instruction, that of its module if it has none.
func wordsAt(y *Symbols, at vm.Site) *wasm.Words { return &y.Dialect(at).Info().Words }

// Dialect returns the design of the instruction at a place, that of its module if it has none.
func (y *Symbols) Dialect(at vm.Site) wasm.Dialect {
	fi := y.Function(at.Func)
	if in := fi.Instr(at.PC); in != nil && in.Op.Info().Dialect.Switches() {
		return in.Op.Info().Dialect
	}
	if fi.Module != nil {
		return fi.Module.Dialect
	}
	return wasm.DialectNone
}

// Design returns the design of a stack; of one that was made for a call from the host, that of the
// module of its function.
func (y *Symbols) Design(st *vm.Stack) wasm.Dialect {
	if d := st.Dialect(); d.Switches() {
		return d
	}
	return y.Dialect(vm.Site{Func: st.BaseFunc(), PC: -1})
}

// linkedTo reports how a stack came to hang below its parent, in the words of the design of the
// instruction at which the parent waits: "resumed by #1 main at main.wat:30 (on $yield →
// $on_yield)", or, after a switch, "switched to by #2 $a at main.wat:12, control parent #1 main at
// main.wat:30 ($yield → $on_yield)".
//
// user is where the parent stands in code of the user, if that is known.
func (y *Symbols) linkedTo(
	id, parent snapshot.StackID, base string, at, user vm.Site, hs []vm.HandlerClause,
) string {
	to := y.parentText(parent, base, at, user, hs)
	if by := y.SwitchedBy(id); by != "" {
		return by + ", " + wordsAt(y, at).Parent + " " + to
	}
	return wordsAt(y, at).Linked + " " + to
}

// LinkLabel reports how a stack came to hang below its parent, which waits.
func (y *Symbols) LinkLabel(st, parent *vm.Stack) string {
	site, _ := parent.Site()
	var hs []vm.HandlerClause
	if f := TopFrame(parent); f != nil {
		hs = f.HandlerClauses()
	}
	user, _ := y.Standing(parent)
	return y.linkedTo(
		snapshot.StackID(st.ID()), snapshot.StackID(parent.ID()), y.BaseTitle(parent), site, user.Inner, hs,
	)
}

// StackPlace names a stack and where it goes on.
func (y *Symbols) StackPlace(st *vm.Stack, unknown string) string {
	if st == nil {
		return unknown
	}
	s := y.Stack(st.Leaf())
	return fmt.Sprintf("%s (%s)", s.Name(), s.At.Short())
}

// parentText names a stack that waits for another one: "#1 main at main.wat:30 (on $yield →
// $on_yield)".
func (y *Symbols) parentText(id snapshot.StackID, base string, at, user vm.Site, hs []vm.HandlerClause) string {
	switch {
	case y.folded(at) && user.Func == nil:
		return fmt.Sprintf("#%d %s", id, base)
	case y.folded(at):
		return fmt.Sprintf("#%d %s at %s", id, base, y.Site(user, true).Short())
	}
	s := fmt.Sprintf("#%d %s at %s", id, base, y.Site(at, true).Short())
	var cs []string
	for _, c := range y.Clauses(at, hs) {
		cs = append(cs, c.String())
	}
	if len(cs) > 0 {
		s += " (" + strings.Join(cs, ", ") + ")"
	}
	return s
}

// Clause is a handler clause in force.
type Clause struct {
	Name   string // as the design writes it: `on $yield`, `event $yield`, `$yield`
	Tag    string
	Switch bool
	Label  string        // `$name`; "" if it has none
	To     snapshot.Site // where it continues
	File   *Source       // that To is in; nil: none
}

// String returns the clause as `on $yield → $on_yield`.
func (c Clause) String() string {
	switch {
	case c.Switch:
		return c.Name + " switch"
	case c.Label != "":
		return c.Name + " → " + c.Label
	}
	return c.Name + " → " + c.To.Short()
}

// Where returns the clause with its place: `on $yield → $on_yield (main.wat:12)`.
func (c Clause) Where() string {
	if c.Label == "" {
		return c.String()
	}
	return c.String() + " (" + c.To.Short() + ")"
}

// Clauses describes the clauses that are in force at a waiting instruction.
func (y *Symbols) Clauses(at vm.Site, hs []vm.HandlerClause) []Clause {
	fi := y.Function(at.Func)
	pc := fi.clausesOf(at.PC)
	in := fi.Instr(pc)
	words := wordsAt(y, at)
	out := make([]Clause, len(hs))
	for i, h := range hs {
		c := Clause{Tag: TagName(h.Tag), Switch: h.Switch}
		c.Name = words.ClauseOf(c.Tag)
		if in != nil && in.Ext != nil && i < len(in.Ext.HandlerClauses) && !h.Switch {
			c.Label = fi.labelName(pc, in.Ext.HandlerClauses[i].Label)
		}
		if a, ok := fi.ArmAt(h.PC); ok { // an event clause
			c.To, c.File = fi.Site(a.PC, true), fi.File(a.PC)
		} else if !h.Switch {
			c.To, c.File = fi.Site(h.PC, false), fi.File(h.PC)
		}
		out[i] = c
	}
	return out
}

// Switch is how a stack came to run, or gave control away.
type Switch struct {
	Other snapshot.StackID // who switched to it, or whom it switched to; 0: that was no switch
	Base  *vm.Func
	At    vm.Site
}

func TopFrame(st *vm.Stack) *vm.Frame {
	return st.Frame(st.NumFrames() - 1)
}

// TagName names a tag; one without a name is `tag 3`.
func TagName(t *vm.Tag) string {
	if t == nil {
		return ""
	}
	if s := t.String(); strings.HasPrefix(s, "$") || t.Instance() == nil {
		return s
	}
	return "tag " + t.String()
}
