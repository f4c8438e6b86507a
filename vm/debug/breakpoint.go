package debug

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"stackscope/analysis/source"
	"stackscope/vm"
	"stackscope/wasm"
)

// Breakpoint is a place where the program is to stop, or to log. What is asked for is set by the
// caller; the engine fills in the rest.
type Breakpoint struct {
	ID        int
	Line      int         // 0-based; of a source breakpoint
	Col       int         // of a source breakpoint: its column from 1, in UTF-16 units; 0: none was given
	Func      string      // of a function breakpoint: the `$name`, `name`, export or index of a function or tag
	Code      CodeAddress // of an instruction breakpoint
	Condition string      // see splitStack, compileTest
	Hit       string      // `5`, `>= 5`, `% 3` …
	Log       string      // text with {expressions}: log instead of stopping
	Stack     StackID     // only on this stack; 0: on any. A condition can say so too
	Once      bool        // it is in force until it has been hit

	Verified bool
	Message  string // why not verified
	File     *source.File
	Place    Place
	command  int     // it is at this command of a script, counted from 1; 0: in code
	also     []Place // further places of a breakpoint on a tag
	cond     string  // Condition without the stack
	Hits     int     // how often it was reached with its condition true

	test  test    // Condition, compiled
	event *filter // it stands for a filter
	data  bool    // it stands for the data breakpoints
	hitOp string
	hitN  int
	parts []logPart
}

type logPart struct {
	text string
	expr bool
}

// SetBreakpoints replaces the breakpoints of a group (a file, all function breakpoints …) and
// resolves them. Breakpoints of other groups stay.
//
// The engine works on copies; a breakpoint that is found again by its id and asks for the same keeps
// its count of hits.
func (e *Engine) SetBreakpoints(group string, f *source.File, bs []*Breakpoint) error {
	return e.Do(func() {
		own := make([]*Breakpoint, len(bs))
		for i, b := range bs {
			e.resolve(f, b)
			c := *b
			for _, o := range e.groups[group] {
				if o.ID == c.ID && o.Line == c.Line && o.Col == c.Col && o.Func == c.Func && o.Code == c.Code && o.Condition == c.Condition && o.Hit == c.Hit && o.Log == c.Log && o.Stack == c.Stack && o.Once == c.Once {
					c.Hits = o.Hits
				}
			}
			own[i] = &c
		}
		e.groups[group] = own
		e.noteBegun(own)
		e.placeBreakpoints()
	})
}

// still gives those of the breakpoints that exist.
func (e *Engine) still(ids []int) []int {
	var out []int
	for _, id := range ids {
		found := false
		for _, bs := range e.groups {
			for _, b := range bs {
				found = found || b.ID == id && b.event == nil && !b.data
			}
		}
		e.eachData(func(b *DataBreakpoint) { found = found || b.ID == id })
		if found {
			out = append(out, id)
		}
	}
	return out
}

// adoptUnit makes a unit known that the program has not listed, and resolves the breakpoints that
// wait for its file.
func (e *Engine) adoptUnit(u *Unit) {
	if _, ok := e.units[u.Module]; ok {
		return
	}
	e.add(u)
	e.placeEvents()
	e.placeData()
	if e.opt.OnUnit != nil {
		e.opt.OnUnit(len(e.list) - 1)
	}
	if e.opt.InGroup == nil {
		return
	}
	any := false
	for group, bs := range e.groups {
		if !e.opt.InGroup(group, u.File) {
			continue
		}
		for _, b := range bs {
			any = true
			before := *b
			if e.resolve(u.File, b); e.opt.OnChange != nil && (b.Verified != before.Verified || b.Place != before.Place) {
				e.opt.OnChange(*b)
			}
		}
	}
	if any {
		e.placeBreakpoints()
	}
}

// resolve finds where a breakpoint stops and checks what else it asks for.
func (e *Engine) resolve(f *source.File, b *Breakpoint) {
	b.Verified, b.Message, b.File, b.test, b.also, b.command = false, "", f, test{}, nil, 0
	bound, cond, err := splitStack(b.Condition)
	if b.cond = cond; bound != 0 {
		b.Stack = bound
	}
	switch {
	case err != nil:
	case b.Func != "":
		err = e.resolveFunc(b)
	case b.Code != 0:
		err = e.resolveCode(b)
	case f == nil:
		err = fmt.Errorf("this file is no part of the program")
	default:
		off := -1
		if b.Col > 0 {
			off = f.Offset(source.Position{Line: b.Line, Col: b.Col - 1}, source.UTF16)
		}
		b.Place, err = e.Resolve(f, b.Line, off)
		if i := e.commandOn(f, b.Line, b.Place, err); i >= 0 {
			c := &e.prog.Commands[i]
			b.command, err = i+1, nil
			b.Place = Place{Func: FuncID{Unit: -1}, Span: source.Span{Start: c.Span.Start, End: min(c.Span.End, f.LineStart(f.LineOf(c.Span.Start)+1))}}
			if b.cond != "" {
				err = errors.New("a command of a script has no condition: set it in the code")
			}
		}
	}
	if err == nil {
		b.hitOp, b.hitN, err = parseHit(b.Hit)
	}
	if err == nil && b.cond != "" {
		if err = e.checkCondition(b.Place.Func, b.cond); err == nil {
			b.test = e.compileTest(b.Place.Func, b.cond)
		} else {
			err = fmt.Errorf("condition: %w", err)
		}
	}
	if err == nil && b.Log != "" {
		if b.parts, err = parseLog(b.Log); err == nil {
			for _, p := range b.parts {
				if p.expr && err == nil {
					if err = e.check(b.Place.Func, p.text); err != nil {
						err = fmt.Errorf("log message: {%s}: %w", p.text, err)
					}
				}
			}
		}
	}
	if err != nil {
		b.Message = err.Error()
		return
	}
	b.Verified = true
}

// resolveCode finds the instruction at an address.
func (e *Engine) resolveCode(b *Breakpoint) error {
	unit, i, exact := e.locate(b.Code)
	if !exact {
		return fmt.Errorf("there is no instruction at this address")
	}
	l := e.listingOf(unit)
	fi := e.infoOf(FuncID{unit, l.fn[i]})
	pc := int(l.pc[i])
	b.File = e.list[unit].File
	b.Place = Place{fi.id, pc, fi.span(pc, true), fi.isStmt(pc)}
	return nil
}

// splitStack takes the stack off a condition: `#3`, `stack 3`, `#3 and $i > 2`.
func splitStack(cond string) (StackID, string, error) {
	s := strings.TrimSpace(cond)
	rest, ok := strings.CutPrefix(s, "#")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "stack "); !ok {
			return 0, s, nil
		}
		rest = strings.TrimPrefix(strings.TrimSpace(rest), "#")
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	id, err := strconv.Atoi(rest[:end])
	tail := strings.TrimSpace(rest[end:])
	joined := tail == ""
	for _, word := range []string{"and ", "&&", ","} {
		if t, ok := strings.CutPrefix(tail, word); ok && !joined {
			tail, joined = strings.TrimSpace(t), true
		}
	}
	if err != nil || id < 1 || !joined {
		return 0, "", fmt.Errorf("condition %q: want `#3`, or `#3 and` with a condition", cond)
	}
	return StackID(id), tail, nil
}

// resolveFunc finds a function by name, export or index; the last unit that has it wins. If there is
// none, it may be the name of a tag.
func (e *Engine) resolveFunc(b *Breakpoint) error {
	name := strings.TrimPrefix(strings.TrimSpace(b.Func), "$")
	for i := len(e.list) - 1; i >= 0; i-- {
		m := e.list[i].Module
		found := -1
		for fn, n := range m.Names.Funcs {
			if n == name {
				found = int(fn)
			}
		}
		if x, ok := m.Export(strings.Trim(name, `"`)); ok && found < 0 && x.Kind == 0 {
			found = int(x.Index)
		}
		if n, err := strconv.ParseUint(name, 10, 32); err == nil && found < 0 && int(n) < len(m.Funcs) {
			found = int(n)
		}
		if found < 0 {
			continue
		}
		if len(m.Funcs[found].Body) == 0 {
			return fmt.Errorf("%s is imported: there is no code to stop in", b.Func)
		}
		fi := e.infoOf(FuncID{i, uint32(found)})
		b.File = e.list[i].File
		b.Place = Place{fi.id, 0, fi.span(0, false), fi.isStmt(0)}
		return nil
	}
	return e.resolveTag(b, name)
}

// resolveTag finds the instructions that name a tag: suspensions, switches, throws and whatever sends
// it as an event.
func (e *Engine) resolveTag(b *Breakpoint, name string) error {
	known := false
	var all []Place
	for i, u := range e.list {
		m := u.Module
		is := map[uint32]bool{}
		for t, n := range m.Names.Tags {
			is[t] = n == name
		}
		if x, ok := m.Export(strings.Trim(name, `"`)); ok && x.Kind == wasm.ExternTag {
			is[x.Index] = true
		}
		for _, yes := range is {
			known = known || yes
		}
		for fn := range m.Funcs {
			body := m.Funcs[fn].Body
			for pc := range body {
				if t, ok := indexOf(&body[pc], wasm.ImmTag, 0); ok && is[t] {
					fi := e.infoOf(FuncID{i, uint32(fn)})
					all = append(all, Place{fi.id, pc, fi.span(pc, !fi.isStmt(pc)), fi.isStmt(pc)})
				}
			}
		}
	}
	switch {
	case !known:
		return fmt.Errorf("there is no function or tag %s", b.Func)
	case len(all) == 0:
		return fmt.Errorf("no instruction sends %s", b.Func)
	}
	b.File, b.Place, b.also = e.list[all[0].Func.Unit].File, all[0], all[1:]
	if len(all) > 1 {
		b.Message = fmt.Sprintf("stops at the %d instructions that send %s", len(all), b.Func)
	}
	return nil
}

// placeBreakpoints brings the machine in line with the groups.
func (e *Engine) placeBreakpoints() {
	old := e.sites
	e.sites, e.atCommands = map[FuncID]map[int][]*Breakpoint{}, map[int][]*Breakpoint{}
	for _, bs := range e.groups {
		for _, b := range bs {
			if !b.Verified {
				continue
			}
			if b.Once && b.Hits > 0 {
				continue
			}
			if b.command > 0 {
				e.atCommands[b.command-1] = append(e.atCommands[b.command-1], b)
				continue
			}
			for i := -1; i < len(b.also); i++ {
				at := b.Place
				if i >= 0 {
					at = b.also[i]
				}
				if e.sites[at.Func] == nil {
					e.sites[at.Func] = map[int][]*Breakpoint{}
				}
				e.sites[at.Func][at.PC] = append(e.sites[at.Func][at.PC], b)
			}
		}
	}
	for _, in := range e.instances {
		unit := e.units[in.Module()]
		for id, pcs := range old {
			for pc := range pcs {
				if id.Unit == unit && e.sites[id][pc] == nil {
					e.mach.ClearBreakpoint(in.Func(id.Func), pc)
				}
			}
		}
		e.setSites(in, unit)
	}
}

// setSites sets the breakpoints of an instance of a unit.
func (e *Engine) setSites(in *vm.Instance, unit int) {
	for id, pcs := range e.sites {
		if id.Unit != unit {
			continue
		}
		for pc, bs := range pcs {
			if fn := in.Func(id.Func); e.mach.SetBreakpoint(fn, pc) {
				e.mach.SetBreakpointTest(fn, pc, e.gate(bs))
			}
		}
	}
}

// hit gives the ids of the breakpoints that stop here, and the control event that a filter asks for.
// Those that log do so.
func (e *Engine) hit(bs []*Breakpoint, s *vm.Stop) (ids []int, event string) {
	frame := topFrame(s.Stack)
	first := begins(e.info(s.Site.Func), frame)
	for _, b := range bs {
		if b.data {
			e.access = e.accessOf(frame)
			continue
		}
		if b.event != nil {
			if t := e.eventText(b.event, frame); t != "" {
				event = t
			}
			continue
		}
		ok, err := b.met(frame, first)
		if err != nil {
			e.output(Console, fmt.Sprintf("breakpoint %d: condition: %v\n", b.ID, err))
			ids = append(ids, b.ID) // whoever asked wants to know
			continue
		}
		if !ok {
			continue
		}
		b.Hits++
		if !hitMatches(b.hitOp, b.hitN, b.Hits) {
			continue
		}
		if b.Log != "" {
			e.output(Console, e.logText(frame, b.parts)+"\n")
			continue
		}
		ids = append(ids, b.ID)
	}
	return ids, event
}

// begins tells whether a frame is at the beginning of its function for the first time: a function that
// begins with a loop comes there again and again, but is entered once. It notes that it was there.
func begins(fi *funcInfo, f *vm.Frame) bool {
	if f == nil || f.PC() != 0 || !fi.loops() {
		return true
	}
	again := f.Mark()&markBegun != 0
	f.SetMark(f.Mark() | markBegun)
	return !again
}

// loops tells whether a function begins with a loop.
func (fi *funcInfo) loops() bool { return fi.fn != nil && fi.fn.Body[0].Op == wasm.OpLoop }

// markBegun is the bit of a frame's mark that begins keeps; the others name the activation, see
// localData.
const markBegun = 1

// noteBegun marks the frames that are in functions with a breakpoint already.
func (e *Engine) noteBegun(bs []*Breakpoint) {
	in := map[FuncID]bool{}
	for _, b := range bs {
		if b.Verified && b.Func != "" && b.Place.PC == 0 && e.infoOf(b.Place.Func).loops() {
			in[b.Place.Func] = true
		}
	}
	if len(in) == 0 || !e.started {
		return
	}
	const budget = 100_000
	found, _ := e.mach.SomeStacks(budget)
	for _, l := range found {
		for _, f := range l.Frames() {
			if in[e.info(f.Func()).id] && (f.PC() > 0 || l.State() == vm.StackRunning) {
				f.SetMark(f.Mark() | markBegun)
			}
		}
	}
}

func topFrame(st *vm.Stack) *vm.Frame {
	return st.Frame(st.NumFrames() - 1)
}

func (e *Engine) logText(f *vm.Frame, parts []logPart) string {
	var b strings.Builder
	for _, p := range parts {
		if !p.expr {
			b.WriteString(p.text)
			continue
		}
		vs, err := e.evaluate(f, p.text)
		if err != nil {
			fmt.Fprintf(&b, "{%s: %v}", p.text, err)
			continue
		}
		for i, v := range vs {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(e.Format(v.Value, false))
		}
	}
	return b.String()
}

// parseHit reads a hit condition: an operator, == by default, and a number.
func parseHit(s string) (op string, n int, err error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", 0, nil
	}
	rest := strings.TrimLeft(s, "<>=!%")
	op = s[:len(s)-len(rest)]
	n, err = strconv.Atoi(strings.TrimSpace(rest))
	switch op {
	case "":
		op = "=="
	case "=":
		op = "=="
	case "==", "!=", "<", "<=", ">", ">=", "%":
	default:
		err = fmt.Errorf("unknown operator")
	}
	if err != nil || n < 0 || op == "%" && n == 0 {
		return "", 0, fmt.Errorf("hit condition %q: want a number, or one of == != < <= > >= %% with a number", s)
	}
	return op, n, nil
}

func hitMatches(op string, n, hits int) bool {
	switch op {
	case "==":
		return hits == n
	case "!=":
		return hits != n
	case "<":
		return hits < n
	case "<=":
		return hits <= n
	case ">":
		return hits > n
	case ">=":
		return hits >= n
	case "%":
		return hits%n == 0
	}
	return true
}

// parseLog splits a log message at its {expressions}. `{{` and `}}` stand for braces.
func parseLog(s string) ([]logPart, error) {
	var out []logPart
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "{{"), strings.HasPrefix(s[i:], "}}"):
			text.WriteByte(s[i])
			i++
		case s[i] == '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				return nil, fmt.Errorf("log message: { without }")
			}
			if text.Len() > 0 {
				out = append(out, logPart{text: text.String()})
				text.Reset()
			}
			out = append(out, logPart{text: strings.TrimSpace(s[i+1 : i+end]), expr: true})
			i += end
		default:
			text.WriteByte(s[i])
		}
	}
	if text.Len() > 0 {
		out = append(out, logPart{text: text.String()})
	}
	return out, nil
}
