package termdbg

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/dap"
)

// breakTable is the breakpoints, watchpoints and catchpoints, and sets them in the adapter.
type breakTable struct {
	*target
	all  []*brk
	last int             // the number given last
	off  map[string]bool // default filters that are off
}

// brkKind is what a breakpoint waits for.
type brkKind uint8

const (
	bpLine brkKind = iota
	bpFunc
	bpCode  // an instruction
	bpData  // an access
	bpEvent // an exception filter: a control event or a fault
)

// brk is a breakpoint, watchpoint or catchpoint. Those that are enabled are set in the adapter.
type brk struct {
	n     int // its number; 0 of `until`
	kind  brkKind
	at    place
	stack int    // only on this stack; 0: on any
	cond  string // stops only if it is true
	hit   string // hit condition, as in the protocol
	log   string // the text of a log point, printed instead of stopping
	temp  bool   // deleted after it stopped the program
	until bool   // deleted at any stop

	expr   string // the watched expression, of bpData
	data   string // its name in the protocol
	access string
	filter string // of bpEvent

	disabled bool
	retire   string   // "disable" or "delete": what happens when it has stopped the program
	commands []string // executed then
	probe    bool     // set only for a moment, see resolve

	// The adapter's answer.
	id      int
	failed  bool
	message string // why it failed
	title   string // of bpData
	found   place  // where it is
	hits    int    // how often it stopped the program
}

// noun returns the user's word for the breakpoint.
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

// group returns the name of the group of breakpoints that one request sets together.
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

// condition returns the condition with the stack.
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
func (bt *breakTable) sendGroup(group string) error {
	var set []*brk
	for _, b := range bt.all {
		if b.group() == group && !b.disabled {
			set = append(set, b)
		}
	}
	var body godap.SetBreakpointsResponseBody
	var err error
	switch key, isSource := strings.CutPrefix(group, "source "); {
	case isSource:
		src := bt.sourceOf(key)
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
		err = bt.ask("setBreakpoints", a, &body)
	case group == "functions":
		a := godap.SetFunctionBreakpointsArguments{Breakpoints: []godap.FunctionBreakpoint{}}
		for _, b := range set {
			a.Breakpoints = append(
				a.Breakpoints,
				godap.FunctionBreakpoint{Name: b.at.fn, Condition: b.condition(), HitCondition: b.hit},
			)
		}
		err = bt.ask("setFunctionBreakpoints", a, &body)
	case group == "instructions":
		a := godap.SetInstructionBreakpointsArguments{Breakpoints: []godap.InstructionBreakpoint{}}
		for _, b := range set {
			a.Breakpoints = append(
				a.Breakpoints,
				godap.InstructionBreakpoint{InstructionReference: b.at.code, Condition: b.condition(),
					HitCondition: b.hit},
			)
		}
		err = bt.ask("setInstructionBreakpoints", a, &body)
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
		err = bt.ask("setDataBreakpoints", a, &body)
	default:
		body, err = bt.sendFilters(&set)
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
func (bt *breakTable) sendFilters(set *[]*brk) (godap.SetBreakpointsResponseBody, error) {
	a := godap.SetExceptionBreakpointsArguments{Filters: []string{}}
	own := map[string]bool{}
	for _, b := range *set {
		own[b.filter] = true
		a.FilterOptions = append(a.FilterOptions, godap.ExceptionFilterOptions{FilterId: b.filter,
			Condition: b.condition()})
	}
	for _, f := range bt.offered.ExceptionBreakpointFilters {
		if f.Default && !own[f.Filter] && !bt.off[f.Filter] {
			a.Filters = append(a.Filters, f.Filter)
		}
	}
	var body godap.SetBreakpointsResponseBody
	err := bt.ask("setExceptionBreakpoints", a, &body)
	body.Breakpoints = body.Breakpoints[min(len(a.Filters), len(body.Breakpoints)):]
	return body, err
}

// sourceOf returns the source with a key.
func (bt *breakTable) sourceOf(key string) godap.Source {
	for _, b := range bt.all {
		if b.kind == bpLine && sourceKey(b.at.src) == key {
			return *b.at.src
		}
	}
	ref, path, _ := strings.Cut(key, " ")
	n, _ := strconv.Atoi(ref)
	return godap.Source{SourceReference: n, Path: path}
}

// answered records the adapter's answer about a breakpoint.
func (b *brk) answered(r godap.Breakpoint) {
	b.id, b.failed, b.message = r.Id, !r.Verified, r.Message
	if b.kind == bpData && r.Verified && r.Message != "" {
		b.title, b.message = r.Message, ""
	}
	b.found = place{}
	if r.Verified && r.Source != nil {
		b.found = place{src: r.Source, line: r.Line, col: r.Column, code: r.InstructionReference}
	}
}

// breakpointChanged handles the breakpoint event.
func (bt *breakTable) breakpointChanged(m *dap.Message) {
	var e godap.BreakpointEventBody
	if json.Unmarshal(m.Body, &e) != nil {
		return
	}
	for _, b := range bt.all {
		if b.id == 0 || b.id != e.Breakpoint.Id || b.disabled {
			continue
		}
		was := b.failed
		b.answered(e.Breakpoint)
		if was != b.failed && !bt.silent && b.n > 0 {
			bt.printf("%s %d: %s\n", b.noun(), b.n, bt.describe(b))
		}
	}
}

// sendGroups sets the breakpoints of the groups that some breakpoints belong to.
func (bt *breakTable) sendGroups(bs []*brk) error {
	done := map[string]bool{}
	var failed error
	for _, b := range bs {
		if g := b.group(); !done[g] {
			done[g] = true
			if err := bt.sendGroup(g); err != nil && failed == nil {
				failed = err
			}
		}
	}
	return failed
}

// sendAll sets all breakpoints, for a new session.
func (bt *breakTable) sendAll() {
	if err := bt.sendGroups(append(slices.Clone(bt.all), &brk{kind: bpEvent})); err != nil {
		bt.fail(err)
	}
}

// changed sets the breakpoints again after some of them were changed, and prints an error.
func (bt *breakTable) changed(bs ...*brk) bool {
	if bt.conn == nil {
		return true // they are set when there is a program
	}
	if err := bt.sendGroups(bs); err != nil {
		bt.fail(err)
		return false
	}
	return true
}

// add sets a breakpoint, prints where it is, and reports whether it is in force.
func (bt *breakTable) add(b *brk) bool {
	if !b.until {
		bt.last++
		b.n = bt.last
	}
	bt.all = append(bt.all, b)
	if !bt.changed(b) {
		bt.remove(b)
		bt.last = max(0, bt.last-1)
		return false
	}
	switch {
	case b.failed && b.kind != bpLine, b.failed && b.until:
		bt.failf("%s", bt.describe(b))
		bt.remove(b)
		if !b.until {
			bt.last--
		}
		return false
	case b.failed: // the file may become part of the program later
		bt.failf("%s %d: %s", b.noun(), b.n, bt.describe(b))
		return false
	case !b.until:
		temp := ""
		if b.temp {
			temp = "temporary "
		}
		bt.printf("%s%s %d: %s\n", temp, b.noun(), b.n, bt.describe(b))
	}
	return true
}

// remove deletes breakpoints.
func (bt *breakTable) remove(bs ...*brk) {
	if len(bs) == 0 {
		return
	}
	var left []*brk // another slice: back keeps this one
	for _, b := range bt.all {
		if !slices.Contains(bs, b) {
			left = append(left, b)
		}
	}
	bt.all = left
	bt.changed(bs...)
}

// describe returns what a breakpoint waits for, and where.
func (bt *breakTable) describe(b *brk) string {
	s := ""
	switch b.kind {
	case bpLine:
		s = fmt.Sprintf("%s:%d", bt.name(b.at.src), b.at.line)
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
		where := fmt.Sprintf("%s:%d:%d", bt.name(b.found.src), b.found.line, b.found.col)
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
func (bt *breakTable) hit() []*brk {
	var out []*brk
	for _, b := range bt.all {
		switch {
		case b.until || b.disabled:
		case b.kind == bpEvent && bt.caught != "" && bt.caught == b.filter,
			b.kind != bpEvent && b.id != 0 && slices.Contains(bt.stop.HitBreakpointIds, b.id):
			b.hits++
			out = append(out, b)
		}
	}
	return out
}

// retire deletes or disables the breakpoints that are for one stop only.
func (bt *breakTable) retire(hits []*brk) {
	var gone, off []*brk
	for _, b := range bt.all {
		stopped := slices.Contains(hits, b)
		switch {
		case b.until, stopped && (b.temp || b.retire == "delete"):
			gone = append(gone, b)
		case stopped && b.retire == "disable":
			b.disabled, b.retire = true, ""
			off = append(off, b)
		}
	}
	bt.remove(gone...)
	if len(off) > 0 {
		bt.changed(off...)
	}
}

// snapshot returns copies of the breakpoints, for back.
func (bt *breakTable) snapshot() []*brk {
	out := make([]*brk, len(bt.all))
	for i, b := range bt.all {
		c := *b
		out[i] = &c
	}
	return out
}

// use replaces the breakpoints.
func (bt *breakTable) use(bs []*brk) {
	old := bt.all
	bt.all = bs
	bt.all = bt.snapshot()
	bt.changed(append(slices.Clone(old), bt.all...)...)
}

// filterNames lists the exception filters.
func (bt *breakTable) filterNames() []string {
	var out []string
	for _, f := range bt.offered.ExceptionBreakpointFilters {
		out = append(out, f.Filter)
	}
	return out
}

// catching returns the catchpoints of a filter.
func (bt *breakTable) catching(name string) []*brk {
	var out []*brk
	for _, b := range bt.all {
		if b.kind == bpEvent && b.filter == name {
			out = append(out, b)
		}
	}
	return out
}

// numbered returns the breakpoints of a list of numbers and ranges such as 2-4; all for "".
func (bt *breakTable) numbered(text string) ([]*brk, error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	if len(words) == 0 {
		if len(bt.all) == 0 {
			return nil, fmt.Errorf("no breakpoints")
		}
		return slices.Clone(bt.all), nil
	}
	var out []*brk
	for _, w := range words {
		if w == "last" && len(bt.all) > 0 {
			out = append(out, bt.all[len(bt.all)-1])
			continue
		}
		from, to, ok := strings.Cut(w, "-")
		if !ok {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%q is not a breakpoint number", w)
		}
		found := false
		for _, b := range bt.all {
			if b.n >= first && b.n <= last && b.n > 0 {
				found = true
				if !slices.Contains(out, b) {
					out = append(out, b)
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no breakpoint %s", w)
		}
	}
	return out, nil
}

// one returns the breakpoint that the first word of arguments names, and the rest.
func (bt *breakTable) one(text, command string) (*brk, string, error) {
	word, rest, _ := strings.Cut(text, " ")
	if word == "" {
		return nil, "", fmt.Errorf("%s needs a breakpoint number", command)
	}
	bs, err := bt.numbered(word)
	if err != nil {
		return nil, "", err
	}
	return bs[0], strings.TrimSpace(rest), nil
}

// breakAt reports whether a breakpoint is on a line.
func (bt *breakTable) breakAt(s *godap.Source, line int) bool {
	for _, b := range bt.all {
		if !b.disabled && !b.failed && b.found.src != nil && sourceKey(b.found.src) == sourceKey(s) &&
			b.found.line == line {
			return true
		}
	}
	return false
}

// resolve returns the source, line and column where a function begins, or those of an instruction.
func (bt *breakTable) resolve(p place) (place, error) {
	if p.src != nil {
		return p, nil
	}
	p, err := bt.locate(p)
	p.code = ""
	return p, err
}

// locate returns the source, line, column and address of the code of a place. It sets a breakpoint
// for a moment, while nothing runs.
func (bt *breakTable) locate(p place) (place, error) {
	probe := &brk{kind: p.kind(), at: p, probe: true}
	bt.all = append(bt.all, probe)
	err := bt.sendGroup(probe.group())
	bt.all = bt.all[:len(bt.all)-1]
	if again := bt.sendGroup(probe.group()); err == nil {
		err = again
	}
	switch {
	case err != nil:
		return p, err
	case probe.failed:
		return p, errors.New(probe.message)
	}
	return probe.found, nil
}

func (bt *breakTable) numbers() []string {
	var out []string
	for _, b := range bt.all {
		out = append(out, fmt.Sprint(b.n))
	}
	return out
}
