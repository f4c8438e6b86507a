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
	s.prog.target, s.prog.owner, s.prog.eng, s.prog.run = t, ownerShared, t.eng, attachedRun
	s.prog.unshare, s.prog.shared = func() { l.Close() }, l.Addr().String() // sessions that are there end by themselves
	return nil
}

// askChildren asks the client for a session for each file with a module besides the program's own.
func (s *session) askChildren() {
	own := canonicalPath(s.prog.program.Units[len(s.prog.program.Units)-1].File.Name)
	told := map[string]bool{own: true}
	for _, u := range s.prog.program.Units {
		path := canonicalPath(u.File.Name)
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
