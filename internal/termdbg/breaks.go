package termdbg

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/dap"
)

// brkKind is what a breakpoint waits for.
type brkKind uint8

const (
	bpLine brkKind = iota
	bpFunc
	bpCode  // an instruction
	bpData  // an access
	bpEvent // an exception filter: a control event or a fault
)

// brk is a breakpoint, watchpoint or catchpoint. The adapter knows those that are enabled.
type brk struct {
	n     int // its number; 0 of `until`
	kind  brkKind
	at    place
	stack int    // only on this stack; 0: on any
	cond  string // only if this is true
	hit   string // hit condition, as in the protocol
	log   string // a log point: what it prints instead of stopping
	temp  bool   // it is deleted when it has stopped the program
	until bool   // it is deleted at any stop

	expr   string // of bpData: what is watched
	data   string // its name in the protocol
	access string
	filter string // of bpEvent

	disabled bool
	retire   string   // "disable" or "delete": what happens when it has stopped the program
	commands []string // what to execute then
	probe    bool     // it is set for a moment only, see resolve

	// What the adapter says.
	id      int
	failed  bool
	message string // why it failed
	title   string // of bpData
	found   place  // where it is
	hits    int    // how often it has stopped the program
}

// noun is what the user calls it.
func (b *brk) noun() string {
	switch {
	case b.log != "":
		return "log point"
	case b.kind == bpData:
		return "watchpoint"
	case b.kind == bpEvent:
		return "catchpoint"
	}
	return "breakpoint"
}

// group names the request that sets it, together with the others of the group.
func (b *brk) group() string {
	switch b.kind {
	case bpLine:
		return "source " + sourceKey(b.at.src)
	case bpFunc:
		return "functions"
	case bpCode:
		return "instructions"
	case bpData:
		return "data"
	}
	return "filters"
}

// condition is the condition with the stack.
func (b *brk) condition() string {
	switch {
	case b.stack == 0:
		return b.cond
	case b.cond == "":
		return fmt.Sprintf("#%d", b.stack)
	case b.kind == bpEvent:
		return fmt.Sprintf("stack %d, %s", b.stack, b.cond)
	}
	return fmt.Sprintf("#%d and %s", b.stack, b.cond)
}

// sendGroup sets the breakpoints of a group.
func (d *debugger) sendGroup(group string) error {
	var set []*brk
	for _, b := range d.breaks {
		if b.group() == group && !b.disabled {
			set = append(set, b)
		}
	}
	var body godap.SetBreakpointsResponseBody
	var err error
	switch key, isSource := strings.CutPrefix(group, "source "); {
	case isSource:
		src := d.sourceOf(key)
		a := godap.SetBreakpointsArguments{Source: src, Breakpoints: []godap.SourceBreakpoint{}}
		for _, b := range set {
			a.Breakpoints = append(
				a.Breakpoints,
				godap.SourceBreakpoint{
					Line: b.at.line, Column: b.at.col, Condition: b.condition(),
					HitCondition: b.hit, LogMessage: b.log,
				},
			)
		}
		err = d.ask("setBreakpoints", a, &body)
	case group == "functions":
		a := godap.SetFunctionBreakpointsArguments{Breakpoints: []godap.FunctionBreakpoint{}}
		for _, b := range set {
			a.Breakpoints = append(
				a.Breakpoints,
				godap.FunctionBreakpoint{Name: b.at.fn, Condition: b.condition(), HitCondition: b.hit},
			)
		}
		err = d.ask("setFunctionBreakpoints", a, &body)
	case group == "instructions":
		a := godap.SetInstructionBreakpointsArguments{Breakpoints: []godap.InstructionBreakpoint{}}
		for _, b := range set {
			a.Breakpoints = append(
				a.Breakpoints,
				godap.InstructionBreakpoint{InstructionReference: b.at.code, Condition: b.condition(), HitCondition: b.hit},
			)
		}
		err = d.ask("setInstructionBreakpoints", a, &body)
	case group == "data":
		a := godap.SetDataBreakpointsArguments{Breakpoints: []godap.DataBreakpoint{}}
		for _, b := range set {
			a.Breakpoints = append(
				a.Breakpoints,
				godap.DataBreakpoint{
					DataId: b.data, AccessType: godap.DataBreakpointAccessType(b.access),
					Condition: b.condition(), HitCondition: b.hit,
				},
			)
		}
		err = d.ask("setDataBreakpoints", a, &body)
	default:
		body, err = d.sendFilters(&set)
	}
	if err != nil {
		return err
	}
	for i, b := range set {
		if i < len(body.Breakpoints) {
			b.answered(body.Breakpoints[i])
		}
	}
	return nil
}

// sendFilters sets the catchpoints, and the default filters that no catchpoint replaces.
func (d *debugger) sendFilters(set *[]*brk) (godap.SetBreakpointsResponseBody, error) {
	a := godap.SetExceptionBreakpointsArguments{Filters: []string{}}
	own := map[string]bool{}
	for _, b := range *set {
		own[b.filter] = true
		a.FilterOptions = append(a.FilterOptions, godap.ExceptionFilterOptions{FilterId: b.filter, Condition: b.condition()})
	}
	for _, f := range d.offered.ExceptionBreakpointFilters {
		if f.Default && !own[f.Filter] && !d.filtersOff[f.Filter] {
			a.Filters = append(a.Filters, f.Filter)
		}
	}
	var body godap.SetBreakpointsResponseBody
	err := d.ask("setExceptionBreakpoints", a, &body)
	body.Breakpoints = body.Breakpoints[min(len(a.Filters), len(body.Breakpoints)):]
	return body, err
}

// sourceOf returns the source with a key.
func (d *debugger) sourceOf(key string) godap.Source {
	for _, b := range d.breaks {
		if b.kind == bpLine && sourceKey(b.at.src) == key {
			return *b.at.src
		}
	}
	ref, path, _ := strings.Cut(key, " ")
	n, _ := strconv.Atoi(ref)
	return godap.Source{SourceReference: n, Path: path}
}

// answered records what the adapter says about a breakpoint.
func (b *brk) answered(r godap.Breakpoint) {
	b.id, b.failed, b.message = r.Id, !r.Verified, r.Message
	if b.kind == bpData && r.Verified && r.Message != "" {
		b.title, b.message = r.Message, ""
	}
	b.found = place{}
	if r.Verified && r.Source != nil {
		b.found = place{src: r.Source, line: r.Line, col: r.Column}
	}
}

// breakpointChanged follows the event of that name.
func (d *debugger) breakpointChanged(m *dap.Message) {
	var e godap.BreakpointEventBody
	if json.Unmarshal(m.Body, &e) != nil {
		return
	}
	for _, b := range d.breaks {
		if b.id == 0 || b.id != e.Breakpoint.Id || b.disabled {
			continue
		}
		was := b.failed
		b.answered(e.Breakpoint)
		if was != b.failed && !d.silent && b.n > 0 {
			d.printf("%s %d: %s\n", b.noun(), b.n, d.describe(b))
		}
	}
}

// sendGroups sets the breakpoints of the groups that some breakpoints belong to.
func (d *debugger) sendGroups(bs []*brk) error {
	done := map[string]bool{}
	var failed error
	for _, b := range bs {
		if g := b.group(); !done[g] {
			done[g] = true
			if err := d.sendGroup(g); err != nil && failed == nil {
				failed = err
			}
		}
	}
	return failed
}

// sendAll sets all breakpoints, for a new session.
func (d *debugger) sendAll() {
	if err := d.sendGroups(append(slices.Clone(d.breaks), &brk{kind: bpEvent})); err != nil {
		d.fail(err)
	}
}

// changed sets the breakpoints again after some of them were changed, and prints an error.
func (d *debugger) changed(bs ...*brk) bool {
	if d.client == nil {
		return true // they are set when there is a program
	}
	if err := d.sendGroups(bs); err != nil {
		d.fail(err)
		return false
	}
	return true
}

// add sets a breakpoint, says where it is, and reports whether it is in force.
func (d *debugger) add(b *brk) bool {
	if !b.until {
		d.nextBrk++
		b.n = d.nextBrk
	}
	d.breaks = append(d.breaks, b)
	if !d.changed(b) {
		d.remove(b)
		d.nextBrk = max(0, d.nextBrk-1)
		return false
	}
	switch {
	case b.failed && b.kind != bpLine, b.failed && b.until:
		d.failf("%s", d.describe(b))
		d.remove(b)
		if !b.until {
			d.nextBrk--
		}
		return false
	case b.failed: // a file that becomes part of the program later, perhaps
		d.failf("%s %d: %s", b.noun(), b.n, d.describe(b))
		return false
	case !b.until:
		temp := ""
		if b.temp {
			temp = "temporary "
		}
		d.printf("%s%s %d: %s\n", temp, b.noun(), b.n, d.describe(b))
	}
	return true
}

// remove deletes breakpoints.
func (d *debugger) remove(bs ...*brk) {
	if len(bs) == 0 {
		return
	}
	var left []*brk // another slice: back keeps this one
	for _, b := range d.breaks {
		if !slices.Contains(bs, b) {
			left = append(left, b)
		}
	}
	d.breaks = left
	d.changed(bs...)
}

// describe reports what a breakpoint waits for, and where.
func (d *debugger) describe(b *brk) string {
	s := ""
	switch b.kind {
	case bpLine:
		s = fmt.Sprintf("%s:%d", d.name(b.at.src), b.at.line)
	case bpFunc:
		s = b.at.fn
	case bpCode:
		s = "*" + b.at.code
	case bpData:
		s = b.expr
	case bpEvent:
		s = b.filter
	}
	switch {
	case b.failed:
		s += ": " + b.message
	case b.found.src != nil:
		where := fmt.Sprintf("%s:%d:%d", d.name(b.found.src), b.found.line, b.found.col)
		switch {
		case b.kind != bpLine:
			s += " at " + where
		case b.found.line != b.at.line:
			s = fmt.Sprintf("%s (moved from line %d)", where, b.at.line)
		default:
			s = where
		}
		if b.message != "" {
			s += " (" + b.message + ")"
		}
	case b.message != "":
		s += " (" + b.message + ")"
	}
	if b.stack != 0 {
		s += fmt.Sprintf(", stack #%d", b.stack)
	}
	if b.cond != "" {
		s += " if " + b.cond
	}
	return s
}

// hit returns the breakpoints that have stopped the program, and counts them.
func (d *debugger) hit() []*brk {
	var out []*brk
	for _, b := range d.breaks {
		switch {
		case b.until || b.disabled:
		case b.kind == bpEvent && d.caught != "" && d.caught == b.filter,
			b.kind != bpEvent && b.id != 0 && slices.Contains(d.stop.HitBreakpointIds, b.id):
			b.hits++
			out = append(out, b)
		}
	}
	return out
}

// retire deletes or disables those breakpoints that are good for one stop.
func (d *debugger) retire(hits []*brk) {
	var gone, off []*brk
	for _, b := range d.breaks {
		stopped := slices.Contains(hits, b)
		switch {
		case b.until, stopped && (b.temp || b.retire == "delete"):
			gone = append(gone, b)
		case stopped && b.retire == "disable":
			b.disabled, b.retire = true, ""
			off = append(off, b)
		}
	}
	d.remove(gone...)
	if len(off) > 0 {
		d.changed(off...)
	}
}

// snapshot returns copies of the breakpoints, for back.
func (d *debugger) snapshot() []*brk {
	out := make([]*brk, len(d.breaks))
	for i, b := range d.breaks {
		c := *b
		out[i] = &c
	}
	return out
}

// use puts other breakpoints in force.
func (d *debugger) use(bs []*brk) {
	old := d.breaks
	d.breaks = bs
	d.breaks = d.snapshot()
	d.changed(append(slices.Clone(old), d.breaks...)...)
}
