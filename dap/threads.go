package dap

import (
	"errors"
	"fmt"
	"strings"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

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
func (s *session) onThreads(*struct{}) (any, error) {
	out := godap.ThreadsResponseBody{Threads: []godap.Thread{}}
	if s.eng == nil || s.phase == phaseEnded {
		return out, nil
	}
	e := s.eng
	var snap *engine.Snapshot
	script := ""
	err := e.Do(func() { snap, script = e.Stacks.Threads(s.launch.MaxThreads, s.pinned), e.ScriptTitle() })
	if err == nil {
		s.threads = s.threads[:0]
		if script != "" {
			s.threads = append(s.threads, thread{id: engine.ScriptThread, name: script})
		}
		for i := range snap.Stacks {
			if s.ofModule(&snap.Stacks[i]) {
				s.threads = append(s.threads, thread{snap.Stacks[i].ID, snap.Stacks[i].Title(), snap.Stacks[i].Place()})
			}
		}
		if snap.Omitted > 0 {
			s.threads = append(s.threads, thread{id: moreThreads, name: fmt.Sprintf("… %d more stacks", snap.Omitted)})
		}
	}
	if len(s.threads) == 0 { // it runs, and nothing is known yet
		s.threads = append(s.threads, thread{id: 1, name: "#1"})
	}
	for _, t := range s.threads {
		out.Threads = append(out.Threads, godap.Thread{Id: int(t.id), Name: t.name})
	}
	return out, nil
}

// snapshot lists the stacks within the cap; those that were stopped at or focused are always in it.
// It must be called inside Do.
func (s *session) snapshot(holders bool) *engine.Snapshot {
	if !holders {
		return s.eng.Stacks.Threads(s.launch.MaxThreads, s.pinned)
	}
	return s.eng.Stacks.Snapshot(s.launch.MaxThreads, true, s.pinned)
}

func (s *session) onStackTrace(a *godap.StackTraceArguments) (any, error) {
	e, err := s.requireEngine()
	if err != nil {
		return nil, err
	}
	if s.phase != phaseStopped {
		return nil, s.notStanding()
	}
	var out stackTraceBody
	var fail error
	err = e.WhenStopped(func() {
		entries, total, ok := e.Inspector.Trace(engine.StackID(a.ThreadId), a.StartFrame, a.Levels)
		switch {
		case a.ThreadId == moreThreads:
			entries = s.histogram()
			total = len(entries)
			entries = entries[min(max(a.StartFrame, 0), total):]
			if a.Levels > 0 {
				entries = entries[:min(a.Levels, len(entries))]
			}
		case !ok:
			fail = fmt.Errorf("there is no stack #%d", a.ThreadId)
			return
		}
		out.TotalFrames = total
		out.StackFrames = make([]stackFrame, 0, len(entries))
		for _, x := range entries {
			sf := s.entry(x)
			if a.Format != nil && x.Label == "" {
				sf.Name = s.frameName(e, x.Frame, a.Format)
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
	s.handles.trace(engine.StackID(a.ThreadId))
	return out, nil
}

// entry describes a line of a stack trace.
func (s *session) entry(x engine.Entry) stackFrame {
	no := false
	out := stackFrame{CanRestart: &no}
	if x.Label == "" && x.Frame.File != nil && x.Frame.MayRestart() {
		out.CanRestart = nil
	}
	if x.Label != "" {
		out.Id, out.Name, out.PresentationHint = s.handles.label(), x.Label, "label"
		return out
	}
	f := x.Frame
	out.Id, out.Name = s.handles.frame(f), f.Title
	if f.File != nil {
		if out.Source = s.sourceOf(f.Func.Unit); out.Source == nil {
			out.Source = s.sourceOfFile(f.File)
		}
		out.Line, out.Column = s.position(f.File, f.Span.Start)
		if f.Span.End > f.Span.Start && !s.client.selects() {
			out.EndLine, out.EndColumn = s.position(f.File, f.Span.End)
		}
		if f.Func.Unit >= 0 {
			out.ModuleId = f.Func.Unit + 1
		}
		out.InstructionPointerReference = codeReference(s.eng.Symbols.Address(f.Func, f.PC))
	} else {
		out.PresentationHint = "subtle"
	}
	return out
}

// histogram reports where the stacks stand that the list of threads leaves out, the most frequent
// place first.
func (s *session) histogram() []engine.Entry {
	listed := map[string]int{}
	for _, t := range s.threads {
		listed[t.place]++
	}
	const rows = 200
	var out []engine.Entry
	found, err := s.eng.Stacks.Query(engine.Query{Group: "site", Exact: true})
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
func (s *session) frameName(e *engine.Engine, f engine.Frame, o *godap.StackFrameFormat) string {
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
	if o.Module && f.Func.Unit >= 0 && f.Func.Unit < len(s.units()) {
		name = moduleName(s.units()[f.Func.Unit]) + "!" + name
	}
	if o.Line && f.Site.Line > 0 {
		name += fmt.Sprintf(" line %d", s.line(f.Site.Line-1))
	}
	return name
}

// onFocus is the custom request stackscope/focus: the adapter says `stopped` for the chosen stack,
// which is how a client comes to show it.
func (s *session) onFocus(a *focusArguments) (any, error) {
	e, err := s.requireEngine()
	if err != nil {
		return nil, err
	}
	if s.phase != phaseStopped {
		return nil, s.notStanding()
	}
	id := engine.StackID(a.ThreadID)
	found := false
	if err := e.WhenStopped(func() { _, _, found = e.Inspector.Trace(id, 0, 1) }); err != nil {
		return nil, err
	}
	if !found {
		return nil, userError{fmt.Errorf("there is no stack #%d", id)}
	}
	s.pin(id)
	s.shown = id
	s.then(func() {
		s.conn.event(
			"stopped",
			godap.StoppedEventBody{
				Reason: "pause", Description: fmt.Sprintf("Showing stack #%d", id),
				ThreadId: int(id), AllThreadsStopped: true,
			},
		)
	})
	return nil, nil
}

var errNoFrame = errors.New("there is no such frame: the program has gone on since")

// frame returns the frame of a number; of 0 the top frame of the running stack.
func (s *session) frame(id int) (engine.Frame, error) {
	if id == 0 {
		entries, _, _ := s.eng.Inspector.Trace(s.stop.Stack, 0, 4)
		for _, x := range entries {
			if x.Label == "" {
				return x.Frame, nil
			}
		}
		return engine.Frame{}, errors.New("nothing is running")
	}
	h, ok := s.handles.frames[id]
	if !ok {
		return engine.Frame{}, errNoFrame
	}
	if h.label {
		return engine.Frame{}, errors.New("a label has no variables")
	}
	if h.Gone() {
		return engine.Frame{}, errNoFrame
	}
	return h.Frame, nil
}
