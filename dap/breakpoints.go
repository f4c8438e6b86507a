package dap

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/analysis/source"
	"stackscope/dap/internal/paths"
	engine "stackscope/vm/debugger"
	"stackscope/wasm"
)

// breakpoints are those in code that the client has set, and the filters of exceptions. They are
// kept across restarts.
type breakpoints struct {
	common
	threads *threads
	next    int                         // id
	files   map[string]*fileBreakpoints // by canonical path, or by name of a printed source
	funcs   []*engine.Breakpoint
	instrs  []*engine.Breakpoint
	// instrModes are the modes of instrs.
	instrModes []string
	filter     []engine.Filter
}

// fileBreakpoints are those of one source.
type fileBreakpoints struct {
	src  godap.Source
	args []sourceBreakpoint
	list []*engine.Breakpoint
}

func newBreakpoints(c common, ts *threads) *breakpoints {
	return &breakpoints{
		common: c, threads: ts, next: 1, files: map[string]*fileBreakpoints{}, filter: engine.DefaultFilters(),
	}
}

// The names of the groups of breakpoints that are not those of a file.
const (
	groupFunctions    = "functions"
	groupInstructions = "instructions"
	groupData         = "data"
)

// groups names the groups of breakpoints in code.
func (bp *breakpoints) groups() []string {
	return append(slices.Collect(maps.Keys(bp.files)), groupFunctions, groupInstructions)
}

func sourceKey(src *godap.Source) string {
	if src.SourceReference > 0 {
		return fmt.Sprintf("reference %d", src.SourceReference)
	}
	if isPrinted(src.Path) {
		return printedScheme + ":" + paths.Canonical(fromClientPath(src.Path))
	}
	return paths.Canonical(fromClientPath(src.Path))
}

func (bp *breakpoints) onSetBreakpoints(a *setBreakpointsArguments) (any, error) {
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
	old := bp.files[key]
	fb := &fileBreakpoints{src: a.Source, args: args}
	used := map[int]bool{}
	for _, x := range args {
		b := bp.parse(x)
		// A breakpoint that was there keeps its id, and the stack that it is bound to.
		if old != nil {
			for i, y := range old.args {
				if y.Line == x.Line && y.Column == x.Column && !used[i] {
					used[i] = true
					b.ID = old.list[i].ID
					bp.keepStack(b, x.Mode, old.list[i], y.Mode)
					break
				}
			}
		}
		if b.ID == 0 {
			b.ID = bp.id()
		}
		fb.list = append(fb.list, b)
	}
	if err := bp.applyFile(key, fb); err != nil {
		return nil, err
	}
	for i, x := range args {
		reportUnbound(fb.list[i], x.Mode)
	}
	if len(args) == 0 {
		delete(bp.files, key)
	} else {
		bp.files[key] = fb
	}
	return bp.describeAll(fb.list), nil
}

func (bp *breakpoints) id() int {
	bp.next++
	return bp.next - 1
}

// keepID keeps for a breakpoint the id that one of the same kind had before, if none that is set
// now has it, else a new one.
func (bp *breakpoints) keepID(x *engine.Breakpoint, old, now []*engine.Breakpoint, same func(*engine.Breakpoint) bool) {
	for _, y := range old {
		if same(y) && !slices.ContainsFunc(now, func(z *engine.Breakpoint) bool { return z.ID == y.ID }) {
			x.ID = y.ID
			return
		}
	}
	x.ID = bp.id()
}

func (bp *breakpoints) parse(x sourceBreakpoint) *engine.Breakpoint {
	b := &engine.Breakpoint{
		Line: bp.client.fromLine(x.Line), Condition: x.Condition, Hit: x.HitCondition, Log: x.LogMessage,
	}
	if x.Column > 0 {
		b.Col = bp.client.fromCol(x.Column) + 1
	}
	switch {
	case b.Line < 0:
		b.Refused = fmt.Sprintf("there is no line %d", x.Line)
	case x.Column < 0:
		b.Refused = fmt.Sprintf("there is no column %d", x.Column)
	}
	bp.mode(b, x.Mode)
	return b
}

// applyFile returns the breakpoints of a source to the engine.
func (bp *breakpoints) applyFile(key string, fb *fileBreakpoints) error {
	if bp.prog.eng == nil {
		for _, b := range fb.list {
			if b.Message = b.Refused; b.Message == "" {
				b.Message = "no program has been launched yet"
			}
		}
		return nil
	}
	f := bp.src.file(&fb.src)
	switch {
	case f == nil:
		why := bp.src.noSource(&fb.src)
		defer func() {
			for _, b := range fb.list {
				if b.Refused == "" {
					b.Message = why
				}
			}
		}()
	case f.External() != nil:
		if found, err := f.Found(); err == nil && found.Changed {
			defer bp.note(fb, bp.src.changedText(f))
		}
	case byModulePath(&fb.src, f):
		defer func() {
			for _, b := range fb.list {
				if b.Verified {
					line := f.LineOf(b.Place.Span.Start)
					b.Message = fmt.Sprintf(
						"at line %d of the printed text of %s: %s", bp.client.line(line), filepath.Base(f.Name),
						strings.Trim(f.LineText(line), " )"),
					)
				}
			}
		}()
	case bp.src.stale(&fb.src, f):
		defer bp.note(fb, "the file has changed since the program was loaded: restart to run the new version")
	}
	return bp.prog.eng.Breakpoints.Set(bp.prog.group(key), f, fb.list)
}

// note adds a text to those breakpoints of a source that are verified.
func (bp *breakpoints) note(fb *fileBreakpoints, text string) {
	for _, b := range fb.list {
		if b.Verified && b.Message == "" {
			b.Message = text
		}
	}
}

// retry resolves the breakpoints again whose source was no file of the program, after a unit has
// become known.
func (bp *breakpoints) retry() {
	for _, key := range slices.Sorted(maps.Keys(bp.files)) {
		fb := bp.files[key]
		if slices.ContainsFunc(fb.list, func(b *engine.Breakpoint) bool { return b.File == nil }) &&
			bp.src.file(&fb.src) != nil {
			bp.reapply(fb.list, func() error { return bp.applyFile(key, fb) })
		}
	}
}

func (bp *breakpoints) describeAll(bs []*engine.Breakpoint) breakpointsBody {
	out := breakpointsBody{Breakpoints: []breakpoint{}}
	for _, b := range bs {
		out.Breakpoints = append(out.Breakpoints, bp.describe(b))
	}
	return out
}

// describe describes a breakpoint to the client.
func (bp *breakpoints) describe(b *engine.Breakpoint) breakpoint {
	out := breakpoint{Breakpoint: godap.Breakpoint{Id: b.ID, Verified: b.Verified, Message: b.Message}}
	if !b.Verified {
		if b.Func == "" && b.Code == 0 {
			out.Line = bp.client.line(max(b.Line, 0))
		}
		out.Reason = "failed"
		waits := b.File == nil && b.Func == "" && b.Code == 0 // for the module of its file
		if (bp.prog.eng == nil || waits) && b.Refused == "" {
			out.Reason = "pending"
		}
		return out
	}
	switch {
	case b.Code != 0:
		out.InstructionReference = codeReference(b.Code)
	case b.Place.Func.Unit >= 0:
		_ = bp.prog.eng.Do(func() {
			out.InstructionReference = codeReference(bp.prog.eng.Symbols.Address(b.Place.Func, b.Place.PC))
		})
	}
	file, span := b.File, b.Place.Span
	if out.Source = bp.src.ofFile(file); out.Source == nil { // the text of the file is not there
		_ = bp.prog.eng.Do(func() {
			if fi := bp.prog.eng.Symbols.FunctionOf(b.Place.Func); fi != nil && fi.Unit != nil {
				file, span = fi.Unit.File, fi.WAT().Span(b.Place.PC, false)
			}
		})
		if out.Source = bp.src.ofFile(file); out.Source == nil {
			return out
		}
	}
	out.Line, out.Column = bp.client.position(file, span.Start)
	if span.End > span.Start {
		out.EndLine, out.EndColumn = bp.client.position(file, span.End)
	}
	return out
}

func (bp *breakpoints) onSetFunctionBreakpoints(a *godap.SetFunctionBreakpointsArguments) (any, error) {
	old := bp.funcs
	var list []*engine.Breakpoint
	for _, x := range a.Breakpoints {
		b := &engine.Breakpoint{Func: x.Name, Condition: x.Condition, Hit: x.HitCondition}
		bp.keepID(b, old, list, func(y *engine.Breakpoint) bool { return y.Func == b.Func })
		list = append(list, b)
	}
	if bp.prog.eng != nil {
		if err := bp.prog.eng.Breakpoints.Set(bp.prog.group(groupFunctions), nil, list); err != nil {
			return nil, err
		}
	}
	bp.funcs = list
	return bp.describeAll(list), nil
}

// reapply sets breakpoints again, and reports those that changed.
func (bp *breakpoints) reapply(list []*engine.Breakpoint, do func() error) {
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
	before := make([]state, len(list))
	for i, b := range list {
		before[i] = look(b)
	}
	if do() != nil {
		return
	}
	for i, b := range list {
		if look(b) != before[i] {
			bp.out.event("breakpoint", breakpointEventBody{"changed", bp.describe(b)})
		}
	}
}

// restore sets all breakpoints in a new engine, and reports those that changed.
func (bp *breakpoints) restore() {
	keys := make([]string, 0, len(bp.files))
	for k := range bp.files {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fb := bp.files[k]
		bp.reapply(fb.list, func() error { return bp.applyFile(k, fb) })
	}
	if len(bp.funcs) > 0 {
		bp.reapply(bp.funcs, func() error {
			return bp.prog.eng.Breakpoints.Set(bp.prog.group(groupFunctions), nil, bp.funcs)
		})
	}
	if len(bp.instrs) > 0 {
		bp.reapply(bp.instrs, func() error {
			return bp.prog.eng.Breakpoints.Set(bp.prog.group(groupInstructions), nil, bp.instrs)
		})
	}
	if bp.prog.target == nil {
		_, _ = bp.prog.eng.Filters.Set(bp.filter)
	}
}

func (bp *breakpoints) onBreakpointLocations(a *godap.BreakpointLocationsArguments) (any, error) {
	out := godap.BreakpointLocationsResponseBody{Breakpoints: []godap.BreakpointLocation{}}
	e, err := bp.prog.engine()
	if err != nil {
		return nil, err
	}
	f := bp.src.file(&a.Source)
	if f == nil || f == bp.src.script() && bp.src.unitOf(&a.Source) < 0 {
		return out, nil
	}
	line := bp.client.fromLine(a.Line)
	last := line
	if a.EndLine > 0 {
		last = bp.client.fromLine(a.EndLine)
	}
	from, to := f.Lines(line, last)
	if a.Column > 0 {
		from = f.Offset(source.Position{Line: line, Col: bp.client.fromCol(a.Column)}, source.UTF16)
	}
	if a.EndColumn > 0 {
		to = f.Offset(source.Position{Line: last, Col: bp.client.fromCol(a.EndColumn)}, source.UTF16) + 1
	}
	err = e.Do(func() {
		for _, p := range e.Symbols.Locations(f, from, to) {
			l := godap.BreakpointLocation{}
			l.Line, l.Column = bp.client.position(f, p.Span.Start)
			if p.Span.End > p.Span.Start {
				l.EndLine, l.EndColumn = bp.client.position(f, p.Span.End)
			}
			out.Breakpoints = append(out.Breakpoints, l)
		}
	})
	return out, err
}

// exceptionFilters are the filters that are offered for a program of some designs, in their words.
// Before a program is known those of all designs count.
func exceptionFilters(designs []wasm.Dialect) []godap.ExceptionBreakpointsFilter {
	var all []godap.ExceptionBreakpointsFilter
	for _, f := range engine.FilterTexts(designs) {
		all = append(all, godap.ExceptionBreakpointsFilter{
			Filter: f.Name, Label: f.Label, Description: f.Description, Default: f.Default,
			SupportsCondition: true, ConditionDescription: f.Condition,
		})
	}
	return all
}

func (bp *breakpoints) onSetExceptionBreakpoints(a *godap.SetExceptionBreakpointsArguments) (any, error) {
	var fs []engine.Filter
	for _, n := range a.Filters {
		fs = append(fs, engine.Filter{Name: n})
	}
	for _, o := range a.FilterOptions {
		fs = append(fs, engine.Filter{Name: o.FilterId, Cond: o.Condition})
	}
	e := bp.prog.eng
	if e == nil { // it checks them; the program's engine gets them when it is there
		e = engine.NewEngine(&engine.Program{}, engine.Options{})
	}
	set := e.Filters.Set
	if bp.prog.target != nil {
		set = func(fs []engine.Filter) ([]error, error) { return bp.prog.target.setFilters(bp.prog.inbox, fs) }
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
	bp.filter = fs
	return out, nil
}

// changed reports a breakpoint that was resolved while the program runs.
func (bp *breakpoints) changed(now engine.Breakpoint) {
	for _, fb := range bp.files {
		for _, b := range fb.list {
			if b.ID == now.ID {
				*b = now
				bp.out.event("breakpoint", breakpointEventBody{"changed", bp.describe(b)})
			}
		}
	}
}

func (bp *breakpoints) onSetInstructionBreakpoints(a *setInstructionBreakpointsArguments) (any, error) {
	old := bp.instrs
	var list []*engine.Breakpoint
	var modes []string
	for _, x := range a.Breakpoints {
		b := &engine.Breakpoint{Condition: x.Condition, Hit: x.HitCondition, Code: ^engine.CodeAddress(0)}
		if at, err := parseCode(x.InstructionReference, x.Offset); err == nil {
			b.Code = at
		}
		bp.mode(b, x.Mode)
		bp.keepID(b, old, list, func(y *engine.Breakpoint) bool { return y.Code == b.Code })
		for i, y := range old {
			if y.ID == b.ID {
				bp.keepStack(b, x.Mode, y, bp.instrModes[i])
			}
		}
		list = append(list, b)
		modes = append(modes, x.Mode)
	}
	if bp.prog.eng != nil {
		if err := bp.prog.eng.Breakpoints.Set(bp.prog.group(groupInstructions), nil, list); err != nil {
			return nil, err
		}
	}
	for i, b := range list {
		reportUnbound(b, modes[i])
	}
	bp.instrs, bp.instrModes = list, modes
	return bp.describeAll(list), nil
}

// keepStack leaves a breakpoint bound to the stack that it was set for: clients set all of a file
// again when one is added.
func (bp *breakpoints) keepStack(b *engine.Breakpoint, mode string, was *engine.Breakpoint, wasMode string) {
	if mode == modeStack && wasMode == modeStack && was.Stack != 0 {
		b.Stack = was.Stack
	}
}

// reportUnbound reports that a breakpoint could not be bound to a stack.
func reportUnbound(b *engine.Breakpoint, mode string) {
	if mode == modeStack && b.Stack == 0 && b.Verified {
		b.Message = "no stack was shown when it was set: it stops on any stack"
	}
}

// mode applies a mode to a breakpoint in code.
func (bp *breakpoints) mode(b *engine.Breakpoint, mode string) {
	switch mode {
	case "", modeAny:
	case modeStack:
		b.Stack = bp.threads.shown
	case modeOnce:
		b.Once = true
	default:
		b.Refused = fmt.Sprintf("there is no breakpoint mode %q: want %s, %s or %s", mode, modeAny, modeStack, modeOnce)
	}
}

// ids adds the ids of the breakpoints to a set.
func (bp *breakpoints) ids(have map[int]bool) {
	for _, fb := range bp.files {
		for _, b := range fb.list {
			have[b.ID] = true
		}
	}
	for _, list := range [][]*engine.Breakpoint{bp.funcs, bp.instrs} {
		for _, b := range list {
			have[b.ID] = true
		}
	}
}
