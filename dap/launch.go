package dap

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"stackscope/dap/config"
	"stackscope/dap/internal/paths"
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
// the client has sent configurationDone.
func (s *session) onLaunch(m *Message) (any, error) {
	if err := s.prog.mayBegin(); err != nil {
		return nil, err
	}
	if s.cfg.Target != nil {
		return nil, userError{errors.New("a program is already running here: use attach")}
	}
	raw := m.Arguments
	l, err := config.ParseLaunch(raw)
	if err != nil {
		return nil, userError{err}
	}
	if l.Console != "" && l.Console != config.ConsoleInternal && s.client.terminal && len(s.cfg.Self) > 0 {
		return nil, s.onTerminalLaunch(m, l)
	}
	if err := s.load(l); err != nil {
		return nil, userError{err}
	}
	s.prog.launch, s.prog.launchRaw = l, raw
	s.out.then(func() {
		s.warn(l)
		s.ready("launch")
	})
	return nil, nil
}

// warn reports in the console what in a configuration is unknown.
func (s *session) warn(l *config.Launch) {
	for _, w := range l.Warnings {
		s.console.write(engine.Console, w+"\n", engine.Site{})
	}
	s.src.warn()
}

// ready reports that the client can set breakpoints.
func (s *session) ready(method string) {
	s.out.event(
		"process",
		godap.ProcessEventBody{Name: filepath.Base(s.prog.launch.Program), IsLocalProcess: true, StartMethod: method},
	)
	if designs := s.prog.program.Designs(); len(designs) > 0 { // the words of the program's own designs
		s.out.event("capabilities", map[string]any{"capabilities": map[string]any{
			"exceptionBreakpointFilters": exceptionFilters(designs),
		}})
	}
	s.out.event("initialized", nil)
}

// readProgram reads the program until the request is cancelled, or the client goes. What cannot be
// stopped at once continues for a while, and its result is dropped.
func (s *session) readProgram(l *config.Launch) (*engine.Program, error) {
	type loaded struct {
		p     *engine.Program
		err   error
		panic any
	}
	ctx := s.cancels.ctx
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
func (s *session) load(l *config.Launch) error {
	if s.cfg.Load == nil {
		return errors.New("this adapter cannot load programs")
	}
	var p *engine.Program
	var err error
	s.console.progress("Loading "+filepath.Base(l.Program), func() { p, err = s.readProgram(l) })
	if err != nil {
		var le *LoadError
		if errors.As(err, &le) {
			for _, d := range le.Diagnostics {
				b := outputBody{
					OutputEventBody: godap.OutputEventBody{
						Category: "stderr", Output: strings.TrimRight(d.Text, "\n") + "\n",
					},
				}
				if d.Path != "" {
					src := &godap.Source{Name: filepath.Base(d.Path), Path: s.client.path(d.Path)}
					b.Source, b.Line, b.Column = src, s.client.line(max(d.Line-1, 0)), s.client.col(max(d.Col-1, 0))
				}
				s.out.event("output", b)
			}
		}
		return err
	}
	l.CheckCancelTag(p, config.LaunchName)
	s.prog.run++
	run := s.prog.run
	o := engine.Options{
		StopOnEntry: l.StopOnEntry, NoDebug: l.NoDebug, Semantics: l.Law(),
		OnStop:   func(x engine.Stop) { s.inbox.post(engineStop{run, x}) },
		OnEnd:    func(x engine.End) { s.inbox.post(engineEnd{run, x}) },
		OnOutput: func(st engine.Stream, text string, at engine.Site) { s.console.write(st, text, at) },
	}
	o.InGroup = inGroup
	o.OnUnit = func(i int) { s.inbox.post(engineUnit{run, i}) }
	o.OnData = func(b engine.DataBreakpoint) { s.inbox.post(engineData{run, b}) }
	o.OnChange = func(b engine.Breakpoint) { s.inbox.post(engineBreakpoint{run, b}) }
	o.OnCancelled = func(x engine.Cancelled) { s.inbox.post(engineCancelled{run, x}) }
	if l.History != "off" {
		o.History = l.HistoryEvents
		o.Values = l.History == "full"
	}
	if l.Trace {
		o.OnEvent = func(e engine.Event) { s.console.write(engine.Console, e.String()+"\n", e.At) }
	}
	s.prog.program, s.prog.target = p, nil
	if l.ChildSessions && s.client.children && !l.NoDebug {
		if err := s.share(p, o); err != nil {
			return err
		}
	} else {
		s.prog.eng, s.prog.owner = engine.NewEngine(p, o), ownerLaunch
	}
	s.src.reset(l, p)
	s.prog.phase = phaseConfiguring
	s.threads.list, s.threads.wat = nil, p.WAT
	s.handles.reset()
	s.breaks.restore()
	s.data.restore()
	return nil
}

func (s *session) onConfigurationDone(*godap.ConfigurationDoneArguments) (any, error) {
	switch {
	case s.prog.eng == nil:
		return nil, errors.New("no program has been launched")
	case s.prog.phase == phaseEnded: // the client has terminated it before it began
		return nil, nil
	case s.prog.phase != phaseConfiguring:
		return nil, errors.New("configurationDone was already sent")
	}
	s.prog.phase = phaseRunning
	s.prog.decideEntry()
	if s.prog.target != nil {
		s.out.then(s.attached)
		if s.prog.owner == ownerShared {
			s.out.then(s.askChildren)
		}
	} else {
		s.out.then(s.prog.eng.Start)
	}
	return nil, nil
}

// onRestart runs the program again, read again from its file, with the same breakpoints.
func (s *session) onRestart(a *restartArguments) (any, error) {
	if s.prog.owner == ownerNone {
		return nil, errors.New("no program has been launched")
	}
	if s.prog.target != nil {
		return nil, userError{errors.New("a program that other sessions can attach to cannot be restarted")}
	}
	raw := s.prog.launchRaw
	l := s.prog.launch
	if len(a.Arguments) > 0 && string(a.Arguments) != "null" {
		x, err := config.ParseLaunch(a.Arguments)
		if err != nil {
			return nil, userError{err}
		}
		l, raw = x, a.Arguments
	}
	before, files := s.prog.units(), s.src.sums()
	s.kill()
	if err := s.load(l); err != nil {
		s.out.then(func() { s.finish(1) })
		return nil, userError{err}
	}
	s.prog.launch, s.prog.launchRaw = l, raw
	s.src.reportChanged(before, files)
	s.out.then(func() {
		s.warn(l)
		s.prog.phase = phaseRunning
		s.prog.decideEntry()
		s.prog.eng.Start()
	})
	return nil, nil
}

// onTerminate ends the program; `terminated` follows when it has ended.
func (s *session) onTerminate(*godap.TerminateArguments) (any, error) {
	if s.prog.eng == nil {
		s.out.then(func() { s.finish(0) })
		return nil, nil
	}
	e := s.prog.eng
	s.out.then(func() {
		e.Kill()
		if !e.Started() {
			s.finish(0)
		}
	})
	return nil, nil
}

// onDisconnect ends the session, and the program with it, unless it was attached to: that
// continues, stays stopped, or ends, as the client asks.
func (s *session) onDisconnect(a *godap.DisconnectArguments) (any, error) {
	s.prog.keep = a.SuspendDebuggee
	if s.prog.owner == ownerOther && a.TerminateDebuggee && s.prog.eng != nil {
		s.prog.eng.Kill()
	}
	s.kill()
	s.out.then(func() { s.prog.phase = phaseOver })
	return nil, nil
}

// What the engine reports, with the ordinal of the run it is about.
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

// share makes the program of a launch a target that child sessions can attach to.
func (s *session) share(p *engine.Program, o engine.Options) error {
	o.OnEnd, o.OnOutput, o.OnStop = nil, nil, nil
	t := NewTarget(p, o)
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	cfg := Config{Target: t, Log: s.log, Version: s.cfg.Version}
	go func() {
		if err := ServeListener(context.Background(), l, cfg); err != nil {
			s.log.Warn("child sessions", "error", err)
		}
	}()
	s.prog.target, s.prog.owner, s.prog.eng, s.prog.run = t, ownerShared, t.eng, attachedRun
	s.prog.unshare, s.prog.shared = func() { l.Close() }, l.Addr().String() // sessions that are there end by themselves
	return nil
}

// askChildren asks the client for a session for each file with a module besides the program's own.
func (s *session) askChildren() {
	own := paths.Canonical(s.prog.program.Units[len(s.prog.program.Units)-1].File.Name)
	told := map[string]bool{own: true}
	for _, u := range s.prog.program.Units {
		path := paths.Canonical(u.File.Name)
		if told[path] {
			continue
		}
		told[path] = true
		s.out.ask("startDebugging", map[string]any{"request": "attach", "configuration": map[string]any{
			"type": "wasm", "request": "attach", "name": filepath.Base(path), "connect": s.prog.shared, "module": path, "maxThreads": s.prog.launch.MaxThreads,
		}}, func(m *Message) {
			if !m.Success {
				s.log.Info("no child session", "message", m.Message)
			}
		})
	}
}
