package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

func unmarshal(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, v)
}

// onLaunch loads the program, so that breakpoints can be verified, and asks for them. It runs once
// the client has said that the configuration is done.
func (s *session) onLaunch(m *Message) (any, error) {
	if err := s.mayBegin(); err != nil {
		return nil, err
	}
	if s.cfg.Target != nil {
		return nil, userError{errors.New("a program runs here already: use attach")}
	}
	raw := m.Arguments
	l, err := parseLaunch(raw)
	if err != nil {
		return nil, userError{err}
	}
	if l.Console != "" && l.Console != consoleInternal && s.client.terminal && len(s.cfg.Self) > 0 {
		return nil, s.onTerminalLaunch(m, l)
	}
	if err := s.load(l); err != nil {
		return nil, userError{err}
	}
	s.launch, s.launchRaw = l, raw
	s.then(func() {
		s.warn(l)
		s.ready("launch")
	})
	return nil, nil
}

// mayBegin returns an error if a program cannot be launched or attached to (any more).
func (s *session) mayBegin() error {
	switch {
	case s.phase == phaseStarting:
		return userError{errors.New("a program is being started in a terminal already")}
	case s.owner != ownerNone:
		return errors.New("a program was launched before")
	}
	return nil
}

// warn says in the console what in a configuration is unknown.
func (s *session) warn(l *Launch) {
	for _, w := range l.warnings {
		s.output(engine.Console, w+"\n", engine.Site{})
	}
}

// ready tells the client that it can set breakpoints.
func (s *session) ready(method string) {
	s.conn.event(
		"process",
		godap.ProcessEventBody{Name: filepath.Base(s.launch.Program), IsLocalProcess: true, StartMethod: method},
	)
	s.conn.event("initialized", nil)
}

// readProgram reads the program until the request is cancelled, or the client goes. What cannot be
// stopped at once goes on for a while, for nobody.
func (s *session) readProgram(l *Launch) (*engine.Program, error) {
	type loaded struct {
		p     *engine.Program
		err   error
		panic any
	}
	ctx := s.ctx
	l.Context = ctx
	done := make(chan loaded, 1)
	go func() {
		var x loaded
		defer func() {
			x.panic = recover()
			done <- x
		}()
		x.p, x.err = s.cfg.Load(l)
	}()
	select {
	case x := <-done:
		if x.panic != nil {
			panic(x.panic)
		}
		l.Context = nil
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return x.p, x.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// load reads the program and makes an engine for it. What is wrong is also written to the console.
func (s *session) load(l *Launch) error {
	if s.cfg.Load == nil {
		return errors.New("this adapter cannot load programs")
	}
	var p *engine.Program
	var err error
	s.progress("Loading "+filepath.Base(l.Program), func() { p, err = s.readProgram(l) })
	if err != nil {
		var le *LoadError
		if errors.As(err, &le) {
			for _, d := range le.Diagnostics {
				b := outputBody{
					OutputEventBody: godap.OutputEventBody{Category: "stderr", Output: strings.TrimRight(d.Text, "\n") + "\n"},
				}
				if d.Path != "" {
					src := &godap.Source{Name: filepath.Base(d.Path), Path: s.clientPath(d.Path)}
					b.Source, b.Line, b.Column = src, s.line(max(d.Line-1, 0)), s.col(max(d.Col-1, 0))
				}
				s.conn.event("output", b)
			}
		}
		return err
	}
	checkCancelTag(p, l, launchConfig)
	s.printed = l.PrintedURIs
	s.run++
	run := s.run
	o := engine.Options{
		StopOnEntry: l.StopOnEntry, NoDebug: l.NoDebug, Law: l.law(),
		OnStop:   func(x engine.Stop) { s.post(engineStop{run, x}) },
		OnEnd:    func(x engine.End) { s.post(engineEnd{run, x}) },
		OnOutput: func(st engine.Stream, text string, at engine.Site) { s.output(st, text, at) },
	}
	o.InGroup = inGroup
	o.OnUnit = func(i int) { s.post(engineUnit{run, i}) }
	o.OnData = func(b engine.DataBreakpoint) { s.post(engineData{run, b}) }
	o.OnChange = func(b engine.Breakpoint) { s.post(engineBreakpoint{run, b}) }
	o.OnCancelled = func(x engine.Cancelled) { s.post(engineCancelled{run, x}) }
	if l.History != "off" {
		o.History = l.HistoryEvents
		o.Values = l.History == "full"
	}
	if l.Trace {
		o.OnEvent = func(e engine.Event) { s.output(engine.Console, e.String()+"\n", e.At) }
	}
	s.program, s.target = p, nil
	if l.ChildSessions && s.client.children && !l.NoDebug {
		if err := s.share(p, o); err != nil {
			return err
		}
	} else {
		s.eng, s.owner = engine.NewEngine(p, o), ownerLaunch
	}
	s.outputs = map[string]*godap.Source{}
	for i, u := range p.Units {
		s.outputs[u.File.Name] = s.sourceOf(i)
	}
	s.phase = phaseConfiguring
	s.threads = nil
	s.handles.reset()
	s.restoreBreakpoints()
	return nil
}

func (s *session) onConfigurationDone(*godap.ConfigurationDoneArguments) (any, error) {
	switch {
	case s.eng == nil:
		return nil, errors.New("no program is launched")
	case s.phase == phaseEnded: // the client has terminated it before it began
		return nil, nil
	case s.phase != phaseConfiguring:
		return nil, errors.New("configurationDone was sent before")
	}
	s.phase = phaseRunning
	s.decideEntry()
	if s.target != nil {
		s.then(s.attached)
		if s.owner == ownerShared {
			s.then(s.askChildren)
		}
	} else {
		s.then(s.eng.Start)
	}
	return nil, nil
}

// decideEntry has the program stop on entry where nothing else may stop it. A breakpoint in another
// file, or one that stands for nothing, does not count.
func (s *session) decideEntry() {
	if s.launch != nil && s.launch.StopUnlessBreakpoint && !s.eng.HasBreakpoints() {
		s.eng.StopOnEntry()
	}
}

// onRestart runs the program again, read again from its file, with the same breakpoints.
func (s *session) onRestart(a *restartArguments) (any, error) {
	if s.owner == ownerNone {
		return nil, errors.New("no program is launched")
	}
	if s.target != nil {
		return nil, userError{errors.New("a program that other sessions can attach to cannot be restarted")}
	}
	raw := s.launchRaw
	l := s.launch
	if len(a.Arguments) > 0 && string(a.Arguments) != "null" {
		x, err := parseLaunch(a.Arguments)
		if err != nil {
			return nil, userError{err}
		}
		l, raw = x, a.Arguments
	}
	before := s.units()
	s.kill()
	if err := s.load(l); err != nil {
		s.then(func() { s.finish(1) })
		return nil, userError{err}
	}
	s.launch, s.launchRaw = l, raw
	s.sourcesChanged(before)
	s.then(func() {
		s.warn(l)
		s.phase = phaseRunning
		s.decideEntry()
		s.eng.Start()
	})
	return nil, nil
}

// onTerminate ends the program; `terminated` follows when it has ended.
func (s *session) onTerminate(*godap.TerminateArguments) (any, error) {
	if s.eng == nil {
		s.then(func() { s.finish(0) })
		return nil, nil
	}
	e := s.eng
	s.then(func() {
		e.Kill()
		if !e.Started() {
			s.finish(0)
		}
	})
	return nil, nil
}

// onDisconnect ends the session, and the program with it, unless it was attached to: that goes on,
// is left as it stands, or is ended, as the client says.
func (s *session) onDisconnect(a *godap.DisconnectArguments) (any, error) {
	s.keep = a.SuspendDebuggee
	if s.owner == ownerOther && a.TerminateDebuggee && s.eng != nil {
		s.eng.Kill()
	}
	s.kill()
	s.then(func() { s.phase = phaseOver })
	return nil, nil
}

// What the engine tells, with the ordinal of the run it is about.
type (
	engineStop struct {
		run int
		engine.Stop
	}
	engineEnd struct {
		run int
		engine.End
	}
	engineBreakpoint struct {
		run int
		engine.Breakpoint
	}
	engineOutput struct {
		run  int
		st   engine.Stream
		text string
		at   engine.Site
	}
	engineContinued struct{ run int }
	engineUnit      struct{ run, unit int }
	engineData      struct {
		run int
		engine.DataBreakpoint
	}
	engineCancelled struct {
		run int
		engine.Cancelled
	}
)

func (s *session) fromEngine(x any) {
	switch x := x.(type) {
	case engineStop:
		if x.run == s.run {
			s.stopped(x.Stop)
		}
	case engineBreakpoint:
		if x.run == s.run {
			s.breakpointChanged(x.Breakpoint)
		}
	case *pendingOutput:
		if x.run == s.run {
			s.output(x.st, x.text.String(), x.at)
		}
	case *leftOut:
		if x.run == s.run {
			s.output(engine.Console, x.String(), engine.Site{})
		}
	case threadsChanged:
		if x.run == s.run && s.client.invalidated {
			s.conn.event("invalidated", godap.InvalidatedEventBody{Areas: []godap.InvalidatedAreas{"threads"}})
		}
	case engineContinued:
		if x.run == s.run && s.phase == phaseStopped {
			s.phase = phaseRunning
			s.handles.reset()
			s.conn.event("continued", continuedBody{int(s.stop.Stack), true})
		}
	case terminalReady:
		s.onTerminalReady(x)
	case pauseLate:
		if x.run == s.run {
			s.onPauseLate()
		}
	case relayEnded:
		s.phase = phaseOver
	case engineUnits:
		for i := x.from; i <= x.to && x.run == s.run; i++ {
			s.unitLoaded(i)
		}
	case engineData:
		if x.run == s.run {
			s.dataChanged(x.DataBreakpoint)
		}
	case engineCancelled:
		if x.run == s.run {
			s.stackCancelled(x.Cancelled)
		}
	case engineEnd:
		if x.run == s.run {
			s.onEnd(x.End)
		}
	}
}

// onEnd reports how the program ended.
func (s *session) onEnd(end engine.End) {
	if end.Pending != "" {
		s.output(engine.Console, end.Pending+"\n", engine.Site{})
	}
	if end.Leaks != "" {
		s.output(engine.Console, end.Leaks, engine.Site{})
	}
	if end.Text != "" {
		s.output(engine.Stderr, s.styled(styleError, strings.TrimSuffix(end.Text, "\n"))+"\n", engine.Site{})
	}
	if end.Summary != "" {
		s.output(engine.Console, end.Summary+"\n", engine.Site{})
	}
	if end.Err != nil {
		s.log.Info("program ended", "error", end.Err)
	}
	s.finish(end.Code)
}

// finish sends `exited` and `terminated`, once.
func (s *session) finish(code int) {
	if s.phase == phaseEnded {
		return
	}
	s.phase = phaseEnded
	s.handles.reset()
	s.conn.event("exited", exitedBody{code})
	s.conn.event("terminated", nil)
}

// output passes on what the program, or the debugger, writes.
func (s *session) output(st engine.Stream, text string, at engine.Site) {
	b := outputBody{
		OutputEventBody: godap.OutputEventBody{Category: [...]string{"stdout", "stderr", "console"}[st], Output: text},
	}
	if at.Line > 0 {
		b.Source = s.outputs[at.File]
		if b.Source == nil {
			b.Source = &godap.Source{Name: filepath.Base(at.File), Path: s.clientPath(at.File)}
		}
		b.Line, b.Column = s.line(at.Line-1), s.col(at.Col-1)
	}
	s.conn.event("output", b)
}

// requireEngine returns the engine of a launched program.
func (s *session) requireEngine() (*engine.Engine, error) {
	if s.eng == nil {
		return nil, fmt.Errorf("no program is launched")
	}
	return s.eng, nil
}
