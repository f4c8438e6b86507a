package dap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"stackscope/dap/internal/wire"
	"strings"

	engine "stackscope/vm/debugger"

	godap "github.com/google/go-dap"
)

// session is one client with at most one program at a time. It reads requests, looks their handlers
// up in its table of commands, and begins and ends the program; everything else is done by its
// parts. All of it runs on one goroutine; what other goroutines report comes through the inbox, and
// what the client sends through the intake.
type session struct {
	cfg      Config
	end      io.ReadWriteCloser // of the connection
	log      *slog.Logger
	commands map[string]handler
	initRaw  []byte // the arguments of initialize
	relay    *relay // while another server answers

	client  *clientInfo
	in      *intake
	cancels *cancellation
	inbox   *inbox
	out     *outbox
	prog    *debuggee
	src     *sources
	console *console
	handles *handles
	threads *threads
	vars    *variables
	mem     *memory
	breaks  *breakpoints
	data    *dataBreakpoints
	steps   *stepper
	moves   *mover
	ends    *canceller
	eval    *evaluator
	code    *disassembler
}

// common is what most parts of a session use of the others.
type common struct {
	prog    *debuggee
	out     *outbox
	client  *clientInfo
	src     *sources
	console *console
	handles *handles
}

// Ids of error responses.
const (
	errFailed     = 1000
	errBadRequest = 1001
	errNotStopped = 1002
	errCancelled  = 1003
)

// userError is an error that the user should see at once, not only in a log.
type userError struct{ error }

// Unwrap returns the error.
func (e userError) Unwrap() error { return e.error }

func newSession(cfg Config, rwc io.ReadWriteCloser) *session {
	s := &session{
		cfg: cfg, end: rwc, log: cfg.Log, client: &clientInfo{}, cancels: newCancellation(), inbox: newInbox(),
		handles: newHandles(),
	}
	s.out = &outbox{conn: wire.New(rwc, rwc), client: s.client}
	s.out.conn.Tap = cfg.Tap
	s.in = newIntake(s.out.conn, s.cancels, s.log)
	s.prog = &debuggee{log: s.log, cancels: s.cancels, inbox: s.inbox}
	s.src = &sources{prog: s.prog, out: s.out, client: s.client}
	s.console = &console{out: s.out, client: s.client, src: s.src, after: cfg.ProgressAfter}
	c := common{prog: s.prog, out: s.out, client: s.client, src: s.src, console: s.console, handles: s.handles}
	s.threads = &threads{common: c}
	s.mem = &memory{common: c}
	s.vars = &variables{common: c, mem: s.mem}
	s.breaks = newBreakpoints(c, s.threads)
	s.data = &dataBreakpoints{common: c, breaks: s.breaks, vars: s.vars}
	s.steps = &stepper{common: c, inbox: s.inbox, threads: s.threads, vars: s.vars, breaks: s.breaks, data: s.data}
	s.moves = &mover{common: c, threads: s.threads, vars: s.vars, steps: s.steps}
	s.ends = &canceller{common: c, steps: s.steps}
	s.eval = &evaluator{common: c, threads: s.threads, vars: s.vars, mem: s.mem, steps: s.steps, ends: s.ends}
	s.code = &disassembler{common: c}
	s.commands = s.handlers()
	return s
}

// serve executes the session until it is over.
func (s *session) serve() error {
	go s.in.read()
	defer s.in.close()
	defer s.cancels.abandon()
	defer s.kill()
	for s.prog.phase != phaseOver {
		select {
		case m, ok := <-s.in.reqs:
			if !ok {
				return s.in.readErr
			}
			if s.inbox.hasUrgent() { // what was only printed can wait
				s.drain()
			}
			switch {
			case s.prog.phase == phaseRelaying:
				s.relay.forward(m)
			case m.Type == "response":
				s.out.answered(m)
			default:
				s.dispatch(m)
			}
			s.in.served(m)
			s.drain()
		case <-s.inbox.notify:
			s.drain()
		}
	}
	return nil
}

// dispatch executes one request and answers it exactly once.
func (s *session) dispatch(m *Message) {
	wanted := s.cancels.begin(m)
	defer s.cancels.finished()
	if !wanted && s.prog.phase != phaseNew { // before initialize a cancellation is refused like any other request
		s.out.conn.Fail(m, errCancelled, false, "cancelled")
		return
	}
	s.out.drop()
	body, err := s.execute(m)
	var ue userError
	switch {
	case err == nil:
		s.out.conn.Respond(m, body)
	case errors.Is(err, errRelayed):
	case errors.Is(err, engine.ErrCancelled), errors.Is(err, context.Canceled):
		s.out.conn.Fail(m, errCancelled, false, "cancelled")
	case errors.Is(err, engine.ErrRunning):
		s.out.conn.Fail(m, errNotStopped, false, "notStopped")
	default:
		s.out.conn.Fail(m, errFailed, errors.As(err, &ue), err.Error())
	}
	s.out.finish()
}

// execute calls the handler. A panic of ours is answered, and the session continues.
func (s *session) execute(m *Message) (body any, err error) {
	defer func() {
		if r := recover(); r != nil {
			stack := string(debug.Stack())
			if f, ok := r.(*engine.RecoveredPanic); ok {
				stack = f.Stack
			}
			s.log.Error("panic", "value", r, "stack", stack)
			body, err = nil, fmt.Errorf("internal error in the debug adapter: %v", r)
		}
	}()
	h, ok := s.commands[m.Command]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown request %q", m.Command)
	case s.prog.phase == phaseNew && m.Command != "initialize" && m.Command != "disconnect":
		return nil, errors.New("the first request must be initialize")
	}
	return h(m)
}

// drain handles everything in the inbox.
func (s *session) drain() {
	for _, x := range s.inbox.take() {
		s.receive(x)
	}
}

// kill ends the program, if one runs, and waits for it a while.
func (s *session) kill() { s.prog.kill(append(s.breaks.groups(), groupData)) }

func (s *session) receive(x any) {
	switch x := x.(type) {
	case engineStop:
		if x.run == s.prog.run {
			s.steps.stopped(x.Stop)
		}
	case engineBreakpoint:
		if x.run == s.prog.run {
			s.breaks.changed(x.Breakpoint)
		}
	case *pendingOutput:
		if x.run == s.prog.run {
			s.console.write(x.st, x.text.String(), x.at)
		}
	case *leftOut:
		if x.run == s.prog.run {
			s.console.write(engine.Console, x.String(), engine.Site{})
		}
	case threadsChanged:
		if x.run == s.prog.run && s.client.invalidated {
			s.out.event("invalidated", godap.InvalidatedEventBody{Areas: []godap.InvalidatedAreas{"threads"}})
		}
	case engineContinued:
		if x.run == s.prog.run && s.prog.phase == phaseStopped {
			s.prog.phase = phaseRunning
			s.handles.reset()
			s.out.event("continued", continuedBody{int(s.prog.stop.Stack), true})
		}
	case terminalReady:
		s.onTerminalReady(x)
	case pauseLate:
		if x.run == s.prog.run {
			s.steps.onPauseLate()
		}
	case relayEnded:
		s.prog.phase = phaseOver
	case engineUnits:
		for i := x.from; i <= x.to && x.run == s.prog.run; i++ {
			s.src.loaded(i)
		}
		if x.run == s.prog.run {
			s.breaks.retry()
		}
	case engineData:
		if x.run == s.prog.run {
			s.data.changed(x.DataBreakpoint)
		}
	case engineCancelled:
		if x.run == s.prog.run {
			s.ends.cancelled(x.Cancelled)
		}
	case engineEnd:
		if x.run == s.prog.run {
			s.onEnd(x.End)
		}
	}
}

// onEnd reports how the program ended.
func (s *session) onEnd(end engine.End) {
	if end.Pending != "" {
		s.console.write(engine.Console, end.Pending+"\n", engine.Site{})
	}
	if end.Leaks != "" {
		s.console.write(engine.Console, end.Leaks, engine.Site{})
	}
	if end.Skipped != "" {
		s.console.write(engine.Console, end.Skipped, engine.Site{})
	}
	if end.Text != "" {
		text := s.console.styled(styleError, strings.TrimSuffix(end.Text, "\n"))
		s.console.write(engine.Stderr, text+"\n", engine.Site{})
	}
	if end.Summary != "" {
		s.console.write(engine.Console, end.Summary+"\n", engine.Site{})
	}
	if end.Err != nil {
		s.log.Info("program ended", "error", end.Err)
	}
	s.finish(end.Code)
}

// finish sends `exited` and `terminated`, once.
func (s *session) finish(code int) {
	if s.prog.phase == phaseEnded {
		return
	}
	s.prog.phase = phaseEnded
	s.handles.reset()
	s.out.event("exited", exitedBody{code})
	s.out.event("terminated", nil)
}
