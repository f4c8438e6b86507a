package debugger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/inspect"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/step"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/debugger/watch"
	"stackscope/wasm"
)

// Breakpoint is a place where the program is to stop, or to log. What is asked for is set by the
// caller; the engine fills in the rest.
type Breakpoint struct {
	ID        int
	Line      int                 // 0-based; of a source breakpoint
	Col       int                 // of a source breakpoint: its column from 1, in UTF-16 units; 0: none was given
	Func      string              // of a function breakpoint: the `$name`, `name`, export or index of a function or tag
	Code      symbols.CodeAddress // of an instruction breakpoint
	Condition string              // see splitStack, compileTest
	Hit       string              // `5`, `>= 5`, `% 3` …
	Log       string              // text with {expressions}: log instead of stopping
	Stack     snapshot.StackID    // only on this stack; 0: on any. A condition can say so too
	Once      bool                // it is in force until it has been hit
	Refused   string              // why it cannot be set, whatever the program is; "": nothing

	Verified bool
	Message  string // why not verified
	File     *symbols.Source
	Place    symbols.Place
	command  int             // it is at this command of a script, counted from 1; 0: in code
	also     []symbols.Place // further places of a breakpoint on a tag
	cond     string          // Condition without the stack
	Hits     int             // how often it was reached with its condition true
	pass     pass            // see newPass

	tests map[snapshot.FuncID]inspect.Test // Condition, compiled for each function that it is in
	event *filter                          // it stands for a filter
	data  bool                             // it stands for the data breakpoints
	hitOp string
	hitN  int
	parts []inspect.LogPart
}

// Breakpoints are the breakpoints in the code of a program, in groups: a file, all function
// breakpoints, those that the engine needs itself.
type Breakpoints struct {
	prog *Program
	opt  *Options
	mach *vm.Machine
	sym  *symbols.Symbols
	run  *run
	eval *inspect.Evaluator
	do   func(func()) error // Engine.Do

	groups map[string][]*Breakpoint
	sites  map[snapshot.FuncID]map[int][]*Breakpoint
	// clauses are the breakpoints where control arrives by a clause, entries those where a new stack
	// begins in an event clause of a function.
	clauses   map[symbols.Arrival][]*Breakpoint
	entries   map[snapshot.FuncID][]*Breakpoint
	instances []*vm.Instance // those of units, in order of creation
	temps     []tempBreak
	// atCommands are the breakpoints at commands of a script, by their index.
	atCommands map[int][]*Breakpoint
}

// Set replaces the breakpoints of a group (a file, all function breakpoints …) and
// resolves them. Breakpoints of other groups stay.
//
// The engine works on copies; a breakpoint that is found again by its id and asks for the same
// keeps its count of hits.
func (bp *Breakpoints) Set(group string, f *symbols.Source, bs []*Breakpoint) error {
	return bp.do(func() {
		defer bp.eval.Bounded()() // all conditions together
		own := make([]*Breakpoint, len(bs))
		for i, b := range bs {
			bp.resolve(f, b)
			c := *b
			for _, o := range bp.groups[group] {
				if o.ID == c.ID && o.Line == c.Line && o.Col == c.Col && o.Func == c.Func && o.Code == c.Code &&
					o.Condition == c.Condition &&
					o.Hit == c.Hit &&
					o.Log == c.Log &&
					o.Stack == c.Stack &&
					o.Once == c.Once {
					c.Hits = o.Hits
				}
			}
			own[i] = &c
		}
		bp.groups[group] = own
		bp.markStarted(own)
		bp.place()
	})
}

// unitAdded resolves the breakpoints that wait for the file of a unit.
func (bp *Breakpoints) unitAdded(u *symbols.Unit) {
	if bp.opt.InGroup == nil {
		return
	}
	files := []*symbols.Source{u.File}
	if i, ok := bp.sym.UnitOf(u.Module); ok {
		files = append(files, bp.sym.Externals(i)...)
	}
	any := false
	for group, bs := range bp.groups {
		at := slices.IndexFunc(files, func(f *symbols.Source) bool { return bp.opt.InGroup(group, f) })
		if at < 0 {
			continue
		}
		for _, b := range bs {
			any = true
			before := *b
			if bp.resolve(files[at], b); bp.opt.OnChange != nil &&
				(b.Verified != before.Verified || b.Place != before.Place || len(b.also) != len(before.also)) {
				bp.opt.OnChange(*b)
			}
		}
	}
	if any {
		bp.place()
	}
}

// place brings the machine in line with the groups.
func (bp *Breakpoints) place() {
	old := bp.sites
	bp.sites, bp.atCommands = map[snapshot.FuncID]map[int][]*Breakpoint{}, map[int][]*Breakpoint{}
	bp.clauses, bp.entries = map[symbols.Arrival][]*Breakpoint{}, map[snapshot.FuncID][]*Breakpoint{}
	for _, bs := range bp.groups {
		for _, b := range bs {
			if !b.Verified {
				continue
			}
			if b.Once && b.Hits > 0 {
				continue
			}
			if b.command > 0 {
				bp.atCommands[b.command-1] = append(bp.atCommands[b.command-1], b)
				continue
			}
			for i := -1; i < len(b.also); i++ {
				at := b.Place
				if i >= 0 {
					at = b.also[i]
				}
				switch at.Arrival.Kind {
				case symbols.ByClause:
					bp.clauses[at.Arrival] = append(bp.clauses[at.Arrival], b)
					continue
				case symbols.ByEntry:
					bp.entries[at.Func] = append(bp.entries[at.Func], b)
				}
				if bp.sites[at.Func] == nil {
					bp.sites[at.Func] = map[int][]*Breakpoint{}
				}
				bp.sites[at.Func][at.PC] = append(bp.sites[at.Func][at.PC], b)
			}
		}
	}
	if len(bp.clauses)+len(bp.entries) > 0 {
		bp.mach.SetArrivals(bp.wanted)
	} else {
		bp.mach.SetArrivals(nil)
	}
	for _, in := range bp.instances {
		unit, _ := bp.sym.UnitOf(in.Module())
		for id, pcs := range old {
			for pc := range pcs {
				if id.Unit == unit && bp.sites[id][pc] == nil {
					bp.mach.ClearBreakpoint(in.Func(id.Func), pc)
				}
			}
		}
		bp.setSites(in, unit)
	}
	bp.keepTemporaries()
}

// wanted reports whether there is a breakpoint where control arrives.
func (bp *Breakpoints) wanted(a *vm.Arrival) bool {
	return !bp.run.silent() && len(bp.arrivedAt(a)) > 0
}

// arrivedAt returns the breakpoints where control arrives.
func (bp *Breakpoints) arrivedAt(a *vm.Arrival) []*Breakpoint {
	id := bp.sym.Function(a.Func).ID
	out := bp.clauses[symbols.Arrival{Kind: symbols.ByClause, Func: id, PC: a.PC, Clause: a.Clause}]
	if a.New && a.Clause < 0 {
		for _, b := range bp.entries[id] {
			if !slices.Contains(out, b) {
				out = append(out[:len(out):len(out)], b)
			}
		}
	}
	return out
}

// pass is where a breakpoint on a line with several places was last reached.
type pass struct {
	fn        *vm.Func
	stack     uint64
	depth, pc int
}

// notBegun returns how many of the calls that are inlined at a point, and begin there, have not begun
// for the breakpoints that stop there.
func (bp *Breakpoints) notBegun(at *step.Point, hits []int) int {
	if len(at.Entering) == 0 {
		return 0
	}
	for _, b := range bp.sites[at.Func][at.PC] {
		if !slices.Contains(hits, b.ID) || b.File == nil || b.File.External() == nil {
			continue
		}
		for _, p := range append([]symbols.Place{b.Place}, b.also...) {
			if p.Func == at.Func && p.PC == at.PC {
				return bp.sym.FunctionOf(p.Func).NotBegun(p.PC, b.File, p.Span)
			}
		}
	}
	return 0
}

// newPass reports whether control comes to the line of a breakpoint, and does not go on in it from
// another of its places: that stops once.
func (b *Breakpoint) newPass(f *vm.Frame, arrived bool) bool {
	if len(b.also) == 0 || b.Func != "" || f == nil {
		return true
	}
	now, last := pass{f.Func(), f.Stack().ID(), f.Depth(), f.PC()}, b.pass
	b.pass = now
	return arrived || last.fn != now.fn || last.stack != now.stack || last.depth != now.depth || last.pc >= now.pc
}

// entry reports whether a breakpoint is where a function begins.
func (b *Breakpoint) entry() bool { return b.Func != "" || b.Place.Arrival.Kind == symbols.ByEntry }

// setSites sets the breakpoints of an instance of a unit.
func (bp *Breakpoints) setSites(in *vm.Instance, unit int) {
	for id, pcs := range bp.sites {
		if id.Unit != unit {
			continue
		}
		for pc, bs := range pcs {
			if fn := in.Func(id.Func); bp.mach.SetBreakpoint(fn, pc) {
				bp.mach.SetBreakpointTest(fn, pc, bp.gate(bs))
			}
		}
	}
}

// everywhere makes breakpoints at all instructions of the units that are wanted.
func (bp *Breakpoints) everywhere(want func(*wasm.Instr) bool, set func(*Breakpoint)) []*Breakpoint {
	var bs []*Breakpoint
	for i, u := range bp.sym.Units() {
		for fn := range u.Module.Funcs {
			body := u.Module.Funcs[fn].Body
			for pc := range body {
				if want(&body[pc]) {
					b := &Breakpoint{
						Verified: true,
						Place:    symbols.Place{Func: snapshot.FuncID{Unit: i, Func: uint32(fn)}, PC: pc},
					}
					set(b)
					bs = append(bs, b)
				}
			}
		}
	}
	return bs
}

// gate returns the function that the machine asks before it stops at breakpoints of one place; nil
// if it is to stop always. It counts what is reached in vain; if it says to stop, hit asks again,
// and counts.
func (bp *Breakpoints) gate(bs []*Breakpoint) func(*vm.Frame) bool {
	for _, b := range bs {
		always := b.cond == "" && b.hitOp == "" && b.Stack == 0
		again := len(b.also) > 0 || b.entry() && bp.sym.FunctionOf(b.Place.Func).InLoop(b.Place.PC) // see atStart
		if b.event != nil || b.data || always || again {
			return nil
		}
		for _, t := range b.tests {
			if !t.Pure {
				return nil
			}
		}
	}
	return func(f *vm.Frame) bool {
		switch {
		case bp.run.silent():
			return false
		case bp.run.due.entry || bp.run.due.instantiating || bp.run.due.event != "" || bp.run.step() != nil ||
			bp.run.want.Load() > 0 || bp.run.pausing.Load() || bp.run.killed.Load():
			return true
		}
		for _, b := range bs {
			if ok, err := bp.met(b, f, true); err != nil || ok && hitMatches(b.hitOp, b.hitN, b.Hits+1) {
				return true
			}
		}
		for _, b := range bs {
			if ok, _ := bp.met(b, f, true); ok {
				b.Hits++
			}
		}
		return false
	}
}

// met reports whether a breakpoint is in force in a frame and its condition is true. first reports
// that the frame is new, if it is where its function begins.
func (bp *Breakpoints) met(b *Breakpoint, f *vm.Frame, first bool) (bool, error) {
	switch {
	case b.Once && b.Hits > 0:
		return false, nil
	case f == nil:
		return b.cond == "" && b.Stack == 0, nil
	case b.Stack != 0 && snapshot.StackID(f.Stack().ID()) != b.Stack:
		return false, nil
	case b.entry() && !first:
		return false, nil
	case b.cond == "":
		return true, nil
	}
	if t, ok := b.tests[bp.sym.Function(f.Func()).ID]; ok {
		return t.Ask(f)
	}
	return b.tests[b.Place.Func].Ask(f)
}

// markStarted marks the frames that are in functions with a breakpoint already.
func (bp *Breakpoints) markStarted(bs []*Breakpoint) {
	in := map[snapshot.FuncID]bool{}
	for _, b := range bs {
		if b.Verified && b.entry() && bp.sym.FunctionOf(b.Place.Func).InLoop(b.Place.PC) {
			in[b.Place.Func] = true
		}
	}
	if len(in) == 0 || !bp.run.started.Load() {
		return
	}
	const budget = 100_000
	found, _ := bp.mach.SomeStacks(budget)
	for _, l := range found {
		for _, f := range l.Frames() {
			if fi := bp.sym.Function(f.Func()); in[fi.ID] && (f.PC() > fi.Begin() || l.State() == vm.StackRunning) {
				f.SetMark(f.Mark() | watch.MarkStarted)
			}
		}
	}
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

// tempBreak is a breakpoint of the engine's own.
type tempBreak struct {
	fn *vm.Func
	pc int
}

// setTemporary sets a breakpoint of the engine's own. One of the user at the same place stops too,
// while it is there.
func (bp *Breakpoints) setTemporary(fn *vm.Func, pc int) {
	if bp.mach.SetBreakpoint(fn, pc) {
		bp.temps = append(bp.temps, tempBreak{fn, pc})
	}
}

// keepTemporaries sets the engine's own breakpoints again after those of the user have changed.
func (bp *Breakpoints) keepTemporaries() {
	for _, t := range bp.temps {
		bp.mach.SetBreakpoint(t.fn, t.pc)
	}
}

// HasBreakpoints reports whether there is a breakpoint that can stop the program: one that stands
// for a place or a datum of it. Log points and events do not count.
func (e *Engine) HasBreakpoints() bool {
	found := false
	for _, bs := range e.Breakpoints.groups {
		for _, b := range bs {
			found = found || b.Verified && b.event == nil && !b.data && b.Log == ""
		}
	}
	e.DataBreakpoints.each(func(b *DataBreakpoint) { found = found || b.Verified })
	return found
}

// filterLive returns those of the breakpoints that exist.
func (e *Engine) filterLive(ids []int) []int {
	var out []int
	for _, id := range ids {
		found := false
		for _, bs := range e.Breakpoints.groups {
			for _, b := range bs {
				found = found || b.ID == id && b.event == nil && !b.data
			}
		}
		e.DataBreakpoints.each(func(b *DataBreakpoint) { found = found || b.ID == id })
		if found {
			out = append(out, id)
		}
	}
	return out
}
