package dap

import (
	"context"
	"path/filepath"

	engine "stackscope/vm/debugger"
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
	s.target, s.owner, s.eng, s.run = t, ownerShared, t.eng, attachedRun
	s.unshare, s.shared = func() { l.Close() }, l.Addr().String() // sessions that are there end by themselves
	return nil
}

// askChildren asks the client for a session for each file with a module besides the program's own.
func (s *session) askChildren() {
	own := canonicalPath(s.program.Units[len(s.program.Units)-1].File.Name)
	told := map[string]bool{own: true}
	for _, u := range s.program.Units {
		path := canonicalPath(u.File.Name)
		if told[path] {
			continue
		}
		told[path] = true
		s.ask("startDebugging", map[string]any{"request": "attach", "configuration": map[string]any{
			"type": "wasm", "request": "attach", "name": filepath.Base(path), "connect": s.shared, "module": path, "maxThreads": s.launch.MaxThreads,
		}}, func(m *Message) {
			if !m.Success {
				s.log.Info("no child session", "message", m.Message)
			}
		})
	}
}

// ofModule reports whether a session about one file lists a stack: it stands there, or runs.
func (s *session) ofModule(st *engine.Stack) bool {
	return s.launch.Module == "" || st.ID == s.stop.Stack || st.State == engine.Running ||
		canonicalPath(st.At.File) == canonicalPath(s.launch.Module)
}
