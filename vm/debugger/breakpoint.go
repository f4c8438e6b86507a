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

// SetBreakpoints replaces the breakpoints of a group (a file, all function breakpoints …) and
// resolves them. Breakpoints of other groups stay.
//
// The engine works on copies; a breakpoint that is found again by its id and asks for the same
// keeps its count of hits.
func (e *Engine) SetBreakpoints(group string, f *Source, bs []*Breakpoint) error {
	return e.Do(func() {
		defer e.bounded()() // all conditions together
		own := make([]*Breakpoint, len(bs))
		for i, b := range bs {
			e.resolve(f, b)
			c := *b
			for _, o := range e.groups[group] {
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
		e.groups[group] = own
		e.noteBegun(own)
		e.placeBreakpoints()
	})
}

// HasBreakpoints reports whether there is a breakpoint that can stop the program: one that stands
// for a place or a datum of it. Log points and events do not count.
func (e *Engine) HasBreakpoints() bool {
	found := false
	for _, bs := range e.groups {
		for _, b := range bs {
			found = found || b.Verified && b.event == nil && !b.data && b.Log == ""
		}
	}
	e.eachData(func(b *DataBreakpoint) { found = found || b.Verified })
	return found
}

// still returns those of the breakpoints that exist.
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
	e.unitAdded(u)
}

// unitAdded resolves the breakpoints that wait for the file of a unit.
func (e *Engine) unitAdded(u *Unit) {
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
	e.keepTemporaries()
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
