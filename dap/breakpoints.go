package dap

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/analysis/source"
	engine "stackscope/vm/debugger"
)

// breakpoints are what the client has set, kept across restarts.
type breakpoints struct {
	next   int
	files  map[string]*fileBreakpoints // by canonical path, or by name of a printed source
	funcs  []*engine.Breakpoint
	instrs []*engine.Breakpoint
	// instrModes are the modes of instrs.
	instrModes []string
	data       []*engine.DataBreakpoint
	filter     []engine.Filter
}

// fileBreakpoints are those of one source.
type fileBreakpoints struct {
	src  godap.Source
	args []sourceBreakpoint
	list []*engine.Breakpoint
}

func (b *breakpoints) init() {
	b.next = 1
	b.files = map[string]*fileBreakpoints{}
	b.filter = engine.DefaultFilters()
}

func sourceKey(src *godap.Source) string {
	if src.SourceReference > 0 {
		return fmt.Sprintf("reference %d", src.SourceReference)
	}
	if isPrinted(src.Path) {
		return printedScheme + ":" + canonicalPath(fromClientPath(src.Path))
	}
	return canonicalPath(fromClientPath(src.Path))
}

func (s *session) onSetBreakpoints(a *setBreakpointsArguments) (any, error) {
	if a.Source.Path == "" && a.Source.SourceReference == 0 {
		return nil, errors.New("setBreakpoints: the source has neither path nor reference")
	}
	args := a.Breakpoints
	if len(args) == 0 {
		for _, l := range a.Lines {
			args = append(args, sourceBreakpoint{SourceBreakpoint: godap.SourceBreakpoint{Line: l}})
		}
	}
	key := sourceKey(&a.Source)
	old := s.breaks.files[key]
	fb := &fileBreakpoints{src: a.Source, args: args}
	used := map[int]bool{}
	for _, x := range args {
		b := s.newBreakpoint(x)
		// A breakpoint that was there keeps its id, and the stack that it is bound to.
		if old != nil {
			for i, y := range old.args {
				if y.Line == x.Line && y.Column == x.Column && !used[i] {
					used[i] = true
					b.ID = old.list[i].ID
					s.keepStack(b, x.Mode, old.list[i], y.Mode)
					break
				}
			}
		}
		if b.ID == 0 {
			b.ID = s.breaks.id()
		}
		fb.list = append(fb.list, b)
	}
	if err := s.applyFile(key, fb); err != nil {
		return nil, err
	}
	for i, x := range args {
		noteUnbound(fb.list[i], x.Mode)
	}
	if len(args) == 0 {
		delete(s.breaks.files, key)
	} else {
		s.breaks.files[key] = fb
	}
	return s.breakpointsBody(fb.list), nil
}

func (b *breakpoints) id() int {
	b.next++
	return b.next - 1
}

// keepID gives a breakpoint the id that one of the same kind had before, if none that is set now
// has it, else a new one.
func (b *breakpoints) keepID(x *engine.Breakpoint, old, now []*engine.Breakpoint, same func(*engine.Breakpoint) bool) {
	for _, y := range old {
		if same(y) && !slices.ContainsFunc(now, func(z *engine.Breakpoint) bool { return z.ID == y.ID }) {
			x.ID = y.ID
			return
		}
	}
	x.ID = b.id()
}

func (s *session) newBreakpoint(x sourceBreakpoint) *engine.Breakpoint {
	b := &engine.Breakpoint{Line: s.fromLine(x.Line), Condition: x.Condition, Hit: x.HitCondition, Log: x.LogMessage}
	if x.Column > 0 {
		b.Col = s.fromCol(x.Column) + 1
	}
	switch {
	case b.Line < 0:
		b.Refused = fmt.Sprintf("there is no line %d", x.Line)
	case x.Column < 0:
		b.Refused = fmt.Sprintf("there is no column %d", x.Column)
	}
	s.mode(b, x.Mode)
	return b
}

// applyFile returns the breakpoints of a source to the engine.
func (s *session) applyFile(key string, fb *fileBreakpoints) error {
	if s.eng == nil {
		for _, b := range fb.list {
			if b.Message = b.Refused; b.Message == "" {
				b.Message = "no program is launched yet"
			}
		}
		return nil
	}
	var f *engine.Source
	if i := s.unitOf(&fb.src); i >= 0 {
		f = s.units()[i].File
	}
	if f != nil && byModulePath(&fb.src, f) {
		defer func() {
			for _, b := range fb.list {
				if b.Verified {
					line := f.LineOf(b.Place.Span.Start)
					b.Message = fmt.Sprintf(
						"at line %d of the printed text of %s: %s", s.line(line), filepath.Base(f.Name),
						strings.Trim(f.LineText(line), " )"),
					)
				}
			}
		}()
	} else if f != nil && s.stale(&fb.src, f) {
		defer func() {
			for _, b := range fb.list {
				if b.Verified {
					b.Message = "the file was changed since the program was loaded: restart runs it as it is now"
				}
			}
		}()
	}
	return s.eng.Breakpoints.Set(s.group(key), f, fb.list)
}

func (s *session) breakpointsBody(bs []*engine.Breakpoint) breakpointsBody {
	out := breakpointsBody{Breakpoints: []breakpoint{}}
	for _, b := range bs {
		out.Breakpoints = append(out.Breakpoints, s.breakpoint(b))
	}
	return out
}

// breakpoint describes a breakpoint to the client.
func (s *session) breakpoint(b *engine.Breakpoint) breakpoint {
	out := breakpoint{Breakpoint: godap.Breakpoint{Id: b.ID, Verified: b.Verified, Message: b.Message}}
	if !b.Verified {
		if b.Func == "" && b.Code == 0 {
			out.Line = s.line(max(b.Line, 0))
		}
		out.Reason = "failed"
		if s.eng == nil && b.Refused == "" {
			out.Reason = "pending"
		}
		return out
	}
	if b.Code != 0 {
		out.InstructionReference = codeReference(b.Code)
	}
	out.Source = s.sourceOfFile(b.File)
	out.Line, out.Column = s.position(b.File, b.Place.Span.Start)
	out.EndLine, out.EndColumn = s.position(b.File, b.Place.Span.End)
	return out
}

func (s *session) onSetFunctionBreakpoints(a *godap.SetFunctionBreakpointsArguments) (any, error) {
	old := s.breaks.funcs
	var list []*engine.Breakpoint
	for _, x := range a.Breakpoints {
		b := &engine.Breakpoint{Func: x.Name, Condition: x.Condition, Hit: x.HitCondition}
		s.breaks.keepID(b, old, list, func(y *engine.Breakpoint) bool { return y.Func == b.Func })
		list = append(list, b)
	}
	if s.eng != nil {
		if err := s.eng.Breakpoints.Set(s.group("functions"), nil, list); err != nil {
			return nil, err
		}
	}
	s.breaks.funcs = list
	return s.breakpointsBody(list), nil
}

// restoreBreakpoints gives all breakpoints to a new engine, and tells of those that changed.
func (s *session) restoreBreakpoints() {
	type state struct {
		verified bool
		line     int
	}
	look := func(b *engine.Breakpoint) state {
		st := state{verified: b.Verified}
		if b.Verified {
			st.line = b.File.LineOf(b.Place.Span.Start)
		}
		return st
	}
	apply := func(list []*engine.Breakpoint, do func() error) {
		before := make([]state, len(list))
		for i, b := range list {
			before[i] = look(b)
		}
		if do() != nil {
			return
		}
		for i, b := range list {
			if look(b) != before[i] {
				s.conn.event("breakpoint", breakpointEventBody{"changed", s.breakpoint(b)})
			}
		}
	}
	keys := make([]string, 0, len(s.breaks.files))
	for k := range s.breaks.files {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fb := s.breaks.files[k]
		apply(fb.list, func() error { return s.applyFile(k, fb) })
	}
	if len(s.breaks.funcs) > 0 {
		apply(s.breaks.funcs, func() error { return s.eng.Breakpoints.Set(s.group("functions"), nil, s.breaks.funcs) })
	}
	if len(s.breaks.instrs) > 0 {
		apply(s.breaks.instrs, func() error { return s.eng.Breakpoints.Set(s.group("instructions"), nil, s.breaks.instrs) })
	}
	if len(s.breaks.data) > 0 {
		_ = s.eng.DataBreakpoints.Set(s.group("data"), s.breaks.data)
		for _, b := range s.breaks.data {
			s.conn.event("breakpoint", breakpointEventBody{"changed", s.dataBreakpoint(b)})
		}
	}
	if s.target == nil {
		_, _ = s.eng.Filters.Set(s.breaks.filter)
	}
}

func (s *session) onBreakpointLocations(a *godap.BreakpointLocationsArguments) (any, error) {
	out := godap.BreakpointLocationsResponseBody{Breakpoints: []godap.BreakpointLocation{}}
	e, err := s.requireEngine()
	if err != nil {
		return nil, err
	}
	i := s.unitOf(&a.Source)
	if i < 0 {
		return out, nil
	}
	f := s.units()[i].File
	line := s.fromLine(a.Line)
	last := line
	if a.EndLine > 0 {
		last = s.fromLine(a.EndLine)
	}
	from, to := f.Lines(line, last)
	if a.Column > 0 {
		from = f.Offset(source.Position{Line: line, Col: s.fromCol(a.Column)}, source.UTF16)
	}
	if a.EndColumn > 0 {
		to = f.Offset(source.Position{Line: last, Col: s.fromCol(a.EndColumn)}, source.UTF16) + 1
	}
	err = e.Do(func() {
		for _, p := range e.Symbols.Locations(f, from, to) {
			l := godap.BreakpointLocation{}
			l.Line, l.Column = s.position(f, p.Span.Start)
			l.EndLine, l.EndColumn = s.position(f, p.Span.End)
			out.Breakpoints = append(out.Breakpoints, l)
		}
	})
	return out, err
}

// exceptionFilters are the filters that are offered.
func exceptionFilters() []godap.ExceptionBreakpointsFilter {
	all := []godap.ExceptionBreakpointsFilter{
		{
			Filter: "trap", Label: "Traps",
			Description: "Stop where the program traps, before anything is unwound", Default: true,
		},
		{
			Filter: "unhandled", Label: "Unhandled tags",
			Description: "Stop at a suspension or switch that no handler takes", Default: true,
		},
		{
			Filter: "uncaught", Label: "Uncaught exceptions",
			Description: "Stop where an exception is thrown that nothing catches", Default: true,
		},
		{
			Filter: "assertion", Label: "Failed assertions",
			Description: "Stop at a command of a script that fails, with the values that were got and wanted",
			Default:     true,
		},
		{
			Filter: "consumed", Label: "Use of a consumed reference",
			Description: "Stop where a continuation or stack is used that was used up before",
		},
		{Filter: "create", Label: "Creation of a stack", Description: "Stop before a continuation or stack is created"},
		{Filter: "resume", Label: "Resume", Description: "Stop before a stack is resumed"},
		{Filter: "suspend", Label: "Suspend", Description: "Stop before a stack suspends itself"},
		{Filter: "switch", Label: "Switch", Description: "Stop before one stack switches to another"},
		{Filter: "throw", Label: "Throw", Description: "Stop before an exception is thrown, caught or not"},
		{Filter: "finish", Label: "End of a stack", Description: "Stop where control goes on after a stack has ended"},
	}
	for i := range all {
		all[i].SupportsCondition = true
		all[i].ConditionDescription = "tag $yield, stack 3, function $gen (all that are given must hold)"
	}
	return all
}

func (s *session) onSetExceptionBreakpoints(a *godap.SetExceptionBreakpointsArguments) (any, error) {
	var fs []engine.Filter
	for _, n := range a.Filters {
		fs = append(fs, engine.Filter{Name: n})
	}
	for _, o := range a.FilterOptions {
		fs = append(fs, engine.Filter{Name: o.FilterId, Cond: o.Condition})
	}
	e := s.eng
	if e == nil { // it checks them; the program's engine gets them when it is there
		e = engine.NewEngine(&engine.Program{}, engine.Options{})
	}
	set := e.Filters.Set
	if s.target != nil {
		set = func(fs []engine.Filter) ([]error, error) { return s.target.setFilters(s, fs) }
	}
	errs, err := set(fs)
	if err != nil {
		return nil, err
	}
	out := breakpointsBody{Breakpoints: []breakpoint{}}
	for _, err := range errs {
		b := breakpoint{Breakpoint: godap.Breakpoint{Verified: err == nil}}
		if err != nil {
			b.Message, b.Reason = err.Error(), "failed"
		}
		out.Breakpoints = append(out.Breakpoints, b)
	}
	s.breaks.filter = fs
	return out, nil
}

// breakpointChanged reports a breakpoint that was resolved while the program runs.
func (s *session) breakpointChanged(now engine.Breakpoint) {
	for _, fb := range s.breaks.files {
		for _, b := range fb.list {
			if b.ID == now.ID {
				*b = now
				s.conn.event("breakpoint", breakpointEventBody{"changed", s.breakpoint(b)})
			}
		}
	}
}
