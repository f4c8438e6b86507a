package dap

import (
	"context"
	"errors"
	"stackscope/dap/config"
	"stackscope/dap/internal/paths"
	"strings"
	"sync"
	"time"

	engine "stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
)

// Target is a program that runs on its own, and that any number of sessions can attach to. A stop
// is reported to all of them; when one resumes the program, the others receive `continued`.
type Target struct {
	prog *engine.Program
	eng  *engine.Engine

	mu       sync.Mutex // guards what follows
	sessions []*inbox   // of the sessions that are attached
	joined   int        // how many sessions there ever were
	serving  int        // connections
	filters  map[*inbox][]engine.Filter
	stop     *engine.Stop // while it is stopped
	end      *engine.End
}

// NewTarget makes a target. It does not run before Start. Of the options' functions OnOutput and
// OnEnd are called in addition to the reports to the sessions.
func NewTarget(p *engine.Program, o engine.Options) *Target {
	t := &Target{prog: p, filters: map[*inbox][]engine.Filter{}}
	output, end := o.OnOutput, o.OnEnd
	o.OnStop = t.stopped
	o.OnEnd = func(x engine.End) {
		t.mu.Lock()
		t.end, t.stop = &x, nil
		t.mu.Unlock()
		t.each(func(s *inbox) { s.post(engineEnd{attachedRun, x}) })
		if end != nil {
			end(x)
		}
	}
	o.OnOutput = func(st engine.Stream, text string, at engine.Site) {
		if output != nil {
			output(st, text, at)
		}
		t.each(func(s *inbox) { s.post(engineOutput{attachedRun, st, text, at}) })
	}
	o.OnUnit = func(i int) { t.each(func(s *inbox) { s.post(engineUnit{attachedRun, i}) }) }
	o.OnData = func(b engine.DataBreakpoint) { t.each(func(s *inbox) { s.post(engineData{attachedRun, b}) }) }
	o.OnCancelled = func(x engine.Cancelled) { t.each(func(s *inbox) { s.post(engineCancelled{attachedRun, x}) }) }
	o.OnChange = func(b engine.Breakpoint) { t.each(func(s *inbox) { s.post(engineBreakpoint{attachedRun, b}) }) }
	o.InGroup = inGroup
	t.eng = engine.NewEngine(p, o)
	// Nobody is there to look at a fault yet.
	_, _ = t.eng.Filters.Set(nil)
	return t
}

// Start begins to run the program; a second call does nothing.
func (t *Target) Start() { t.eng.Start() }

// Engine returns the engine.
func (t *Target) Engine() *engine.Engine { return t.eng }

// serves counts a connection until the function that it returns is called.
func (t *Target) serves() (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.serving++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.serving--
	}
}

// Drain waits until every session has ended, with its last answer sent, but no longer than the
// context.
func (t *Target) Drain(ctx context.Context) {
	for {
		t.mu.Lock()
		n := t.serving
		t.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(drainPoll):
		}
	}
}

// drainPoll is how often Drain looks.
const drainPoll = 10 * time.Millisecond

func (t *Target) each(f func(*inbox)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.sessions {
		f(s)
	}
}

// others posts something to all sessions but one.
func (t *Target) others(than *inbox, x any) {
	t.each(func(s *inbox) {
		if s != than {
			s.post(x)
		}
	})
}

// stopped reports a stop to the sessions. Without a session the program resumes.
func (t *Target) stopped(x engine.Stop) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.sessions) == 0 && x.Reason != engine.AtEntry {
		go t.resume()
		return
	}
	t.stop = &x
	for _, s := range t.sessions {
		s.post(engineStop{attachedRun, x})
	}
}

func (t *Target) resume() {
	if t.eng.Stepper.Prepare(engine.Run, engine.ByStatement, 0, false) == nil {
		t.eng.Resume()
	}
}

// attach adds a session. It returns what the session has to report: that the program is stopped, or
// has ended.
func (t *Target) attach(s *inbox) (*engine.Stop, *engine.End) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions = append(t.sessions, s)
	return t.stop, t.end
}

// setFilters sets the filters of one session; those of all are in force.
func (t *Target) setFilters(s *inbox, fs []engine.Filter) ([]error, error) {
	t.mu.Lock()
	t.filters[s] = fs
	all := append([]engine.Filter(nil), fs...)
	for o, more := range t.filters {
		if o != s {
			all = append(all, more...)
		}
	}
	t.mu.Unlock()
	errs, err := t.eng.Filters.Set(all)
	return errs[:len(fs)], err
}

// resumed records that a session resumes the program.
func (t *Target) resumed(by *inbox) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop = nil
	for _, s := range t.sessions {
		if s != by {
			s.post(engineContinued{attachedRun})
		}
	}
}

// moved records that a session made a stack continue elsewhere during a stop: to the others that
// is another stop.
func (t *Target) moved(by *inbox, now engine.Stop) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stop = &now
	for _, s := range t.sessions {
		if s != by {
			s.post(engineContinued{attachedRun})
			s.post(engineStop{attachedRun, now})
		}
	}
}

// detach removes a session with its breakpoints. If it was the last one and the program is stopped,
// the program resumes, unless it is to stay stopped.
func (t *Target) detach(s *inbox, groups []string, stay bool) {
	t.mu.Lock()
	found := false
	for i, o := range t.sessions {
		if o == s {
			t.sessions = append(t.sessions[:i], t.sessions[i+1:]...)
			found = true
			break
		}
	}
	delete(t.filters, s)
	last, stands := len(t.sessions) == 0, t.stop != nil
	if found && last && stands && !stay {
		t.stop = nil
	}
	t.mu.Unlock()
	if !found {
		return
	}
	for _, g := range groups {
		if strings.HasSuffix(g, string(groupMark)+groupData) {
			_ = t.eng.DataBreakpoints.Set(g, nil)
		} else {
			_ = t.eng.Breakpoints.Set(g, nil, nil)
		}
	}
	_, _ = t.setFilters(s, nil)
	t.mu.Lock()
	delete(t.filters, s)
	t.mu.Unlock()
	if last && stands && !stay {
		t.resume()
	}
}

var errNoTarget = errors.New(
	`nothing to attach to: set "connect" to the address that wasm-dap run --listen printed, or use launch`,
)

// onAttach joins a program that runs already, here or at the address of another server.
func (s *session) onAttach(m *Message) (any, error) {
	var to config.Attach
	if err := unmarshal(m.Arguments, &to); err == nil && to.Connect != "" && s.cfg.Target == nil &&
		s.prog.mayBegin() == nil {
		return nil, s.onConnect(m, to.Connect)
	}
	a, warnings, err := config.ParseAttach(m.Arguments)
	if err != nil {
		return nil, userError{err}
	}
	if err := s.prog.mayBegin(); err != nil {
		return nil, err
	}
	t := s.cfg.Target
	if t == nil {
		return nil, userError{errNoTarget}
	}
	l := &config.Launch{
		Program: t.prog.Path, MaxThreads: a.MaxThreads, CancelTag: a.CancelTag, Module: a.Module,
		Warnings: warnings, Attached: true, SourceMap: a.SourceMap, SubstitutePath: a.SubstitutePath,
		SourcePaths: a.SourcePaths,
	}
	l.CheckCancelTag(t.prog, config.AttachName)
	if l.MaxThreads == 0 {
		l.MaxThreads = config.DefaultMaxThreads
	}
	s.prog.launch, s.prog.program, s.prog.eng, s.prog.target, s.prog.owner = l, t.prog, t.eng, t, ownerOther
	t.mu.Lock()
	t.joined++
	s.breaks.next += t.joined * idSpan
	t.mu.Unlock()
	s.prog.run, s.prog.phase = attachedRun, phaseConfiguring
	s.src.reset(l, &engine.Program{})
	s.threads.wat = t.prog.WAT
	if err := t.show(a); err != nil {
		return nil, err
	}
	if a.View != "" {
		s.threads.wat = a.View == viewWAT
	}
	s.breaks.filter, s.prog.onEntry = engine.DefaultFilters(), a.StopOnEntry
	s.out.then(func() {
		s.out.event("capabilities", attachCapabilities())
		s.warn(l)
		s.ready("attach")
	})
	return nil, nil
}

// show sets, for all sessions, what a session that attaches asks for: what is skipped, and the view.
func (t *Target) show(a *config.Attach) error {
	if a.SkipFiles == nil && a.View == "" {
		return nil
	}
	skip, err := symbols.NewSkip(a.SkipFiles)
	if err != nil {
		return userError{err}
	}
	return t.eng.Do(func() {
		if a.SkipFiles != nil {
			t.eng.Symbols.SetSkip(skip)
		}
		if a.View != "" {
			t.eng.Symbols.SetView(nil, a.View == viewWAT)
		}
	})
}

// attachCapabilities are those that differ for a program that runs on its own.
func attachCapabilities() any {
	return map[string]any{"capabilities": map[string]any{
		"supportsRestartRequest": false, "supportTerminateDebuggee": true, "supportSuspendDebuggee": true,
	}}
}

// attached reports the state of the program to a session that has been configured.
func (s *session) attached() {
	t := s.prog.target
	stop, end := t.attach(s.inbox)
	_, _ = t.setFilters(s.inbox, s.breaks.filter)
	switch {
	case end != nil:
		s.inbox.post(engineEnd{s.prog.run, *end})
	case stop != nil:
		s.inbox.post(engineStop{s.prog.run, *stop})
	default:
		if s.prog.onEntry {
			t.eng.StopOnEntry()
		}
		t.Start()
	}
}

// idSpan is how many ids of breakpoints each session has, so that the hits of one are not taken for
// those of another.
const idSpan = 1_000_000

// attachedRun is the ordinal of the run that an attached session is about: there is no other one.
const attachedRun = 1

// inGroup reports whether a group of breakpoints, of any session, is that of a file.
func inGroup(group string, f *engine.Source) bool {
	name := paths.Canonical(f.Name)
	if len(group) < len(name) || group[len(group)-len(name):] != name {
		return false
	}
	rest := group[:len(group)-len(name)]
	return rest == "" || rest[len(rest)-1] == groupMark
}

// groupMark separates what names a session from the name of a group.
const groupMark = '\x00'
