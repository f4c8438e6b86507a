package debugger

import (
	"stackscope/vm"
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
	Refused   string      // why it cannot be set, whatever the program is; "": nothing

	Verified bool
	Message  string // why not verified
	File     *Source
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

// Breakpoints are the breakpoints in the code of a program, in groups: a file, all function
// breakpoints, those that the engine needs itself.
type Breakpoints struct {
	prog   *Program
	opt    *Options
	mach   *vm.Machine
	sym    *Symbols
	run    *run
	eval   *Evaluator
	caller *caller
	do     func(func()) error // Engine.Do

	groups    map[string][]*Breakpoint
	sites     map[FuncID]map[int][]*Breakpoint
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
func (bp *Breakpoints) Set(group string, f *Source, bs []*Breakpoint) error {
	return bp.do(func() {
		defer bp.caller.bounded()() // all conditions together
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
		bp.noteBegun(own)
		bp.place()
	})
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

// still returns those of the breakpoints that exist.
func (e *Engine) still(ids []int) []int {
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

// adoptUnit makes a unit known that the program has not listed, and resolves the breakpoints that
// wait for its file.
func (e *Engine) adoptUnit(u *Unit) {
	if _, ok := e.Symbols.units[u.Module]; ok {
		return
	}
	e.Symbols.add(u)
	e.Filters.place()
	e.DataBreakpoints.place()
	if e.opt.OnUnit != nil {
		e.opt.OnUnit(len(e.Symbols.list) - 1)
	}
	e.Breakpoints.unitAdded(u)
}

// unitAdded resolves the breakpoints that wait for the file of a unit.
func (bp *Breakpoints) unitAdded(u *Unit) {
	if bp.opt.InGroup == nil {
		return
	}
	any := false
	for group, bs := range bp.groups {
		if !bp.opt.InGroup(group, u.File) {
			continue
		}
		for _, b := range bs {
			any = true
			before := *b
			if bp.resolve(u.File, b); bp.opt.OnChange != nil && (b.Verified != before.Verified || b.Place != before.Place) {
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
	bp.sites, bp.atCommands = map[FuncID]map[int][]*Breakpoint{}, map[int][]*Breakpoint{}
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
				if bp.sites[at.Func] == nil {
					bp.sites[at.Func] = map[int][]*Breakpoint{}
				}
				bp.sites[at.Func][at.PC] = append(bp.sites[at.Func][at.PC], b)
			}
		}
	}
	for _, in := range bp.instances {
		unit := bp.sym.units[in.Module()]
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
