package dap

import (
	"errors"
	"fmt"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/analysis/source"
	engine "stackscope/vm/debugger"
)

// threads are the stacks that the client sees as threads, and their traces.
type threads struct {
	common
	list   []thread         // last known
	pinned []engine.StackID // were stopped at or focused: they are in the list even if it is cut
	shown  engine.StackID   // the one that the client shows
	wat    bool             // all functions are shown in the text format
}

// thread is a stack as the client sees it.
type thread struct {
	id    engine.StackID
	name  string
	place string // what it has in common with others
}

// moreThreads is the id of the entry for the stacks that the cap leaves out. No stack has it: it is
// the largest 32-bit id.
const moreThreads = 1<<31 - 1

// onThreads lists the stacks: the running chain first, then the others by id, at most maxThreads.
func (ts *threads) onThreads(*struct{}) (any, error) {
	out := godap.ThreadsResponseBody{Threads: []godap.Thread{}}
	if ts.prog.eng == nil || ts.prog.phase == phaseEnded {
		return out, nil
	}
	e := ts.prog.eng
	var snap *engine.Snapshot
	script := ""
	err := e.Do(func() { snap, script = e.Stacks.Threads(ts.prog.launch.MaxThreads, ts.pinned), e.ScriptTitle() })
	if err == nil {
		ts.list = ts.list[:0]
		if script != "" {
			ts.list = append(ts.list, thread{id: engine.ScriptThread, name: script})
		}
		for i := range snap.Stacks {
			if ts.prog.ofModule(&snap.Stacks[i]) {
				ts.list = append(ts.list, thread{snap.Stacks[i].ID, snap.Stacks[i].Title(), snap.Stacks[i].Place()})
			}
		}
		if snap.Omitted > 0 {
			ts.list = append(ts.list, thread{id: moreThreads, name: fmt.Sprintf("… %d more stacks", snap.Omitted)})
		}
	}
	if len(ts.list) == 0 { // it runs, and nothing is known yet
		ts.list = append(ts.list, thread{id: 1, name: "#1"})
	}
	for _, t := range ts.list {
		out.Threads = append(out.Threads, godap.Thread{Id: int(t.id), Name: t.name})
	}
	return out, nil
}

// snapshot lists the stacks within the cap; those that were stopped at or focused are always in it.
// It must be called inside Do.
func (ts *threads) snapshot(holders bool) *engine.Snapshot {
	if !holders {
		return ts.prog.eng.Stacks.Threads(ts.prog.launch.MaxThreads, ts.pinned)
	}
	return ts.prog.eng.Stacks.Snapshot(ts.prog.launch.MaxThreads, true, ts.pinned)
}

func (ts *threads) onStackTrace(a *godap.StackTraceArguments) (any, error) {
	e, err := ts.prog.engine()
	if err != nil {
		return nil, err
	}
	if ts.prog.phase != phaseStopped {
		return nil, ts.prog.notStopped()
	}
	var out stackTraceBody
	var fail error
	err = e.WhenStopped(func() {
		entries, total, ok := e.Inspector.Trace(engine.StackID(a.ThreadId), a.StartFrame, a.Levels)
		switch {
		case a.ThreadId == moreThreads:
			entries = ts.histogram()
			total = len(entries)
			entries = entries[min(max(a.StartFrame, 0), total):]
			if a.Levels > 0 {
				entries = entries[:min(a.Levels, len(entries))]
			}
		case !ok:
			fail = e.Inspector.NoStack(engine.StackID(a.ThreadId))
			return
		}
		if a.StartFrame <= 0 {
			ts.warnOf(entries)
		}
		out.TotalFrames = total
		out.StackFrames = make([]stackFrame, 0, len(entries))
		for _, x := range entries {
			sf := ts.entry(x)
			if a.Format != nil && x.Label == "" {
				sf.Name = ts.frameName(e, x.Frame, a.Format)
			}
			out.StackFrames = append(out.StackFrames, sf)
		}
	})
	if err == nil {
		err = fail
	}
	if err != nil {
		return nil, err
	}
	ts.handles.trace(engine.StackID(a.ThreadId))
	return out, nil
}

// warnOf reports once that the source of the innermost frame is not there, or is another.
func (ts *threads) warnOf(entries []engine.Entry) {
	for _, x := range entries {
		if x.Label == "" && !x.Frame.Folded {
			if f := x.Frame.File; f != nil && f.External() != nil {
				ts.src.warnOf(f)
			}
			return
		}
	}
}

// entry describes a line of a stack trace.
func (ts *threads) entry(x engine.Entry) stackFrame {
	no := false
	out := stackFrame{CanRestart: &no}
	if x.Label == "" && x.Frame.File != nil && x.Frame.Inlined == 0 && x.Frame.MayRestart() {
		out.CanRestart = nil
	}
	if x.Label != "" {
		out.Id, out.Name, out.PresentationHint = ts.handles.label(), x.Label, "label"
		return out
	}
	f := x.Frame
	out.Id, out.Name = ts.handles.frame(f), f.Title
	if f.File != nil {
		var file *engine.Source
		var span source.Span
		out.Source, file, span = ts.src.ofFrame(f)
		out.Line, out.Column = ts.client.position(file, span.Start)
		if span.End > span.Start && !ts.client.selects() {
			out.EndLine, out.EndColumn = ts.client.position(file, span.End)
		}
		if f.Folded {
			out.PresentationHint = "subtle"
			folded := *out.Source
			folded.PresentationHint = "deemphasize"
			if folded.Origin == "" {
				folded.Origin = "skipped"
			}
			out.Source = &folded
		}
		if f.Func.Unit >= 0 {
			out.ModuleId = f.Func.Unit + 1
		}
		out.InstructionPointerReference = codeReference(ts.prog.eng.Symbols.Address(f.Func, f.PC))
	} else {
		out.PresentationHint = "subtle"
	}
	return out
}

// histogram reports where the stacks are that the list of threads leaves out, the most frequent
// place first.
func (ts *threads) histogram() []engine.Entry {
	listed := map[string]int{}
	for _, t := range ts.list {
		listed[t.place]++
	}
	const rows = 200
	var out []engine.Entry
	found, err := ts.prog.eng.Stacks.Query(engine.Query{Group: "site", Exact: true})
	if err != nil {
		return nil
	}
	for _, g := range found.Groups {
		if n := g.Count - listed[g.Key]; n > 0 && len(out) < rows {
			out = append(out, engine.Entry{Label: fmt.Sprintf("%d × %s", n, g.Key)})
		}
	}
	return out
}

// frameName names a frame as the client asks for: `$add(x: 1, y: 2) · prog.wat line 3`.
func (ts *threads) frameName(e *engine.Engine, f engine.Frame, o *godap.StackFrameFormat) string {
	name := f.Title
	if o.Parameters || o.ParameterNames || o.ParameterTypes || o.ParameterValues {
		var args []string
		for _, v := range e.Inspector.Params(f) {
			var part []string
			if o.ParameterNames || !o.ParameterTypes && !o.ParameterValues {
				part = append(part, strings.TrimPrefix(v.Name, "$"))
			}
			if o.ParameterTypes {
				part = append(part, v.Type)
			}
			t := strings.Join(part, " ")
			if o.ParameterValues {
				if t != "" {
					t += ": "
				}
				t += text(e, v, o.Hex)
			}
			args = append(args, t)
		}
		name += "(" + strings.Join(args, ", ") + ")"
	}
	if o.Module && f.Func.Unit >= 0 && f.Func.Unit < len(ts.prog.units()) {
		name = ts.prog.units()[f.Func.Unit].Title() + "!" + name
	}
	if o.Line && f.Site.Line > 0 {
		name += fmt.Sprintf(" line %d", ts.client.line(f.Site.Line-1))
	}
	return name
}

// onFocus is the custom request stackscope/focus: the adapter sends `stopped` for the chosen stack,
// which is how a client comes to show it.
func (ts *threads) onFocus(a *focusArguments) (any, error) {
	e, err := ts.prog.engine()
	if err != nil {
		return nil, err
	}
	if ts.prog.phase != phaseStopped {
		return nil, ts.prog.notStopped()
	}
	id := engine.StackID(a.ThreadID)
	var missing error
	err = e.WhenStopped(func() {
		if _, _, ok := e.Inspector.Trace(id, 0, 1); !ok {
			missing = userError{e.Inspector.NoStack(id)}
		}
	})
	if err := errors.Join(err, missing); err != nil {
		return nil, err
	}
	ts.pin(id)
	ts.shown = id
	ts.out.then(func() {
		ts.out.event(
			"stopped",
			godap.StoppedEventBody{
				Reason: "pause", Description: fmt.Sprintf("Showing stack #%d", id),
				ThreadId: int(id), AllThreadsStopped: true,
			},
		)
	})
	return nil, nil
}

// viewArguments are those of the custom request stackscope/view.
type viewArguments struct {
	View    string `json:"view"`    // source, wat; "": the other one
	FrameID int    `json:"frameId"` // the function of this frame; 0: all functions
}

// viewBody is the answer to stackscope/view.
type viewBody struct {
	View     string `json:"view"`
	Function string `json:"function,omitempty"`
}

// The views.
const (
	viewSource = "source"
	viewWAT    = "wat"
)

// onView is the custom request stackscope/view: it shows a function, or all, in the text format or in
// the source.
func (ts *threads) onView(a *viewArguments) (any, error) {
	e, err := ts.prog.engine()
	switch {
	case err != nil:
		return nil, err
	case ts.prog.phase == phaseEnded:
		return nil, engine.ErrEnded
	case a.View != "" && a.View != viewSource && a.View != viewWAT:
		return nil, fmt.Errorf("there is no view %q: want %s or %s", a.View, viewSource, viewWAT)
	}
	out := viewBody{View: a.View}
	show := func(fn *engine.FuncID, now bool) {
		wat := a.View == viewWAT || a.View == "" && !now
		if out.View = viewSource; wat {
			out.View = viewWAT
		}
		e.Symbols.SetView(fn, wat)
	}
	if a.FrameID == 0 {
		err = e.Do(func() {
			show(nil, ts.wat)
			ts.wat = out.View == viewWAT
		})
	} else {
		err = ts.prog.whenStopped(func(e *engine.Engine) error {
			f, err := ts.handles.stopped(a.FrameID)
			switch {
			case err != nil:
				return err
			case f.Source == nil || len(f.Source.Rows) == 0:
				return userError{fmt.Errorf("the source of %s is not known", f.Title)}
			}
			show(&f.Func, e.Symbols.ViewOf(f.Func))
			out.Function = f.Source.Name
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	ts.out.then(func() {
		if ts.client.invalidated && ts.prog.phase != phaseEnded {
			ts.out.event("invalidated", godap.InvalidatedEventBody{Areas: []godap.InvalidatedAreas{"stacks"}})
		}
		if ts.prog.target != nil {
			ts.prog.target.others(ts.prog.inbox, threadsChanged{ts.prog.run})
		}
	})
	return out, nil
}

var errNoFrame = errors.New("stale frame reference: the program has resumed since")

// frame returns the frame of a number; of 0 the top frame of the running stack.
func (vr *variables) frame(id int) (engine.Frame, error) {
	if id == 0 {
		entries, _, _ := vr.prog.eng.Inspector.Trace(vr.prog.stop.Stack, 0, 4)
		for _, x := range entries {
			if x.Label == "" {
				return x.Frame, nil
			}
		}
		return engine.Frame{}, errors.New("nothing is running")
	}
	return vr.handles.stopped(id)
}
