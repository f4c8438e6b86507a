package debugger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Control events stop the program if a filter asks for them. All but finish stop before the
// instruction that causes them, at breakpoints of the engine's own, so there is no cost where
// nothing happens. Finish stops at the next instruction that is executed.

// Filters are the kinds of faults and control events that stop the program.
type Filters struct {
	mach    *vm.Machine
	sym     *symbols.Symbols
	bps     *Breakpoints
	do      func(func()) error // Engine.Do
	changed func()             // called after the filters have changed
	list    []filter
}

// Filter asks for a stop at a kind of control event, or of fault.
type Filter struct {
	Name string // see FilterNames
	Cond string // what narrows it: see parseNarrow; "" for nothing
}

// narrow is a parsed condition of a filter. Every part that is there must hold.
type narrow struct {
	tag, fn string // without `$`
	module  string // without `$`
	stack   snapshot.StackID
}

// filter is a filter in force.
type filter struct {
	Filter
	narrow
}

// parseNarrow reads what narrows a filter: `tag $yield`, `stack 3` or `#3`, `function $gen`, joined
// by commas or `and`; a bare `$yield` is a tag.
func parseNarrow(name, cond string) (narrow, error) {
	var n narrow
	cond = strings.ReplaceAll(strings.ReplaceAll(cond, "&&", ","), " and ", ",")
	for _, part := range strings.Split(cond, ",") {
		words := strings.Fields(strings.ReplaceAll(part, "==", " "))
		if len(words) == 0 {
			continue
		}
		key, val := words[0], ""
		switch {
		case len(words) == 2:
			val = words[1]
		case len(words) == 1 && strings.HasPrefix(key, "#"):
			key, val = "stack", key
		case len(words) == 1 && strings.HasPrefix(key, "$"):
			key, val = "tag", key
		default:
			return n, badCondition(name, part)
		}
		switch key {
		case "tag":
			switch name {
			case "finish", "trap", "consumed", "assertion":
				return n, fmt.Errorf("%s has no tag", name)
			}
			n.tag = strings.TrimPrefix(val, "$")
		case "function", "func", "in":
			n.fn = strings.TrimPrefix(val, "$")
		case "stack":
			id, err := strconv.Atoi(strings.TrimPrefix(val, "#"))
			if err != nil || id < 1 {
				return n, fmt.Errorf("condition %q: %q is not a stack", strings.TrimSpace(part), val)
			}
			n.stack = snapshot.StackID(id)
		case "module":
			if name != "boundary" {
				return n, fmt.Errorf("%s has no modules: only boundary has", name)
			}
			n.module = strings.TrimPrefix(val, "$")
		default:
			return n, badCondition(name, part)
		}
	}
	return n, nil
}

// badCondition is the error for a part of a condition that cannot be read.
func badCondition(name, part string) error {
	want := "`tag $name`, `stack 3` or `function $name`"
	if name == "boundary" {
		want = "`tag $name`, `stack 3`, `function $name` or `module $name`"
	}
	return fmt.Errorf("condition %q: want %s", strings.TrimSpace(part), want)
}

// Set sets which faults and control events stop the program. The errors are by filter, nil
// for one that is in force. One that is narrowed to a tag or function that no module has gets an
// error, but is in force: a module that has it may come.
func (fl *Filters) Set(fs []Filter) ([]error, error) {
	errs := make([]error, len(fs))
	var in []filter
	var at []int // where in fs those of in are
	for i, f := range fs {
		known := false
		for _, n := range FilterNames() {
			known = known || n == f.Name
		}
		if !known {
			errs[i] = fmt.Errorf("there is no filter %q", f.Name)
			continue
		}
		n, err := parseNarrow(f.Name, f.Cond)
		if errs[i] = err; err == nil {
			in = append(in, filter{f, n})
			at = append(at, i)
		}
	}
	return errs, fl.do(func() {
		for k := range in {
			errs[at[k]] = fl.check(&in[k])
		}
		fl.list = in
		fl.place()
		fl.changed()
	})
}

// DefaultFilters stop at every fault.
func DefaultFilters() []Filter {
	return []Filter{{"trap", ""}, {"unhandled", ""}, {"uncaught", ""}, {"assertion", ""}}
}

// eventGroup is the group of the breakpoints at control instructions. No file has this name.
const eventGroup = "\x00events"

// filterEffects has what the instructions do that the filters for control events stop before. An
// instruction that makes a stack and runs it, or ends one and gives control away, does both.
var filterEffects = map[string]wasm.Effect{
	"create": wasm.EffectNew, "resume": wasm.EffectResume, "suspend": wasm.EffectSuspend,
	"switch": wasm.EffectSwitch, "throw": wasm.EffectThrow,
}

// place sets the breakpoints that the filters for control events need.
func (fl *Filters) place() {
	var bs []*Breakpoint
	for _, f := range fl.list {
		f := f
		effect, ok := filterEffects[f.Name]
		want := func(in *wasm.Instr) bool {
			info := in.Op.Info()
			return info.Effect == effect || info.Then == effect
		}
		switch {
		case f.Name == "boundary":
			want = captures
		case !ok:
			continue
		}
		bs = append(bs, fl.bps.everywhere(want, func(b *Breakpoint) { b.event = &f })...)
	}
	if len(bs) == 0 && len(fl.bps.groups[eventGroup]) == 0 {
		return
	}
	fl.bps.groups[eventGroup] = bs
	fl.bps.place()
}

// tagOf returns the tag that an instruction names, nil if it names none.
func tagOf(in *wasm.Instr, inst *vm.Instance) *vm.Tag {
	if i, ok := symbols.Index(in, wasm.ImmTag, 0); ok {
		return inst.Tag(i)
	}
	return nil
}

// target returns the stack that an instruction resumes or switches to: of the operands below its
// event's values, where these come last, the topmost reference to a stack; nil if there is none.
func target(in *wasm.Instr, f *vm.Frame) *vm.Stack {
	if in.Op.Info().Effect == wasm.EffectNew {
		return nil
	}
	ops := f.Operands()
	if t, ok := symbols.Index(in, wasm.ImmTag, 0); ok {
		if d := in.Op.Info().Dialect.Info(); d.Events && !d.TagFirst {
			m := f.Instance().Module()
			ops = ops[:max(0, len(ops)-len(m.FuncType(m.Tags[t].Type).Params))]
		}
	}
	for i := len(ops) - 1; i >= 0; i-- {
		if r := ops[i].Ref; ops[i].Type.IsRef() && r.Kind() == vm.RefStack {
			if st, _, stale := r.Stack(); !stale {
				return st
			}
			return nil
		}
	}
	return nil
}

// text reports the control event that is about to happen, "" if the filter does not want it.
func (fl *Filters) text(f *filter, fr *vm.Frame) string {
	fi := fl.sym.Function(fr.Func())
	in := fi.Instr(fr.PC())
	if in == nil {
		return ""
	}
	tag := tagOf(in, fr.Instance())
	self := fr.Stack()
	var to *vm.Stack
	switch f.Name {
	case "resume", "switch":
		to = target(in, fr)
	}
	if f.fn != "" && !isFunc(fi, f.fn) {
		return ""
	}
	if f.stack != 0 && snapshot.StackID(self.ID()) != f.stack && (to == nil || snapshot.StackID(to.ID()) != f.stack) {
		return ""
	}
	if f.tag != "" && !fl.hasTag(f, in, tag, fr) {
		return ""
	}
	me := fmt.Sprintf("#%d %s", self.ID(), fl.sym.BaseTitle(self))
	if f.Name == "boundary" {
		return fl.boundary(f, fr, in, me)
	}
	d, what := in.Op.Info().Dialect.Info(), f.Name
	switch {
	case in.Op.Info().Effect == wasm.EffectRetire:
		what = in.Op.String()
	case f.Name == "resume":
		what = d.Resume
	case f.Name == "suspend":
		what = d.Suspend
	}
	made, makes := symbols.Index(in, wasm.ImmFunc, 0)
	switch {
	case makes && f.Name != "create":
		return fmt.Sprintf("%s of a new %s for %s in %s", what, d.Noun, fi.Module.FuncTitle(made), me)
	case to != nil && f.Name == "resume":
		return fmt.Sprintf("%s of #%d %s by %s", what, to.ID(), fl.sym.BaseTitle(to), me)
	case to != nil:
		return fmt.Sprintf("%s to #%d %s from %s", what, to.ID(), fl.sym.BaseTitle(to), me)
	case f.Name == "create" && makes:
		return fmt.Sprintf("create of a %s for %s in %s", d.Noun, fi.Module.FuncTitle(made), me)
	case f.Name == "create":
		ops := fr.Operands()
		for i := len(ops) - 1; i >= 0; i-- {
			if r := ops[i].Ref; ops[i].Type.IsRef() && r.Kind() == vm.RefFunc {
				return fmt.Sprintf("create of a %s for %s in %s", d.Noun, fl.sym.Function(r.Func()).Title, me)
			}
		}
		return "create of a " + d.Noun + " in " + me
	case tag != nil:
		return fmt.Sprintf("%s of %s in %s", what, symbols.TagName(tag), me)
	}
	return fmt.Sprintf("%s in %s", what, me)
}

// captures reports whether an instruction suspends stacks, and with them frames.
func captures(in *wasm.Instr) bool {
	i := in.Op.Info()
	return i.Effect == wasm.EffectSuspend || i.Effect == wasm.EffectSwitch ||
		i.Effect == wasm.EffectNew && i.Then == wasm.EffectSwitch
}

// boundary reports that the instruction at a frame is about to capture frames of more than one
// module, "" if it is not. A module whose frames are between the one that gives control away and
// the one that created the stack did nothing for that: it is sandwiched.
func (fl *Filters) boundary(f *filter, fr *vm.Frame, in *wasm.Instr, me string) string {
	head := symbols.Captured(fl.sym, fr)
	if head == nil {
		return ""
	}
	seg := symbols.SegmentOf(fr.Stack(), head)
	ms := seg.Describe(fl.sym)
	if len(ms) == 0 || f.module != "" && !slices.ContainsFunc(ms, func(m snapshot.ModuleFrames) bool {
		return strings.TrimPrefix(m.Module, "$") == f.module
	}) {
		return ""
	}
	var creator *vm.Instance
	if at := head.CreatedAt(); at.Func != nil {
		creator = at.Func.Instance()
	}
	var between []string
	for i, m := range seg.Modules {
		if m != fr.Instance() && m != creator {
			between = append(between, ms[i].Module)
		}
	}
	out := fmt.Sprintf("boundary: %s in %s captures frames of %s", in.Op, me, snapshot.ModuleList(ms))
	if seg.Partial {
		out += " and more"
	}
	if len(between) > 0 {
		out += fmt.Sprintf("; %s did not ask for it (sandwich)", strings.Join(between, ", "))
	}
	return out
}

// hasTag reports whether an instruction is about the tag of a filter: it sends it, as an event, a
// suspension, a switch or an exception; or, where the filter is for what gives control to another
// stack, it has a clause for it, by which control comes back: one of its list, an `event` in scope,
// or one of the event.switch that follows. Of an instruction that makes a stack the clauses are
// those by which that begins.
func (fl *Filters) hasTag(f *filter, in *wasm.Instr, tag *vm.Tag, fr *vm.Frame) bool {
	is := func(t *vm.Tag) bool { return isTag(t, f.tag) }
	if is(tag) {
		return true
	}
	switch f.Name {
	case "resume", "switch":
		for _, h := range fr.HandlerClausesAt(fr.PC()) {
			if is(h.Tag) {
				return true
			}
		}
	case "create":
		for _, t := range fl.sym.Function(fr.Func()).Begins(in) {
			if is(fr.Instance().Tag(t)) {
				return true
			}
		}
	}
	if in.Op == wasm.OpThrowRef {
		if ops := fr.Operands(); len(ops) > 0 && ops[len(ops)-1].Ref.Kind() == vm.RefExn {
			return is(ops[len(ops)-1].Ref.Exn().Tag())
		}
	}
	return false
}

// isTag reports whether a tag is called so: by its name without `$`, or its number.
func isTag(t *vm.Tag, name string) bool {
	return t != nil && strings.TrimPrefix(strings.TrimPrefix(symbols.TagName(t), "$"), "tag ") == name
}

// check returns an error if no module has the tag or the function of a condition, or if no stack
// begins with an event where the filter asks for the tag of one.
func (fl *Filters) check(n *filter) error {
	if len(fl.sym.Units()) > 0 && n.Name == "create" && n.tag != "" && !slices.ContainsFunc(
		fl.sym.Units(), func(u *symbols.Unit) bool { return u.Module.Dialect.Info().Events },
	) {
		return fmt.Errorf("create has no tag: in this program no stack begins with an event")
	}
	tag, fn := n.tag == "" || len(fl.sym.Units()) == 0, n.fn == "" || len(fl.sym.Units()) == 0
	module := n.module == "" || len(fl.sym.Units()) == 0
	for _, u := range fl.sym.Units() {
		m := u.Module
		module = module || strings.TrimPrefix(u.Title(), "$") == n.module
		for i := range m.Tags {
			tag = tag || strings.TrimPrefix(m.Names.Tag(uint32(i)), "$") == n.tag
		}
		if fn {
			continue
		}
		if i, err := strconv.ParseUint(n.fn, 10, 32); err == nil && i < uint64(len(m.Funcs)) {
			fn = true
		}
		for _, name := range m.Names.Funcs {
			fn = fn || name == n.fn
		}
		if x, ok := m.Export(n.fn); ok && x.Kind == wasm.ExternFunc {
			fn = true
		}
	}
	switch {
	case !tag:
		return fmt.Errorf("no module has a tag $%s", n.tag)
	case !module:
		return fmt.Errorf("there is no module %s", n.module)
	case !fn:
		return fmt.Errorf("no module has a function $%s", n.fn)
	}
	return nil
}

// isFunc reports whether a function is called so: by name, export or title.
func isFunc(fi *symbols.Function, name string) bool {
	if strings.Trim(strings.TrimPrefix(fi.Title, "$"), `"`) == name || strconv.Itoa(int(fi.ID.Func)) == name {
		return true
	}
	if fi.Module != nil {
		if x, ok := fi.Module.Export(name); ok && x.Kind == wasm.ExternFunc && x.Index == fi.ID.Func {
			return true
		}
	}
	return false
}

// wants reports whether a filter for a fault asks for a stop.
func (fl *Filters) wants(name string, tag *vm.Tag) bool { return fl.wantsUse(name, tag, vm.Ref{}) }

// wantsUse is wants for the use of a reference to a stack, which a filter may name as well.
func (fl *Filters) wantsUse(name string, tag *vm.Tag, used vm.Ref) bool {
	run := fl.mach.Running()
	for i := range fl.list {
		f := &fl.list[i]
		switch {
		case f.Name != name:
		case f.tag != "" && !isTag(tag, f.tag):
		case f.stack != 0 && uint64(f.stack) != used.StackID() && (run == nil || snapshot.StackID(run.ID()) != f.stack):
		case f.fn != "" && !fl.runs(run, f.fn):
		default:
			return true
		}
	}
	return false
}

func (fl *Filters) runs(st *vm.Stack, fn string) bool {
	if st == nil {
		return false
	}
	f := symbols.TopFrame(st)
	return f != nil && isFunc(fl.sym.Function(f.Func()), fn)
}

// watchesFinish reports whether the ends of stacks are asked for.
func (fl *Filters) watchesFinish() bool {
	for i := range fl.list {
		if fl.list[i].Name == "finish" {
			return true
		}
	}
	return false
}

// finishes returns the text of the stop for the end of a stack, "" if no filter asks for one.
func (fl *Filters) finishes(ev *vm.Event) string {
	if ev.Other == 0 && ev.Kind == vm.EventFinish {
		return "" // a call of the host
	}
	for i := range fl.list {
		f := &fl.list[i]
		if f.Name != "finish" || f.stack != 0 && uint64(f.stack) != ev.Stack ||
			f.fn != "" && !isFunc(fl.sym.Function(ev.Base), f.fn) {
			continue
		}
		word := "finish"
		if ev.Kind == vm.EventRelease {
			word = "release"
		}
		x := fl.sym.Event(ev, 0, false)
		text := fmt.Sprintf("%s of #%d %s", word, ev.Stack, x.Func)
		if x.End != nil && (x.End.Kind != snapshot.Returned || x.Tag != "") {
			text += ": " + x.End.Text(ev.Dialect)
			if s := x.End.SkippedText(); s != "" {
				text += "; " + s
			}
		}
		return text
	}
	return ""
}
